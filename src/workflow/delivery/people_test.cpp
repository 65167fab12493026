// Questions, experts, remediation.
#include "workflow/delivery/test_support.h"

namespace capsule::delivery {
namespace {

const std::vector<Field> kAsk = {{"Target Agent", "databases"},
                                 {"DELEGATION PROMPT", "which index?"}};

TEST(DeliveryQuestions, AQuestionParksItsTaskOnly) {
  Desk desk({task("T1"), task("T2")}, {1, 1, 1});
  desk.says("T1", Signal::divine_clarification, {{"Question", "red or green?"}});
  EXPECT_EQ(desk.started(), Words{"developer T2"});
  ASSERT_EQ(desk.of<Ask>().size(), 1u);
  EXPECT_EQ(desk.state.questions.at(0).text, "red or green?");
  EXPECT_FALSE(waits_for_person(desk.state));
  desk.completes("T2");
  EXPECT_TRUE(waits_for_person(desk.state));
  desk.answer(1, "green");
  EXPECT_EQ(desk.start().why, Why::answered);
  EXPECT_EQ(desk.start().continue_session_of, 1);
  EXPECT_NE(desk.start().context.find("green"), std::string::npos);
}

TEST(DeliveryQuestions, TheFirstAnswerWins) {
  Desk desk({task("T1")});
  desk.says("T1", Signal::divine_clarification);
  desk.answer(1, "green");
  desk.answer(1, "red");
  EXPECT_EQ(desk.state.questions.at(0).answer, "green");
  EXPECT_TRUE(desk.commands.empty());
}

TEST(DeliveryQuestions, AnEmptyAnswerIsNone) {
  Desk desk({task("T1")});
  desk.says("T1", Signal::divine_clarification);
  EXPECT_FALSE(accepts(desk.state.questions.at(0), " \n"));
  desk.answer(1, " ");
  EXPECT_EQ(open_questions(desk.state), std::vector<int>{1});
}

TEST(DeliveryQuestions, AnAnswerIsTakenBackWhileItsTaskWaitsForASlot) {
  Desk desk({task("T1"), task("T2")}, {1, 1, 1});
  desk.says("T1", Signal::divine_clarification, {{"Question", "red or green?"}});
  desk.answer(1, "green");
  EXPECT_EQ(desk.started(), Words{}) << "T2 has the slot";
  desk.see(workflow::TakeBackAsked{1});
  ASSERT_EQ(desk.of<Ask>().size(), 1u);
  EXPECT_EQ(open_questions(desk.state), std::vector<int>{1});
  EXPECT_EQ(desk["T1"].hold, Hold::person);
  desk.completes("T2");
  EXPECT_TRUE(desk.is_silent()) << "it waits for another answer";
  desk.answer(1, "red");
  EXPECT_NE(desk.start().context.find("Answer: red"), std::string::npos);
  EXPECT_EQ(desk.start().context.find("Answer: green"), std::string::npos);
  EXPECT_EQ(desk["T1"].unsettled.size(), 1u);
}

TEST(DeliveryQuestions, AnAnswerThatAnAgentWasToldStays) {
  Desk desk({task("T1")});
  desk.says("T1", Signal::divine_clarification);
  desk.answer(1, "green");
  EXPECT_EQ(desk.start().why, Why::answered) << "in the turn that records the answer";
  for (const int question : {0, 1, 2}) {
    desk.see(workflow::TakeBackAsked{question});
    EXPECT_TRUE(desk.commands.empty());
  }
  desk.says("T1", Signal::ready_for_review);
  desk.see(workflow::TakeBackAsked{1});
  EXPECT_TRUE(desk.facts<AnswerTakenBack>().empty());
}

// Also one that was cut off, and begins again.
TEST(DeliveryQuestions, AnAnswerThatAReviewerWasToldStaysAfterARestart) {
  Desk desk({task("T1")});
  desk.says("T1", Signal::ready_for_review);
  desk.says("T1", Signal::divine_clarification);
  desk.answer(1, "green");
  desk.state = desk.replayed();
  desk.take({DeliveryResumed{desk.state.slots, desk.state.limits, false}},
            {workflow::TakeBackAsked{1}});
  desk.see(workflow::TakeBackAsked{1, {desk.agent_of("T1")}});
  EXPECT_TRUE(desk.facts<AnswerTakenBack>().empty());
}

TEST(DeliveryQuestions, AnAnswerIsTakenBackFromAnAgentThatIsHeld) {
  Desk desk({task("T1")});
  desk.says("T1", Signal::divine_clarification);
  desk.answer(1, "green");
  const int agent = desk.agent_of("T1");
  desk.see(workflow::TakeBackAsked{1, {agent}});
  ASSERT_EQ(desk.of<EndAgent>().size(), 1u);
  workflow::AgentFinished ended;  // as supply tells it, in the same turn
  ended.agent = agent;
  ended.fault = Fault::idle;
  ended.held = true;
  ended.words = workflow::LineWords{};
  desk.see(ended);
  ASSERT_EQ(desk.of<Ask>().size(), 1u);
  EXPECT_EQ(open_questions(desk.state), std::vector<int>{1});
  EXPECT_EQ(desk.state.busy[0], 0);
  EXPECT_EQ(desk["T1"].failures[static_cast<std::size_t>(FailureKind::restart)], 0);
  desk.answer(1, "red");
  EXPECT_EQ(desk.start().why, Why::answered);
  EXPECT_NE(desk.start().context.find("red"), std::string::npos);
}

TEST(DeliveryQuestions, ATaskThatAsksWithoutEndFails) {
  Limits limits;
  limits.questions = 2;
  Desk desk({task("T1")}, {}, limits);
  for (int i = 1; i <= 2; ++i) {
    desk.says("T1", Signal::divine_clarification);
    desk.answer(i, "so");
  }
  desk.says("T1", Signal::divine_clarification);
  EXPECT_EQ(desk["T1"].stage, Stage::failed);
  EXPECT_EQ(desk.facts<TaskFailed>().at(0).kind, FailureKind::questions);
}

TEST(DeliveryExperts, TheAnalystRegistersThemBeforeAnybodyIsStarted) {
  Desk desk;
  DeliveryStarted start;
  start.tasks = {task("T1")};
  start.experts = true;
  desk.give(start);
  desk.give(VerifyFinished{VerifyPurpose::baseline, {}, ""});
  EXPECT_EQ(desk.started(), Words{"plan-analyst"});
  AgentFinished f = Desk::output(desk.agent_of(Role::plan_analyst), Signal::expert_created,
                                 {{"Supports", "developer"},
                                  {"Gap Filled", "indexes"},
                                  {std::string(event::delivery::kAlso), "parsers"},
                                  {"Gap Filled", "grammars"}},
                                 "databases");
  f.more = {"parsers"};
  desk.give(f);
  EXPECT_EQ(desk.state.experts.at("databases").gap, "indexes");
  EXPECT_EQ(desk.state.experts.at("parsers").gap, "grammars");
  EXPECT_EQ(desk.state.experts.at("parsers").supports, "");
  EXPECT_EQ(desk.started(), Words{"developer T1"});
  EXPECT_EQ(desk.state.experts.size(), 2u);
  EXPECT_EQ(desk.facts<ExpertRegistered>().size(), 2u);
}

TEST(DeliveryExperts, WithoutAnAnalystThatAnswersThePlanGoesOn) {
  Desk desk;
  DeliveryStarted start;
  start.tasks = {task("T1")};
  start.experts = true;
  desk.give(start);
  desk.give(VerifyFinished{VerifyPurpose::baseline, {}, ""});
  for (int i = 0; i < 3; ++i) desk.says(Role::plan_analyst, Signal::unknown);
  EXPECT_EQ(desk.started(), Words{"developer T1"});
}

TEST(DeliveryExperts, ARequestPausesTheAgentWithoutItsSlot) {
  Desk desk({task("T1"), task("T2")}, {1, 1, 1}, {}, {"databases"});
  desk.says("T1", Signal::expert_request, kAsk);
  EXPECT_EQ(desk["T1"].hold, Hold::expert);
  EXPECT_EQ(desk.started(), (Words{"expert T1", "developer T2"}));
  const Start expert = desk.starts()[0];
  EXPECT_EQ(expert.expert, "databases");
  EXPECT_EQ(expert.context, "which index?");
  EXPECT_EQ(expert.request, "request-1");
  desk.says(Role::expert, Signal::expert_advice, {{"Recommendation", "the second"}}, "request-1");
  EXPECT_TRUE(desk.started().empty()) << "its slot is taken meanwhile";
  desk.says("T2", Signal::ready_for_review);
  EXPECT_EQ(desk.started(), (Words{"critic T2", "developer T1"}));
  const Start advised = desk.starts()[1];
  EXPECT_EQ(advised.why, Why::advised);
  EXPECT_EQ(advised.continue_session_of, 1);
  EXPECT_NE(advised.context.find("the second"), std::string::npos);
}

TEST(DeliveryExperts, TwoAtATimeForOneExpert) {
  Desk desk({task("T1"), task("T2"), task("T3")}, {}, {}, {"databases", "parsers"});
  desk.says("T1", Signal::expert_request, kAsk);
  desk.says("T2", Signal::expert_request, kAsk);
  desk.says("T3", Signal::expert_request, kAsk);
  EXPECT_TRUE(desk.started().empty());
  desk.says(Role::expert, Signal::expert_advice);
  EXPECT_EQ(desk.started(), (Words{"expert T3", "developer T1"}));
}

TEST(DeliveryExperts, UnknownUnsuccessfulLateOrTooOftenAskedExpertsGoToAPerson) {
  {
    Desk desk({task("T1")}, {}, {}, {"databases"});
    desk.says("T1", Signal::expert_request, {{"Target Agent", "nobody"}});
    EXPECT_EQ(desk["T1"].hold, Hold::person);
  }
  {
    Desk desk({task("T1")}, {}, {}, {"databases"});
    desk.says("T1", Signal::expert_request, kAsk);
    desk.says(Role::expert, Signal::expert_unsuccessful, {}, "request-1");
    EXPECT_EQ(desk["T1"].hold, Hold::person);
    desk.answer(1, "do it so");
    EXPECT_EQ(desk.start().continue_session_of, 1);
  }
  {
    Desk desk({task("T1")}, {}, {}, {"databases"});
    desk.says("T1", Signal::expert_request, kAsk);
    AgentFinished late = Desk::output(desk.agent_of(Role::expert), Signal::unknown);
    late.fault = Fault::timed_out;
    desk.give(late);
    EXPECT_EQ(desk["T1"].hold, Hold::person);
    EXPECT_EQ(desk.state.questions.at(0).kind, QuestionKind::expert);
  }
  {
    Desk desk({task("T1")}, {}, {}, {"databases"});
    for (int i = 0; i < 3; ++i) {
      desk.says("T1", Signal::expert_request, kAsk);
      desk.says(Role::expert, Signal::expert_advice);
    }
    desk.says("T1", Signal::expert_request, kAsk);
    EXPECT_EQ(desk["T1"].hold, Hold::person);
  }
}

TEST(DeliveryExperts, TheyCanNeitherDelegateNorEscalate) {
  Desk desk({task("T1")}, {}, {}, {"databases"});
  desk.says("T1", Signal::expert_request, kAsk);
  for (const Signal signal :
       {Signal::expert_request, Signal::divine_clarification, Signal::unknown}) {
    ASSERT_EQ(desk["T1"].hold, Hold::expert);
    desk.says(Role::expert, signal, kAsk);
  }
  EXPECT_EQ(desk["T1"].hold, Hold::person);
  EXPECT_EQ(desk.state.delegations.size(), 1u);
}

TEST(DeliveryExperts, NobodyIsAskedForATaskThatWasRemoved) {
  Desk desk({task("T1"), task("T2"), task("T3")}, {}, {}, {"databases"});
  for (const char* id : {"T1", "T2", "T3"}) desk.says(id, Signal::expert_request, kAsk);
  desk.give(PlanChanged{{}, {}, {"T3"}});
  desk.answer(1, "remove");
  desk.says(Role::expert, Signal::expert_advice);
  EXPECT_EQ(desk.started(), Words{"developer T1"}) << "and no expert";
}

TEST(DeliveryRemediation, NothingNewIsStartedOrMergedUntilTheInfrastructureIsHealthy) {
  Desk desk({task("T1"), task("T2"), task("T3"), task("T4", {"T3"})}, {3, 1, 1});
  desk.says("T1", Signal::infra_blocked, {{"Issue", "no database"}});
  EXPECT_EQ(desk.started(), Words{"remediation"});
  EXPECT_NE(desk.start().context.find("no database"), std::string::npos);
  desk.says("T2", Signal::ready_for_review);
  EXPECT_TRUE(desk.commands.empty()) << "running agents go on, but nobody follows them";
  desk.says(Role::remediation, Signal::remediation_complete);
  EXPECT_EQ(desk.started(), Words{"health-auditor"});
  desk.says(Role::health_auditor, Signal::health_healthy);
  ASSERT_EQ(desk.of<Merge>().size(), 1u) << "of the repair";
  EXPECT_EQ(desk.of<Merge>()[0].tree, "+remediation-1");
  desk.give(VerifyFinished{VerifyPurpose::health, {}, ""});
  EXPECT_EQ(desk.started(), (Words{"critic T2", "developer T1"}));
  EXPECT_EQ(desk.starts()[1].why, Why::remediated);
  EXPECT_EQ(desk.facts<RemediationLeft>().size(), 1u);
}

TEST(DeliveryRemediation, AnAuditThatPassesMeanwhileIsMergedOnlyAfterwards) {
  Desk desk({task("T1"), task("T2")});
  desk.says("T2", Signal::ready_for_review);
  desk.says("T2", Signal::review_passed);
  desk.says("T1", Signal::infra_blocked);
  desk.says("T2", Signal::audit_passed);
  EXPECT_TRUE(desk.of<Merge>().empty());
  desk.says(Role::remediation, Signal::remediation_complete);
  desk.says(Role::health_auditor, Signal::health_healthy);
  desk.give(VerifyFinished{VerifyPurpose::health, {}, ""});
  EXPECT_EQ(desk.of<Merge>().size(), 1u);
}

TEST(DeliveryRemediation, TheVerdictIsCheckedAndBaselineFailuresAreNotHeldAgainstIt) {
  Desk desk;
  DeliveryStarted start;
  start.tasks = {task("T1")};
  desk.give(start);
  desk.give(VerifyFinished{VerifyPurpose::baseline, {"old"}, ""});
  desk.says("T1", Signal::infra_blocked);
  desk.says(Role::remediation, Signal::remediation_complete);
  desk.says(Role::health_auditor, Signal::health_healthy);
  desk.give(VerifyFinished{VerifyPurpose::health, {"old", "new"}, ""});
  EXPECT_EQ(desk.started(), Words{"remediation"}) << "HEALTHY was not true";
  EXPECT_NE(desk.start().context.find("verify commands fail:\n- new\n"), std::string::npos);
  desk.says(Role::remediation, Signal::remediation_complete);
  desk.says(Role::health_auditor, Signal::health_healthy);
  desk.give(VerifyFinished{VerifyPurpose::health, {"old"}, ""});
  EXPECT_EQ(desk.started(), Words{"developer T1"});
}

TEST(DeliveryRemediation, WhatWasMendedOnceMustNotBreakAgain) {
  Desk desk;
  DeliveryStarted start;
  start.tasks = {task("T1")};
  desk.give(start);
  desk.give(VerifyFinished{VerifyPurpose::baseline, {"old", "older"}, ""});
  desk.says("T1", Signal::infra_blocked);
  desk.says(Role::remediation, Signal::remediation_complete);
  desk.says(Role::health_auditor, Signal::health_healthy);
  desk.give(VerifyFinished{VerifyPurpose::health, {"older"}, ""});
  EXPECT_EQ(introduced(desk.state, {"old", "older"}), Words{"old"});
}

Desk unhealthy(const std::vector<Task>& tasks) {
  Desk desk(tasks);
  desk.says("T1", Signal::infra_blocked);
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(desk.state.questions.empty()) << i;
    desk.says(Role::remediation, Signal::remediation_complete);
    desk.says(Role::health_auditor, Signal::health_unhealthy);
  }
  return desk;
}

TEST(DeliveryRemediation, EveryAttemptAndEveryJudgeIsToldWhatIsBroken) {
  Desk desk({task("T1")}, {}, {}, {"databases"});
  const auto context_has = [&](const char* part) {
    return desk.start().context.find(part) != std::string::npos;
  };
  desk.says("T1", Signal::infra_blocked, {{"Issue", "no database"}});
  EXPECT_TRUE(context_has("no database") && context_has("Task T1")) << desk.start().context;
  desk.says(Role::remediation, Signal::expert_request, kAsk);
  desk.says(Role::expert, Signal::expert_advice, {{"Recommendation", "restart it"}});
  EXPECT_TRUE(context_has("no database") && context_has("restart it")) << desk.start().context;
  desk.says(Role::remediation, Signal::remediation_complete, {{"Issues Fixed", "- a"}});
  EXPECT_TRUE(context_has("no database") && context_has("- a")) << desk.start().context;
  desk.says(Role::health_auditor, Signal::health_unhealthy, {{"Failed Checks", "- b"}});
  EXPECT_TRUE(context_has("no database") && context_has("- b")) << desk.start().context;
}

TEST(DeliveryRemediation, AfterTenAttemptsAPersonChooses) {
  Desk desk = unhealthy({task("T1")});
  ASSERT_EQ(desk.state.questions.size(), 1u);
  EXPECT_EQ(desk.state.questions[0].options, (Words{"retry", "override", "halt"}));
  EXPECT_TRUE(waits_for_person(desk.state));
  desk.answer(1, "perhaps");
  EXPECT_TRUE(waits_for_person(desk.state)) << "one of the three";
  desk.answer(1, "Retry");
  EXPECT_EQ(desk.started(), Words{"remediation"});
  EXPECT_EQ(desk.state.remediation.attempt, 1);
}

void remedy_dies(Desk& desk, Role role, const char* how = "ended with exit status 3: boom") {
  AgentFinished f = Desk::output(desk.agent_of(role), Signal::unknown);
  f.fault = Fault::exit_status;
  f.detail = how;
  desk.give(f);
}

TEST(DeliveryRemediation, WhoFailsByItselfCostsNoAttemptAndTheThirdTimeAPersonIsTold) {
  Desk desk({task("T1")});
  desk.says("T1", Signal::infra_blocked);
  remedy_dies(desk, Role::remediation);
  EXPECT_EQ(desk.started(), Words{"remediation"});
  EXPECT_EQ(desk.start().why, Why::restarted);
  EXPECT_EQ(desk.start().attempt, 1);
  EXPECT_EQ(desk.state.remediation.attempt, 1);
  desk.crash();
  EXPECT_EQ(desk.start().attempt, 1);
  desk.says(Role::remediation, Signal::remediation_complete);
  remedy_dies(desk, Role::health_auditor);
  EXPECT_EQ(desk.started(), Words{"health-auditor"}) << "what was mended is still to be judged";
  remedy_dies(desk, Role::health_auditor);
  EXPECT_EQ(desk.state.remediation.attempt, 1);
  ASSERT_EQ(desk.state.questions.size(), 1u);
  EXPECT_EQ(desk.state.questions[0].text,
            "Agents that mend or judge the infrastructure failed by themselves too often; the last "
            "time the health-auditor ended with exit status 3: boom: retry, override (go on "
            "anyway) or halt?");
  desk.answer(1, "retry");
  EXPECT_EQ(desk.started(), Words{"remediation"});
}

// Earlier versions took such an end for an attempt, and the question that followed the last one is
// in their journals.
TEST(DeliveryRemediation, AJournalInWhichItCostAnAttemptMeansWhatItMeant) {
  Limits limits;
  limits.remediation_attempts = 2;
  Desk desk({task("T1")}, {}, limits);
  desk.says("T1", Signal::infra_blocked);
  std::vector<DeliveryFact> facts = desk.journal;
  AgentFinished died;
  died.agent = 2;
  died.fault = Fault::exit_status;
  facts.emplace_back(died);
  facts.emplace_back(AgentDispatched{3, Role::remediation, "", 2, 3, Why::fresh, "", ""});
  died.agent = 3;
  facts.emplace_back(died);
  facts.emplace_back(QuestionAsked{
      1, QuestionKind::remediation, "", 0, "still broken", "", {"retry", "override", "halt"}});
  State s;
  for (const DeliveryFact& fact : facts) delivery::apply(s, fact);
  EXPECT_EQ(s.remediation.attempt, 2);
  EXPECT_EQ(s.remediation.step, Remediation::Step::person);
  EXPECT_TRUE(waits_for_person(s));
  delivery::apply(s, QuestionAnswered{1, "override", "me"});
  EXPECT_FALSE(waits_for_person(s));
  EXPECT_EQ(s.tasks[0].hold, Hold::none);
}

TEST(DeliveryRemediation, OverrideGoesOnInSpiteOfIt) {
  Desk desk = unhealthy({task("T1")});
  desk.answer(1, "override");
  EXPECT_EQ(desk.started(), Words{"developer T1"});
  EXPECT_TRUE(desk.facts<RemediationLeft>().at(0).overridden);
}

TEST(DeliveryRemediation, HaltEndsWhatRunsAndTheDeliveryAndItCanBeTakenUp) {
  Desk desk = unhealthy({task("T1"), task("T2")});
  desk.answer(1, "halt");
  ASSERT_EQ(desk.of<EndAgent>().size(), 1u);
  EXPECT_EQ(desk.state.outcome, Outcome::none);
  desk.dies("T2", Fault::idle);
  EXPECT_EQ(desk.state.outcome, Outcome::halted);
  EXPECT_EQ(summary_of(desk.state).waiting, (Words{"T1", "T2"}));
  desk.crash();
  EXPECT_EQ(desk.state.outcome, Outcome::none);
  EXPECT_EQ(desk.started(), Words{"remediation"});
}

TEST(DeliveryRemediation, TasksThatAreBlockedMeanwhileJoinTheSameRound) {
  Desk desk({task("T1"), task("T2")});
  desk.says("T1", Signal::infra_blocked);
  desk.says("T2", Signal::infra_blocked);
  EXPECT_TRUE(desk.started().empty());
  EXPECT_EQ(desk.facts<RemediationEntered>().size(), 1u);
  desk.says(Role::remediation, Signal::remediation_complete);
  desk.says(Role::health_auditor, Signal::health_healthy);
  desk.give(VerifyFinished{VerifyPurpose::health, {}, ""});
  EXPECT_EQ(desk.started(), (Words{"developer T1", "developer T2"}));
}

Desk healthy() {
  Desk desk({task("T1")});
  desk.says("T1", Signal::infra_blocked);
  desk.says(Role::remediation, Signal::remediation_complete);
  desk.says(Role::health_auditor, Signal::health_healthy);
  return desk;
}

TEST(DeliveryRemediation, ARepairThatIsOnMainAlreadyIsCheckedThere) {
  for (const bool adopted : {true, false}) {
    Desk desk = healthy();
    workflow::Merged merged;
    merged.tree = "+remediation-1";
    merged.adopted = adopted;
    merged.nothing = !adopted;
    desk.see(merged);
    ASSERT_EQ(desk.of<Check>().size(), 1u);
    desk.crash();
    ASSERT_EQ(desk.of<Check>().size(), 1u) << "it need not be merged again";
    desk.give(VerifyFinished{VerifyPurpose::health, {"tests"}, ""});
    EXPECT_EQ(desk.started(), Words{"remediation"});
    desk.says(Role::remediation, Signal::remediation_complete);
    desk.says(Role::health_auditor, Signal::health_healthy);
    EXPECT_EQ(desk.of<Merge>().size(), 1u) << "what it made since";
  }
}

TEST(DeliveryRemediation, ARepairThatCannotLandIsOneMoreAttempt) {
  for (const MergeRefusal why :
       {MergeRefusal::conflict, MergeRefusal::checkout_in_the_way, MergeRefusal::error}) {
    Desk desk = healthy();
    desk.see(workflow::MergeRefused{"+remediation-1", why, "a.c is in the way", {}});
    EXPECT_EQ(desk.started(), Words{"remediation"});
    EXPECT_NE(desk.start().context.find("a.c is in the way"), std::string::npos);
  }
}

TEST(DeliveryRemediation, ARepairIsTriedAgainWhenMainHasMoved) {
  Desk desk = healthy();
  for (int i = 1; i < workflow::kMergeTries; ++i) {
    desk.see(workflow::MainMoved{"+remediation-1"});
    ASSERT_EQ(desk.of<Merge>().size(), 1u) << i;
  }
  desk.see(workflow::MainMoved{"+remediation-1"});
  EXPECT_EQ(desk.started(), Words{"remediation"});
}

TEST(DeliveryRemediation, TheThirdTimeATaskIsBlockedItFails) {
  Desk desk({task("T1"), task("T2")});
  for (int i = 0; i < 2; ++i) {
    desk.says("T1", Signal::infra_blocked);
    desk.says(Role::remediation, Signal::remediation_complete);
    desk.says(Role::health_auditor, Signal::health_healthy);
    desk.give(VerifyFinished{VerifyPurpose::health, {}, ""});
  }
  desk.says("T1", Signal::infra_blocked);
  EXPECT_EQ(desk["T1"].stage, Stage::failed);
  EXPECT_EQ(desk.state.remediation.step, Remediation::Step::none);
}

TEST(DeliveryRemediation, ABlockedAuditIsRepeated) {
  Desk desk({task("T1")});
  desk.says("T1", Signal::ready_for_review);
  desk.says("T1", Signal::review_passed);
  desk.says("T1", Signal::audit_blocked);
  desk.says(Role::remediation, Signal::remediation_complete);
  desk.says(Role::health_auditor, Signal::health_healthy);
  desk.give(VerifyFinished{VerifyPurpose::health, {}, ""});
  EXPECT_EQ(desk.started(), Words{"auditor T1"});
}

TEST(DeliveryRemediation, ItsAgentsMayAskExpertsAndPeopleToo) {
  Desk desk({task("T1")}, {}, {}, {"databases"});
  desk.says("T1", Signal::infra_blocked);
  desk.says(Role::remediation, Signal::expert_request, kAsk);
  EXPECT_EQ(desk.started(), Words{"expert"});
  desk.says(Role::expert, Signal::expert_advice, {{"Recommendation", "restart it"}});
  EXPECT_EQ(desk.started(), Words{"remediation"});
  EXPECT_EQ(desk.start().why, Why::advised);
  desk.says(Role::remediation, Signal::divine_clarification, {{"Question", "the password?"}});
  EXPECT_TRUE(waits_for_person(desk.state));
  desk.answer(1, "xyz");
  EXPECT_EQ(desk.started(), Words{"remediation"});
  EXPECT_NE(desk.start().continue_session_of, 0);
}

}  // namespace
}  // namespace capsule::delivery
