// Crashes, stops, plans that changed.
#include "workflow/delivery/test_support.h"

namespace capsule::delivery {
namespace {

TEST(DeliveryRecovery, FinishedStaysFinishedAndADeveloperGoesOn) {
  Desk desk({task("T1"), task("T2")});
  desk.completes("T1");
  const int session = desk.agent_of("T2");
  desk.crash();
  EXPECT_EQ(desk["T1"].stage, Stage::complete);
  EXPECT_EQ(desk.started(), Words{"developer T2"});
  EXPECT_EQ(desk.start().why, Why::taken_up);
  EXPECT_EQ(desk.start().continue_session_of, session);
  EXPECT_EQ(desk.start().attempt, 1) << "the attempt that was cut off";
}

TEST(DeliveryRecovery, ReviewsAndAuditsInFlightAreRepeated) {
  Desk desk({task("T1")});
  desk.says("T1", Signal::ready_for_review);
  desk.crash();
  EXPECT_EQ(desk.started(), Words{"critic T1"});
  EXPECT_EQ(desk.start().continue_session_of, 0);
  desk.says("T1", Signal::review_passed);
  desk.crash();
  EXPECT_EQ(desk.started(), Words{"auditor T1"});
  EXPECT_EQ(desk.state.cut_off, 2);
  EXPECT_EQ(desk.state.dispatched, 3) << "runs that were cut off count once";
}

TEST(DeliveryRecovery, AnOpenMergeIsAskedForAgainAndMayHaveHappened) {
  Desk desk({task("T1")});
  desk.passes("T1");
  desk.crash();
  ASSERT_EQ(desk.of<Merge>().size(), 1u);
  desk.give(MergeDone{"T1", "c", {}, true});
  EXPECT_EQ(desk.state.outcome, Outcome::complete);
}

TEST(DeliveryRecovery, RemediationExpertsVerifyAndTimersAreTakenUp) {
  Desk desk({task("T1", {}, {"x"}), task("T2"), task("T3")}, {}, {}, {"e"});
  desk.says("T2", Signal::file_conflict, {{"Can Wait", "YES"}}, "x");
  desk.says("T3", Signal::expert_request, {{"Target Agent", "e"}});
  desk.crash();
  EXPECT_EQ(desk.of<SetTimer>().size(), 1u);
  EXPECT_EQ(desk.started(), (Words{"expert T3", "developer T1"}));
  desk.says("T1", Signal::infra_blocked);
  desk.crash();
  EXPECT_EQ(desk.started(), Words{"remediation"});
  EXPECT_EQ(desk.state.remediation.attempt, 1);
  desk.says(Role::remediation, Signal::remediation_complete);
  desk.says(Role::health_auditor, Signal::health_healthy);
  desk.crash();
  ASSERT_EQ(desk.of<Merge>().size(), 1u) << "of the repair";
  EXPECT_EQ(desk.of<Merge>()[0].tree, "+remediation-1");
}

TEST(DeliveryRecovery, AnOpenQuestionStaysOpen) {
  Desk desk({task("T1")});
  desk.says("T1", Signal::divine_clarification);
  desk.crash();
  ASSERT_EQ(desk.commands.size(), 1u);
  ASSERT_EQ(desk.of<Ask>().size(), 1u) << "whoever listened is gone";
  EXPECT_TRUE(waits_for_person(desk.state));
  desk.answer(1, "so");
  EXPECT_EQ(desk.started(), Words{"developer T1"});
}

TEST(DeliveryRecovery, AnAgentThatAPersonStoppedCountsForNothing) {
  Desk desk({task("T1")});
  for (int i = 0; i < 5; ++i) {
    desk.dies("T1", Fault::interrupted);
    EXPECT_TRUE(desk.commands.empty()) << "a person wants everything to end";
    desk.crash();
  }
  EXPECT_EQ(desk["T1"].stage, Stage::development);
  EXPECT_EQ(desk.state.dispatched, 1);
}

TEST(DeliveryRecovery, FailedTasksBeginAgainWhenAPersonWantsThat) {
  Desk desk({task("T1"), task("T2", {"T1"})});
  for (int i = 0; i < 3; ++i) desk.dies("T1");
  EXPECT_EQ(desk.state.outcome, Outcome::incomplete);
  desk.give(DeliveryResumed{desk.state.slots, desk.state.limits, false});
  EXPECT_EQ(desk.state.outcome, Outcome::incomplete);
  EXPECT_TRUE(desk.commands.empty());
  desk.give(DeliveryResumed{desk.state.slots, desk.state.limits, true});
  EXPECT_EQ(desk.started(), Words{"developer T1"});
  desk.completes("T1");
  desk.completes("T2");
  EXPECT_EQ(desk.state.outcome, Outcome::complete);
}

TEST(DeliveryRecovery, ATaskThatIsTriedAgainIsToldWhyItFailedAndFollowsThePlan) {
  Desk desk({task("T1"), task("T2"), task("T3", {"T1"})});
  for (int i = 0; i < 3; ++i) desk.dies("T1");
  for (int i = 0; i < 3; ++i) desk.dies("T2");
  const std::string why = desk["T1"].detail;
  ASSERT_FALSE(why.empty());
  Task changed = task("T1");
  changed.title = "another title";
  desk.give_all({DeliveryResumed{desk.state.slots, desk.state.limits, true},
                 PlanChanged{{}, {changed}, {"T2"}}});
  EXPECT_EQ(desk.started(), Words{"developer T1"})
      << "T2 had failed and left the plan: no question";
  EXPECT_EQ(desk.start().why, Why::retried);
  EXPECT_EQ(desk["T1"].task.title, "another title");
  EXPECT_NE(desk["T1"].context.find(why), std::string::npos);
  EXPECT_EQ(desk["T2"].stage, Stage::removed);
  EXPECT_TRUE(open_questions(desk.state).empty());
}

TEST(DeliveryRecovery, NewTasksJoinAndChangedOnesThatWereNotBegunFollowThePlan) {
  Desk desk({task("T1"), task("T2", {"T1"})}, {1, 1, 1});
  Task changed = task("T2", {"T1", "T3"});
  changed.title = "another title";
  Task begun = task("T1");
  begun.title = "too late";
  desk.give(PlanChanged{{task("T3")}, {changed, begun}, {}});
  EXPECT_EQ(desk["T2"].task.title, "another title");
  EXPECT_EQ(desk["T1"].task.title, "Title of T1");
  desk.says("T1", Signal::ready_for_review);
  EXPECT_EQ(desk.started(), (Words{"critic T1", "developer T3"}));
  EXPECT_EQ(desk["T2"].open_blockers, 2);
}

TEST(DeliveryRecovery, RemovedTasksAreAskedAboutAndFinishedOnesStay) {
  Desk desk({task("T1"), task("T2"), task("T3", {"T2"})});
  desk.completes("T1");
  desk.give(PlanChanged{{}, {}, {"T1", "T2"}});
  ASSERT_EQ(desk.of<Ask>().size(), 1u);
  EXPECT_EQ(desk.state.questions[0].kind, QuestionKind::removed_task);
  EXPECT_NE(desk.agent_of("T2"), 0) << "who is at work may end it";
  desk.says("T2", Signal::ready_for_review);
  EXPECT_TRUE(desk.started().empty()) << "but nobody follows";
  desk.answer(1, "remove");
  EXPECT_EQ(desk["T2"].stage, Stage::removed);
  EXPECT_EQ(desk["T1"].stage, Stage::complete);
  EXPECT_EQ(desk.started(), Words{"developer T3"});
}

TEST(DeliveryRecovery, AnAgentAtWorkIsEndedWhenItsTaskIsRemoved) {
  Desk desk({task("T1")});
  desk.give(PlanChanged{{}, {}, {"T1"}});
  desk.answer(1, "remove");
  EXPECT_EQ(desk.of<EndAgent>().size(), 1u);
}

TEST(DeliveryRecovery, ARemovedTaskWaitsForTheAnswerAndTheOthersGoOn) {
  Desk desk({task("T1"), task("T2"), task("T3", {"T2"}), task("T4", {"T1"})}, {1, 1, 1});
  desk.state = desk.replayed();
  desk.give_all({DeliveryResumed{desk.state.slots, desk.state.limits, false},
                 PlanChanged{{}, {}, {"T2", "T4"}}});
  EXPECT_EQ(desk.started(), Words{"developer T1"});
  desk.completes("T1");
  EXPECT_TRUE(desk.started().empty()) << "neither begins";
  EXPECT_EQ(desk["T2"].hold, Hold::person);
  EXPECT_TRUE(waits_for_person(desk.state));
  desk.crash();
  EXPECT_TRUE(desk.is_silent()) << "nor after another crash";
  desk.answer(2, "remove");
  EXPECT_TRUE(desk.started().empty());
  desk.answer(1, "keep");
  EXPECT_EQ(desk.started(), Words{"developer T2"});
  desk.completes("T2");
  desk.completes("T3");
  EXPECT_EQ(desk.state.outcome, Outcome::complete);
}

TEST(DeliveryRecovery, ARemovedTaskIsNotMergedBeforeTheAnswer) {
  Desk desk({task("T1")});
  desk.passes("T1");
  desk.state = desk.replayed();
  desk.give_all(
      {DeliveryResumed{desk.state.slots, desk.state.limits, false}, PlanChanged{{}, {}, {"T1"}}});
  EXPECT_TRUE(desk.of<Merge>().empty());
  desk.answer(1, "keep");
  EXPECT_EQ(desk.of<Merge>().size(), 1u);
}

TEST(DeliveryRecovery, ARemovedTaskThatAskedWaitsForBothAnswers) {
  Desk desk({task("T1")});
  desk.says("T1", Signal::divine_clarification);
  desk.give(PlanChanged{{}, {}, {"T1"}});
  desk.answer(1, "green");
  EXPECT_TRUE(desk.started().empty());
  desk.answer(2, "keep");
  EXPECT_EQ(desk.started(), Words{"developer T1"});
  EXPECT_NE(desk.start().context.find("green"), std::string::npos);
}

TEST(DeliveryRecovery, WhoWantsTheFileOfARemovedTaskDoesNotWaitForTheAnswer) {
  Desk desk({task("T1", {}, {"x"}), task("T2", {}, {"x"}), task("T3", {}, {"x"})}, {1, 1, 1});
  desk.says("T1", Signal::ready_for_review);  // the others wait for its file
  desk.says("T1", Signal::review_passed);
  desk.says("T1", Signal::audit_passed);
  desk.give(PlanChanged{{}, {}, {"T2"}});
  desk.merges("T1");
  EXPECT_EQ(desk.started(), Words{"developer T3"});
}

TEST(DeliveryRecovery, ARemovedTaskMayBeKept) {
  Desk desk({task("T1")});
  desk.give(PlanChanged{{}, {}, {"T1"}});
  desk.answer(1, "keep");
  desk.completes("T1");
  EXPECT_EQ(desk.state.outcome, Outcome::complete);
}

TEST(DeliveryRecovery, ATaskThatIsBackInThePlanIsDoneAfterAll) {
  Desk desk({task("T1"), task("T2")});
  desk.give(PlanChanged{{}, {}, {"T2"}});
  desk.answer(1, "remove");
  ASSERT_EQ(desk["T2"].stage, Stage::removed);
  desk.crash();
  Task again = task("T2");
  again.title = "another title";
  desk.give(PlanChanged{{again}, {}, {}});
  EXPECT_EQ(desk["T2"].task.title, "another title");
  EXPECT_EQ(desk.started(), Words{"developer T2"});
  desk.completes("T1");
  EXPECT_EQ(desk.state.outcome, Outcome::none);
  desk.completes("T2");
  EXPECT_EQ(desk.state.outcome, Outcome::complete);
}

TEST(DeliveryRecovery, ATaskThatIsBackBeforeTheAnswerNeedsNoneAndCanGoAgain) {
  Desk desk({task("T1"), task("T2")});
  desk.give(PlanChanged{{}, {}, {"T2"}});
  desk.give(PlanChanged{{task("T2")}, {}, {}});
  EXPECT_TRUE(open_questions(desk.state).empty());
  desk.give(PlanChanged{{}, {}, {"T2"}});
  EXPECT_EQ(open_questions(desk.state), std::vector<int>{2}) << "it is asked about anew";
}

TEST(DeliveryRecovery, TheQuestionAboutARemovedTaskEndsWithTheTask) {
  Desk desk({task("T1"), task("T2", {"T1"})});
  desk.give(PlanChanged{{}, {}, {"T2"}});
  for (int i = 0; i < 3; ++i) desk.dies("T1");
  EXPECT_TRUE(open_questions(desk.state).empty());
  EXPECT_EQ(desk.state.outcome, Outcome::incomplete);
}

TEST(DeliveryRecovery, ANewTaskThatNeedsAFailedOneFails) {
  Desk desk({task("T1"), task("T2")});
  for (int i = 0; i < 3; ++i) desk.dies("T1");
  desk.give(PlanChanged{{task("T3", {"T1"})}, {}, {}});
  EXPECT_EQ(desk["T3"].stage, Stage::failed);
}

}  // namespace
}  // namespace capsule::delivery
