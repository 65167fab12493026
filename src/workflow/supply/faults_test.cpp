#include "workflow/supply/test_support.h"

namespace capsule::supply {
namespace {

using Kinds = std::vector<std::string>;

TEST(ServiceFault, AnAgentThatEndsWellIsToldToTheWorkflowAndWhatItUsedIsRecorded) {
  Table table;
  table.want(1);
  EXPECT_EQ(table.call().agent, 1);
  AgentFinished finished = Table::ended(1, Fault::none, Table::used(250'000));
  finished.facts.client = "claude 2.1.197";
  finished.facts.model = "claude-sonnet-4-5";
  finished.log = "/l";
  table.see(finished);
  ASSERT_EQ(table.ends().size(), 1U);
  EXPECT_EQ(table.ends()[0].cost_micros, 250'000);
  EXPECT_EQ(table.kinds(), (Kinds{"agent_used"}));
  const auto used = table.newest<fact::AgentUsed>();
  EXPECT_EQ(used.provider, "claude");
  EXPECT_EQ(used.client, "claude 2.1.197");
  EXPECT_EQ(used.attempt, 2);
  EXPECT_EQ(used.tree, "T-1");
  EXPECT_EQ(used.conversation, "session-1");
  EXPECT_EQ(used.session, "session-1");
  EXPECT_EQ(used.day, "2026-01-01");
  EXPECT_EQ(table.state.spent.micros, 250'000);
}

TEST(ServiceFault, AnOverloadIsNoEndForTheWorkflowAndTheSameAgentIsCalledAgainAfterAPause) {
  Table table;
  table.want(1);
  table.end(1, Fault::overloaded);
  EXPECT_THAT(table.heard, IsEmpty());
  EXPECT_THAT(table.started(), IsEmpty());
  EXPECT_EQ(table.kinds(), (Kinds{"agent_used", "agent_faulted", "agent_held"}));
  const auto faulted = table.newest<fact::AgentFaulted>();
  EXPECT_EQ(faulted.fault, Fault::overloaded);
  EXPECT_EQ(faulted.words, "API Error: it failed");
  EXPECT_EQ(faulted.tries, 1);
  EXPECT_GT(faulted.until, kStart);
  EXPECT_LE(faulted.until, kStart + 5);
  ASSERT_EQ(table.orders<WakeAt>().size(), 1U);
  EXPECT_EQ(table.orders<WakeAt>()[0].epoch_ms, faulted.until * 1000);
  EXPECT_FALSE(waits_for_person(table.state));
  table.wake();
  EXPECT_EQ(table.call().agent, 1);
  EXPECT_EQ(table.call().attempt, 2) << "a fault costs no attempt";
  EXPECT_EQ(table.newest<fact::AgentReleased>().agent, 1);
}

TEST(ServiceFault, PausesGrowAndTheLastOneIsFollowedByAQuestion) {
  Table table;
  table.want(1);
  std::int64_t first = 0, last = 0;
  for (int i = 1; i < table.policy.tries; ++i) {
    table.end(1, Fault::unreachable);
    last = table.newest<fact::AgentFaulted>().until - table.seconds;
    if (i == 1) first = last;
    ASSERT_THAT(table.asked(), IsEmpty());
    table.wake();
  }
  EXPECT_LE(first, 5);
  EXPECT_GE(last, 150);
  table.end(1, Fault::unreachable);
  ASSERT_EQ(table.asked().size(), 1U);
  EXPECT_EQ(table.asked()[0].question, fact::kFirstQuestion);
  EXPECT_THAT(table.asked()[0].options, ElementsAre("go on", "stop"));
  EXPECT_EQ(table.newest<fact::AgentHeld>().why, Hold::person);
  EXPECT_THAT(table.orders<Park>(), IsEmpty()) << "it may be this project's network alone";
  EXPECT_TRUE(waits_for_person(table.state));
  table.see(workflow::Answered{fact::kFirstQuestion, "Go On", "me"});
  EXPECT_EQ(table.call().agent, 1);
  EXPECT_EQ(failures_of(table.state, 1, "claude").tries, 0);
}

TEST(ServiceFault, AfterTooManyTheNextFallbackTakesOver) {
  Table table;
  table.with_fallback();
  table.want(1);
  for (int i = 1; i < table.policy.tries; ++i) {
    table.end(1, Fault::overloaded);
    table.wake();
    EXPECT_EQ(table.call().provider, "") << "its first choice is as configured";
  }
  table.end(1, Fault::overloaded);
  EXPECT_EQ(table.call().provider, "codex");
  EXPECT_EQ(table.call().model, "gpt-5");
  EXPECT_TRUE(table.newest<fact::AgentReleased>().fallback);
  EXPECT_EQ(table.newest<fact::ProviderParked>().provider, "claude");
  EXPECT_THAT(table.asked(), IsEmpty());
}

// Each try of such an agent takes as long as an answer may.
TEST(ServiceFault, AServiceThatSaysNothingIsTriedOnceMoreAndThenLater) {
  Table table;
  table.want(1);
  table.end(1, Fault::no_answer);
  EXPECT_THAT(table.ends(), IsEmpty()) << "no workflow hears of it";
  EXPECT_LE(table.newest<fact::AgentFaulted>().until, kStart + 5) << "a connection may be dead";
  table.wake();
  EXPECT_EQ(table.call().attempt, 2);
  table.end(1, Fault::no_answer);
  const auto parked = table.newest<fact::ProviderParked>();
  EXPECT_EQ(parked.until, table.seconds + table.policy.guess_first_s);
  EXPECT_TRUE(parked.guessed);
  EXPECT_EQ(parked.fault, Fault::no_answer);
  EXPECT_THAT(table.orders<Park>(), IsEmpty()) << "it may be this project's network alone";
  EXPECT_THAT(table.asked(), IsEmpty()) << "it goes on by itself";
  table.wake();
  EXPECT_EQ(table.call().agent, 1);
  table.end(1, Fault::none, Table::used(100));
  EXPECT_EQ(table.ends().size(), 1U);
}

TEST(ServiceFault, AServiceThatNeverAnswersIsPutToAPersonInTheEnd) {
  Table table;
  table.want(1);
  std::int64_t longest = 0;
  for (int tries = 0; table.asked().empty(); ++tries) {
    ASSERT_LT(tries, 40);
    const std::int64_t before = table.seconds;
    table.end(1, Fault::no_answer);
    if (table.asked().empty()) table.wake();
    longest = std::max(longest, table.seconds - before);
  }
  EXPECT_EQ(longest, table.policy.guess_most_s);
  EXPECT_GT(table.seconds - kStart, 8 * 3600) << "after the night";
  EXPECT_THAT(table.asked()[0].text, HasSubstr("no_answer"));
  EXPECT_TRUE(waits_for_person(table.state));
}

TEST(ServiceFault, AFallbackTakesOverFromAServiceThatSaysNothing) {
  Table table;
  table.with_fallback();
  table.want(1);
  table.end(1, Fault::no_answer);
  table.wake();
  EXPECT_EQ(table.call().provider, "");
  table.end(1, Fault::no_answer);
  EXPECT_EQ(table.call().provider, "codex");
}

// The first choice is free for a moment, and parked again before anybody was answered.
TEST(ServiceFault, WhoIsTriedInBetweenMakesNoPauseShorterAndNoTryUncounted) {
  Table table;
  table.with_fallback();
  table.policy.tries = 2;
  table.news(ParkedElsewhere{"claude", 0, false, Fault::unauthorised, ""});
  table.want(1);
  EXPECT_EQ(table.call().provider, "codex");
  table.end(1, Fault::overloaded);
  const std::int64_t until = table.newest<fact::AgentHeld>().until;
  table.news(FreedElsewhere{"claude", "me"});
  EXPECT_EQ(table.call().provider, "");
  table.crash();
  table.turn({SupplyNews{ParkedElsewhere{"claude", 0, false, Fault::unauthorised, ""}}, TakenUp{}},
             {Table::agent(1)});
  EXPECT_THAT(table.started(), IsEmpty());
  EXPECT_EQ(table.newest<fact::AgentHeld>().provider, "codex");
  EXPECT_EQ(table.newest<fact::AgentHeld>().until, until);
  table.wake();
  table.end(1, Fault::overloaded);
  EXPECT_EQ(table.newest<fact::AgentFaulted>().tries, 2);
  EXPECT_EQ(table.newest<fact::ProviderParked>().provider, "codex") << "two in a row are enough";
}

TEST(ServiceFault, TheServicesOwnTimeIsHeeded) {
  Table table;
  table.want(1);
  AgentFinished finished = Table::ended(1, Fault::rate_limited);
  finished.facts.reset_at = kStart + 60;
  table.see(finished);
  EXPECT_EQ(table.newest<fact::AgentHeld>().until, kStart + 60);
  EXPECT_EQ(table.newest<fact::AgentHeld>().why, Hold::pause);
}

TEST(ServiceFault, WhatIsTheAgentsOwnFaultReachesTheWorkflow) {
  for (const Fault fault : {Fault::none, Fault::no_signal, Fault::exit_status, Fault::timed_out,
                            Fault::lost, Fault::policy, Fault::no_words, Fault::interrupted}) {
    Table table;
    table.want(1);
    table.end(1, fault);
    ASSERT_EQ(table.ends().size(), 1U) << event::name_of(fault);
    EXPECT_EQ(table.ends()[0].fault, fault);
    EXPECT_THAT(table.all<fact::AgentFaulted>(), IsEmpty());
  }
}

TEST(ServiceFault, OneThatNeverBeganHasUsedNothing) {
  Table table;
  table.want(1);
  table.end(1, Fault::not_started);
  EXPECT_THAT(table.journal, IsEmpty());
  EXPECT_EQ(table.ends().size(), 1U);
}

TEST(ServiceFault, AConversationThatIsTooLongBeginsAnewOnceAndIsThenTheAgentsFault) {
  Table table;
  table.want(1);
  table.end(1, Fault::context_full, Table::used(10));
  const StartAgent again = table.call();
  EXPECT_TRUE(again.anew);
  EXPECT_TRUE(again.resume);
  EXPECT_NE(again.client_session, "");
  EXPECT_EQ(again.session, "session-1") << "its history is kept under this name";
  EXPECT_EQ(again.attempt, 2);
  table.end(1, Fault::context_full, Table::used(10));
  EXPECT_THAT(table.started(), IsEmpty());
  ASSERT_EQ(table.ends().size(), 1U);
  EXPECT_EQ(table.ends()[0].fault, Fault::context_full);
}

TEST(ServiceFault, OneThatTheWorkflowHasEndedIsNotCalledAgain) {
  Table table;
  table.want(1);
  table.ask(EndAgent{1});
  EXPECT_EQ(table.commands.size(), 1U);
  table.end(1, Fault::overloaded);
  ASSERT_EQ(table.ends().size(), 1U);
  EXPECT_EQ(table.ends()[0].fault, Fault::idle);
  EXPECT_THAT(table.started(), IsEmpty());
}

TEST(ServiceFault, OneThatWaitsEndsAtOnceWhenTheWorkflowEndsIt) {
  Table table;
  table.want(1);
  table.end(1, Fault::overloaded);
  table.ask(EndAgent{1});
  EXPECT_THAT(table.commands, IsEmpty());
  ASSERT_EQ(table.ends().size(), 1U);
  EXPECT_EQ(table.ends()[0].fault, Fault::idle);
  EXPECT_TRUE(table.ends()[0].held);
  table.wake();
  EXPECT_THAT(table.started(), IsEmpty());
}

TEST(ServiceFault, AStopEndsWhoWaitsBeforeTheWorkflowHearsOfIt) {
  for (const Stop how : {Stop::interrupted, Stop::paused, Stop::aborted}) {
    Table table;
    table.want(1);
    table.want(2, "T-2");
    table.end(1, Fault::overloaded);
    table.see(StopAsked{how});
    ASSERT_EQ(table.heard.size(), 2U);
    EXPECT_EQ(table.ends()[0].agent, 1);
    EXPECT_EQ(table.ends()[0].fault, Fault::interrupted);
    EXPECT_TRUE(table.ends()[0].held);
    EXPECT_TRUE(std::holds_alternative<StopAsked>(table.heard[1]));
    // Who works ends as it does; who would have to wait from now on is not begun.
    table.end(2, Fault::overloaded);
    ASSERT_EQ(table.ends().size(), 1U);
    EXPECT_EQ(table.ends()[0].fault, Fault::interrupted);
    EXPECT_THAT(table.started(), IsEmpty());
  }
}

TEST(ServiceFault, AStartThatFailsIsTheWorkflowsBusiness) {
  Table table;
  table.want(1);
  table.see(CommandFailed{table.call(), Reason::missing_program, "no claude"});
  EXPECT_EQ(table.heard.size(), 1U);
  EXPECT_THAT(table.journal, IsEmpty());
  EXPECT_EQ(table.state.now.outstanding, 0);
}

TEST(ServiceFault, ANewsOfSupplyNeverReachesAWorkflow) {
  Table table;
  table.want(1);
  table.turn({SupplyNews{Woken{7}},
              SupplyNews{ParkedElsewhere{"claude", kStart + 9, true, Fault::usage_limit, ""}},
              SupplyNews{FreedElsewhere{"claude", "me"}}, SupplyNews{AgentSpends{1, {}}},
              SupplyNews{SpentElsewhere{5, "2026-01-01", 0}},
              SupplyNews{MessageLeft{"m", "", "text", "me"}}, SupplyNews{Steered{1, "m", true}}});
  EXPECT_THAT(table.heard, IsEmpty());
}

// ---- Sessions

TEST(SessionAfterAFault, OneThatHadBegunToAnswerGoesOnWithoutTheWholePrompt) {
  Table table;
  table.want(1);
  table.end(1, Fault::overloaded, Table::used(10));
  table.wake();
  const StartAgent call = table.call();
  EXPECT_TRUE(call.resume);
  EXPECT_TRUE(call.again);
  EXPECT_FALSE(call.anew);
  EXPECT_EQ(call.client_session, "");
  EXPECT_THAT(call.prompt.follow_up, HasSubstr("go on where you were"));
}

TEST(SessionAfterAFault, ItIsTriedOnceAndThenANewOneIsToldTheHistory) {
  Table table;
  table.want(1);
  table.end(1, Fault::overloaded, Table::used(10));
  table.wake();
  table.end(1, Fault::overloaded, Table::used(10));
  table.wake();
  EXPECT_TRUE(table.call().anew);
  const std::string second = table.call().client_session;
  EXPECT_NE(second, "");
  // That one is gone on with, in turn.
  table.end(1, Fault::overloaded, Table::used(10));
  table.wake();
  EXPECT_FALSE(table.call().anew);
  EXPECT_EQ(table.call().client_session, second);
}

TEST(SessionAfterAFault, AServiceThatSaysNothingAtAllSaysNothingAboutTheSession) {
  Table table;
  table.want(1);
  table.end(1, Fault::overloaded, Table::used(10));
  TokenUse nothing;
  nothing.tokens_known = true;
  for (int i = 0; i < 3; ++i) {
    table.wake();
    EXPECT_FALSE(table.call().anew);
    EXPECT_TRUE(table.call().resume);
    table.end(1, Fault::overloaded, nothing);
  }
}

TEST(SessionAfterAFault, AClientThatTellsNoTokensHasAnsweredWhenItTellsATurn) {
  Table table;
  table.want(1);
  TokenUse use;
  use.turns = 1;
  table.end(1, Fault::overloaded, use);
  table.wake();
  EXPECT_FALSE(table.call().anew);
  EXPECT_TRUE(table.call().resume);
  EXPECT_NE(table.call().prompt.follow_up, "");
}

TEST(SessionAfterAFault, OneThatNeverAnsweredBeginsAgainUnderAnotherId) {
  Table table;
  table.want(1);
  TokenUse nothing;
  nothing.tokens_known = true;
  table.end(1, Fault::unreachable, nothing);
  table.wake();
  EXPECT_FALSE(table.call().resume);
  EXPECT_NE(table.call().client_session, "");
  EXPECT_EQ(table.call().prompt.follow_up, "");
}

TEST(SessionAfterAFault, AClientThatDoesNotHaveItAnyMoreCostsNoAttempt) {
  Table table;
  table.want(1);
  table.end(1, Fault::overloaded, Table::used(10));
  table.wake();
  table.end(1, Fault::exit_status);
  EXPECT_THAT(table.heard, IsEmpty());
  EXPECT_TRUE(table.call().anew);
  table.end(1, Fault::exit_status);
  EXPECT_EQ(table.ends().size(), 1U) << "now it is its own fault";
}

// A workflow that starts another agent in the session of one that failed by itself.
StartAgent restarted(int agent) {
  StartAgent again = Table::agent(agent);
  again.session = "session-1";
  again.resume = true;
  again.prompt.follow_up = "go on";
  return again;
}

TEST(SessionAfterAFault,
     OfAnAgentThatFailedByItselfIsGoneOnWithOnceAndThenANewOneIsToldTheHistory) {
  for (const Fault fault : {Fault::timed_out, Fault::exit_status, Fault::idle}) {
    Table table;
    table.want(1);
    table.end(1, fault, Table::used(10));
    table.crash();
    table.ask(restarted(2));
    EXPECT_TRUE(table.call().resume);
    EXPECT_FALSE(table.call().anew);
    EXPECT_EQ(table.call().client_session, "");
    table.end(2, fault, Table::used(10));
    table.ask(restarted(3));
    EXPECT_TRUE(table.call().anew);
    EXPECT_NE(table.call().client_session, "");
    table.end(3, Fault::none, Table::used(10));
    table.ask(restarted(4));
    EXPECT_FALSE(table.call().anew) << "the new one is well";
  }
}

TEST(SessionAfterAFault, OfAnAgentThatDiedBeforeItWasAnsweredIsNotGoneOnWith) {
  Table table;
  table.want(1);
  table.end(1, Fault::exit_status);
  table.ask(restarted(2));
  EXPECT_TRUE(table.call().anew) << "the client may not know it";
}

TEST(SessionAfterAFault, AClientThatLostTheSessionOfOneThatFailedByItselfCostsNothing) {
  Table table;
  table.want(1);
  table.end(1, Fault::timed_out, Table::used(10));
  table.ask(restarted(2));
  EXPECT_FALSE(table.call().anew);
  table.end(2, Fault::exit_status);
  EXPECT_THAT(table.heard, IsEmpty());
  EXPECT_TRUE(table.call().anew);
  table.end(2, Fault::exit_status);
  EXPECT_EQ(table.ends().size(), 1U) << "now it is its own fault";
}

TEST(SessionAfterAFault, ALaterReworkGoesOnInTheSessionThatTheWorkEndedIn) {
  Table table;
  table.want(1);
  table.end(1, Fault::context_full, Table::used(10));
  const std::string second = table.call().client_session;
  table.end(1, Fault::none, Table::used(10));
  StartAgent rework = Table::agent(4);
  rework.session = "session-1";
  rework.resume = true;
  rework.prompt.follow_up = "findings";
  table.ask(rework);
  EXPECT_EQ(table.call().client_session, second);
  EXPECT_FALSE(table.call().anew);
  EXPECT_EQ(table.call().prompt.follow_up, "findings");
}

TEST(SessionAfterAFault, TheIdThatAClientGaveItselfIsGoneOnWithAlsoAfterARestart) {
  Table table;
  table.want(1);
  AgentFinished finished = Table::ended(1, Fault::none, Table::used(10));
  finished.facts.session = "thread-77";
  table.see(finished);
  table.crash();
  StartAgent rework = Table::agent(4);
  rework.session = "session-1";
  rework.resume = true;
  table.ask(rework);
  EXPECT_EQ(table.call().client_session, "thread-77");
}

TEST(SessionAfterAFault, AnotherProviderIsToldTheHistory) {
  Table table;
  table.with_fallback();
  table.want(1);
  table.end(1, Fault::none, Table::used(10));
  table.news(ParkedElsewhere{"claude", kStart + 1000, false, Fault::usage_limit, "limit"});
  StartAgent rework = Table::agent(4);
  rework.session = "session-1";
  rework.resume = true;
  rework.prompt.follow_up = "findings";
  table.ask(rework);
  EXPECT_EQ(table.call().provider, "codex");
  EXPECT_TRUE(table.call().anew);
  EXPECT_NE(table.call().client_session, "");
}

TEST(SessionAfterAFault, OneThatNeverBeganIsNotGoneOnWith) {
  Table table;
  table.news(ParkedElsewhere{"claude", kStart + 1000, false, Fault::usage_limit, "limit"});
  table.want(1);
  EXPECT_EQ(table.newest<fact::AgentHeld>().unbegun, "session-1");
  table.crash();
  table.seconds += 2000;
  StartAgent again = Table::agent(2);
  again.session = "session-1";
  again.resume = true;
  table.ask(again);
  EXPECT_FALSE(table.call().resume);
  table.end(2, Fault::none, Table::used(10));
  again.agent = 3;
  table.ask(again);
  EXPECT_TRUE(table.call().resume) << "by now it has begun";
}

}  // namespace
}  // namespace capsule::supply
