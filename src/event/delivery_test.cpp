#include "event/delivery.h"

#include <gtest/gtest.h>

namespace capsule::event::delivery {
namespace {

template <std::size_t I = 0>
void each_kind(std::vector<DeliveryFact>& all) {
  if constexpr (I < std::variant_size_v<DeliveryFact::variant>) {
    all.emplace_back(std::in_place_index<I>);
    each_kind<I + 1>(all);
  }
}

TEST(DeliveryFacts, EveryKindIsReadBackAsItWasWritten) {
  std::vector<DeliveryFact> all;
  each_kind(all);
  AgentFinished finished;
  finished.agent = 7;
  finished.signal = Signal::file_conflict;
  finished.argument = "src/a.cpp";
  finished.more = {"b", "c"};
  finished.fields = {{"Can Wait", "NO"}, {"Reason", "two\nlines \"quoted\""}};
  finished.fault = Fault::refuted;
  finished.cost_micros = 12'345'678'901;
  finished.exit_code = 137;
  finished.log = "/logs/7-critic.log";
  all.emplace_back(finished);
  DeliveryStarted started;
  started.tasks.resize(2);
  started.tasks[1].id = "T-2";
  started.tasks[1].criteria = {"a", "b"};
  started.tasks[1].unclear = true;
  started.limits.remediation_attempts = 4;
  started.slots.critics = 9;
  started.tracked = true;
  started.integrate = Integrate::branch;
  started.branch = "capsule-plan";
  all.emplace_back(started);
  all.emplace_back(DeliveryResumed{{}, {}, true, true});
  all.emplace_back(TaskClosing{"T1"});
  all.emplace_back(TaskClosed{"T1"});
  all.emplace_back(TaskCloseFailed{"T1", "why"});
  all.emplace_back(TreeRemoved{"T1"});
  all.emplace_back(TreeRemoveFailed{"T1", "why"});
  all.emplace_back(TreeSettled{"T1", {"a"}, "why"});
  all.emplace_back(MainMoved{"T1"});
  all.emplace_back(RepairIntended{2});
  all.emplace_back(RepairDone{2, "c", {"a"}, true});
  all.emplace_back(MergeTried{"T1", "folder", "onto", {"a"}, 3, {}});
  all.emplace_back(MergeRefused{"T1", MergeRefusal::conflict, "why", {"Makefile"}, "stat", true});
  all.emplace_back(GroundMoved{{"a", "b"}, {1, 2}, "refs/heads/main", "c", "d"});
  for (const DeliveryFact& fact : all) {
    const auto read = read_fact(kind_of(fact), body_of(fact));
    ASSERT_TRUE(read) << kind_of(fact);
    EXPECT_EQ(read->index(), fact.index());
    EXPECT_EQ(*read, fact) << kind_of(fact);
    EXPECT_TRUE(is_kind(kind_of(fact)));
  }
}

TEST(DeliveryFacts, TheNamesOfTheRecoveryEventsAreTheSpecs) {
  EXPECT_EQ(kind_of(UnknownSignalRecovery{}), "unknown_signal_recovery");
  EXPECT_EQ(kind_of(AgentSignalFailure{}), "agent_signal_failure");
  const std::string body = body_of(UnknownSignalRecovery{"T1", 3, 2, "error", "what it said"});
  EXPECT_EQ(body, R"({"task_id":"T1","agent_id":3,"attempt":2,"level":"error",)"
                  R"("output_preview":"what it said"})");
}

TEST(DeliveryFacts, BytesThatAreNotUtf8AreReplacedAndNeverRefused) {
  AgentFinished finished;
  finished.preview = "a\xff z";
  const auto read = read_fact("agent_finished", body_of(finished));
  ASSERT_TRUE(read);
  EXPECT_EQ(std::get<AgentFinished>(*read).preview, "a\xEF\xBF\xBD z");
}

TEST(DeliveryFacts, TheWordsOfVersionOneAreStillRead) {
  const auto refused = read_fact("task_merge_refused", R"({"task":"T1","why":"refused"})");
  ASSERT_TRUE(refused);
  EXPECT_EQ(std::get<MergeRefused>(*refused).why, MergeRefusal::refused);
  const auto finished = read_fact("agent_finished", R"({"agent":1,"fault":"timed_out"})");
  ASSERT_TRUE(finished);
  EXPECT_EQ(std::get<AgentFinished>(*finished).fault, Fault::timed_out);
  const auto resumed = read_fact("delivery_resumed", R"({"retry_failed":false})");
  ASSERT_TRUE(resumed);
  EXPECT_FALSE(std::get<DeliveryResumed>(*resumed).tracked);
}

TEST(DeliveryFacts, WhatIsNoFactIsDamaged) {
  EXPECT_FALSE(read_fact("no_such_kind", "{}"));
  EXPECT_FALSE(read_fact("agent_finished", "[]"));
  EXPECT_FALSE(read_fact("agent_finished", R"({"agent":"x"})"));
  EXPECT_FALSE(read_fact("agent_finished", R"({"signal":"NO_SUCH"})"));
  EXPECT_FALSE(read_fact("delivery_started", R"({"tasks":[{"id":1}]})"));
  EXPECT_FALSE(is_kind("phase_finished"));
}

TEST(DeliveryFacts, MembersThatAreNotKnownAreIgnoredAndMissingOnesKeepTheirDefault) {
  const auto read = read_fact("delivery_started", R"({"title":"x","later":{},"limits":{}})");
  ASSERT_TRUE(read);
  EXPECT_EQ(std::get<DeliveryStarted>(*read).limits, Limits{});
}

}  // namespace
}  // namespace capsule::event::delivery
