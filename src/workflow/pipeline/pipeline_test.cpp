#include "workflow/pipeline/pipeline.h"

#include <gtest/gtest.h>

namespace capsule::pipeline {
namespace {

using namespace event;

// Plays a run: each call ends the phase that the state asks for.
struct Play {
  State s;

  explicit Play(int max_retries = 3, std::string convergence = "stop") {
    s = apply(s, RunStarted{"demo-1", "Title", "claude", max_retries, convergence});
    s = apply(s, WorktreeIntended{"wt", "capsule-demo-1", "abc"});
    s = apply(s, WorktreeReady{"wt", "capsule-demo-1", "abc"});
  }
  Play& phase(Phase expected, Status status, std::string feedback = "f", bool checked = true,
              std::string tree = "") {
    EXPECT_EQ(s.step, Step::run_phase);
    EXPECT_EQ(name_of(s.phase), name_of(expected));
    const int number = s.number + 1;
    s = apply(s, PhaseStarted{s.phase, number, s.attempt, s.feedback, "claude", "", false});
    PhaseFinished finished;
    finished.phase = expected;
    finished.number = number;
    finished.status = status;
    finished.feedback = feedback;
    s = apply(s, finished);
    EXPECT_EQ(s.step, Step::snapshot);
    s = apply(s, SnapshotTaken{expected, number, "ref", "commit",
                               tree.empty() ? "tree" + std::to_string(number) : tree, "head"});
    if (s.step == Step::check)
      s = apply(s, PhaseChecked{expected, number, checked, checked ? "" : "gate: " + feedback, {}});
    return *this;
  }
  Play& tests_pass() {
    return phase(Phase::test_writer, Status::pass).phase(Phase::test_review, Status::pass);
  }
  Play& code_pass() {
    return phase(Phase::execute, Status::pass).phase(Phase::execute_review, Status::pass);
  }
  void expect_end(Outcome outcome, int code) {
    EXPECT_EQ(s.step, Step::end);
    EXPECT_EQ(name_of(s.outcome), name_of(outcome));
    EXPECT_EQ(exit_code(s.outcome), code);
  }
  void record_end() { s = apply(s, RunEnded{s.outcome, s.detail}); }
};

TEST(Pipeline, FiveStagesInOrderEndInAMerge) {
  Play play;
  EXPECT_EQ(stage_of(play.s), 2);
  play.tests_pass();
  EXPECT_EQ(stage_of(play.s), 3);
  play.code_pass();
  EXPECT_EQ(stage_of(play.s), 4);
  play.phase(Phase::sign_off, Status::pass);
  EXPECT_EQ(stage_of(play.s), 5);
  play.phase(Phase::merge, Status::pass);
  EXPECT_EQ(play.s.step, Step::integrate);
  play.s = apply(play.s, MergeIntended{"main", "abc"});
  play.s = apply(play.s, MergeDone{"def", false});
  EXPECT_EQ(play.s.step, Step::archive);
  play.s = apply(play.s, RunArchived{"logs"});
  EXPECT_EQ(play.s.step, Step::remove_worktree);
  play.s = apply(play.s, WorktreeRemoved{});
  EXPECT_EQ(play.s.step, Step::close_bead);
  play.s = apply(play.s, BeadClosed{});
  play.expect_end(Outcome::merged, 0);
}

TEST(Pipeline, AReviewThatNeedsWorkReRunsTheWriterWithItsFeedback) {
  Play play;
  play.phase(Phase::test_writer, Status::pass)
      .phase(Phase::test_review, Status::needs_work, "cover empty input");
  EXPECT_EQ(play.s.phase, Phase::test_writer);
  EXPECT_EQ(play.s.attempt, 2);
  EXPECT_EQ(play.s.feedback, "cover empty input");
  play.phase(Phase::test_writer, Status::pass);
  EXPECT_EQ(play.s.phase, Phase::test_review);
  EXPECT_EQ(play.s.attempt, 2);
  EXPECT_EQ(play.s.feedback, "") << "a review is not told what an earlier review said";
  play.phase(Phase::test_review, Status::pass);
  EXPECT_EQ(play.s.phase, Phase::execute);
  EXPECT_EQ(play.s.attempt, 1) << "each pair has attempts of its own";
}

TEST(Pipeline, MaxRetriesAreAttemptsInAll) {
  for (int limit : {1, 2, 5}) {
    Play play(limit);
    for (int i = 1; i <= limit; ++i) {
      EXPECT_EQ(play.s.attempt, i);
      play.phase(Phase::test_writer, Status::pass)
          .phase(Phase::test_review, Status::needs_work, "n" + std::to_string(i));
    }
    play.expect_end(Outcome::retries_exhausted, 1);
  }
}

TEST(Pipeline, AWriterThatNeedsWorkEndsTheRun) {
  Play play;
  play.phase(Phase::test_writer, Status::needs_work, "criteria contradict");
  play.expect_end(Outcome::writer_needs_work, 2);
  EXPECT_NE(play.s.detail.find("criteria contradict"), std::string::npos);
}

TEST(Pipeline, AnErrorOfAnyPhaseEndsTheRun) {
  Play play;
  play.tests_pass()
      .phase(Phase::execute, Status::pass)
      .phase(Phase::execute_review, Status::error, "cannot run");
  play.expect_end(Outcome::phase_error, 2);
}

TEST(Pipeline, SignOffThatNeedsWorkReRunsExecuteButNotItsReview) {
  Play play;
  play.tests_pass().code_pass().phase(Phase::sign_off, Status::needs_work, "debug line left");
  EXPECT_EQ(play.s.phase, Phase::execute);
  EXPECT_EQ(play.s.feedback, "debug line left");
  EXPECT_EQ(stage_of(play.s), 4);
  play.phase(Phase::execute, Status::pass);
  EXPECT_EQ(play.s.phase, Phase::sign_off);
  EXPECT_EQ(play.s.attempt, 2);
  play.phase(Phase::sign_off, Status::pass);
  EXPECT_EQ(play.s.phase, Phase::merge);
}

TEST(Pipeline, NoExecuteFollowsTheLastFailedSignOff) {
  Play play(2);
  play.tests_pass().code_pass();
  play.phase(Phase::sign_off, Status::needs_work, "a").phase(Phase::execute, Status::pass);
  play.phase(Phase::sign_off, Status::needs_work, "b");
  play.expect_end(Outcome::retries_exhausted, 1);
}

TEST(Pipeline, AnExecuteForSignOffThatNeedsWorkEndsTheRun) {
  Play play;
  play.tests_pass()
      .code_pass()
      .phase(Phase::sign_off, Status::needs_work)
      .phase(Phase::execute, Status::needs_work);
  play.expect_end(Outcome::writer_needs_work, 2);
}

TEST(Pipeline, AMergeAgentThatNeedsWorkEndsWithOneAndAnErrorWithTwo) {
  Play needs_work;
  needs_work.tests_pass()
      .code_pass()
      .phase(Phase::sign_off, Status::pass)
      .phase(Phase::merge, Status::needs_work);
  needs_work.expect_end(Outcome::merge_needs_work, 1);
  Play error;
  error.tests_pass()
      .code_pass()
      .phase(Phase::sign_off, Status::pass)
      .phase(Phase::merge, Status::error);
  error.expect_end(Outcome::phase_error, 2);
}

TEST(Pipeline, ARefusedMergeEndsWithOneAndAResumedRunAsksTheMergeAgentAgain) {
  Play play;
  play.tests_pass()
      .code_pass()
      .phase(Phase::sign_off, Status::pass)
      .phase(Phase::merge, Status::pass);
  play.s = apply(play.s, MergeIntended{"main", "abc"});
  play.s = apply(play.s, MergeRefused{MergeRefusal::conflict, "src/a.go"});
  play.expect_end(Outcome::merge_refused, 1);
  play.record_end();
  play.s = apply(play.s, RunResumed{3, false});
  EXPECT_EQ(play.s.step, Step::run_phase);
  EXPECT_EQ(play.s.phase, Phase::merge);
  EXPECT_TRUE(play.s.signed_off);
}

TEST(Pipeline, AMergeThatWasAskedForTooEarlyLeavesTheRunWhereItWas) {
  Play play;
  play.phase(Phase::test_writer, Status::pass)
      .phase(Phase::test_review, Status::needs_work, "more");
  play.s = apply(play.s, RunEnded{Outcome::interrupted, ""});
  play.s = apply(play.s, RunResumed{3, true});
  EXPECT_EQ(play.s.phase, Phase::merge);
  play.s = apply(play.s, MergeRefused{MergeRefusal::no_sign_off, "none"});
  play.expect_end(Outcome::merge_refused, 1);
  play.record_end();
  play.s = apply(play.s, RunResumed{3, false});
  EXPECT_EQ(play.s.step, Step::run_phase);
  EXPECT_EQ(play.s.phase, Phase::test_writer);
  EXPECT_EQ(play.s.attempt, 2);
  EXPECT_EQ(play.s.feedback, "more");
}

TEST(Pipeline, AFailedCheckOfAWriterIsWorthANeedsWorkBeforeAReviewerIsPaid) {
  Play play(2);
  play.phase(Phase::test_writer, Status::pass, "tests pass already", false);
  EXPECT_EQ(play.s.phase, Phase::test_writer);
  EXPECT_EQ(play.s.attempt, 2);
  EXPECT_EQ(play.s.feedback, "gate: tests pass already");
  play.phase(Phase::test_writer, Status::pass, "still", false);
  play.expect_end(Outcome::retries_exhausted, 1);
}

TEST(Pipeline, AFailedCheckOfAReviewCountsLikeItsNeedsWork) {
  Play play;
  play.tests_pass()
      .phase(Phase::execute, Status::pass)
      .phase(Phase::execute_review, Status::pass, "red", false);
  EXPECT_EQ(play.s.phase, Phase::execute);
  EXPECT_EQ(play.s.attempt, 2);
  EXPECT_EQ(play.s.feedback, "gate: red");
}

TEST(Pipeline, AFailedCheckOfSignOffIsNoSignOff) {
  Play play;
  play.tests_pass().code_pass().phase(Phase::sign_off, Status::pass, "red", false);
  EXPECT_FALSE(play.s.signed_off);
  EXPECT_EQ(play.s.phase, Phase::execute);
  EXPECT_TRUE(play.s.mending);
}

TEST(Pipeline, AMendedExecuteWhoseCheckFailsUsesUpAnAttemptOfSignOff) {
  Play play(3);
  play.tests_pass().code_pass().phase(Phase::sign_off, Status::needs_work);
  play.phase(Phase::execute, Status::pass, "red", false);
  EXPECT_EQ(play.s.phase, Phase::execute);
  EXPECT_TRUE(play.s.mending);
  play.phase(Phase::execute, Status::pass, "red again", false);
  play.expect_end(Outcome::retries_exhausted, 1);
}

TEST(Pipeline, TheSameFeedbackForTheSameTreeStopsEarly) {
  Play play(5);
  play.phase(Phase::test_writer, Status::pass)
      .phase(Phase::test_review, Status::needs_work, "same", true, "t");
  play.phase(Phase::test_writer, Status::pass)
      .phase(Phase::test_review, Status::needs_work, "same", true, "t");
  play.expect_end(Outcome::converged, 1);
}

TEST(Pipeline, TheSameFeedbackForAnotherTreeGoesOn) {
  Play play(5);
  play.phase(Phase::test_writer, Status::pass)
      .phase(Phase::test_review, Status::needs_work, "same", true, "t");
  play.phase(Phase::test_writer, Status::pass)
      .phase(Phase::test_review, Status::needs_work, "same", true, "u");
  EXPECT_EQ(play.s.step, Step::run_phase);
}

TEST(Pipeline, ConvergenceOffSpendsEveryAttempt) {
  for (const char* setting : {"off", "warn"}) {
    Play play(3, setting);
    for (int i = 0; i < 3; ++i)
      play.phase(Phase::test_writer, Status::pass)
          .phase(Phase::test_review, Status::needs_work, "same", true, "t");
    play.expect_end(Outcome::retries_exhausted, 1);
  }
}

TEST(Pipeline, AResumedRunHasNewAttemptsAndTheLastFeedback) {
  Play play(1);
  play.phase(Phase::test_writer, Status::pass)
      .phase(Phase::test_review, Status::needs_work, "cover it");
  play.record_end();
  play.s = apply(play.s, RunResumed{2, false});
  EXPECT_EQ(play.s.step, Step::run_phase);
  EXPECT_EQ(play.s.phase, Phase::test_writer);
  EXPECT_EQ(play.s.feedback, "cover it");
  EXPECT_EQ(play.s.attempt, 1);
  EXPECT_EQ(play.s.max_retries, 2);
}

TEST(Pipeline, APhaseThatWasCutOffIsOpenUntilItIsDoneAgain) {
  Play play;
  play.tests_pass();
  play.s = apply(play.s, PhaseStarted{Phase::execute, 3, 1, "", "claude", "", false});
  EXPECT_TRUE(play.s.open);
  EXPECT_EQ(play.s.step, Step::run_phase);
  EXPECT_EQ(play.s.phase, Phase::execute);
}

TEST(Pipeline, ARunThatAPersonEndedInAPhaseDoesThatPhaseAgainOnWhatIsThere) {
  Play play;
  play.tests_pass();
  play.s = apply(play.s, PhaseStarted{Phase::execute, 3, 1, "", "claude", "", false});
  play.s = apply(play.s, RunEnded{Outcome::interrupted, ""});
  EXPECT_EQ(play.s.step, Step::ended);
  play.s = apply(play.s, RunResumed{3, false});
  EXPECT_EQ(play.s.step, Step::run_phase);
  EXPECT_EQ(play.s.phase, Phase::execute);
  EXPECT_FALSE(play.s.open) << "nothing is put back: the person may have mended something";
  EXPECT_EQ(play.s.number, 3);
}

TEST(Pipeline, PhasesRunByHandCountForWhereAResumedRunGoesOn) {
  Play play;
  play.s = apply(play.s, RunEnded{Outcome::prepared, ""});
  PhaseFinished finished;
  finished.phase = Phase::test_writer;
  finished.number = 1;
  play.s = apply(play.s, finished);
  finished.phase = Phase::test_review;
  finished.number = 2;
  play.s = apply(play.s, finished);
  EXPECT_EQ(play.s.step, Step::ended);
  play.s = apply(play.s, RunResumed{3, false});
  EXPECT_EQ(play.s.step, Step::run_phase);
  EXPECT_EQ(play.s.phase, Phase::execute);

  play.s = apply(play.s, RunEnded{Outcome::paused, ""});
  finished.phase = Phase::execute_review;
  finished.status = Status::needs_work;
  finished.feedback = "too long";
  play.s = apply(play.s, finished);
  play.s = apply(play.s, RunResumed{3, false});
  EXPECT_EQ(play.s.phase, Phase::execute);
  EXPECT_EQ(play.s.feedback, "too long");
  EXPECT_EQ(play.s.attempt, 1);
}

TEST(Pipeline, AMergeByHandSkipsWhatWasLeftUnfinished) {
  Play play;
  play.s = apply(play.s, RunEnded{Outcome::prepared, ""});
  play.s = apply(play.s, RunResumed{3, true});
  EXPECT_EQ(play.s.step, Step::run_phase);
  EXPECT_EQ(play.s.phase, Phase::merge);
}

TEST(Pipeline, AMergeThatIsDoneIsCleanedUpNotRepeated) {
  Play play;
  play.s = apply(play.s, MergeDone{"c", false});
  play.s = apply(play.s, RunEnded{Outcome::merge_error, "disk full"});
  play.s = apply(play.s, RunResumed{3, true});
  EXPECT_EQ(play.s.step, Step::archive);
}

TEST(Pipeline, AMergedRunCannotBeResumed) {
  Play play;
  play.s = apply(play.s, MergeDone{"c", false});
  play.s = apply(play.s, BeadClosed{});
  play.record_end();
  play.s = apply(play.s, RunResumed{3, false});
  EXPECT_EQ(play.s.step, Step::ended);
  EXPECT_EQ(play.s.outcome, Outcome::merged);
}

}  // namespace
}  // namespace capsule::pipeline
