// A person stops the delivery; commands that could not be carried out.
#include "workflow/delivery/test_support.h"

namespace capsule::delivery {
namespace {

using workflow::Stop;
using workflow::StopAsked;

workflow::CommandFailed failure_of(const Command& command) {
  return {command, Reason::io, "it could not be"};
}

TEST(DeliveryStop, AnInterruptionDecidesNothingMoreAndIsOverWhenTheAgentsAre) {
  Desk desk({task("T1"), task("T2"), task("T3")}, {2, 1, 1});
  desk.see(StopAsked{Stop::interrupted});
  EXPECT_FALSE(stopped(desk.state));
  desk.says("T1", Signal::ready_for_review);
  EXPECT_TRUE(desk.commands.empty());
  desk.dies("T2", Fault::interrupted);
  EXPECT_TRUE(desk.commands.empty());
  EXPECT_TRUE(stopped(desk.state));
  EXPECT_FALSE(desk.state.paused) << "an interruption is no pause";
  EXPECT_EQ(desk.state.outcome, Outcome::none);
  desk.crash();
  EXPECT_FALSE(stopped(desk.state));
  EXPECT_EQ(desk.started(), (Words{"critic T1", "developer T2", "developer T3"}));
  EXPECT_EQ(desk["T2"].why, Why::taken_up);
}

TEST(DeliveryStop, WhatAnInterruptedAgentLeftIsSettledWhenTheDeliveryIsTakenUp) {
  Desk desk({task("T1"), task("T2")});
  desk.says("T2", Signal::ready_for_review);
  desk.see(StopAsked{Stop::interrupted});
  desk.dies("T1", Fault::interrupted);
  desk.dies("T2", Fault::interrupted);
  EXPECT_TRUE(desk.commands.empty());
  desk.answers_itself = false;
  desk.crash();
  ASSERT_EQ(desk.of<Keep>().size(), 1u);
  EXPECT_EQ(desk.of<Keep>()[0].tree, "T1");
  ASSERT_EQ(desk.of<TakeBack>().size(), 1u);
  EXPECT_EQ(desk.of<TakeBack>()[0].tree, "T2");
}

TEST(DeliveryStop, APauseLetsAgentsAndMergesEndAndBeginsNothing) {
  Desk desk({task("T1"), task("T2"), task("T3")}, {2, 1, 1});
  desk.passes("T1");
  desk.see(StopAsked{Stop::paused});
  desk.says("T2", Signal::ready_for_review);
  EXPECT_TRUE(desk.commands.empty());
  desk.says("T3", Signal::divine_clarification, {{"Question", "why?"}});
  EXPECT_EQ(desk.of<Ask>().size(), 1u) << "a person may be asked";
  EXPECT_FALSE(stopped(desk.state)) << "T1 is being merged";
  desk.answers_itself = false;
  desk.merges("T1");
  EXPECT_EQ(desk.of<RemoveTree>().size(), 1u);
  EXPECT_FALSE(stopped(desk.state)) << "its tree is being removed";
  EXPECT_TRUE(desk.facts<DeliveryPaused>().empty());
  desk.see(workflow::TreeRemoved{"T1"});
  EXPECT_TRUE(desk.commands.empty());
  EXPECT_TRUE(stopped(desk.state));
  EXPECT_EQ(desk.state.outcome, Outcome::none);
  EXPECT_EQ(desk.facts<DeliveryPaused>().size(), 1u);
  EXPECT_TRUE(desk.state.paused);
  desk.crash();
  EXPECT_EQ(desk.started(), Words{"critic T2"});
  EXPECT_FALSE(desk.state.paused) << "it goes on";
}

// It waited for its provider or a budget, and ends with the stop: nobody had ended it.
TEST(DeliveryStop, AnAgentThatOnlyWaitedIsNoSignOfAStopThatIsStillToCome) {
  Desk desk({task("T1"), task("T2")}, {2, 1, 1});
  workflow::AgentFinished waited;
  waited.agent = desk["T1"].agent;
  waited.fault = Fault::interrupted;
  waited.words = workflow::LineWords{};
  waited.held = true;
  desk.commands.clear();
  desk.take({}, {waited, StopAsked{Stop::paused}});
  EXPECT_TRUE(desk.started().empty());
  EXPECT_FALSE(stopped(desk.state)) << "T2 is at work";
  desk.says("T2", Signal::ready_for_review);
  EXPECT_TRUE(stopped(desk.state));
  desk.crash();
  EXPECT_THAT(desk.started(), ::testing::Contains("developer T1")) << "it begins when it goes on";
}

// The command fails because a person ended everything: that says nothing about the work.
TEST(DeliveryStop, AMergeThatIsInterruptedIsTriedAgainAndNobodyIsAsked) {
  Desk desk({task("T1")});
  desk.passes("T1");
  const Command merge = desk.of<Merge>().at(0);
  desk.see(workflow::CommandFailed{merge, Reason::interrupted, "interrupted"});
  desk.see(StopAsked{Stop::interrupted});
  EXPECT_TRUE(desk.commands.empty());
  EXPECT_TRUE(open_questions(desk.state).empty());
  EXPECT_TRUE(stopped(desk.state));
  desk.crash();
  EXPECT_EQ(desk.of<Merge>().size(), 1u);
  EXPECT_EQ(desk["T1"].failures, (std::array<int, kFailureKinds>{}));
}

TEST(DeliveryStop, ACheckThatIsInterruptedFoundNothingBroken) {
  Desk desk;
  DeliveryStarted start;
  start.tasks = {task("T1")};
  desk.give(start);
  const Command check = desk.of<Check>().at(0);
  desk.see(workflow::CommandFailed{check, Reason::interrupted, "interrupted"});
  desk.see(StopAsked{Stop::interrupted});
  EXPECT_TRUE(desk.commands.empty());
  EXPECT_TRUE(stopped(desk.state));
  desk.crash();
  EXPECT_EQ(desk.of<Check>().size(), 1u) << "what fails at the start is still to be found";
  EXPECT_TRUE(desk.state.baseline.empty());
}

TEST(DeliveryStop, AnAgentWhoseStartIsInterruptedHasNotFailed) {
  Desk desk({task("T1")});
  StartAgent start;
  start.agent = desk.agent_of("T1");
  desk.see(workflow::CommandFailed{start, Reason::interrupted, "interrupted"});
  desk.see(StopAsked{Stop::interrupted});
  EXPECT_TRUE(stopped(desk.state));
  EXPECT_EQ(desk["T1"].failures, (std::array<int, kFailureKinds>{}));
  desk.crash();
  EXPECT_EQ(desk.started(), Words{"developer T1"});
}

TEST(DeliveryStop, ADeliveryThatIsDoneWhenItShouldPauseEnds) {
  Desk desk({task("T1")});
  desk.passes("T1");
  desk.see(StopAsked{Stop::paused});
  desk.merges("T1");
  EXPECT_EQ(desk.state.outcome, Outcome::complete);
}

TEST(DeliveryStop, AnAbortHaltsTheDeliveryAndItGoesOnWhereItWas) {
  Desk desk({task("T1"), task("T2")});
  desk.passes("T1");
  desk.see(StopAsked{Stop::aborted});
  EXPECT_EQ(desk.state.outcome, Outcome::none) << "T2's agent is being ended";
  desk.dies("T2", Fault::interrupted);
  EXPECT_EQ(desk.state.outcome, Outcome::halted);
  EXPECT_TRUE(can_go_on(desk.state));
  desk.crash();
  EXPECT_EQ(desk.state.outcome, Outcome::none);
  EXPECT_EQ(desk.of<Merge>().size(), 1u);
  EXPECT_EQ(desk.started(), Words{"developer T2"}) << "and no remediation";
}

TEST(DeliveryStop, AnAbortGoesBeforeAnyOtherStop) {
  Desk desk({task("T1")});
  desk.see(StopAsked{Stop::paused});
  desk.see(StopAsked{Stop::aborted});
  desk.see(StopAsked{Stop::interrupted});
  desk.dies("T1", Fault::interrupted);
  EXPECT_EQ(desk.state.outcome, Outcome::halted);
}

TEST(DeliveryStop, AgentsThatAPersonEndedTellOfAStopThatIsStillToCome) {
  Desk desk({task("T1"), task("T2")});
  desk.says("T2", Signal::divine_clarification);
  desk.dies("T1", Fault::interrupted);
  EXPECT_TRUE(desk.commands.empty()) << "nobody follows it";
  EXPECT_FALSE(stopped(desk.state));
  EXPECT_FALSE(waits_for_person(desk.state));
  desk.see(StopAsked{Stop::aborted});
  EXPECT_EQ(desk.state.outcome, Outcome::halted);
}

TEST(DeliveryCommands, AnAgentThatCannotBeStartedIsReplacedAndTheThirdFailsTheTask) {
  Desk desk({task("T1")});
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(desk.of<StartAgent>().size(), 1u) << i;
    desk.see(failure_of(desk.of<StartAgent>()[0]));
  }
  EXPECT_EQ(desk["T1"].stage, Stage::failed);
  EXPECT_EQ(desk["T1"].runs.back().fault, Fault::not_started);
}

TEST(DeliveryCommands, AMergeThatCannotBeMadeIsForAPerson) {
  Desk desk({task("T1")});
  desk.passes("T1");
  desk.see(failure_of(desk.of<Merge>().at(0)));
  EXPECT_EQ(desk.state.questions.at(0).kind, QuestionKind::merge);
  EXPECT_EQ(desk.state.questions.at(0).context, "it could not be");
}

TEST(DeliveryCommands, ChecksThatCannotBeMadeCountAsFailed) {
  Desk desk;
  DeliveryStarted start;
  start.tasks = {task("T1")};
  desk.give(start);
  desk.see(failure_of(desk.of<Check>().at(0)));
  EXPECT_EQ(desk.state.baseline, Words{"checks"});
  EXPECT_EQ(desk.started(), Words{"developer T1"});
}

TEST(DeliveryCommands, ATimerThatCannotBeSetHoldsNobodyForEver) {
  Desk desk({task("A", {}, {"x"}), task("B")});
  desk.says("B", Signal::file_conflict, {{"Can Wait", "YES"}}, "x");
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(desk.of<SetTimer>().size(), 1u) << i;
    desk.see(failure_of(desk.of<SetTimer>()[0]));
  }
  EXPECT_EQ(desk["B"].hold, Hold::person);
}

}  // namespace
}  // namespace capsule::delivery
