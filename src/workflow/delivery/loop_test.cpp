// The way of a task, slots and priorities, the merge queue.
#include "workflow/delivery/test_support.h"

namespace capsule::delivery {
namespace {

TEST(DeliveryLoop, TheBaselineIsVerifiedBeforeAnybodyIsStarted) {
  Desk desk;
  DeliveryStarted start;
  start.tasks = {task("T1")};
  desk.give(start);
  ASSERT_EQ(desk.of<Check>().size(), 1u);
  const Check check = desk.of<Check>()[0];
  EXPECT_EQ(check.names, Words{"baseline"});
  EXPECT_TRUE(check.clean && check.commit.empty()) << "the newest main";
  EXPECT_TRUE(desk.started().empty());
  desk.give(VerifyFinished{VerifyPurpose::baseline, {"unit tests"}, ""});
  EXPECT_EQ(desk.started(), Words{"developer T1"});
  EXPECT_EQ(introduced(desk.state, {"unit tests", "lint"}), Words{"lint"});
}

TEST(DeliveryLoop, NobodyIsPaidToWorkOnAMainThatIsRedUnlessThatIsAllowed) {
  for (const bool allowed : {false, true}) {
    Desk desk;
    DeliveryStarted start;
    start.tasks = {task("T1")};
    start.red_allowed = allowed;
    desk.give(start);
    desk.give(VerifyFinished{
        VerifyPurpose::baseline, {"test"}, "the old test fails", event::Baseline::red, {}});
    EXPECT_EQ(desk.started().empty(), !allowed);
    EXPECT_EQ(desk.state.outcome, allowed ? Outcome::none : Outcome::halted);
    EXPECT_EQ(exit_code(desk.state), allowed ? 1 : 2);
  }
}

TEST(DeliveryLoop, ATaskGoesFromDeveloperToCriticToAuditorToMerge) {
  Desk desk({task("T1")});
  EXPECT_EQ(desk.started(), Words{"developer T1"});
  desk.says("T1", Signal::ready_for_review);
  EXPECT_EQ(desk.started(), Words{"critic T1"});
  desk.says("T1", Signal::review_passed);
  EXPECT_EQ(desk.started(), Words{"auditor T1"});
  desk.says("T1", Signal::audit_passed);
  ASSERT_EQ(desk.of<Merge>().size(), 1u);
  EXPECT_EQ(desk["T1"].stage, Stage::merge);
  EXPECT_EQ(desk.state.outcome, Outcome::none);
  desk.merges("T1");
  EXPECT_EQ(desk["T1"].stage, Stage::complete);
  EXPECT_EQ(desk.state.outcome, Outcome::complete);
  EXPECT_EQ(exit_code(desk.state), 0);
  EXPECT_EQ(summary_of(desk.state).completed, Words{"T1"});
  EXPECT_EQ(desk.facts<TaskCompleted>().size(), 1u);
}

TEST(DeliveryLoop, OnlyTheMergeUnblocksDependants) {
  Desk desk({task("T1"), task("T2", {"T1"})});
  desk.passes("T1");
  EXPECT_EQ(desk["T2"].stage, Stage::blocked);
  desk.merges("T1");
  EXPECT_EQ(desk.started(), Words{"developer T2"});
}

TEST(DeliveryLoop, NoMoreAgentsThanSlots) {
  Desk desk({task("T1"), task("T2"), task("T3")}, {2, 1, 1});
  EXPECT_EQ(desk.started(), (Words{"developer T1", "developer T2"}));
  desk.says("T1", Signal::ready_for_review);
  EXPECT_EQ(desk.started(), (Words{"critic T1", "developer T3"}));
  desk.says("T2", Signal::ready_for_review);
  EXPECT_TRUE(desk.started().empty());
  desk.says("T1", Signal::review_passed);
  EXPECT_EQ(desk.started(), (Words{"critic T2", "auditor T1"}));
}

TEST(DeliveryLoop, WhoWaitsForTheBudgetOfItsTaskKeepsNobodyFromWork) {
  Desk desk({task("T1"), task("T2"), task("T3")}, {1, 1, 1});
  const int first = desk.agent_of("T1");
  desk.see(workflow::AgentWaits{first, true, true});
  EXPECT_EQ(desk.started(), Words{"developer T2"});
  // It may begin, and others work in its place: nobody else comes before it.
  desk.see(workflow::AgentWaits{first, false, false});
  desk.says("T2", Signal::ready_for_review);
  EXPECT_EQ(desk.started(), Words{"critic T2"});
  desk.says("T1", Signal::ready_for_review);
  EXPECT_EQ(desk.started(), Words{"developer T3"});
}

TEST(DeliveryLoop, WhoWaitsForItsServiceKeepsOnlyThoseFromWorkWhoWouldWaitForTheSame) {
  Task unclear = task("T1");
  unclear.unclear = true;
  Desk desk({unclear, task("T2"), task("T3")}, {1, 1, 1});
  EXPECT_EQ(desk.started(), Words{"business-analyst T1"});
  const int analyst = desk.agent_of("T1");
  desk.see(workflow::AgentWaits{analyst, true, false});
  EXPECT_EQ(desk.started(), Words{"developer T2"});
  desk.see(workflow::AgentWaits{desk.agent_of("T2"), true, false});
  EXPECT_TRUE(desk.started().empty()) << "T3 would ask the same service";
  desk.crash();
  EXPECT_EQ(desk.started().size(), 1U) << "who waited is started again, as far as there are slots";
}

TEST(DeliveryLoop, CriticsComeBeforeAuditorsAndThoseBeforeDevelopers) {
  Desk desk({task("A"), task("B"), task("C")}, {5, 5, 5});
  desk.says("B", Signal::ready_for_review);
  const int critic = desk.agent_of("B");
  // Three ends at once: a review, an audit and a rework are wanted.
  desk.says("A", Signal::ready_for_review);
  desk.give_all({Desk::output(desk.agent_of("A"), Signal::review_failed),
                 Desk::output(critic, Signal::review_passed),
                 Desk::output(desk.agent_of("C"), Signal::ready_for_review)});
  EXPECT_EQ(desk.started(), (Words{"critic C", "auditor B", "developer A"}));
}

TEST(DeliveryLoop, AmongReadyTasksTheOneThatUnblocksMostGoesFirstThenPlanOrder) {
  Desk desk({task("A"), task("B"), task("C"), task("D", {"C"}), task("E", {"C"}), task("F", {"B"})},
            {1, 1, 1});
  EXPECT_EQ(desk.started(), Words{"developer C"});
  desk.says("C", Signal::ready_for_review);
  EXPECT_EQ(desk.started(), (Words{"critic C", "developer B"}));
  desk.says("B", Signal::ready_for_review);
  EXPECT_EQ(desk.started(), Words{"developer A"});
}

TEST(DeliveryLoop, ReworkGoesBeforeFreshTasks) {
  Desk desk({task("A"), task("B"), task("C", {"B"})}, {1, 1, 1});
  EXPECT_EQ(desk.started(), Words{"developer B"});
  desk.give(Desk::output(desk.agent_of("B"), Signal::ready_for_review));
  EXPECT_EQ(desk.started(), (Words{"critic B", "developer A"}));
  desk.says("B", Signal::review_failed);
  EXPECT_TRUE(desk.started().empty());
  desk.says("A", Signal::ready_for_review);
  EXPECT_EQ(desk.started(), (Words{"critic A", "developer B"}));
}

TEST(DeliveryLoop, ReworkCarriesFindingsAndContinuesTheDevelopersSession) {
  Desk desk({task("T1")});
  const int developer = desk.agent_of("T1");
  desk.says("T1", Signal::ready_for_review);
  desk.says(
      "T1", Signal::review_failed,
      {{"Issues Found", "- a.c:3: wrong"}, {"Required Fixes", "- mend it"}, {"Priority", "HIGH"}});
  const Start start = desk.start();
  EXPECT_EQ(start.why, Why::review_failed);
  EXPECT_EQ(start.attempt, 2);
  EXPECT_EQ(start.continue_session_of, developer);
  for (const char* part : {"a.c:3: wrong", "mend it", "Priority", "HIGH"})
    EXPECT_NE(start.context.find(part), std::string::npos) << part;
}

TEST(DeliveryLoop, MergesAreMadeOneAtATimeInTheOrderOfTheAudits) {
  Desk desk({task("A"), task("B"), task("C")});
  desk.passes("B");
  EXPECT_EQ(desk.of<Merge>()[0].task, "B");
  desk.passes("A");
  EXPECT_TRUE(desk.of<Merge>().empty());
  desk.passes("C");
  desk.merges("B");
  ASSERT_EQ(desk.of<Merge>().size(), 1u);
  EXPECT_EQ(desk.of<Merge>()[0].task, "A");
  desk.merges("A");
  EXPECT_EQ(desk.of<Merge>()[0].task, "C");
}

TEST(DeliveryLoop, ARefusedMergeIsReworkWithTheConflictAsContext) {
  Desk desk({task("T1")});
  desk.passes("T1");
  desk.give(MergeRefused{"T1", MergeRefusal::conflict, "both changed a.c"});
  EXPECT_EQ(desk.started(), Words{"developer T1"});
  EXPECT_EQ(desk.start().why, Why::merge_failed);
  EXPECT_NE(desk.start().context.find("both changed a.c"), std::string::npos);
  desk.says("T1", Signal::ready_for_review);
  EXPECT_EQ(desk.started(), Words{"critic T1"}) << "after rework everything is judged again";
}

TEST(DeliveryLoop, TheThirdRefusedMergeFailsTheTask) {
  Desk desk({task("T1"), task("T2")});
  for (int i = 0; i < 3; ++i) {
    ASSERT_NE(desk["T1"].stage, Stage::failed);
    desk.passes("T1");
    desk.give(MergeRefused{"T1", MergeRefusal::verify_failed, ""});
  }
  EXPECT_EQ(desk["T1"].stage, Stage::failed);
  desk.completes("T2");
  EXPECT_EQ(desk.state.outcome, Outcome::incomplete);
  EXPECT_EQ(exit_code(desk.state), 1);
}

TEST(DeliveryLoop, AMergeThatNoDeveloperCanMakePossibleIsForAPerson) {
  for (const MergeRefusal why :
       {MergeRefusal::checkout_in_the_way, MergeRefusal::refused, MergeRefusal::error}) {
    Desk desk({task("T1"), task("T2")});
    desk.passes("T1");
    desk.give(MergeRefused{"T1", why, "your notes.txt would be overwritten"});
    ASSERT_EQ(desk.state.questions.size(), 1u);
    EXPECT_EQ(desk.state.questions[0].kind, QuestionKind::merge);
    EXPECT_NE(desk.state.questions[0].context.find("notes.txt"), std::string::npos);
    EXPECT_TRUE(desk.started().empty()) << "nobody is paid for it";
    desk.completes("T2");
    desk.give(QuestionAnswered{1, "later", ""});
    EXPECT_TRUE(desk.of<Merge>().empty()) << "only retry and rework are answers";
    desk.give(QuestionAnswered{1, "retry", ""});
    ASSERT_EQ(desk.of<Merge>().size(), 1u);
    desk.merges("T1");
    EXPECT_EQ(desk.state.outcome, Outcome::complete);
  }
}

TEST(DeliveryLoop, APersonMaySendARefusedMergeBackToTheDeveloper) {
  Desk desk({task("T1")});
  desk.passes("T1");
  desk.give(MergeRefused{"T1", MergeRefusal::refused, "in the way: a.c"});
  desk.give(QuestionAnswered{1, "rework", ""});
  EXPECT_EQ(desk.started(), Words{"developer T1"});
  EXPECT_EQ(desk.start().why, Why::merge_failed);
  EXPECT_NE(desk.start().context.find("in the way: a.c"), std::string::npos);
}

TEST(DeliveryLoop, AMergeThatOthersWereQuickerThanIsTriedAgainAndAgainButNotForEver) {
  Desk desk({task("T1"), task("T2")});
  desk.passes("T1");
  desk.passes("T2");
  for (int i = 1; i < workflow::kMergeTries; ++i) {
    desk.see(workflow::MainMoved{"T1"});
    ASSERT_EQ(desk.of<Merge>().size(), 1u) << i;
    EXPECT_EQ(desk.of<Merge>()[0].task, "T1") << "it keeps its place";
  }
  desk.see(workflow::MainMoved{"T1"});
  EXPECT_EQ(desk.state.questions.at(0).kind, QuestionKind::merge);
  EXPECT_EQ(desk.facts<MergeRefused>().at(0).why, MergeRefusal::error);
  EXPECT_EQ(desk.of<Merge>().at(0).task, "T2");
  desk.merges("T2");
  desk.answer(1, "retry");
  desk.see(workflow::MainMoved{"T1"});
  EXPECT_EQ(desk.of<Merge>().size(), 1u) << "the tries are counted anew";
}

TEST(DeliveryLoop, AMergeIsTestedAndMayFailAsItDidAtTheStart) {
  Desk desk;
  DeliveryStarted start;
  start.tasks = {task("T1")};
  desk.give(start);
  desk.give(VerifyFinished{VerifyPurpose::baseline, {"lint"}, ""});
  desk.passes("T1");
  const Merge merge = desk.of<Merge>().at(0);
  EXPECT_EQ(merge.tree, "T1");
  EXPECT_EQ(merge.title, "Title of T1");
  EXPECT_EQ(merge.of, Merge::Of::kept);
  EXPECT_EQ(merge.test, Merge::Test::always);
  EXPECT_EQ(merge.known, Words{"lint"});
}

TEST(DeliveryLoop, AnEmptyPlanIsComplete) {
  Desk desk(std::vector<Task>{});
  EXPECT_EQ(desk.state.outcome, Outcome::complete);
}

TEST(DeliveryLoop, WhatDoesNotFitAnyMoreIsPassedOver) {
  Desk desk({task("T1"), task("T2")});
  const std::string before = picture(desk.state);
  desk.give(Desk::output(99, Signal::audit_passed));
  desk.give(MergeDone{"T1", "x", {}, false});
  desk.give(MergeDone{"no such task", "x", {}, false});
  desk.give(QuestionAnswered{7, "x", ""});
  desk.give(FileWaitExpired{"T1", 3});
  desk.give(AgentIdle{99});
  desk.give(VerifyFinished{VerifyPurpose::health, {}, ""});
  EXPECT_EQ(picture(desk.state), before);
  EXPECT_TRUE(desk.commands.empty());
}

}  // namespace
}  // namespace capsule::delivery
