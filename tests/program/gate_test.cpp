// Signals are claims: what the gates of the pipeline do with agents that err or lie.
#include <signal.h>

#include <filesystem>

#include "tests/program/project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

class Gate : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
    configure_gates();
  }
  // The feedback that the n-th agent got in its prompt.
  std::string feedback_of(std::size_t n) {
    const auto calls = agent_calls();
    if (n > calls.size()) return "";
    const std::string& prompt = calls[n - 1].args.at(1);
    const std::size_t at = prompt.find("## Previous Feedback");
    return at == prompt.npos ? "" : prompt.substr(at);
  }
};

const std::string kWhole = "test-writer test-review execute execute-review sign-off merge";

TEST_F(Gate, HonestWorkPassesThemAll) {
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(join(phases()), kWhole);
  EXPECT_LACKS(outcome.out, "not true");
  EXPECT_LACKS(outcome.out, "no test command");
  EXPECT_LACKS(outcome.out, "  ! ");
}

TEST_F(Gate, TestsThatPassAlreadyGoBackBeforeAReviewerIsPaid) {
  on("test-writer", 1,
     "mkdir -p tests; echo true >tests/feature_test.sh; say PASS red '\"tests/feature_test.sh\"'");
  on("test-writer", 2, "pass");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(join(phases()), "test-writer " + kWhole);
  EXPECT_HAS(feedback_of(2), "The tests pass although nothing is implemented yet");
  EXPECT_HAS(feedback_of(2), "sh tests/feature_test.sh");
  EXPECT_HAS(outcome.out, "test-writer: not true: tests fail (RED)");
}

TEST_F(Gate, AWriterThatNeverGetsRedUsesUpItsAttempts) {
  on("test-writer",
     "mkdir -p tests; echo true >tests/feature_test.sh; say PASS red '\"tests/feature_test.sh\"'");
  const Outcome outcome = run_bead({"--max-retries=2"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_EQ(join(phases()), "test-writer test-writer");
}

TEST_F(Gate, ATestWriterMayNotImplement) {
  on("test-writer", 1, "work; echo cheat >src/cheat.txt; say PASS ok '\"tests/feature_test.sh\"'");
  on("test-writer", 2, "rm src/cheat.txt; pass");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(join(phases()), "test-writer " + kWhole);
  EXPECT_HAS(feedback_of(2), "src/cheat.txt");
}

TEST_F(Gate, ATestWriterMayNotChangeCodeThatIsThere) {
  on("test-writer", 1, "work; echo cheat >>src/code.txt; say PASS ok '\"tests/feature_test.sh\"'");
  on("test-writer", 2, "git checkout -q src/code.txt; pass");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_HAS(feedback_of(2), "src/code.txt");
}

TEST_F(Gate, AMissingToolchainEndsTheRunBeforeAnybodyIsPaid) {
  configure("verify: {baseline: red-allowed, test: \"cd . && no-such-tool-anywhere ./...\"}\n");
  const Outcome outcome = run_bead({"--max-retries=1"});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
  EXPECT_TRUE(phases().empty());
  EXPECT_HAS(outcome.out, "could not run (exit status 127)");
  EXPECT_HAS(outcome.out, "no-such-tool-anywhere: not found");
  expect_untouched();
}

TEST_F(Gate, AProjectThatIsRedAlreadyIsNoGroundToWorkOn) {
  configure("verify: {test: \"echo the old test fails; false\"}\n");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
  EXPECT_TRUE(phases().empty());
  EXPECT_HAS(outcome.out, "the old test fails");
  EXPECT_HAS(outcome.out, "verify.baseline: red-allowed");
  expect_untouched();
  // Mended, it is looked at again, although the files are the same.
  configure("verify: {test: \"! test -e tests/feature_test.sh || sh tests/feature_test.sh\"}\n");
  const Outcome mended = run_bead();
  EXPECT_EQ(mended.exit_code, 0) << mended.out << mended.err;
  EXPECT_HAS(mended.out, "checks before anybody works: green");
}

TEST_F(Gate, ATestWriterThatWritesNothingIsNotRedInARedProject) {
  configure("verify: {baseline: red-allowed, test: \"false\"}\n");
  on("test-writer", 1, "say PASS 'all tests are written'");
  const Outcome outcome = run_bead({"--max-retries=1"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "test-writer: not true: tests fail (RED) (no file was changed)");
  EXPECT_HAS(outcome.out, "failed before anybody worked");
}

TEST_F(Gate, ATestThatWasThereBeforeIsPutBack) {
  configure("verify: {test: \"! test -e tests/feature_test.sh || sh tests/feature_test.sh\"}\n");
  commit_file("tests/old_test.sh", "true\n");
  on("execute", 1, "work; echo 'exit 0' >tests/old_test.sh; say PASS green '\"feature.txt\"'");
  on("execute", 2, "grep -qx true tests/old_test.sh && pass");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "execute: not true: the tests were not touched (tests/old_test.sh)");
  EXPECT_HAS(feedback_of(4), "tests/old_test.sh");
  EXPECT_EQ(git({"show", "main:tests/old_test.sh"}).out, "true\n");
}

TEST_F(Gate, WhatTheChecksMeanIsNotForAgentsToChange) {
  commit_file("Makefile", "test:\n\tsh tests/feature_test.sh\n");
  configure("verify: {baseline: red-allowed, test: [make, -s, test]}\n");
  on("execute", 1, "printf 'test:\\n\\ttrue\\n' >Makefile; say PASS green '\"Makefile\"'");
  on("execute", 2, "git checkout -q HEAD -- Makefile; pass");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "not true: what the checks mean was not changed (Makefile)");
  EXPECT_HAS(outcome.out, "not true: tests pass (GREEN)") << "they ran with the Makefile as it was";
  EXPECT_HAS(git({"show", "main:Makefile"}).out, "feature_test");
}

TEST_F(Gate, AListThatNamesAMissingProgramIsFoundBeforeAnybodyIsPaid) {
  configure("verify: {baseline: red-allowed, test: [no-such-tool-anywhere, \"./...\"]}\n");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.err, "no-such-tool-anywhere is not installed");
  EXPECT_TRUE(phases().empty());
  expect_untouched();
}

