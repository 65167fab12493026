#include "tests/program/demo_project.h"

namespace capsule::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Teardown : public DemoProject {
 protected:
  void SetUp() override {
    DemoProject::SetUp();
    make_project();
  }
  std::string rescued() const {
    return git({"for-each-ref", "--format=%(refname)", "refs/capsule/rescue"}).out;
  }
};

TEST_F(Teardown, NothingToCleanIsWell) {
  const Outcome outcome = in({"teardown"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "nothing to clean\n");
  EXPECT_FALSE(has(".capsule/journal.db"));
}

TEST_F(Teardown, UsageErrorsAndFoldersThatAreNoRepositoryAreOne) {
  EXPECT_EQ(in({"teardown", "--nonsense"}).exit_code, 1);
  EXPECT_EQ(in({"teardown", "extra"}).exit_code, 1);
  EXPECT_EQ(in({"teardown", "--project-dir=" + path("absent")}).exit_code, 1);
}

TEST_F(Teardown, RemovesWorktreeBranchAndOutputAndKeepsLogsAndWork) {
  ASSERT_EQ(in({"prep", "demo-1.1.1"}).exit_code, 0);
  const std::string worktree = project() + "/.capsule/worktrees/demo-1.1.1";
  write_file(worktree + "/src/half_done.go", "package main\n");
  write_file(worktree + "/.capsule/output/execute-20260101-000000-1.log", "spoken");
  write_file(project() + "/.capsule/output/old.log", "x");
  write_file(project() + "/.capsule/logs/other/worklog.md", "kept");

  const Outcome dry = in({"teardown", "--dry-run"});
  EXPECT_EQ(dry.exit_code, 0);
  EXPECT_THAT(dry.out, HasSubstr("would remove worktree demo-1.1.1"));
  EXPECT_TRUE(has(".capsule/worktrees/demo-1.1.1/worklog.md"));
  EXPECT_TRUE(has(".capsule/output/old.log"));

  const Outcome outcome = in({"teardown"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_FALSE(has(".capsule/worktrees/demo-1.1.1"));
  EXPECT_FALSE(has(".capsule/output/old.log"));
  EXPECT_EQ(git({"branch", "--format=%(refname:short)"}).out, "main\n");
  EXPECT_THAT(git({"worktree", "list"}).out, Not(HasSubstr("demo-1.1.1")));
  EXPECT_EQ(read_file(project() + "/.capsule/logs/demo-1.1.1/execute-20260101-000000-1.log"),
            "spoken");
  EXPECT_TRUE(has(".capsule/logs/demo-1.1.1/worklog.md"));
  EXPECT_EQ(read_file(project() + "/.capsule/logs/other/worklog.md"), "kept");
  const std::string ref = rescued();
  EXPECT_EQ(git({"show", ref.substr(0, ref.size() - 1) + ":src/half_done.go"}).out,
            "package main\n");
  EXPECT_EQ(in({"teardown"}).out, "nothing to clean\n");
  EXPECT_EQ(in({"prep", "demo-1.1.1"}).exit_code, 0) << "a fresh start must be possible";
}

TEST_F(Teardown, AFolderThatIsNoWorktreeGoesTooAndAUsersBranchStays) {
  write_file(project() + "/.capsule/worktrees/plain/file", "x");
  git({"branch", "capsule-mine"});
  const Outcome outcome = in({"teardown"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_FALSE(has(".capsule/worktrees/plain"));
  EXPECT_THAT(git({"branch"}).out, HasSubstr("capsule-mine"));
}

TEST_F(Teardown, ABranchWhoseWorktreeWasDeletedByHandIsStale) {
  ASSERT_EQ(in({"prep", "demo-1.1.1"}).exit_code, 0);
  std::filesystem::remove_all(project() + "/.capsule/worktrees/demo-1.1.1");
  const Outcome outcome = in({"teardown"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("deleted stale branch capsule-demo-1.1.1"));
  EXPECT_EQ(git({"branch", "--format=%(refname:short)"}).out, "main\n");
  EXPECT_NE(rescued(), "");
}

TEST_F(Teardown, AWorktreeOfALivingRunIsLeftAloneAndNamed) {
  agent("PASS", "touch '" + path("at-work") + "'; while [ ! -e '" + path("go") +
                    "' ]; do sleep 0.05; done");
  Running living(in_project({"run", "demo-1.1.1"}));
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(path("at-work")); }));
  const Outcome outcome = in({"teardown"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("left alone: demo-1.1.1"));
  EXPECT_THAT(outcome.out, HasSubstr("pid " + std::to_string(living.pid())));
  EXPECT_TRUE(has(".capsule/worktrees/demo-1.1.1/worklog.md"));
  write_file(path("go"), "");
  living.wait();
}

}  // namespace
}  // namespace capsule::test
