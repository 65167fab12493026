#include "workflow/auto/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capsule::auto_mode {
namespace {

using fact::Verdict;

Verdict verdict_in(std::string_view text) { return judgement_in(text).verdict; }

TEST(Judgement, OneLineAtColumnZeroDecides) {
  EXPECT_EQ(verdict_in("fine\nVERDICT: APPROVED\n"), Verdict::approved);
  EXPECT_EQ(verdict_in("VERDICT: APPROVED\r\n"), Verdict::approved);
  EXPECT_EQ(verdict_in("VERDICT:REJECTED"), Verdict::rejected);
  EXPECT_EQ(verdict_in("VERDICT: NEEDS_FIX"), Verdict::needs_fix);
}

TEST(Judgement, WithoutAClearVerdictNothingIsApproved) {
  for (const char* text :
       {"", "looks fine", " VERDICT: APPROVED", "> VERDICT: APPROVED", "verdict: APPROVED",
        "VERDICT: approved", "VERDICT: APPROVED maybe", "VERDICT: APPROVED\nVERDICT: REJECTED",
        "VERDICT: NEEDS_FIX\nVERDICT: APPROVED"})
    EXPECT_EQ(verdict_in(text), Verdict::needs_fix) << text;
  EXPECT_EQ(judgement_in("x").miss, signal::Miss::no_verdict);
  EXPECT_EQ(judgement_in("VERDICT: APPROVED\nVERDICT: REJECTED").miss, signal::Miss::two_verdicts);
}

TEST(Judgement, IssuesAreTheListItems) {
  EXPECT_THAT(judgement_in("Look:\n- a.c:1 leaks\n* b.c\n2. third\n  - nested\n-not one\n"
                           "VERDICT: NEEDS_FIX\n")
                  .issues,
              ::testing::ElementsAre("a.c:1 leaks", "b.c", "third", "nested"));
  EXPECT_TRUE(judgement_in("- looked at a.c\nVERDICT: APPROVED\n").issues.empty());
}

TEST(Learnings, AreTheListBelowTheirLastHeading) {
  EXPECT_EQ(learnings_in("## Learnings\n- old\n## Other\n- x\n## learnings\n\n- a\n* b\ntext\n"
                         "---\nSIGNAL: REFLECT_COMPLETE\n---\n"),
            "- a\n- b\n");
  EXPECT_EQ(learnings_in("- not below it"), "");
}

Run after(const std::vector<fact::Fact>& facts) {
  Run run;
  for (const fact::Fact& one : facts) apply(run, one);
  return run;
}

fact::TurnFinished said(Phase phase, std::vector<std::string> signals) {
  fact::TurnFinished turn;
  turn.phase = phase;
  turn.signals = std::move(signals);
  turn.at = "2026-01-01T00:00:05.000Z";
  return turn;
}

TEST(AutoWorkflow, NoSignalStandsInForChecksAndReviewers) {
  fact::Started started;
  started.has_checks = true;
  started.skip_expansion = true;
  started.at = "2026-01-01T00:00:00.000Z";
  const auto run =
      after({started, fact::PlaceReady{"f", "", ""},
             said(Phase::init, {"INIT_COMPLETE", "PLANNING_COMPLETE", "EXECUTION_COMPLETE",
                                "QA_COMPLETE", "REVIEW_COMPLETE", "CHECK_COMPLETE"})});
  EXPECT_EQ(run.phase, Phase::qa);
  EXPECT_EQ(run.step, Step::checks);
  EXPECT_EQ(run.file.phases[index_of(Phase::init)].duration_s, 5);
}

TEST(AutoWorkflow, ATransitionIsRecordedAndDecidesNothing) {
  const auto run = after({fact::Started{}, fact::PlaceReady{"f", "", ""},
                          said(Phase::expansion, {"TRANSITION_TO_QA"})});
  EXPECT_EQ(run.phase, Phase::expansion);
  ASSERT_EQ(run.file.detected.size(), 1U);
  EXPECT_EQ(run.file.detected[0].signal, "TRANSITION_TO_QA");
}

fact::TurnFinished failed(Phase phase, const std::string& error) {
  fact::TurnFinished turn = said(phase, {"PHASE_ERROR"});
  turn.error = error;
  turn.recoverable = true;
  return turn;
}

TEST(AutoWorkflow, ARetryStillHasToMendWhatReviewersRaised) {
  fact::Started started;
  started.skip_expansion = started.skip_qa = true;
  fact::Reviewed reviewed;
  for (const std::string_view type : fact::kReviewers)
    reviewed.verdicts.push_back(
        {std::string(type), Verdict::needs_fix, {"a.c:1 leaks"}, "", "", "", "", 0, 0, 0, {}});
  const auto run =
      after({started, fact::PlaceReady{"f", "", ""},
             said(Phase::init, {"INIT_COMPLETE", "PLANNING_COMPLETE", "EXECUTION_COMPLETE"}),
             reviewed, failed(Phase::fix, "port 80 is taken")});
  EXPECT_EQ(run.phase, Phase::fix);
  EXPECT_EQ(run.why, Why::retry);
  EXPECT_THAT(run.feedback, ::testing::HasSubstr("a.c:1 leaks"));
  EXPECT_THAT(run.feedback, ::testing::HasSubstr("port 80 is taken"));
}

TEST(AutoWorkflow, ARetryStillHasToMendWhatTheChecksFound) {
  fact::Started started;
  started.skip_expansion = true;
  started.has_checks = true;
  const auto run = after(
      {started, fact::PlaceReady{"f", "", ""},
       said(Phase::init, {"INIT_COMPLETE", "PLANNING_COMPLETE", "EXECUTION_COMPLETE"}),
       fact::ChecksDone{false, "make: *** no rule", ""}, failed(Phase::qa, "port 80 is taken")});
  EXPECT_EQ(run.phase, Phase::qa);
  EXPECT_THAT(run.feedback, ::testing::HasSubstr("make: *** no rule"));
  EXPECT_THAT(run.feedback, ::testing::HasSubstr("port 80 is taken"));
}

TEST(AutoWorkflow, WhatAPersonMayHaveMendedIsCheckedBeforeTheMerge) {
  fact::Started started;
  started.has_checks = true;
  std::vector<fact::Fact> facts{started, fact::PlaceReady{"f", "", ""},
                                said(Phase::expansion, {"AUTO_COMPLETE"}),
                                fact::ChecksDone{true, "", ""}};
  EXPECT_EQ(after(facts).step, Step::merge);
  facts.emplace_back(fact::Ended{Outcome::merge_refused, "conflict", ""});
  facts.emplace_back(fact::Resumed{});
  EXPECT_EQ(after(facts).step, Step::checks);
  facts.emplace_back(fact::ChecksDone{true, "", ""});
  EXPECT_EQ(after(facts).step, Step::merge);
}

TEST(AutoWorkflow, AFailedProgramHasSaidNothing) {
  fact::TurnFinished turn = said(Phase::expansion, {"EXPANSION_COMPLETE"});
  turn.fault = event::Fault::exit_status;
  const auto run = after({fact::Started{}, fact::PlaceReady{"f", "", ""}, turn});
  EXPECT_EQ(run.phase, Phase::expansion);
  EXPECT_EQ(run.why, Why::restart);
}

TEST(AutoWorkflow, AFailedProgramSpendsNoIterationAndEndsTheRunInItsOwnWords) {
  fact::Started started;
  started.max_iterations = 2;
  fact::TurnFinished turn = said(Phase::expansion, {});
  turn.fault = event::Fault::timed_out;
  const fact::TurnFinished silent = said(Phase::expansion, {});
  std::vector<fact::Fact> facts{started, fact::PlaceReady{"f", "", ""}, turn, silent, turn, silent};
  auto run = after(facts);
  EXPECT_EQ(run.file.iteration, 2) << "of those who forgot their signal";
  EXPECT_EQ(run.step, Step::turn);
  facts.emplace_back(turn);
  run = after(facts);
  EXPECT_EQ(run.step, Step::end);
  EXPECT_EQ(run.outcome, Outcome::error);
  EXPECT_EQ(run.detail,
            "the agent of expansion has failed by itself 3 times; the last time it ended by "
            "timed_out");
  facts.emplace_back(fact::Ended{run.outcome, run.detail, ""});
  facts.emplace_back(fact::Resumed{});
  facts.emplace_back(turn);
  EXPECT_EQ(after(facts).why, Why::restart) << "it counts from where a person took it up";
}

}  // namespace
}  // namespace capsule::auto_mode