TEST_F(Gate, ATestCommandThatCrashesOrHangsEndsTheRunBeforeAnybodyIsPaid) {
  configure("verify: {baseline: red-allowed, test: \"kill -SEGV $$\"}\n");
  Outcome outcome = run_bead({"--max-retries=1"});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "signal");
  configure("verify: {baseline: red-allowed, test: \"sleep 300 & sleep 300\", timeout: 1}\n");
  outcome = run_bead({"--max-retries=1"});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "timed out");
  EXPECT_TRUE(phases().empty());
}

TEST_F(Gate, ALieAboutGreenIsCaughtWithTheOutputOfTheTests) {
  write_file(project() + "/.capsule/config.yaml",
             "verify: {baseline: red-allowed, test: \"sh tests/feature_test.sh || { echo feature "
             "is missing; exit 1; }\"}\n");
  on("execute", 1, "say PASS 'all green'");
  on("execute", 2, "pass");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(join(phases()),
            "test-writer test-review execute execute execute-review sign-off merge");
  EXPECT_HAS(feedback_of(4), "feature is missing");
  EXPECT_HAS(outcome.out, "execute: not true: tests pass (GREEN)");
}

TEST_F(Gate, AnExecuteThatEditsATestIsSentBack) {
  on("execute", 1, "work; echo true >tests/feature_test.sh; say PASS green '\"feature.txt\"'");
  on("execute", 2, "echo 'grep -q done feature.txt' >tests/feature_test.sh; pass");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(join(phases()),
            "test-writer test-review execute execute execute-review sign-off merge");
  EXPECT_HAS(feedback_of(4), "tests/feature_test.sh");
}

