// The binary alone is enough: copied to an empty folder, far from its source tree and from any
// installation, it does everything. Files beside it win over those in it.
#include <unistd.h>

#include <cstring>

#include "tests/program/deliver_project.h"
#include "tests/program/demo_project.h"

namespace capsule::test {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

std::string source(const std::string& name) {
  return read_file(std::string(CAPSULE_SOURCE_DIR) + "/" + name);
}

class LoneBinary : public DemoProject {
 protected:
  void SetUp() override {
    DemoProject::SetUp();
    fs::create_directories(path("home"));
    fs::create_directories(path("alone/bin"));
    fs::copy_file(CAPSULE_BINARY, path("alone/bin/capsule"));
  }
  Outcome lone(std::vector<std::string> args, const std::string& folder) const {
    Call call = prepared({.args = std::move(args), .env = environment(), .cwd = path(folder)});
    for (char** entry = environ; *entry != nullptr; ++entry)
      if (const std::string name(*entry, std::strcspn(*entry, "=")); name.starts_with("CAPSULE_"))
        call.env.emplace(name, std::nullopt);
    call.program = path("alone/bin/capsule");
    return run(call);
  }
  void repository(const std::string& folder) const {
    fs::create_directories(path(folder));
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"init", "-q", "-b", "main"},
          std::vector<std::string>{"config", "user.name", "A"},
          std::vector<std::string>{"config", "user.email", "a@b"},
          std::vector<std::string>{"commit", "-qm", "x", "--allow-empty"}})
      ASSERT_EQ(git_in(folder, words).exit_code, 0);
  }
  Outcome git_in(const std::string& folder, std::vector<std::string> words) const {
    return call(
        {.args = std::move(words), .env = environment(), .cwd = path(folder), .program = "git"});
  }
};

TEST_F(LoneBinary, MakesARepositoryReadyAndTakesABeadToMain) {
  repository("work");
  const Outcome made = lone({"init"}, "work");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  for (const char* name : {"prompts/execute.md", "templates/worklog.md.template"})
    EXPECT_EQ(read_file(path("work/") + name), source(name));
  ASSERT_EQ(lone({"bead", "create", "--title=First"}, "work").exit_code, 0);
  // What init has put there is one way; without it the files in the program are used.
  for (const char* folder : {"prompts", "templates"}) fs::remove_all(path("work/") + folder);
  const Outcome done = lone({"run", "work-1", "--provider=rehearsal"}, "work");
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  EXPECT_THAT(git_in("work", {"ls-tree", "-r", "--name-only", "main"}).out,
              HasSubstr("capsule-rehearsal/work-1.md"));
  EXPECT_THAT(lone({"doctor"}, "work").out, HasSubstr("and the template: built in"));
}

TEST_F(LoneBinary, MakesTheDemoProjectAndPlaysItsCassette) {
  const Outcome made = lone({"setup-template", path("demo")}, "home");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  for (const char* name : {"src/main.go", "src/go.mod", "CLAUDE.md", "README.md"})
    EXPECT_EQ(read_file(path("demo/") + name),
              source(std::string("templates/demo-capsule/") + name));
  ASSERT_EQ(lone({"prep", "demo-1.1.1"}, "demo").exit_code, 0);
  program("go", "exit 1");  // in this phase the tests have to fail
  const std::string worktree = "demo/.capsule/worktrees/demo-1.1.1";
  const Outcome done = lone({"run-phase", "test-writer", ".", "--provider=rehearsal"}, worktree);
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  EXPECT_THAT(read_file(path(worktree + "/src/email_test.go")), HasSubstr("ValidateEmail"));
}

TEST_F(LoneBinary, LeavesNoCopyOfTheTemplateBehind) {
  fs::create_directories(path("tmp"));
  Call call = prepared({.args = {"setup-template", path("demo")}, .env = environment()});
  call.env["TMPDIR"] = path("tmp");
  call.program = path("alone/bin/capsule");
  EXPECT_EQ(run(call).exit_code, 0);
  EXPECT_TRUE(fs::is_empty(path("tmp")));
}

TEST_F(LoneBinary, GoesThroughAutoMode) {
  repository("work");
  const Outcome done = lone({"auto", "run", "Say hello", "--provider=rehearsal"}, "work");
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
}

TEST_F(LoneBinary, InstallsTheHookWithItsSlashCommands) {
  repository("work");
  const Outcome done = lone({"hook", "install"}, "work");
  ASSERT_EQ(done.exit_code, 0) << done.out << done.err;
  for (const char* name : {"capsule-auto.md", "capsule-run.md", "capsule-status.md"})
    EXPECT_THAT(read_file(path("work/.claude/commands/") + name), HasSubstr("alone/bin/capsule"));
}

TEST_F(LoneBinary, KnowsItsWorkflows) {
  repository("work");
  const Outcome list = lone({"workflow", "list"}, "work");
  EXPECT_EQ(list.exit_code, 0) << list.err;
  for (const std::string name : {"pipeline", "review-panel", "spike"}) {
    EXPECT_THAT(list.out, HasSubstr(name));
    EXPECT_EQ(lone({"workflow", "show", name}, "work").out, source("workflows/" + name + ".yaml"));
    EXPECT_EQ(lone({"workflow", "check", name}, "work").exit_code, 0);
  }
  ASSERT_EQ(lone({"workflow", "init", "mine"}, "work").exit_code, 0);
  EXPECT_EQ(read_file(path("work/.capsule/workflows/mine.yaml")), source("workflows/spike.yaml"));
  EXPECT_EQ(read_file(path("work/prompts/spike/plan.md")), source("prompts/spike/plan.md"));
}

TEST_F(LoneBinary, AFileBesideItWinsAndTheOthersStayItsOwn) {
  repository("work");
  write_file(path("alone/share/capsule/prompts/execute.md"), "installed\n");
  write_file(path("alone/share/capsule/workflows/spike.yaml"), "installed too\n");
  ASSERT_EQ(lone({"init"}, "work").exit_code, 0);
  EXPECT_EQ(read_file(path("work/prompts/execute.md")), "installed\n");
  EXPECT_EQ(read_file(path("work/prompts/merge.md")), source("prompts/merge.md"));
  EXPECT_EQ(lone({"workflow", "show", "spike"}, "work").out, "installed too\n");
}

TEST_F(LoneBinary, SaysWhereItLookedForAFileThatNobodyHas) {
  repository("work");
  const Outcome outcome = lone({"run-phase", "dance", "."}, "work");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("phase 'dance' not found: there is no prompts/dance.md"));
  EXPECT_THAT(outcome.err, HasSubstr("searched in " + path("work") + ", "));
  EXPECT_THAT(outcome.err, HasSubstr("and in Capsule itself"));
}

using LoneDelivery = DeliveryTest;

TEST_F(LoneDelivery, TakesAPlanToMain) {
  write_plan({{"T-1"}});
  fs::create_directories(path("alone"));
  fs::copy_file(CAPSULE_BINARY, path("alone/capsule"));
  Call call = calling({"deliver", plan_file()});
  call.program = path("alone/capsule");
  const Outcome done = run(call);
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  expect_delivered({"T-1"});
  EXPECT_THAT(agent_call("developer", "T-1", 1).prompt, HasSubstr("# Developer"));
}

}  // namespace
}  // namespace capsule::test
