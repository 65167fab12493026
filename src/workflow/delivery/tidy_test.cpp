// Beads that are closed, trees that are removed, and what agents left half done.
#include "workflow/delivery/test_support.h"

namespace capsule::delivery {
namespace {

// A delivery of beads, in which the test closes and removes by hand.
Desk beads(std::vector<Task> tasks) {
  Desk desk;
  desk.answers_itself = false;
  DeliveryStarted start;
  start.tasks = std::move(tasks);
  start.tracked = true;
  desk.give(start);
  desk.give(VerifyFinished{VerifyPurpose::baseline, {}, ""});
  return desk;
}

workflow::CommandFailed failure_of(const Command& command, const char* detail) {
  return {command, Reason::io, detail};
}

Words removed(const Desk& desk) {
  Words trees;
  for (const RemoveTree& each : desk.of<RemoveTree>()) trees.push_back(each.tree);
  return trees;
}

TEST(DeliveryClosing, ABeadIsClosedOnceItsMergeIsRecordedAndTheDeliveryEndsAfterThat) {
  Desk desk = beads({task("T1")});
  desk.passes("T1");
  EXPECT_TRUE(desk.of<CloseTask>().empty());
  desk.merges("T1");
  ASSERT_EQ(desk.of<CloseTask>().size(), 1u);
  EXPECT_EQ(desk.of<CloseTask>()[0], (CloseTask{"T1", "Merged by Capsule"}));
  EXPECT_EQ(desk.facts<TaskClosing>().size(), 1u) << "the intent is in the journal";
  desk.see(workflow::TreeRemoved{"T1"});
  EXPECT_EQ(desk.state.outcome, Outcome::none);
  EXPECT_EQ(unclosed(desk.state), Words{"T1"});
  desk.see(workflow::TaskClosed{"T1"});
  EXPECT_EQ(desk.state.outcome, Outcome::complete);
  EXPECT_TRUE(unclosed(desk.state).empty());
}

TEST(DeliveryClosing, WhoDependsOnATaskDoesNotWaitForItsBead) {
  Desk desk = beads({task("T1"), task("T2", {"T1"})});
  desk.completes("T1");
  EXPECT_EQ(desk.started(), Words{"developer T2"});
}

TEST(DeliveryClosing, WithoutBeadsNothingIsClosed) {
  Desk desk({task("T1")});
  desk.answers_itself = false;
  desk.completes("T1");
  EXPECT_TRUE(desk.of<CloseTask>().empty());
}

TEST(DeliveryClosing, ACloseThatWasCutOffIsMadeAgain) {
  Desk desk = beads({task("T1"), task("T2")});
  desk.completes("T1");
  desk.crash();
  EXPECT_EQ(desk.of<CloseTask>().size(), 1u);
  desk.see(workflow::TaskClosed{"T1"});
  desk.crash();
  EXPECT_TRUE(desk.of<CloseTask>().empty()) << "once it is closed that is over";
}

TEST(DeliveryClosing, ADeliveryWithABeadThatCannotBeClosedIsNotCompleteAndTriesAgain) {
  Desk desk = beads({task("T1")});
  desk.completes("T1");
  desk.see(workflow::TreeRemoved{"T1"});
  desk.see(failure_of(CloseTask{"T1", ""}, "the tracker is locked"));
  EXPECT_EQ(desk.state.outcome, Outcome::incomplete);
  EXPECT_EQ(desk.facts<TaskCloseFailed>().at(0).detail, "the tracker is locked");
  EXPECT_EQ(exit_code(desk.state), 1);
  EXPECT_TRUE(can_go_on(desk.state)) << "it had ended, and still has to be taken up";
  EXPECT_EQ(run_summary(desk.state).detail, "1 task merged, but not closed");
  desk.crash();
  EXPECT_EQ(desk.state.outcome, Outcome::none);
  EXPECT_EQ(desk.commands.size(), 1u) << "nothing but the bead";
  desk.see(workflow::TaskClosed{"T1"});
  EXPECT_EQ(desk.state.outcome, Outcome::complete);
  EXPECT_FALSE(can_go_on(desk.state));
  EXPECT_EQ(exit_code(desk.state), 0);
}

TEST(DeliveryClosing, JournalsThatKnowOfNoBeadsHaveTheirsClosedWhenTheyAreTakenUp) {
  Desk desk({task("T1"), task("T2")});
  desk.completes("T1");
  desk.completes("T2");
  ASSERT_EQ(desk.state.outcome, Outcome::complete);
  desk.answers_itself = false;
  desk.give(DeliveryResumed{desk.state.slots, desk.state.limits, false, true});
  EXPECT_EQ(desk.of<CloseTask>().size(), 2u);
  EXPECT_EQ(desk.state.outcome, Outcome::none);
  desk.see(workflow::TaskClosed{"T1"});
  desk.see(workflow::TaskClosed{"T2"});
  EXPECT_EQ(desk.state.outcome, Outcome::complete);
}

TEST(DeliveryTrees, ATaskThatIsCompleteNeedsItsTreeNoMore) {
  Desk desk = beads({task("T1"), task("T2")});
  desk.passes("T1");
  EXPECT_TRUE(removed(desk).empty());
  desk.merges("T1");
  EXPECT_EQ(removed(desk), Words{"T1"});
  desk.crash();
  EXPECT_EQ(removed(desk), Words{"T1"}) << "nothing says that it is gone";
  desk.see(workflow::TreeRemoved{"T1"});
  desk.crash();
  EXPECT_TRUE(removed(desk).empty());
  EXPECT_EQ(desk.state.trees, std::set<std::string>{"T2"});
}

TEST(DeliveryTrees, ATreeThatCannotBeRemovedKeepsNobodyAndIsTriedAgain) {
  Desk desk = beads({task("T1"), task("T2")});
  desk.completes("T1");
  desk.see(workflow::TaskClosed{"T1"});
  desk.see(failure_of(RemoveTree{"T1", "", "", false}, "busy"));
  EXPECT_TRUE(removed(desk).empty()) << "not again and again";
  EXPECT_EQ(desk.facts<TreeRemoveFailed>().at(0).detail, "busy");
  desk.crash();
  EXPECT_EQ(removed(desk), Words{"T1"});
}

TEST(DeliveryTrees, AFailedTaskKeepsItsTree) {
  Desk desk({task("T1")});
  desk.answers_itself = false;
  for (int i = 0; i < 3; ++i) desk.dies("T1");
  EXPECT_EQ(desk.state.outcome, Outcome::incomplete);
  EXPECT_EQ(desk.state.trees, std::set<std::string>{"T1"});
}

TEST(DeliveryTrees, TheAnalystsTreeStaysWhileItIsAskedAgain) {
  Desk desk;
  desk.answers_itself = false;
  DeliveryStarted start;
  start.tasks = {task("T1")};
  start.experts = true;
  desk.give(start);
  desk.give(VerifyFinished{VerifyPurpose::baseline, {}, ""});
  EXPECT_EQ(desk.start().tree, "+analysis");
  desk.says(Role::plan_analyst, Signal::unknown);
  EXPECT_EQ(desk.started(), Words{"plan-analyst"});
  EXPECT_EQ(desk.start().tree, "+analysis");
  EXPECT_TRUE(removed(desk).empty()) << "it works there";
  desk.says(Role::plan_analyst, Signal::expert_created, {}, "databases");
  EXPECT_EQ(removed(desk), Words{"+analysis"});
  EXPECT_EQ(desk.started(), Words{"developer T1"});
}

TEST(DeliveryTrees, ARoundOfRemediationLeavesNoTree) {
  Desk desk({task("T1")});
  desk.answers_itself = false;
  desk.says("T1", Signal::infra_blocked);
  EXPECT_EQ(desk.start().tree, "+remediation-1");
  desk.says(Role::remediation, Signal::remediation_complete);
  EXPECT_EQ(desk.start().tree, "+remediation-1");
  desk.says(Role::health_auditor, Signal::health_healthy);
  desk.give(VerifyFinished{VerifyPurpose::health, {}, ""});
  EXPECT_EQ(removed(desk), Words{"+remediation-1"});
}

TEST(DeliveryTrees, WhatWasLeftHalfDoneIsKeptOrTakenBackBeforeAnybodyGoesOn) {
  Desk desk({task("T1"), task("T2")});
  desk.answers_itself = false;
  desk.says("T2", Signal::ready_for_review);
  desk.crash();
  ASSERT_EQ(desk.of<Keep>().size(), 1u);
  EXPECT_EQ(desk.of<Keep>()[0].tree, "T1");
  EXPECT_EQ(desk.of<Keep>()[0].label, "developer-unfinished");
  ASSERT_EQ(desk.of<TakeBack>().size(), 1u);
  EXPECT_EQ(desk.of<TakeBack>()[0].tree, "T2");
  EXPECT_TRUE(desk.started().empty());
  desk.see(workflow::Kept{"T1", "", "", "", ""});
  EXPECT_TRUE(desk.started().empty());
  desk.crash();
  EXPECT_TRUE(desk.of<Keep>().empty()) << "that is done";
  EXPECT_EQ(desk.of<TakeBack>().size(), 1u);
  desk.see(workflow::TakenBack{"T2", {"a.c"}});
  EXPECT_EQ(desk.started(), (Words{"critic T2", "developer T1"}));
  EXPECT_EQ(desk.facts<TreeSettled>().at(1).took_back, Words{"a.c"});
}

TEST(DeliveryTrees, WhatCannotBeKeptHoldsNobodyForEver) {
  Desk desk({task("T1")});
  desk.answers_itself = false;
  desk.crash();
  desk.see(failure_of(desk.commands.at(0), "no space left"));
  EXPECT_EQ(desk.started(), Words{"developer T1"});
  EXPECT_EQ(desk.facts<TreeSettled>().at(0).detail, "no space left");
}

}  // namespace
}  // namespace capsule::delivery
