#include "tests/program/demo_project.h"

namespace capsule::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

class SetupTemplate : public DemoProject {};

TEST_F(SetupTemplate, PrintsTheAbsolutePathAndNothingElse) {
  const Outcome made = in({"setup-template", "a b/it's ü"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(made.out, path("a b/it's ü") + "\n");
  EXPECT_EQ(made.err, "");
  EXPECT_TRUE(fs::exists(path("a b/it's ü/src/main.go")));
}

TEST_F(SetupTemplate, WithoutAFolderItMakesATemporaryOne) {
  Call call = in_project({"setup-template"});
  call.env["TMPDIR"] = dir();
  const Outcome made = run(call);
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_TRUE(made.out.starts_with(dir() + "/")) << made.out;
  const std::string folder = made.out.substr(0, made.out.size() - 1);
  EXPECT_TRUE(fs::exists(folder + "/.git"));
  // Scripts count worktrees of beads by this word, in the list that begins with the checkout.
  EXPECT_TRUE(fs::path(folder).filename().string().starts_with("demo-")) << folder;
  const std::string listed = git({"-C", folder, "worktree", "list"}).out;
  EXPECT_THAT(listed.substr(dir().size()), Not(HasSubstr("capsule-")));
}

TEST_F(SetupTemplate, CommitsEverythingOnMainAndWritesDownTheTracker) {
  make_project();
  EXPECT_EQ(git({"log", "--format=%s"}).out, "Add template project and bead fixtures\n");
  EXPECT_EQ(git({"branch", "--show-current"}).out, "main\n");
  EXPECT_EQ(git({"status", "--porcelain"}).out, "");
  EXPECT_THAT(git({"ls-files"}).out, HasSubstr(".beads/issues.jsonl\nCLAUDE.md\nREADME.md\nsrc/"));
  EXPECT_FALSE(has("cassettes"));
  EXPECT_THAT(read_file(project() + "/.capsule/config.yaml"), HasSubstr("\ntracker: native\n"));
  EXPECT_THAT(read_file(project() + "/.git/info/exclude"), HasSubstr(".capsule/\n"));
  EXPECT_THAT(in({"config", "show", "--json"}).out, HasSubstr("\"verify.test\":{\"value\":null"));
  EXPECT_EQ(in({"bead", "show", "demo-1.1.2"}).exit_code, 0);
}

TEST_F(SetupTemplate, RefusesAFolderThatHoldsARepositoryOrFilesOfTheTemplate) {
  make_project();
  const Outcome again = in({"setup-template", project()});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.err, HasSubstr("already contains a git repository"));
  EXPECT_EQ(again.out, "");

  write_file(path("mine/README.md"), "mine");
  EXPECT_EQ(in({"setup-template", path("mine")}).exit_code, 1);
  EXPECT_EQ(read_file(path("mine/README.md")), "mine");
  EXPECT_FALSE(fs::exists(path("mine/.git")));

  write_file(path("a-file"), "");
  EXPECT_EQ(in({"setup-template", path("a-file")}).exit_code, 1);
  EXPECT_EQ(in({"setup-template", path("a"), path("b")}).exit_code, 1);
  EXPECT_EQ(in({"setup-template", "--nonsense"}).exit_code, 1);
}

TEST_F(SetupTemplate, NothingOfTheUsersGitConfigurationRunsOrBreaksIt) {
  program("planted", "touch '" + path("ran") + "'\nexit 1\n");
  for (const char* hook : {"pre-commit", "post-commit", "reference-transaction"}) {
    write_file(path("hooks/") + hook, "#!/bin/sh\ntouch '" + path("ran") + "'\nexit 1\n");
    chmod((path("hooks/") + hook).c_str(), 0755);
  }
  write_file(path("home/.gitconfig"),
             "[init]\n\tdefaultBranch = other\n\ttemplateDir = " + path("hooks") +
                 "\n[core]\n\thooksPath = " + path("hooks") +
                 "\n\tfsmonitor = " + path("bin/planted") +
                 "\n[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = " + path("bin/planted") + "\n");
  make_project();
  EXPECT_FALSE(fs::exists(path("ran")));
  Call head = in_project({"rev-parse", "--abbrev-ref", "HEAD"});
  head.program = "git";
  head.env["HOME"] = path("nobody");
  EXPECT_EQ(run(head).out, "main\n");
}

TEST_F(SetupTemplate, AnIncompleteTemplateBesideTheScriptsIsAnErrorAndLeavesNothing) {
  write_file(path("own/templates/demo-capsule/README.md"), "x");
  fs::create_directories(path("own/scripts"));
  const Outcome made = in({"setup-template", path("new"), "--scripts-dir=" + path("own/scripts")});
  EXPECT_EQ(made.exit_code, 1);
  EXPECT_THAT(made.err, HasSubstr("is incomplete"));
  EXPECT_FALSE(fs::exists(path("new")));
}

TEST_F(SetupTemplate, AStandInForBdIsAskedAsTheOriginalAsksIt) {
  program("bd", "echo \"$PWD $*\" >> '" + path("calls") +
                    "'\ncase $1 in\n"
                    "show) echo '[{\"id\":\"'$2'\",\"title\":\"T\",\"status\":\"open\"}]' ;;\n"
                    "version) exit 1 ;;\nesac\n");
  make_project();
  const std::string calls = read_file(path("calls"));
  EXPECT_THAT(calls, HasSubstr(project() + " init --prefix=demo"));
  EXPECT_THAT(calls, HasSubstr(" import -i /"));
  EXPECT_THAT(read_file(project() + "/.capsule/config.yaml"), HasSubstr("\ntracker: bd\n"));
}

}  // namespace
}  // namespace capsule::test
