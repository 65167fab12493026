// Main that turned red from outside: no task is blamed.
#include "workflow/delivery/test_support.h"

namespace capsule::delivery {
namespace {

MergeRefused red() {
  MergeRefused refused{"T1", MergeRefusal::main_red, "main is red since abc"};
  refused.failed = {"test"};
  refused.main = "abc";
  return refused;
}
const MergeRefused kRed = red();

TEST(DeliveryRedMain, BlamesNoTaskAsksAPersonAndLetsOtherWorkGoOn) {
  Desk desk({task("T1"), task("T2")});
  desk.passes("T1");
  desk.give(kRed);
  EXPECT_EQ(desk["T1"].stage, Stage::merge);
  EXPECT_EQ(desk["T1"].hold, Hold::none);
  for (const int failures : desk["T1"].failures) EXPECT_EQ(failures, 0);
  ASSERT_EQ(desk.of<Ask>().size(), 1u);
  EXPECT_EQ(desk.of<Ask>()[0].options, (std::vector<std::string>{"retry", "remedy", "halt"}));
  EXPECT_NE(desk.of<Ask>()[0].context.find("since abc"), std::string::npos);
  EXPECT_NE(desk.agent_of("T2"), 0);
  // The second task goes its way to the queue, and nothing is merged meanwhile.
  desk.passes("T2");
  EXPECT_EQ(desk.of<Merge>().size(), 0u);
  EXPECT_TRUE(waits_for_person(desk.state));
}

TEST(DeliveryRedMain, IsTriedAgainInItsPlaceWhenAPersonSaysSo) {
  Desk desk({task("T1"), task("T2")});
  desk.passes("T1");
  desk.give(kRed);
  desk.passes("T2");
  desk.answer(1, "retry");
  ASSERT_EQ(desk.of<Merge>().size(), 1u);
  EXPECT_EQ(desk.of<Merge>()[0].tree, "T1");
  desk.merges("T1");
  desk.merges("T2");
  EXPECT_EQ(desk.state.outcome, Outcome::complete);
}

TEST(DeliveryRedMain, IsMendedByRemediationWhenAPersonSaysSo) {
  Desk desk({task("T1")});
  desk.passes("T1");
  desk.give(kRed);
  desk.answer(1, "remedy");
  EXPECT_EQ(desk.started(), Words{"remediation"});
  EXPECT_NE(desk.start().context.find("since abc"), std::string::npos);
  desk.says(Role::remediation, Signal::remediation_complete);
  desk.says(Role::health_auditor, Signal::health_healthy);
  desk.give(VerifyFinished{VerifyPurpose::health, {}, ""});
  ASSERT_EQ(desk.of<Merge>().size(), 1u);
  EXPECT_EQ(desk.of<Merge>()[0].tree, "T1");
}

TEST(DeliveryRedMain, IsMendedByRemediationWhenNobodyIsThere) {
  Desk desk;
  DeliveryStarted start;
  start.tasks = {task("T1")};
  start.attended = false;
  desk.give(start);
  desk.give(VerifyFinished{VerifyPurpose::baseline, {}, ""});
  desk.passes("T1");
  desk.give(kRed);
  EXPECT_TRUE(desk.of<Ask>().empty());
  EXPECT_EQ(desk.started(), Words{"remediation"});
}

TEST(DeliveryRedMain, HaltsAndIsTriedAgainWhenTakenUp) {
  Desk desk({task("T1"), task("T2")});
  desk.passes("T1");
  desk.give(kRed);
  desk.answer(1, "halt");
  desk.dies("T2", Fault::idle);
  EXPECT_EQ(desk.state.outcome, Outcome::halted);
  desk.give(DeliveryResumed{desk.state.slots, desk.state.limits});
  EXPECT_EQ(desk.state.outcome, Outcome::none);
  ASSERT_EQ(desk.of<Merge>().size(), 1u);
  EXPECT_EQ(desk.of<Merge>()[0].tree, "T1");
  EXPECT_FALSE(desk.agent_of(Role::remediation));
}

TEST(DeliveryRedMain, ACrashAsksAgainByTryingAgain) {
  Desk desk({task("T1")});
  desk.passes("T1");
  desk.give(kRed);
  desk.crash();
  ASSERT_EQ(desk.of<Merge>().size(), 1u);
  desk.give(kRed);
  ASSERT_EQ(desk.of<Ask>().size(), 1u);
  EXPECT_EQ(desk.of<Ask>()[0].question, 2);
}

TEST(DeliveryRedMain, IsForARemediationThatIsUnderWayAlready) {
  Desk desk({task("T1"), task("T2")});
  desk.passes("T1");
  desk.says("T2", Signal::infra_blocked, {{"Issue", "no disk"}});
  EXPECT_NE(desk.agent_of(Role::remediation), 0);
  desk.give(kRed);
  EXPECT_TRUE(desk.of<Ask>().empty());
  desk.says(Role::remediation, Signal::remediation_complete);
  EXPECT_NE(desk.start().context.find("since abc"), std::string::npos);
  desk.says(Role::health_auditor, Signal::health_healthy);
  desk.give(VerifyFinished{VerifyPurpose::health, {}, ""});
  ASSERT_EQ(desk.of<Merge>().size(), 1u);
}

// An answers file says 'retry' to everything.
TEST(DeliveryRedMain, IsNotTriedForEver) {
  Desk desk({task("T1")});
  desk.passes("T1");
  int asked = 0;
  for (; asked < 100; ++asked) {
    desk.give(kRed);
    if (desk.of<Ask>().empty()) break;
    desk.answer(asked + 1, "retry");
  }
  EXPECT_EQ(asked, Limits{}.questions);
  EXPECT_EQ(desk.state.outcome, Outcome::halted);
}

}  // namespace
}  // namespace capsule::delivery
