#include "world/spending.h"

#include <gmock/gmock.h>

#include "base/moment.h"
#include "world/requests.h"
#include "world/supply_policy.h"
#include "world/test_support.h"
#include "world/wall_clock.h"

namespace capsule::world {
namespace {

using ::testing::IsEmpty;

class Spending : public ProjectTest {
 protected:
  static event::NewFact used(std::int64_t micros, const std::string& day, bool known = true) {
    event::supply::AgentUsed fact;
    fact.day = day;
    fact.provider = "claude";
    fact.use.cost_known = known;
    fact.use.cost_micros = micros;
    return {std::string(event::supply::kind_of(fact)), kAt, event::supply::body_of(fact)};
  }
};

TEST_F(Spending, OfADayIsSummedOverTheOtherRunsAndReadOnce) {
  record("run-1", "pipeline", "a", {used(5, "2026-01-01"), used(7, "2026-01-02")});
  record("run-2", "pipeline", "b", {used(11, "2026-01-01"), used(100, "2026-01-01", false)});
  record("own", "pipeline", "c", {used(1000, "2026-01-01")});
  world::SpentElsewhere spent(*store, "own");
  EXPECT_EQ(spent.micros("2026-01-01"), 16);
  EXPECT_EQ(spent.micros("2026-01-02"), 7);
  const auto head = store->head("run-2");
  ASSERT_TRUE(head);
  ASSERT_TRUE(
      store->append("run-2", head->last_seq, std::vector{used(20, "2026-01-01")}, std::nullopt));
  EXPECT_EQ(spent.micros("2026-01-01"), 36);
  EXPECT_EQ(spent.micros("2027-01-01"), 0);
}

TEST_F(Spending, CallsAreReadOverAllRuns) {
  record("run-1", "pipeline", "a", {used(5, "2026-01-01")}, "merged");
  record("run-2", "pipeline", "b", {used(11, "2026-01-01")});
  const auto all = calls_of(*store);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), 2U);
  const auto later = calls_of(*store, "2026-06-01");
  ASSERT_TRUE(later);
  ASSERT_EQ(later->size(), 1U) << "what ended before is left out";
  EXPECT_EQ(later->front().run.run, "run-2");
}

TEST_F(Spending, MessagesAreKeptUntilTheyAreDropped) {
  ASSERT_TRUE(leave_message(project_, "run-1", {"m1", "T-1", "use\ntabs", "me"}));
  ASSERT_TRUE(leave_message(project_, "run-1", {"", "", "second", ""}));
  ASSERT_TRUE(leave_message(project_, "run-10", {"m1", "", "another's", ""}));
  const auto found = pending_messages(project_, "run-1");
  ASSERT_EQ(found.size(), 2U);
  const bool first = found[0].message == "m1";
  EXPECT_EQ(found[first ? 0 : 1].text, "use\ntabs");
  EXPECT_EQ(found[first ? 0 : 1].task, "T-1");
  drop_requests(project_, "run-1");
  EXPECT_EQ(pending_messages(project_, "run-1").size(), 2U)
      << "they are not for this process alone";
  for (const workflow::MessageLeft& one : found) drop_message(project_, "run-1", one.message);
  EXPECT_THAT(pending_messages(project_, "run-1"), IsEmpty());
  EXPECT_EQ(pending_messages(project_, "run-10").size(), 1U);
}

TEST(WallClock, ADayEndsWhereTheNextBegins) {
  const std::int64_t noon = *seconds_of("2026-06-15T12:00:00Z");
  const std::int64_t end = local_day_end(noon);
  EXPECT_GT(end, noon);
  EXPECT_LE(end, noon + 86'400 + 43'200);
  EXPECT_EQ(local_day(end - 1), local_day(noon));
  EXPECT_NE(local_day(end), local_day(noon));
}

TEST(WallClock, WhatIsOverIsCalledAtOnce) {
  auto loop = process::Loop::create();
  ASSERT_TRUE(loop);
  bool called = false;
  at_wall_time(**loop, epoch_ms() - 5, [&] { called = true; });
  EXPECT_FALSE(called) << "from a turn of the loop";
  (*loop)->run_while([&] { return !called; });
  bool later = false;
  const std::int64_t when = epoch_ms() + 30;
  at_wall_time(**loop, when, [&] { later = true; });
  (*loop)->run_while([&] { return !later; });
  EXPECT_GE(epoch_ms(), when);
}

TEST(SupplyPolicyOf, EachPhaseAndRoleHasItsChoicesInOrder) {
  config::Config config = config::defaults();
  config.provider = "claude";
  config.providers["claude"].model = "sonnet";
  config.providers["codex"].model = "gpt-5";
  config.fallbacks = {{"codex", ""}};
  config.phases["execute"].model = "opus";
  config.roles["critic"].fallbacks = std::vector<config::Fallback>{{"gemini", "pro"}};
  config.budget.run = 7;
  config.prices["gpt-5"] = {1, 2, 3, 4};
  event::Definition definition;
  definition.phases.emplace_back();
  definition.phases.back().name = "plan";
  definition.phases.back().provider = "gemini";
  const supply::Policy policy = policy_of(config, definition);
  using Choices = std::vector<supply::Choice>;
  EXPECT_EQ(policy.phases.at("execute"), (Choices{{"claude", "opus"}, {"codex", "gpt-5"}}));
  EXPECT_EQ(policy.phases.at("plan"), (Choices{{"gemini", ""}, {"codex", "gpt-5"}}));
  EXPECT_EQ(policy.roles.at("critic"), (Choices{{"claude", "sonnet"}, {"gemini", "pro"}}));
  EXPECT_EQ(policy.other_roles, (Choices{{"claude", "sonnet"}, {"codex", "gpt-5"}}));
  EXPECT_EQ(policy.budget.run, 7);
  EXPECT_EQ(policy.prices.at("gpt-5").cache_written, 4);
}

}  // namespace
}  // namespace capsule::world
