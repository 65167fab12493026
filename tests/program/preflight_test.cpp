// What is known at the start is refused at the start, before anybody is paid.
#include <filesystem>

#include "tests/program/deliver_project.h"
#include "tests/program/demo_project.h"
#include "tests/program/project.h"

namespace capsule::test {
namespace {

class Preflight : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
    configure_gates("tracker: native\n");
  }
  void expect_refused(const std::string& words) {
    const Outcome outcome = run_bead();
    EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
    EXPECT_HAS(outcome.err, words);
    EXPECT_TRUE(phases().empty()) << "an agent was paid";
    EXPECT_FALSE(std::filesystem::exists(worktree()));
  }
};

TEST_F(Preflight, ABranchAheadOfMainIsRefusedAtTheStart) {
  git({"switch", "-q", "-c", "feature"});
  write_file(project() + "/mine.txt", "mine\n");
  git({"add", "mine.txt"});
  git({"commit", "-q", "-m", "Mine"});
  expect_refused("feature has 1 commit that main has not");
  git({"switch", "-q", "main"});
  EXPECT_EQ(run_bead().exit_code, 0);
}

TEST_F(Preflight, ABranchBehindMainIsFine) {
  git({"branch", "old"});
  commit_file("newer.txt", "newer\n");
  git({"switch", "-q", "old"});
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
}

TEST_F(Preflight, AnUnfinishedMergeWhereMainIsCheckedOutIsRefusedAtTheStart) {
  git({"switch", "-q", "-c", "side"});
  commit_file("side.txt", "side\n");
  git({"switch", "-q", "main"});
  git({"merge", "-q", "--no-ff", "--no-commit", "side"});
  expect_refused("a merge is unfinished in ");
  git({"merge", "--abort"});
  EXPECT_EQ(run_bead().exit_code, 0);
}

TEST_F(Preflight, AMissingProgramOfAnyCommandIsToldAtTheStart) {
  for (const auto& [yaml, words] :
       {std::pair("verify: {build: [no-such-tool, x]}\n", "the build command's no-such-tool"),
        {"verify: {lint: 'no-such-linter --all && true'}\n", "the lint command's no-such-linter"},
        {"verify: {test: 'no-such-runner'}\n", "the test command's no-such-runner"},
        {"worktree: {setup: 'no-such-setup -q'}\n", "the set-up command's no-such-setup"}}) {
    configure(std::string("tracker: native\n") + yaml);
    expect_refused(words);
  }
}

TEST_F(Preflight, AShellsOwnWordsPathsAndAssignmentsAreNoPrograms) {
  for (const char* line :
       {"cd . && sh tests/feature_test.sh", "X=1 sh tests/feature_test.sh", "[ -e feature.txt ]",
        "./made-later || sh tests/feature_test.sh", "if true; then sh tests/feature_test.sh; fi"}) {
    configure("tracker: native\nverify: {test: '" + std::string(line) + "'}\n");
    const Outcome outcome = command("doctor", {});
    EXPECT_LACKS(outcome.out, "is not installed") << line;
  }
}

TEST_F(Preflight, AFolderInWhichNoWorktreeCanBeMadeIsToldAtTheStart) {
  write_file(project() + "/.capsule/worktrees", "in the way\n");
  expect_refused(".capsule/worktrees");
}

class PreflightOfADelivery : public DeliveryTest {};

TEST_F(PreflightOfADelivery, RefusesTheSame) {
  write_plan({{"T-1"}});
  configure("verify: {lint: [no-such-linter]}\n");
  const Delivered refused = deliver();
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_HAS(refused.err, "the lint command's no-such-linter");
  EXPECT_EQ(calls("developer", "T-1"), 0);
  // Its trees begin at the newest main, whatever is checked out.
  configure("");
  git({"switch", "-q", "-c", "feature"});
  git({"commit", "-q", "--allow-empty", "-m", "Mine"});
  EXPECT_EQ(deliver().exit_code, 0);
  git({"switch", "-q", "main"});
}

class PreflightOfAnAutoRun : public DemoProject {};

TEST_F(PreflightOfAnAutoRun, RefusesTheSame) {
  make_project();
  program("claude", "exit 1\n");
  write_file(project() + "/.capsule/config.yaml", "verify: {build: 'no-such-tool x'}\n");
  const Outcome refused = in({"auto", "run", "Say hello"});
  EXPECT_EQ(refused.exit_code, 2) << refused.out;
  EXPECT_THAT(refused.err, ::testing::HasSubstr("the build command's no-such-tool"));
}

}  // namespace
}  // namespace capsule::test
