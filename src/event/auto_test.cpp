#include "event/auto.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace capsule::event::auto_run {
namespace {

// Every member differs from its default: one that is left out of the wire form does not come back.
std::vector<Fact> samples() {
  const ReviewVerdict verdict{
      "security",  Verdict::rejected,        {"a", "b"}, "t", "s", "e", "log", 7, 12, 5,
      Fault::lost, signal::Miss::no_verdict, {"c"}};
  const CheckRun run{"test", "make", CheckEnding::timed_out, 2, true, true, 9, true, 1, 2, 3,
                     {"a"},  "out"};
  const TestEvidence evidence{true, 1, 2, true, 3, 4};
  return {
      Started{"task", "claude", true, true, true, true, true, true, false, 7, false, "now", true,
              Integrate::ask},
      PlaceReady{"folder", "branch", "now"},
      TurnStarted{Phase::qa, 3, 2, Why::mend, "id", true, "now", "codex", "gpt-5"},
      TurnFinished{Phase::fix,
                   4,
                   {"FIX_COMPLETE"},
                   "e",
                   true,
                   Fault::timed_out,
                   3,
                   "log",
                   12,
                   5,
                   "- a\n",
                   "now",
                   signal::Miss::wrong_phase,
                   "SIGNAL: X",
                   "took too long"},
      ChecksDone{false, "why", "now", {run}, evidence},
      BaselineChecked{Baseline::red, "why", {run}, "now"},
      Reviewed{{verdict, verdict}, "note", "now"},
      MergeDone{"commit",
                true,
                true,
                "now",
                "onto",
                {run},
                {{"what", event::Verdict::differs, "detail"}},
                evidence},
      PlaceRemoved{"now"},
      Ended{Outcome::aborted, "detail", "now", true},
      Resumed{"now"},
      SessionSeen{"{\"a\":1}", "now"},
      MergeIntended{"now"},
      ChecksStarted{"now"},
      ReviewStarted{2, 5, "now", "codex", "gpt-5"},
      GroundMoved{{"a", "b"}, {1, 2}, "refs/heads/main", "c", "d", "now"},
      MergeTried{"onto", {"a"}, 3, {run}, "now"},
      IntegrationChosen{Integrate::branch, "now"},
      ApprovalAsked{2, Approval::guard, {"Makefile"}, "stat", "now"},
      ApprovalGiven{2, true, "words", "me", "now"},
      AnswerTakenBack{2, "now"},
      PlaceIntended{"now"},
  };
}

TEST(AutoFacts, EveryKindComesBackAsItWas) {
  EXPECT_EQ(samples().size(), std::variant_size_v<Fact::variant>);
  for (const Fact& fact : samples()) {
    const auto read = read_fact(kind_of(fact), body_of(fact));
    ASSERT_TRUE(read) << kind_of(fact);
    EXPECT_EQ(*read, fact) << kind_of(fact);
    EXPECT_EQ(time_of(*read), "now");
  }
}

TEST(AutoFacts, WhatVersionOneLeftOutMeansWhatItMeantThere) {
  const auto turn = read_fact("auto_turn_finished", R"({"phase":"fix","fault":"lost","at":"x"})");
  ASSERT_TRUE(turn);
  EXPECT_EQ(std::get<TurnFinished>(*turn).fault, Fault::lost);
  EXPECT_EQ(std::get<TurnFinished>(*turn).learnings, "");
  EXPECT_TRUE(std::get<Started>(*read_fact("auto_started", "{}")).sessions);
  EXPECT_FALSE(std::get<MergeDone>(*read_fact("auto_merged", "{}")).adopted);
}

TEST(AutoFacts, ASampleLeavesNoMemberAtItsDefault) {
  for (const Fact& fact : samples()) {
    const auto empty = read_fact(kind_of(fact), "{}");
    ASSERT_TRUE(empty);
    const auto given = nlohmann::json::parse(body_of(fact));
    const auto defaults = nlohmann::json::parse(body_of(*empty));
    for (const auto& [name, value] : defaults.items())
      EXPECT_NE(given[name], value) << kind_of(fact) << " " << name;
  }
}

TEST(AutoFacts, UnknownMembersAreIgnoredAndDamagedFactsReported) {
  EXPECT_TRUE(read_fact("auto_resumed", R"({"at":"x","more":[1]})"));
  for (const char* body : {"", "[]", R"({"at":5})"}) EXPECT_FALSE(read_fact("auto_resumed", body));
  EXPECT_FALSE(read_fact("auto_turn_started", R"({"phase":"nonsense"})"));
  EXPECT_FALSE(read_fact("phase_started", "{}"));
}

}  // namespace
}  // namespace capsule::event::auto_run
