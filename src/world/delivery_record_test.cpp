#include "world/delivery_record.h"

#include "world/test_support.h"

namespace capsule::world {
namespace {

using namespace event::delivery;  // NOLINT: its facts

Task task(const std::string& id, std::vector<std::string> after = {}) {
  Task one;
  one.id = id;
  one.criteria = {"x"};
  one.blocked_by = std::move(after);
  return one;
}

class DeliveryRecords : public ProjectTest {
 protected:
  // A delivery of T-1 and T-2 in which T-1 was merged.
  void half_done(const std::string& run, Outcome outcome) {
    DeliveryStarted started;
    started.tasks = {task("T-1"), task("T-2", {"T-1"})};
    std::vector<event::NewFact> facts{
        fact(DeliveryFact(started)),
        fact(DeliveryFact(VerifyFinished{VerifyPurpose::baseline, {}, ""}))};
    const std::pair<signal::Role, signal::Signal> good[] = {
        {signal::Role::developer, signal::Signal::ready_for_review},
        {signal::Role::critic, signal::Signal::review_passed},
        {signal::Role::auditor, signal::Signal::audit_passed}};
    int agent = 0;
    for (const auto& [role, says] : good) {
      ++agent;
      facts.push_back(
          fact(DeliveryFact(AgentDispatched{agent, role, "T-1", 1, agent, Why::fresh, "", ""})));
      event::delivery::AgentFinished finished;
      finished.agent = agent;
      finished.signal = says;
      facts.push_back(fact(DeliveryFact(finished)));
    }
    facts.push_back(fact(DeliveryFact(MergeDone{"T-1", "c1", {}, false})));
    if (outcome != Outcome::none) facts.push_back(fact(DeliveryFact(DeliveryEnded{outcome})));
    record(run, "delivery", "/p/PLAN.md", facts,
           outcome == Outcome::none ? "" : std::string(name_of(outcome)));
  }
  EarlierDeliveries look(const PlanSource& source = {"/p/PLAN.md", "PLAN.md", ""}) {
    auto found = earlier_deliveries(*store, source, {task("T-1"), task("T-2")});
    EXPECT_TRUE(found) << found.error().message;
    return found.value_or(EarlierDeliveries{});
  }
};

TEST_F(DeliveryRecords, OneThatWasCutOffOrHaltedGoesOn) {
  EXPECT_FALSE(look().unfinished);
  half_done("r-1", Outcome::none);
  ASSERT_TRUE(look().unfinished);
  EXPECT_EQ(look().unfinished->run, "r-1");
  half_done("r-2", Outcome::halted);
  EXPECT_EQ(look().unfinished->run, "r-2") << "the newest counts";
}

TEST_F(DeliveryRecords, WhatAnEndedOneMergedIsNotDoneAgain) {
  half_done("r-1", Outcome::incomplete);
  const EarlierDeliveries earlier = look();
  EXPECT_FALSE(earlier.unfinished);
  ASSERT_TRUE(earlier.ended);
  EXPECT_EQ(earlier.completed, std::vector<std::string>{"T-1"});
  std::vector<Task> tasks{task("T-1"), task("T-2", {"T-1"})};
  leave_out(tasks, earlier.completed);
  ASSERT_EQ(tasks.size(), 1U);
  EXPECT_EQ(tasks[0].id, "T-2");
  EXPECT_TRUE(tasks[0].blocked_by.empty()) << "nobody waits for what is there";
}

TEST_F(DeliveryRecords, OneOfBeadsIsNotOverWhileABeadOfMergedWorkIsOpen) {
  half_done("r-1", Outcome::incomplete);
  EXPECT_TRUE(look({"/p/PLAN.md", "demo-1", "demo-1"}).unfinished);
}

TEST_F(DeliveryRecords, AChangedPlanIsGivenToTheOneThatGoesOn) {
  half_done("r-1", Outcome::none);
  const DeliveryRecord record = *look().unfinished;
  DeliveryResumed resumed;
  EXPECT_EQ(facts_to_go_on(record, {task("T-1"), task("T-2", {"T-1"})}, resumed).size(), 1U);
  const auto facts = facts_to_go_on(record, {task("T-1"), task("T-3")}, resumed);
  ASSERT_EQ(facts.size(), 2U);
  const auto& changed = std::get<PlanChanged>(facts[1]);
  EXPECT_EQ(changed.removed, std::vector<std::string>{"T-2"});
  ASSERT_EQ(changed.added.size(), 1U);
  EXPECT_EQ(changed.added[0].id, "T-3");
}

TEST_F(DeliveryRecords, ABeadThatWeClosedWasNotTakenOutOfThePlan) {
  half_done("r-1", Outcome::none);
  DeliveryResumed resumed;
  resumed.tracked = true;
  EXPECT_EQ(facts_to_go_on(*look().unfinished, {task("T-2", {"T-1"})}, resumed).size(), 1U);
}

}  // namespace
}  // namespace capsule::world
