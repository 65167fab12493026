#include "workflow/phases/phases.h"

#include <gtest/gtest.h>

namespace capsule::phases {
namespace {

using namespace event;

// Plays a run: each call ends the phase that the state asks for.
struct PipelinePlay {
  State s;

  explicit PipelinePlay(int max_retries = 3, Convergence convergence = {}) {
    phases::apply(s, RunStarted{"demo-1", "Title", "claude", max_retries, convergence, {}, ""});
    phases::apply(s, WorktreeIntended{"wt", "capsule-demo-1", "abc"});
    phases::apply(s, WorktreeReady{"wt", "capsule-demo-1", "abc"});
  }
  PipelinePlay& phase(std::string expected, Status status, std::string feedback = "f",
                      bool checked = true, std::string tree = "") {
    EXPECT_EQ(s.step, Step::run_phase);
    EXPECT_EQ(s.phase, expected);
    const int number = s.number + 1;
    phases::apply(s, PhaseStarted{s.phase, number, s.attempt, s.feedback, "claude", "", false});
    PhaseFinished finished;
    finished.phase = expected;
    finished.number = number;
    finished.status = status;
    finished.feedback = feedback;
    phases::apply(s, finished);
    EXPECT_EQ(s.step, Step::snapshot);
    phases::apply(s, SnapshotTaken{expected, number, "ref", "commit",
                                   tree.empty() ? "tree" + std::to_string(number) : tree, "head"});
    if (s.step == Step::check)
      phases::apply(
          s, PhaseChecked{expected, number, checked, checked ? "" : "gate: " + feedback, {}});
    return *this;
  }
  PipelinePlay& tests_pass() {
    return phase("test-writer", Status::pass).phase("test-review", Status::pass);
  }
  PipelinePlay& code_pass() {
    return phase("execute", Status::pass).phase("execute-review", Status::pass);
  }
  void expect_end(Outcome outcome, int code) {
    EXPECT_EQ(s.step, Step::end);
    EXPECT_EQ(name_of(s.outcome), name_of(outcome));
    EXPECT_EQ(exit_code(s.outcome), code);
  }
  void record_end() { phases::apply(s, RunEnded{s.outcome, s.detail}); }
};

TEST(Pipeline, FiveStagesInOrderEndInAMerge) {
  PipelinePlay play;
  EXPECT_EQ(stage_of(play.s), 2);
  play.tests_pass();
  EXPECT_EQ(stage_of(play.s), 3);
  play.code_pass();
  EXPECT_EQ(stage_of(play.s), 4);
  play.phase("sign-off", Status::pass);
  EXPECT_EQ(stage_of(play.s), 5);
  play.phase("merge", Status::pass);
  EXPECT_EQ(play.s.step, Step::integrate);
  phases::apply(play.s, MergeIntended{"main", "abc"});
  phases::apply(play.s, MergeDone{"def", false});
  EXPECT_EQ(play.s.step, Step::archive);
  phases::apply(play.s, RunArchived{"logs"});
  EXPECT_EQ(play.s.step, Step::remove_worktree);
  phases::apply(play.s, WorktreeRemoved{});
  EXPECT_EQ(play.s.step, Step::close_bead);
  phases::apply(play.s, BeadClosed{});
  play.expect_end(Outcome::merged, 0);
}

TEST(Pipeline, AReviewThatNeedsWorkReRunsTheWriterWithItsFeedback) {
  PipelinePlay play;
  play.phase("test-writer", Status::pass)
      .phase("test-review", Status::needs_work, "cover empty input");
  EXPECT_EQ(play.s.phase, "test-writer");
  EXPECT_EQ(play.s.attempt, 2);
  EXPECT_EQ(play.s.feedback, "cover empty input");
  play.phase("test-writer", Status::pass);
  EXPECT_EQ(play.s.phase, "test-review");
  EXPECT_EQ(play.s.attempt, 2);
  EXPECT_EQ(play.s.feedback, "") << "a review is not told what an earlier review said";
  play.phase("test-review", Status::pass);
  EXPECT_EQ(play.s.phase, "execute");
  EXPECT_EQ(play.s.attempt, 1) << "each pair has attempts of its own";
}

TEST(Pipeline, MaxRetriesAreAttemptsInAll) {
  for (int limit : {1, 2, 5}) {
    PipelinePlay play(limit);
    for (int i = 1; i <= limit; ++i) {
      EXPECT_EQ(play.s.attempt, i);
      play.phase("test-writer", Status::pass)
          .phase("test-review", Status::needs_work, "n" + std::to_string(i));
    }
    play.expect_end(Outcome::retries_exhausted, 1);
  }
}

TEST(Pipeline, AWriterThatNeedsWorkEndsTheRun) {
  PipelinePlay play;
  play.phase("test-writer", Status::needs_work, "criteria contradict");
  play.expect_end(Outcome::writer_needs_work, 2);
  EXPECT_NE(play.s.detail.find("criteria contradict"), std::string::npos);
}

TEST(Pipeline, AnErrorOfAnyPhaseEndsTheRun) {
  PipelinePlay play;
  play.tests_pass()
      .phase("execute", Status::pass)
      .phase("execute-review", Status::error, "cannot run");
  play.expect_end(Outcome::phase_error, 2);
}

TEST(Pipeline, SignOffThatNeedsWorkReRunsExecuteButNotItsReview) {
  PipelinePlay play;
  play.tests_pass().code_pass().phase("sign-off", Status::needs_work, "debug line left");
  EXPECT_EQ(play.s.phase, "execute");
  EXPECT_EQ(play.s.feedback, "debug line left");
  EXPECT_EQ(stage_of(play.s), 4);
  play.phase("execute", Status::pass);
  EXPECT_EQ(play.s.phase, "sign-off");
  EXPECT_EQ(play.s.attempt, 2);
  play.phase("sign-off", Status::pass);
  EXPECT_EQ(play.s.phase, "merge");
}

TEST(Pipeline, NoExecuteFollowsTheLastFailedSignOff) {
  PipelinePlay play(2);
  play.tests_pass().code_pass();
  play.phase("sign-off", Status::needs_work, "a").phase("execute", Status::pass);
  play.phase("sign-off", Status::needs_work, "b");
  play.expect_end(Outcome::retries_exhausted, 1);
}

TEST(Pipeline, AnExecuteForSignOffThatNeedsWorkEndsTheRun) {
  PipelinePlay play;
  play.tests_pass()
      .code_pass()
      .phase("sign-off", Status::needs_work)
      .phase("execute", Status::needs_work);
  play.expect_end(Outcome::writer_needs_work, 2);
}

TEST(Pipeline, AMergeAgentThatNeedsWorkEndsWithOneAndAnErrorWithTwo) {
  PipelinePlay needs_work;
  needs_work.tests_pass()
      .code_pass()
      .phase("sign-off", Status::pass)
      .phase("merge", Status::needs_work);
  needs_work.expect_end(Outcome::merge_needs_work, 1);
  PipelinePlay error;
  error.tests_pass().code_pass().phase("sign-off", Status::pass).phase("merge", Status::error);
  error.expect_end(Outcome::phase_error, 2);
}

TEST(Pipeline, ARefusedMergeEndsWithOneAndAResumedRunMergesTheCommitThatIsThere) {
  PipelinePlay play;
  play.tests_pass().code_pass().phase("sign-off", Status::pass).phase("merge", Status::pass);
  phases::apply(play.s, MergeIntended{"main", "abc"});
  phases::apply(play.s, MergeRefused{MergeRefusal::conflict, "src/a.go"});
  play.expect_end(Outcome::merge_refused, 1);
  play.record_end();
  EXPECT_TRUE(merges_again(play.s));
  for (const bool at_merge : {false, true}) {
    State again = play.s;
    phases::apply(again, RunResumed{3, at_merge});
    EXPECT_EQ(again.step, Step::integrate);
    EXPECT_TRUE(again.signed_off);
    // What a version did that called the merge agent again is still read.
    phases::apply(again, PhaseStarted{"merge", 7, 1, "", "claude", "", false});
    EXPECT_EQ(again.step, Step::run_phase);
    EXPECT_EQ(again.phase, "merge");
  }
}

TEST(Pipeline, AMergeWithoutACommitAsksTheMergeAgentAgain) {
  PipelinePlay play;
  play.tests_pass().code_pass().phase("sign-off", Status::pass).phase("merge", Status::pass);
  phases::apply(play.s, MergeIntended{"main", "abc"});
  phases::apply(play.s, MergeRefused{MergeRefusal::nothing_to_merge, ""});
  play.expect_end(Outcome::merge_refused, 1);
  play.record_end();
  phases::apply(play.s, RunResumed{3, false});
  EXPECT_EQ(play.s.step, Step::run_phase);
  EXPECT_EQ(play.s.phase, "merge");
}

TEST(Pipeline, AMergeThatWasAskedForTooEarlyLeavesTheRunWhereItWas) {
  PipelinePlay play;
  play.phase("test-writer", Status::pass).phase("test-review", Status::needs_work, "more");
  phases::apply(play.s, RunEnded{Outcome::interrupted, ""});
  phases::apply(play.s, RunResumed{3, true});
  EXPECT_EQ(play.s.phase, "merge");
  phases::apply(play.s, MergeRefused{MergeRefusal::no_sign_off, "none"});
  play.expect_end(Outcome::merge_refused, 1);
  play.record_end();
  phases::apply(play.s, RunResumed{3, false});
  EXPECT_EQ(play.s.step, Step::run_phase);
  EXPECT_EQ(play.s.phase, "test-writer");
  EXPECT_EQ(play.s.attempt, 2);
  EXPECT_EQ(play.s.feedback, "more");
}

TEST(Pipeline, AFailedCheckOfAWriterIsWorthANeedsWorkBeforeAReviewerIsPaid) {
  PipelinePlay play(2);
  play.phase("test-writer", Status::pass, "tests pass already", false);
  EXPECT_EQ(play.s.phase, "test-writer");
  EXPECT_EQ(play.s.attempt, 2);
  EXPECT_EQ(play.s.feedback, "gate: tests pass already");
  play.phase("test-writer", Status::pass, "still", false);
  play.expect_end(Outcome::retries_exhausted, 1);
}

TEST(Pipeline, AFailedCheckOfAReviewCountsLikeItsNeedsWork) {
  PipelinePlay play;
  play.tests_pass()
      .phase("execute", Status::pass)
      .phase("execute-review", Status::pass, "red", false);
  EXPECT_EQ(play.s.phase, "execute");
  EXPECT_EQ(play.s.attempt, 2);
  EXPECT_EQ(play.s.feedback, "gate: red");
}

TEST(Pipeline, AFailedCheckOfSignOffIsNoSignOff) {
  PipelinePlay play;
  play.tests_pass().code_pass().phase("sign-off", Status::pass, "red", false);
  EXPECT_FALSE(play.s.signed_off);
  EXPECT_EQ(play.s.phase, "execute");
  EXPECT_EQ(play.s.then, "sign-off");
}

TEST(Pipeline, AMendedExecuteWhoseCheckFailsUsesUpAnAttemptOfSignOff) {
  PipelinePlay play(3);
  play.tests_pass().code_pass().phase("sign-off", Status::needs_work);
  play.phase("execute", Status::pass, "red", false);
  EXPECT_EQ(play.s.phase, "execute");
  EXPECT_EQ(play.s.then, "sign-off");
  play.phase("execute", Status::pass, "red again", false);
  play.expect_end(Outcome::retries_exhausted, 1);
}

TEST(Pipeline, TheSameFeedbackForTheSameTreeStopsEarly) {
  PipelinePlay play(5);
  play.phase("test-writer", Status::pass)
      .phase("test-review", Status::needs_work, "same", true, "t");
  play.phase("test-writer", Status::pass)
      .phase("test-review", Status::needs_work, "same", true, "t");
  play.expect_end(Outcome::converged, 1);
}

TEST(Pipeline, TheSameFeedbackForAnotherTreeGoesOn) {
  PipelinePlay play(5);
  play.phase("test-writer", Status::pass)
      .phase("test-review", Status::needs_work, "same", true, "t");
  play.phase("test-writer", Status::pass)
      .phase("test-review", Status::needs_work, "same", true, "u");
  EXPECT_EQ(play.s.step, Step::run_phase);
}

TEST(Pipeline, ConvergenceOffSpendsEveryAttempt) {
  for (const Convergence setting : {Convergence::off, Convergence::warn}) {
    PipelinePlay play(3, setting);
    for (int i = 0; i < 3; ++i)
      play.phase("test-writer", Status::pass)
          .phase("test-review", Status::needs_work, "same", true, "t");
    play.expect_end(Outcome::retries_exhausted, 1);
  }
}

TEST(Pipeline, AResumedRunHasNewAttemptsAndTheLastFeedback) {
  PipelinePlay play(1);
  play.phase("test-writer", Status::pass).phase("test-review", Status::needs_work, "cover it");
  play.record_end();
  phases::apply(play.s, RunResumed{2, false});
  EXPECT_EQ(play.s.step, Step::run_phase);
  EXPECT_EQ(play.s.phase, "test-writer");
  EXPECT_EQ(play.s.feedback, "cover it");
  EXPECT_EQ(play.s.attempt, 1);
  EXPECT_EQ(play.s.max_retries, 2);
}

TEST(Pipeline, APhaseThatWasCutOffIsOpenUntilItIsDoneAgain) {
  PipelinePlay play;
  play.tests_pass();
  phases::apply(play.s, PhaseStarted{"execute", 3, 1, "", "claude", "", false});
  EXPECT_FALSE(play.s.open.empty());
  EXPECT_EQ(play.s.step, Step::run_phase);
  EXPECT_EQ(play.s.phase, "execute");
}

TEST(Pipeline, ARunThatAPersonEndedInAPhaseDoesThatPhaseAgainOnWhatIsThere) {
  PipelinePlay play;
  play.tests_pass();
  phases::apply(play.s, PhaseStarted{"execute", 3, 1, "", "claude", "", false});
  phases::apply(play.s, RunEnded{Outcome::interrupted, ""});
  EXPECT_EQ(play.s.step, Step::ended);
  phases::apply(play.s, RunResumed{3, false});
  EXPECT_EQ(play.s.step, Step::run_phase);
  EXPECT_EQ(play.s.phase, "execute");
  EXPECT_TRUE(play.s.open.empty()) << "nothing is put back: the person may have mended something";
  EXPECT_EQ(play.s.number, 3);
}

TEST(Pipeline, PhasesRunByHandCountForWhereAResumedRunGoesOn) {
  PipelinePlay play;
  phases::apply(play.s, RunEnded{Outcome::prepared, ""});
  PhaseFinished finished;
  finished.phase = "test-writer";
  finished.number = 1;
  phases::apply(play.s, finished);
  finished.phase = "test-review";
  finished.number = 2;
  phases::apply(play.s, finished);
  EXPECT_EQ(play.s.step, Step::ended);
  phases::apply(play.s, RunResumed{3, false});
  EXPECT_EQ(play.s.step, Step::run_phase);
  EXPECT_EQ(play.s.phase, "execute");

  phases::apply(play.s, RunEnded{Outcome::paused, ""});
  finished.phase = "execute-review";
  finished.status = Status::needs_work;
  finished.feedback = "too long";
  phases::apply(play.s, finished);
  phases::apply(play.s, RunResumed{3, false});
  EXPECT_EQ(play.s.phase, "execute");
  EXPECT_EQ(play.s.feedback, "too long");
  EXPECT_EQ(play.s.attempt, 1);
}

TEST(Pipeline, AMergeByHandSkipsWhatWasLeftUnfinished) {
  PipelinePlay play;
  phases::apply(play.s, RunEnded{Outcome::prepared, ""});
  phases::apply(play.s, RunResumed{3, true});
  EXPECT_EQ(play.s.step, Step::run_phase);
  EXPECT_EQ(play.s.phase, "merge");
}

TEST(Pipeline, AMergeThatIsDoneIsCleanedUpNotRepeated) {
  PipelinePlay play;
  phases::apply(play.s, MergeDone{"c", false});
  phases::apply(play.s, RunEnded{Outcome::merge_error, "disk full"});
  phases::apply(play.s, RunResumed{3, true});
  EXPECT_EQ(play.s.step, Step::archive);
}

TEST(Pipeline, AMergedRunCannotBeResumed) {
  PipelinePlay play;
  phases::apply(play.s, MergeDone{"c", false});
  phases::apply(play.s, BeadClosed{});
  play.record_end();
  phases::apply(play.s, RunResumed{3, false});
  EXPECT_EQ(play.s.step, Step::ended);
  EXPECT_EQ(play.s.outcome, Outcome::merged);
}

}  // namespace
}  // namespace capsule::phases
