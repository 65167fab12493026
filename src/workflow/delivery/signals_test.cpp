// Each signal of an agent that works on a task, and what its failures lead to.
#include "workflow/delivery/test_support.h"

namespace capsule::delivery {
namespace {

TEST(DeliverySignals, TheThirdFailureOfOneKindFailsTheTaskAndTheRestGoesOn) {
  Desk desk({task("T1"), task("T2"), task("T3", {"T1"}), task("T4", {"T3", "T2"})}, {1, 1, 1});
  EXPECT_EQ(desk.agent_of("T1"), 1);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(desk["T1"].stage, Stage::development);
    if (desk.agent_of("T1") == 0) desk.says("T2", Signal::divine_clarification);
    desk.says("T1", Signal::ready_for_review);
    desk.says("T1", Signal::review_failed);
  }
  EXPECT_EQ(desk["T1"].stage, Stage::failed);
  EXPECT_EQ(desk["T1"].cause, FailCause::limit);
  EXPECT_EQ(desk["T3"].stage, Stage::failed) << "it can never begin";
  EXPECT_EQ(desk["T3"].cause, FailCause::dependency);
  EXPECT_EQ(desk["T4"].stage, Stage::failed) << "nor who needs that one";
  EXPECT_EQ(desk["T2"].hold, Hold::person);
  EXPECT_EQ(summary_of(desk.state).failed, (Words{"T1", "T3", "T4"}));
  EXPECT_EQ(summary_of(desk.state).waiting, Words{"T2"});
  EXPECT_EQ(exit_code(desk.state), 1);
}

TEST(DeliverySignals, FailuresOfDifferentKindsAreCountedApart) {
  Desk desk({task("T1")});
  for (int i = 0; i < 2; ++i) {
    desk.says("T1", Signal::ready_for_review);
    desk.says("T1", Signal::review_failed);
    desk.says("T1", Signal::ready_for_review);
    desk.says("T1", Signal::review_passed);
    desk.says("T1", Signal::audit_failed, {{"Failed Criteria", "- one: FAILED - why"}});
    EXPECT_EQ(desk.start().why, Why::audit_failed);
    EXPECT_NE(desk.start().context.find("FAILED - why"), std::string::npos);
  }
  desk.completes("T1");
  EXPECT_EQ(desk.state.outcome, Outcome::complete);
}

TEST(DeliverySignals, ADeathCostsNoAttemptAndGoesOnInItsSessionAndTheThirdFailsTheTask) {
  Desk desk({task("T1")});
  for (const Fault fault : {Fault::timed_out, Fault::exit_status}) {
    desk.dies("T1", fault);
    EXPECT_EQ(desk.started(), Words{"developer T1"});
    EXPECT_EQ(desk.start().why, Why::restarted);
    EXPECT_EQ(desk.start().attempt, 1);
    EXPECT_EQ(desk.start().continue_session_of, 1);
    EXPECT_NE(desk.start().prompt.follow_up.find("was cut short"), std::string::npos);
    desk.crash();
    EXPECT_EQ(desk.start().attempt, 1) << "the attempt that was cut off";
  }
  EXPECT_TRUE(desk.facts<TaskReworked>().empty()) << "no failure of the task";
  AgentFinished last = Desk::output(desk.agent_of("T1"), Signal::unknown);
  last.fault = Fault::exit_status;
  last.detail = "ended with exit status 3: boom";
  desk.give(last);
  EXPECT_EQ(desk["T1"].stage, Stage::failed);
  const TaskFailed failed = desk.facts<TaskFailed>().at(0);
  EXPECT_EQ(failed.kind, FailureKind::restart);
  EXPECT_EQ(failed.detail,
            "its agents failed by themselves too often (3 times); the last time the developer "
            "ended with exit status 3: boom");
}

TEST(DeliverySignals, NoFaultCostsAnAttemptAndEveryReworkDoes) {
  Desk desk({task("T1")});
  const auto attempt = [&] { return desk.start().attempt; };
  desk.dies("T1");
  EXPECT_EQ(attempt(), 1);
  desk.says("T1", Signal::unknown);
  EXPECT_EQ(attempt(), 1) << "asked for its signal";
  desk.give(AgentIdle{desk.agent_of("T1")});
  desk.dies("T1", Fault::idle);
  EXPECT_EQ(attempt(), 1) << "ended because it stood still";
  desk.says("T1", Signal::ready_for_review);
  desk.dies("T1", Fault::timed_out);
  EXPECT_EQ(attempt(), 1) << "the critic's";
  desk.says("T1", Signal::review_failed);
  EXPECT_EQ(attempt(), 2);
  for (int i = 0; i < 3; ++i) desk.says("T1", Signal::unknown);
  EXPECT_EQ(desk.start().why, Why::signal_failed);
  EXPECT_EQ(attempt(), 2);
  desk.crash();
  EXPECT_EQ(attempt(), 2);
  desk.says("T1", Signal::ready_for_review);
  EXPECT_EQ(attempt(), 2) << "the second review";
}

TEST(DeliverySignals, ASignalThatWasPrintedBeforeTheProgramFailedDoesNotCount) {
  Desk desk({task("T1")});
  AgentFinished f = Desk::output(desk.agent_of("T1"), Signal::ready_for_review);
  f.fault = Fault::exit_status;
  desk.give(f);
  EXPECT_EQ(desk["T1"].stage, Stage::development);
}

TEST(DeliverySignals, RefutedClaimsGoBackToTheSameSessionWithWhatWasFound) {
  Desk desk({task("T1")});
  AgentFinished f = Desk::output(desk.agent_of("T1"), Signal::ready_for_review);
  f.fault = Fault::refuted;
  f.detail = "no file was changed";
  desk.give(f);
  EXPECT_EQ(desk.start().why, Why::refuted);
  EXPECT_EQ(desk.start().continue_session_of, 1);
  EXPECT_NE(desk.start().context.find("no file was changed"), std::string::npos);
}

TEST(DeliverySignals, ACriticThatTimesOutThreeTimesIsPassedOverAndThatIsRecorded) {
  Desk desk({task("T1")});
  desk.says("T1", Signal::ready_for_review);
  desk.dies("T1");
  desk.dies("T1");
  EXPECT_EQ(desk.started(), Words{"critic T1"});
  desk.dies("T1");
  EXPECT_EQ(desk.started(), Words{"auditor T1"});
  ASSERT_EQ(desk.facts<ReviewSkipped>().size(), 1u);
  // Another review counts anew.
  desk.says("T1", Signal::audit_failed);
  desk.says("T1", Signal::ready_for_review);
  desk.dies("T1");
  EXPECT_EQ(desk.started(), Words{"critic T1"});
}

TEST(DeliverySignals, ACriticThatDiesIsNoReviewAndTheThirdDeathFailsTheTask) {
  Desk desk({task("T1")});
  desk.says("T1", Signal::ready_for_review);
  desk.dies("T1", Fault::timed_out);
  desk.dies("T1", Fault::exit_status);
  desk.dies("T1", Fault::lost);
  EXPECT_EQ(desk.started(), Words{"critic T1"});
  desk.dies("T1", Fault::exit_status);
  EXPECT_TRUE(desk.facts<ReviewSkipped>().empty());
  EXPECT_EQ(desk["T1"].stage, Stage::failed);
}

TEST(DeliverySignals, WhatIsToBeSettledStaysInThePromptUntilTheNextReview) {
  Desk desk({task("T1")});
  const auto context_has = [&](const char* part) {
    return desk.start().context.find(part) != std::string::npos;
  };
  desk.says("T1", Signal::ready_for_review);
  desk.says("T1", Signal::review_failed, {{"Required Fixes", "greet"}});
  desk.says("T1", Signal::divine_clarification, {{"Question", "whom?"}});
  desk.answer(1, "the world");
  EXPECT_TRUE(context_has("greet") && context_has("the world")) << desk.start().context;
  desk.says("T1", Signal::file_conflict, {{"Can Wait", "YES"}}, "free.txt");
  EXPECT_TRUE(context_has("greet") && context_has("the world") && context_has("are yours"))
      << desk.start().context;
  desk.dies("T1");
  EXPECT_TRUE(context_has("greet") && context_has("the world")) << desk.start().context;
  desk.says("T1", Signal::ready_for_review);
  desk.says("T1", Signal::review_failed, {{"Required Fixes", "politely"}});
  EXPECT_TRUE(context_has("politely") && !context_has("the world")) << desk.start().context;
}

TEST(DeliverySignals, AnotherRolesSignalIsUnknown) {
  Desk desk({task("T1")});
  desk.says("T1", Signal::audit_passed);
  EXPECT_EQ(desk["T1"].stage, Stage::development);
  EXPECT_EQ(desk.facts<UnknownSignalRecovery>().size(), 1u);
}

TEST(DeliverySignals, UnknownOutputIsAskedForTwiceAndTheThirdIsASignalFailure) {
  Desk desk({task("T1")});
  desk.says("T1", Signal::unknown);
  EXPECT_EQ(desk.start().why, Why::checkpoint_request);
  EXPECT_EQ(desk.start().continue_session_of, 1);
  desk.says("T1", Signal::unknown);
  EXPECT_EQ(desk.start().continue_session_of, 1);
  desk.says("T1", Signal::unknown);
  EXPECT_EQ(desk.start().why, Why::signal_failed);
  EXPECT_EQ(desk.start().continue_session_of, 0);
  const auto recovery = desk.facts<UnknownSignalRecovery>();
  ASSERT_EQ(recovery.size(), 2u);
  EXPECT_EQ(recovery[0].attempt, 1);
  EXPECT_EQ(recovery[0].level, "warning");
  EXPECT_EQ(recovery[0].output_preview, "what it printed");
  EXPECT_EQ(recovery[1].attempt, 2);
  EXPECT_EQ(recovery[1].level, "error");
  ASSERT_EQ(desk.facts<AgentSignalFailure>().size(), 1u);
  EXPECT_EQ(desk.facts<AgentSignalFailure>()[0].reason, "3_consecutive_unknown_signals");
}

TEST(DeliverySignals, TheThirdAgentWithoutASignalFailsTheTask) {
  Desk desk({task("T1")});
  for (int i = 0; i < 9; ++i) {
    ASSERT_EQ(desk["T1"].stage, Stage::development) << i;
    desk.says("T1", Signal::unknown);
  }
  EXPECT_EQ(desk["T1"].stage, Stage::failed);
  EXPECT_EQ(desk.facts<TaskFailed>().at(0).kind, FailureKind::unknown);
}

TEST(DeliverySignals, ACheckpointIsFollowedByOneRequestForTheSignalAndTheCountStartsAgain) {
  Desk desk({task("T1")});
  desk.says("T1", Signal::unknown);
  desk.says("T1", Signal::unknown);
  desk.says("T1", Signal::checkpoint, {{"Progress", "half"}}, "T1");
  EXPECT_EQ(desk.start().why, Why::signal_request);
  EXPECT_EQ(desk.facts<CheckpointReceived>().at(0).progress, "half");
  EXPECT_EQ(desk["T1"].talk.unknowns, 0);
  desk.says("T1", Signal::ready_for_review);
  EXPECT_EQ(desk["T1"].stage, Stage::review);
}

TEST(DeliverySignals, CheckpointsWithoutEndAreASignalFailure) {
  Desk desk({task("T1")});
  for (int i = 0; i < 40 && desk["T1"].stage != Stage::failed; ++i)
    desk.says("T1", Signal::checkpoint, {}, "T1");
  EXPECT_EQ(desk["T1"].stage, Stage::failed);
  EXPECT_FALSE(desk.facts<AgentSignalFailure>().empty());
}

TEST(DeliverySignals, UnclearTasksGoToTheBusinessAnalystFirst) {
  for (const char* confidence : {"HIGH", "medium"}) {
    Task unclear = task("T1");
    unclear.unclear = true;
    Desk desk({unclear});
    EXPECT_EQ(desk.started(), Words{"business-analyst T1"});
    desk.says("T1", Signal::expanded_spec,
              {{"Confidence", confidence},
               {"Expanded Specification", "what is meant"},
               {"Acceptance Criteria", "- [ ] first\n- [ ] second"},
               {"Target Files", "- `src/a.c`: new\n- b.c"}});
    EXPECT_EQ(desk.started(), Words{"developer T1"});
    EXPECT_EQ(desk["T1"].task.work, "what is meant");
    EXPECT_EQ(desk["T1"].task.criteria, (Words{"first", "second"}));
    EXPECT_EQ(desk["T1"].held.size(), 2u);
    EXPECT_EQ(desk.facts<TaskExpanded>().size(), 1u);
  }
}

TEST(DeliverySignals, AnExpansionOfLowConfidenceAsksAPerson) {
  Task unclear = task("T1");
  unclear.unclear = true;
  Desk desk({unclear});
  desk.says("T1", Signal::expanded_spec,
            {{"Confidence", "LOW"}, {"Expanded Specification", "perhaps so"}});
  ASSERT_EQ(desk.of<Ask>().size(), 1u);
  EXPECT_TRUE(waits_for_person(desk.state));
  EXPECT_EQ(desk["T1"].task.work, "work") << "nothing is decided yet";
  EXPECT_NE(desk.state.questions.at(0).context.find("perhaps so"), std::string::npos);
  desk.answer(1, "yes, but green");
  EXPECT_EQ(desk.started(), Words{"developer T1"});
  EXPECT_NE(desk.start().context.find("yes, but green"), std::string::npos);
  // The critic and the auditor read it in the task.
  for (const char* part : {"work", "perhaps so", "yes, but green"})
    EXPECT_NE(desk["T1"].task.work.find(part), std::string::npos) << part;
}

TEST(DeliverySignals, ATaskLeftIncompleteForInformationAsksAPerson) {
  Desk desk({task("T1"), task("T2")});
  desk.says("T1", Signal::task_incomplete,
            {{"Blocker", "the colour is not stated"}, {"Needed", "a colour"}});
  EXPECT_EQ(desk["T1"].hold, Hold::person);
  EXPECT_EQ(desk.state.questions.at(0).kind, QuestionKind::missing_information);
  desk.answer(1, "green");
  EXPECT_EQ(desk.started(), Words{"developer T1"});
  EXPECT_EQ(desk.start().why, Why::answered);
  EXPECT_EQ(desk.start().continue_session_of, 1);
}

TEST(DeliverySignals, WordsThatOnlyLookLikeATaskOrABrokenMachineGoToAPerson) {
  for (const char* needed :
       {"a decision between 2 designs", "A decision", "which of A and B is meant",
        "the network protocol version is not specified", "the docker image's name"}) {
    Desk desk({task("1"), task("2"), task("A"), task("B")});
    desk.says("1", Signal::task_incomplete, {{"Blocker", needed}});
    EXPECT_EQ(desk["1"].hold, Hold::person) << needed;
  }
  for (const char* needed : {"task 2 has to be done first", "Tasks 1 and 2", "(see task: A)"}) {
    Desk desk({task("1"), task("2"), task("A"), task("B")});
    desk.says("1", Signal::task_incomplete, {{"Blocker", needed}});
    EXPECT_EQ(desk["1"].hold, Hold::dependency) << needed;
  }
}

TEST(DeliverySignals, ATaskLeftIncompleteForAnotherTaskAwaitsIt) {
  Desk desk({task("T1"), task("T2")});
  desk.says("T1", Signal::task_incomplete, {{"Needed", "the parser of task T2."}});
  EXPECT_EQ(desk["T1"].hold, Hold::dependency);
  desk.completes("T2");
  EXPECT_EQ(desk.started(), Words{"developer T1"});
  EXPECT_EQ(desk.start().why, Why::dependency_done);
}

TEST(DeliverySignals, TasksThatWouldAwaitEachOtherAskAPersonInstead) {
  Desk desk({task("T1"), task("T2")});
  desk.says("T1", Signal::task_incomplete, {{"Needed", "T2"}});
  desk.says("T2", Signal::task_incomplete, {{"Needed", "T1"}});
  EXPECT_EQ(desk["T2"].hold, Hold::person);
}

TEST(DeliverySignals, WhoAwaitsATaskThatFailsGoesOn) {
  Desk desk({task("T1"), task("T2")});
  desk.says("T1", Signal::task_incomplete, {{"Needed", "T2"}});
  for (int i = 0; i < 3; ++i) desk.dies("T2");
  EXPECT_EQ(desk["T2"].stage, Stage::failed);
  EXPECT_EQ(desk.started(), Words{"developer T1"});
  EXPECT_NE(desk.start().context.find("failed"), std::string::npos);
}

TEST(DeliverySignals, ATaskLeftIncompleteForInfrastructureEntersRemediation) {
  Desk desk({task("T1")});
  desk.says("T1", Signal::task_incomplete, {{"Blocker", "Docker is not installed"}});
  EXPECT_EQ(desk.started(), Words{"remediation"});
}

TEST(DeliverySignals, AReaderThatWroteIsRecorded) {
  Desk desk({task("T1")});
  desk.says("T1", Signal::ready_for_review);
  AgentFinished f = Desk::output(desk.agent_of("T1"), Signal::review_passed);
  f.wrote = true;
  desk.give(f);
  EXPECT_TRUE(desk["T1"].runs.back().wrote);
  EXPECT_EQ(desk["T1"].stage, Stage::audit);
}

TEST(DeliverySignals, AnIdleDeveloperIsAskedInItsSessionAndThenRestarted) {
  Desk desk({task("T1")});
  desk.give(AgentIdle{1});
  ASSERT_EQ(desk.of<EndAgent>().size(), 1u);
  desk.give(AgentIdle{1});
  EXPECT_TRUE(desk.commands.empty()) << "it is being ended already";
  desk.dies("T1", Fault::idle);
  EXPECT_EQ(desk.start().why, Why::checkpoint_request);
  EXPECT_EQ(desk.start().continue_session_of, 1);
  desk.give(AgentIdle{desk.agent_of("T1")});
  desk.dies("T1", Fault::idle);
  EXPECT_EQ(desk.start().why, Why::restarted);
  EXPECT_EQ(desk.start().continue_session_of, 1) << "supply begins another after two faults";
}

TEST(DeliverySignals, AnIdleAgentThatStillPrintedItsSignalIsBelieved) {
  Desk desk({task("T1")});
  desk.give(AgentIdle{1});
  desk.says("T1", Signal::ready_for_review);
  EXPECT_EQ(desk["T1"].stage, Stage::review);
}

TEST(DeliverySignals, EverySignalOfTheLineDialectIsHandledForEachOfItsSenders) {
  for (const signal::Row& row : signal::vocabulary(signal::Dialect::line)) {
    if (row.signal == Signal::unknown) continue;
    for (const Role role : {Role::developer, Role::critic, Role::auditor}) {
      if (!row.senders.contains(role)) continue;
      Desk desk({task("T1"), task("T2")}, {}, {}, {"e"});
      if (role != Role::developer) desk.says("T1", Signal::ready_for_review);
      if (role == Role::auditor) desk.says("T1", Signal::review_passed);
      desk.says("T1", row.signal, {{"Target Agent", "e"}, {"Can Wait", "NO"}, {"Question", "why?"}},
                "x.c");
      EXPECT_TRUE(desk.facts<UnknownSignalRecovery>().empty()) << row.name;
      EXPECT_FALSE(desk.commands.empty()) << row.name;
    }
  }
}

TEST(DeliveryRemediation, WhoPrintsNoSignalCostsNoAttemptEitherAndTheThirdTimeAPersonIsTold) {
  Limits limits;
  limits.signal_requests = 1;
  Desk desk({task("T1")}, {}, limits);
  desk.says("T1", Signal::infra_blocked);
  const auto is_silent = [&](Role role) {
    desk.says(role, Signal::unknown);
    EXPECT_EQ(desk.start().why, Why::checkpoint_request) << "it is asked for its signal first";
    desk.says(role, Signal::unknown);
  };
  is_silent(Role::remediation);
  EXPECT_EQ(desk.started(), Words{"remediation"});
  EXPECT_EQ(desk.start().why, Why::signal_failed);
  EXPECT_EQ(desk.start().attempt, 1);
  EXPECT_EQ(desk.state.remediation.attempt, 1);
  desk.crash();
  EXPECT_EQ(desk.state.remediation.restarts, 1) << "called again, and counted once";
  desk.says(Role::remediation, Signal::remediation_complete);
  is_silent(Role::health_auditor);
  EXPECT_EQ(desk.started(), Words{"health-auditor"}) << "what was mended is still to be judged";
  EXPECT_EQ(desk.start().attempt, 1);
  is_silent(Role::health_auditor);
  EXPECT_EQ(desk.state.remediation.attempt, 1);
  ASSERT_EQ(desk.state.questions.size(), 1u);
  EXPECT_EQ(desk.state.questions[0].text,
            "Agents that mend or judge the infrastructure failed by themselves too often; the last "
            "time the health-auditor printed no valid signal: retry, override (go on anyway) or "
            "halt?");
  desk.answer(1, "retry");
  EXPECT_EQ(desk.started(), Words{"remediation"});
}

TEST(DeliveryRemediation, AJournalInWhichNoSignalCostAnAttemptMeansWhatItMeant) {
  Limits limits;
  limits.remediation_attempts = 2;
  limits.signal_requests = 1;
  Desk desk({task("T1")}, {}, limits);
  desk.says("T1", Signal::infra_blocked);
  desk.says(Role::remediation, Signal::unknown);
  std::vector<DeliveryFact> facts = desk.journal;
  facts.emplace_back(Desk::output(3, Signal::unknown));
  facts.emplace_back(AgentDispatched{4, Role::remediation, "", 2, 4, Why::fresh, "", ""});
  facts.emplace_back(Desk::output(4, Signal::unknown));
  facts.emplace_back(
      AgentDispatched{5, Role::remediation, "", 2, 4, Why::checkpoint_request, "", ""});
  facts.emplace_back(Desk::output(5, Signal::unknown));
  facts.emplace_back(QuestionAsked{
      1, QuestionKind::remediation, "", 0, "still broken", "", {"retry", "override", "halt"}});
  State s;
  for (const DeliveryFact& fact : facts) delivery::apply(s, fact);
  EXPECT_EQ(s.remediation.attempt, 2);
  EXPECT_EQ(s.remediation.restarts, 0);
  EXPECT_EQ(s.remediation.step, Remediation::Step::person);
  EXPECT_TRUE(waits_for_person(s));
  delivery::apply(s, QuestionAnswered{1, "override", "me"});
  EXPECT_FALSE(waits_for_person(s));
  EXPECT_EQ(s.tasks[0].hold, Hold::none);
}

}  // namespace
}  // namespace capsule::delivery