TEST_F(Gate, AnExecuteThatMovesOrDeletesATestIsSentBack) {
  for (const char* how : {"git mv -f tests/feature_test.sh tests/other_test.sh 2>/dev/null || mv "
                          "tests/feature_test.sh tests/other_test.sh",
                          "rm tests/feature_test.sh"}) {
    SCOPED_TRACE(how);
    on("execute", std::string("work; ") + how + "; say PASS green '\"feature.txt\"'");
    const Outcome outcome = run_bead({"--max-retries=1", "--clean"});
    EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
    EXPECT_HAS(outcome.out, "the tests were not touched");
    EXPECT_HAS(outcome.out, "tests/feature_test.sh");
  }
}

TEST_F(Gate, AReviewThatSaysPassWhileRedCountsAsNeedsWork) {
  on("execute-review", 1, "rm feature.txt; say PASS 'looks good'");
  on("execute-review", 2, "pass");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(join(phases()),
            "test-writer test-review execute execute-review execute execute-review sign-off merge");
  EXPECT_HAS(feedback_of(5), "The test command does not pass");
}

TEST_F(Gate, SignOffIsTestedFromACleanCheckout) {
  // Green only thanks to a file that git ignores: it never reaches main.
  commit_file(".gitignore", "*.cache\n");
  on("execute", 1,
     "echo done >made.cache; ln -sf made.cache feature.txt; say PASS green '\"feature.txt\"'");
  on("execute", 2, "rm feature.txt; pass");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(join(phases()),
            "test-writer test-review execute execute-review sign-off execute sign-off merge");
  EXPECT_HAS(outcome.out, "sign-off: not true: tests pass from a clean checkout");
  EXPECT_TRUE(!fs::exists(project() + "/.capsule/tmp") ||
              fs::is_empty(project() + "/.capsule/tmp"));
}

// A test command that writes where git looks: caches, reports, even over a file of the project.
constexpr const char* kUntidy =
    "verify: {baseline: red-allowed, test: \"mkdir -p cache; date +%N >cache/x; date +%N "
    ">tests/report.xml; "
    "date +%N >>README.md; sh tests/feature_test.sh\"}\n";

TEST_F(Gate, WhatTheTestCommandLeavesIsNobodysChange) {
  configure(kUntidy);
  on("merge", "git add -A >&2; git commit -q -m x >&2; say PASS committed");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(join(phases()), kWhole);
  EXPECT_LACKS(outcome.out, "cache");
  EXPECT_LACKS(outcome.out, "report.xml");
  EXPECT_LACKS(command("ledger", {}).out, "false  1");
  EXPECT_EQ(git_out({"diff", "--name-only", "main~1", "main"}),
            "feature.txt\ntests/feature_test.sh");
}

