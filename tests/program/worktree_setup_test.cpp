// worktree.setup: the user's own command readies each new worktree before agents and checks work
// there. What it leaves is nobody's change.
#include <algorithm>
#include <filesystem>

#include "tests/program/deliver_project.h"
#include "tests/program/demo_project.h"
#include "tests/program/project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

class WorktreeSetup : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
    fs::create_directories(path("notes"));
  }
  // The script is what worktree.setup runs, after a note of where it ran.
  void set_up_by(const std::string& script, const std::string& more = {}) const {
    write_file(path("setup.sh"), "pwd >>'" + path("notes/ran") + "'\n" + script + "\n");
    configure("tracker: native\nworktree: {setup: [sh, '" + path("setup.sh") + "']}\n" +
              (more.empty() ? "verify: {baseline: red-allowed, test: 'sh tests/feature_test.sh'}\n"
                            : more));
  }
  std::vector<std::string> ran_in(const std::string& part) const {
    std::vector<std::string> folders = lines_of(read_file(path("notes/ran")));
    std::erase_if(folders, [&](const std::string& f) { return f.find(part) == f.npos; });
    return folders;
  }
  // For agents: fails unless the file is there.
  void needs(const std::string& file) {
    for (const char* phase :
         {"test-writer", "test-review", "execute", "execute-review", "sign-off"})
      on(phase, "[ -e " + file + " ] && pass || say ERROR 'there is no " + file + "'");
  }
};

TEST_F(WorktreeSetup, RunsOnceBeforeTheFirstAgentAndInEveryCleanCheckout) {
  set_up_by(
      "mkdir deps && echo lib >deps/lib; echo all is fetched",
      "verify: {baseline: red-allowed, test: '[ -e deps/lib ] && sh tests/feature_test.sh'}\n");
  needs("deps/lib");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(ran_in("/worktrees/").size(), 1U);
  EXPECT_GE(ran_in("/tmp/").size(), 1U) << "sign-off is checked in a clean checkout";
  EXPECT_EQ(git_out({"ls-tree", "-r", "--name-only", "main"}).find("deps"), std::string::npos);
  const std::vector<std::string> logs = logs_in(archive());
  const auto log = std::find_if(logs.begin(), logs.end(),
                                [](const std::string& name) { return name.starts_with("setup-"); });
  ASSERT_NE(log, logs.end());
  EXPECT_EQ(read_file(archive() + "/" + *log), "all is fetched\n");
}

TEST_F(WorktreeSetup, AFailureIsToldWithItsOutputBeforeAnAgentIsPaid) {
  set_up_by("echo fetching; echo 'no such package' >&2; exit 3");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
  EXPECT_HAS(outcome.out + outcome.err, "no such package");
  EXPECT_HAS(outcome.out + outcome.err, "exit status 3");
  EXPECT_HAS(outcome.out + outcome.err, "worktree.setup");
  EXPECT_TRUE(phases().empty());
  set_up_by("true");
  const Outcome again = run_bead();
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
}

TEST_F(WorktreeSetup, ATrackedFileThatItChangesCountsAsWhatItWas) {
  commit_file("big.bin", "pointer\n");
  set_up_by("echo contents >big.bin",
            "verify: {baseline: red-allowed, test: 'grep -q contents big.bin && sh "
            "tests/feature_test.sh'}\n");
  on("execute", "grep -q contents big.bin && pass || say ERROR 'a pointer'");
  on("execute-review", "grep -q contents big.bin && pass || say ERROR 'a pointer'");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(git_out({"show", "main:big.bin"}), "pointer");
}

TEST_F(WorktreeSetup, AnAgentsOwnChangeOfSuchAFileIsItsWork) {
  commit_file("big.bin", "pointer\n");
  set_up_by("grep -q mine big.bin || echo contents >big.bin");
  on("execute",
     "echo mine >big.bin; echo done >feature.txt; say PASS fine "
     "'\"feature.txt\",\"big.bin\"'");
  on("merge",
     "git add tests feature.txt big.bin && git commit -q -m \"$CAPSULE_COMMIT_MSG\" >&2; "
     "say PASS fine '\"tests/feature_test.sh\",\"feature.txt\",\"big.bin\"'");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(git_out({"show", "main:big.bin"}), "mine");
}

TEST_F(WorktreeSetup, RunsAgainWhenWhatItDependsOnHasChanged) {
  commit_file("package-lock.json", "{}\n");
  set_up_by("true",
            "verify: {baseline: red-allowed, guard: [none], test: 'sh tests/feature_test.sh'}\n");
  on("execute",
     "echo '{\"a\":1}' >package-lock.json; echo done >feature.txt; "
     "say PASS fine '\"feature.txt\",\"package-lock.json\"'");
  on("merge",
     "git add tests feature.txt package-lock.json && "
     "git commit -q -m \"$CAPSULE_COMMIT_MSG\" >&2; say PASS fine "
     "'\"tests/feature_test.sh\",\"feature.txt\",\"package-lock.json\"'");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(ran_in("/worktrees/").size(), 2U);
}

TEST_F(WorktreeSetup, RunsAgainWhenAFileOfGitLfsHasChanged) {
  commit_file(".gitattributes", "*.bin filter=lfs\n");
  commit_file("big.bin", "pointer\n");
  set_up_by("true");
  on("execute",
     "echo other >big.bin; echo done >feature.txt; "
     "say PASS fine '\"feature.txt\",\"big.bin\"'");
  on("merge",
     "git add tests feature.txt big.bin && git commit -q -m \"$CAPSULE_COMMIT_MSG\" >&2; "
     "say PASS fine '\"tests/feature_test.sh\",\"feature.txt\",\"big.bin\"'");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(ran_in("/worktrees/").size(), 2U);
}