TEST_F(Gate, WhatTheTestCommandLeavesDoesNotHideThatAReviewRepeatsItself) {
  configure(kUntidy);
  on("test-review", "say NEEDS_WORK 'always the same'");
  const Outcome outcome = run_bead({"--max-retries=9"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_EQ(join(phases()), "test-writer test-review test-writer test-review");
  EXPECT_HAS(outcome.out, "same twice");
}

TEST_F(Gate, WhatATestCommandLeftThatDiedWithItsCapsuleIsNobodysChangeEither) {
  configure(
      "verify: {test: \"test -e tests || exit 0; mkdir -p cache; date +%N >cache/x; test -e '" +
      mock("again") + "' || { touch '" + mock("ready") +
      "'; sleep 300; }; rm -r cache; sh tests/feature_test.sh\"}\n");
  {
    Running running(calling("run", {kBead}));
    ASSERT_TRUE(eventually([&] { return fs::exists(mock("ready")); }));
    write_file(worktree() + "/left", "by the command\n");
    running.send(SIGKILL);
    running.wait();
  }
  write_file(mock("again"), "");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(join(phases()), kWhole);
  EXPECT_LACKS(outcome.out, "left");
}

TEST_F(Gate, WhatAPersonWritesBeforeAnInterruptedCheckIsRepeatedStays) {
  configure("verify: {test: \"test -e tests || exit 0; echo x >left; test -e '" + mock("again") +
            "' || { touch '" + mock("ready") + "'; sleep 300; }; sh tests/feature_test.sh\"}\n");
  {
    Running running(calling("run", {kBead}));
    ASSERT_TRUE(eventually([&] { return fs::exists(mock("ready")); }));
    running.send(SIGINT);
    EXPECT_EQ(running.wait().exit_code, 130);
  }
  EXPECT_FALSE(fs::exists(worktree() + "/left"));
  write_file(worktree() + "/tests/by_hand.txt", "a person's\n");
  write_file(mock("again"), "");
  on("test-review", "cat tests/by_hand.txt >&2 && test ! -e left && pass");
  const Outcome outcome = run_bead({"--resume"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(join(phases()), kWhole);
}

TEST_F(Gate, BuildAndLintRunAfterExecuteAndAtSignOff) {
  configure(
      "verify: {baseline: red-allowed, test: \"sh tests/feature_test.sh\", build: \"echo build "
      ">>'" +
      mock("ran") + "'\", lint: \"echo lint >>'" + mock("ran") +
      "'; ! grep TODO feature.txt || { echo no TODOs please; exit 1; }\"}\n");
  on("execute", 1, "work; echo TODO >>feature.txt; say PASS green '\"feature.txt\"'");
  on("execute", 2, "echo done >feature.txt; pass");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(join(phases()),
            "test-writer test-review execute execute execute-review sign-off merge");
  EXPECT_HAS(outcome.out, "execute: not true: lint passes");
  EXPECT_HAS(feedback_of(4), "The lint command does not pass");
  EXPECT_HAS(feedback_of(4), "no TODOs please");
  EXPECT_EQ(join(lines_of(read_file(mock("ran")))), "build lint build lint build lint build lint");
}

TEST_F(Gate, AfterABuildThatFailsTheTestsRunAllTheSameAndThePhaseHasNotPassed) {
  configure("verify: {baseline: red-allowed, test: \"test ! -e feature.txt || echo tested >>'" +
            mock("ran") + "'; sh tests/feature_test.sh\", build: \"! test -e feature.txt\"}\n");
  const Outcome outcome = run_bead({"--max-retries=1"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "execute: not true: build passes");
  EXPECT_LACKS(outcome.out, "(GREEN)");
  EXPECT_HAS(outcome.out, "build: fail, exit status 1");
  EXPECT_EQ(read_file(mock("ran")), "tested\n") << outcome.out;
}

TEST_F(Gate, WhatIsMergedWithANewerMainIsTestedFirst) {
  // Main moves while sign-off runs, in a way that only the merged files show.
  configure(
      "on_main_moved: tell\nverify: {baseline: red-allowed, test: \"sh tests/feature_test.sh && "
      "test ! -e forbidden.txt\"}\n");
  on("sign-off", "(cd '" + project() +
                     "' && echo x >forbidden.txt && git add forbidden.txt && "
                     "git commit -q -m Moved) >&2; pass");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "the checks fail on the merged files");
  EXPECT_EQ(git_out({"log", "-1", "--format=%s", "main"}), "Moved");
  EXPECT_FALSE(is_closed());
  // Mended on main: the merge goes on.
  git_out({"rm", "-q", "forbidden.txt"});
  git_out({"commit", "-q", "-m", "Mended"});
  on("merge", 2, "say PASS 'committed before'");
  const Outcome merged = command("merge", {kBead});
  EXPECT_EQ(merged.exit_code, 0) << merged.out << merged.err;
  EXPECT_TRUE(is_closed());
}

TEST_F(Gate, AMergeAgentThatChangesFilesAfterSignOffIsTestedAgain) {
  on("merge", "echo broken >feature.txt; work; say PASS committed");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "the checks fail on the merged files");
  EXPECT_FALSE(is_closed());
}

TEST_F(Gate, WhatAMergeAgentAddsAfterSignOffIsShown) {
  configure("max_retries: 1\n");
  on("merge",
     "echo evil >evil.c; echo evil >feature.txt; git add evil.c feature.txt tests >&2; "
     "git commit -q -m x >&2; "
     "say PASS committed '\"evil.c\", \"feature.txt\", \"tests/feature_test.sh\"'");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out,
             "merge: not exact: the commit of what was signed off (it differs in evil.c, "
             "feature.txt)");
  EXPECT_HAS(command("ledger", {}).out, "the commit of what was signed off");
}

TEST_F(Gate, AMergeAgentThatLeavesTheTestsOutIsRefused) {
  on("merge",
     "git add feature.txt >&2; git commit -q -m x >&2; "
     "say PASS committed '\"feature.txt\", \"tests/feature_test.sh\"'");
  Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "the commit lacks what was signed off: tests/feature_test.sh");
  EXPECT_HAS(outcome.out, "merge: not exact: files_changed (not changed: tests/feature_test.sh)");
  EXPECT_FALSE(is_closed());
  on("merge", "work; say PASS committed");
  outcome = command("merge", {kBead});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_HAS(git_out({"ls-tree", "-r", "--name-only", "main"}), "tests/feature_test.sh");
}

TEST_F(Gate, AMergeAgentThatCommitsNothingIsRefusedWithoutATestCommandToo) {
  configure("max_retries: 1\n");
  on("merge", "git commit -q --allow-empty -m x >&2; say PASS committed");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_FALSE(is_closed());
}

TEST_F(Gate, WhatNobodyClaimedMayStayBehind) {
  on("execute", "work; echo noise >debug.log; say PASS green '\"feature.txt\"'");
  on("merge",
     "git add feature.txt tests >&2; git commit -q -m x >&2; "
     "say PASS committed '\"feature.txt\", \"tests/feature_test.sh\"'");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_LACKS(outcome.out, "merge: files_changed");
  EXPECT_LACKS(outcome.out, "signed off");
  EXPECT_LACKS(git_out({"ls-tree", "-r", "--name-only", "main"}), "debug.log");
}

TEST_F(Gate, DifferencesInFilesChangedAreShownAndNotPunished) {
  on("execute", "work; say PASS green '\"other.txt\"'");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(join(phases()), kWhole);
  EXPECT_HAS(outcome.out, "left out: feature.txt; not changed: other.txt");
}

TEST_F(Gate, AnAgentCannotChangeTheTestCommand) {
  on("test-writer",
     "work; mkdir -p .capsule; echo 'verify: {baseline: red-allowed, test: \"true\"}' "
     ">.capsule/config.yaml; "
     "say PASS red '\"tests/feature_test.sh\"'");
  on("execute", "say PASS 'all green'");
  const Outcome outcome = run_bead({"--max-retries=1"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "not true: tests pass (GREEN)");
}

TEST_F(Gate, WithoutATestCommandTheRestStillHolds) {
  configure("max_retries: 1\n");
  on("test-writer", "work; echo cheat >src/cheat.txt; say PASS ok");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "src/cheat.txt");
}

TEST_F(Gate, TheSameWordsAboutTheSameFilesStopTheRunEarly) {
  on("test-review", "say NEEDS_WORK 'always the same'");
  const Outcome outcome = run_bead({"--max-retries=9"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_EQ(join(phases()), "test-writer test-review test-writer test-review");
  EXPECT_HAS(outcome.out, "same twice");
}

TEST_F(Gate, FilesThatNeverReachMainAreLeftOutOfWhatAgentsCommitted) {
  on("merge",
     "work; echo t >x.tmp; mkdir -p .capsule/junk; echo j >.capsule/junk/j; "
     "git add -f x.tmp worklog.md .capsule/junk >&2; git commit -q --amend -m 'Other words' >&2; "
     "say PASS committed");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(git_out({"ls-tree", "-r", "--name-only", "main"}),
            "README.md\nfeature.txt\nsrc/code.txt\ntests/feature_test.sh");
  EXPECT_EQ(git_out({"log", "--topo-order", "--format=%s", "main", "-3"}),
            "Merge demo-1.1.1: Make it work\ndemo-1.1.1: Make it work\nStart");
  EXPECT_HAS(outcome.out, "left out: ");
}

}  // namespace
}  // namespace capsule::test