TEST_F(WorktreeSetup, AWorktreeThatIsMadeAnewIsSetUpAnew) {
  set_up_by("mkdir deps && echo lib >deps/lib");
  needs("deps/lib");
  on("execute", 1, "rm -rf \"$CAPSULE_WORKTREE\"");
  on("execute", 2, "[ -e deps/lib ] && pass || say ERROR 'there are no deps'");
  EXPECT_EQ(run_bead().exit_code, 2);
  const Outcome again = run_bead();
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
  EXPECT_EQ(ran_in("/worktrees/").size(), 2U);
}

TEST_F(WorktreeSetup, SubmodulesAreThereForAgentsAndChecks) {
  const std::string library = path("library");
  fs::create_directories(library);
  git({"init", "-q", "-b", "main"}, library);
  write_file(library + "/lib.txt", "from the library\n");
  git({"add", "."}, library);
  git({"commit", "-q", "-m", "Library"}, library);
  git({"-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "lib"});
  git({"commit", "-q", "-m", "Use the library"});
  announce({});
  set_up_by(
      "git -c protocol.file.allow=always submodule update --init --recursive",
      "verify: {baseline: red-allowed, test: '[ -e lib/lib.txt ] && sh tests/feature_test.sh'}\n");
  needs("lib/lib.txt");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(git_out({"diff", "--name-only", "HEAD~1", "HEAD"}),
            "feature.txt\ntests/feature_test.sh");
  EXPECT_EQ(lines_of(git_out({"worktree", "list"})).size(), 1U);
}

TEST_F(WorktreeSetup, WithoutItTheRunAndDoctorNameWhatIsNotThere) {
  commit_file(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
  configure_gates("tracker: native\n");
  const Outcome doctor = command("doctor", {});
  EXPECT_HAS(doctor.out, "git-lfs");
  EXPECT_HAS(doctor.out, "git lfs pull");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.err, "files of git-lfs are pointers in worktrees");
}

class SetupInADelivery : public DeliveryTest {};

TEST_F(SetupInADelivery, EveryTaskHasItAndAFailureStopsTheDelivery) {
  const std::string notes = path("setup-notes");
  configure("worktree: {setup: 'pwd >>\"" + notes + "\"; [ -e \"" + path("good") +
            "\" ] || { echo no network; exit 1; }; mkdir -p deps; echo lib >deps/lib'}\n");
  write_plan({{"T-1"}, {"T-2", "T-1"}});
  on("developer", "", 1, "[ -e deps/lib ] && good");
  const Delivered stopped = deliver();
  EXPECT_EQ(stopped.exit_code, 2) << stopped.err;
  EXPECT_HAS(stopped.err, "no network");
  EXPECT_EQ(calls("developer", "T-1"), 0);
  write_file(path("good"), "");
  const Delivered again = deliver();
  EXPECT_EQ(again.exit_code, 0) << again.err;
  expect_delivered({"T-1", "T-2"});
  EXPECT_EQ(main_file("deps/lib"), "(missing)");
}

TEST_F(SetupInADelivery, AFailureInOneTasksTreeStopsThatTaskAlone) {
  configure(
      "worktree: {setup: 'case $PWD in *T-2*) echo no network; exit 1 ;; esac'}\n"
      "verify: {test: [true]}\n");
  write_plan({{"T-1"}, {"T-2"}, {"T-3", "T-1"}, {"T-4", "T-2"}});
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 1) << done.err;
  EXPECT_EQ(done.list("completed"), (std::vector<std::string>{"T-1", "T-3"}));
  EXPECT_EQ(done.list("failed"), (std::vector<std::string>{"T-2", "T-4"}));
  EXPECT_EQ(calls("developer", "T-2"), 0) << "nobody was paid for it";
  ASSERT_FALSE(done.of("task_failed").empty());
  EXPECT_HAS(done.of("task_failed")[0]["detail"].get<std::string>(), "no network");
  EXPECT_HAS(report_text(), "no network");
}

class SetupInAnAutoRun : public DemoProject {};

TEST_F(SetupInAnAutoRun, ReadiesTheWorktree) {
  make_project();
  auto_agent("[ -e deps/lib ] || exit 1\n");
  write_file(project() + "/.capsule/config.yaml",
             "worktree: {setup: 'mkdir -p deps; echo lib >deps/lib'}\n");
  const Outcome outcome = in({"auto", "run", "Say hello", "--skip-expansion", "--skip-reflect"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(git({"ls-tree", "-r", "--name-only", "main"}).out.find("deps"), std::string::npos);
}

TEST_F(SetupInAnAutoRun, InitProposesIt) {
  make_project();
  write_file(project() + "/package-lock.json", "{}\n");
  write_file(project() + "/.gitmodules", "");
  const Outcome init = in({"init"});
  EXPECT_EQ(init.exit_code, 0) << init.err;
  EXPECT_THAT(init.out, ::testing::HasSubstr("package-lock.json"));
  EXPECT_THAT(in({"config", "show"}).out,
              ::testing::HasSubstr("git submodule update --init --recursive && npm ci"));
}

}  // namespace
}  // namespace capsule::test
