#include <algorithm>

#include "workflow/supply/test_support.h"

namespace capsule::supply {
namespace {

TEST(Parking, AUsageLimitParksTheProviderUntilItEndsAndTheMachineIsTold) {
  Table table;
  table.want(1);
  table.limit(1, kStart + 3600);
  const auto parked = table.newest<fact::ProviderParked>();
  EXPECT_EQ(parked.provider, "claude");
  EXPECT_GT(parked.until, kStart + 3600) << "not in the very second";
  EXPECT_LT(parked.until, kStart + 3610);
  EXPECT_FALSE(parked.guessed);
  ASSERT_EQ(table.orders<Park>().size(), 1U);
  EXPECT_EQ(table.orders<Park>()[0].until, parked.until);
  EXPECT_EQ(table.newest<fact::AgentHeld>().why, Hold::parked);
  EXPECT_THAT(table.asked(), IsEmpty());
  EXPECT_FALSE(waits_for_person(table.state)) << "it goes on by itself";
  table.wake();
  EXPECT_EQ(table.newest<fact::ProviderFree>().by, "");
  EXPECT_EQ(table.call().agent, 1);
}

TEST(Parking, NobodyStartsWhileTheProviderIsParkedAndWhoWorksFinishes) {
  Table table;
  table.want(1);
  table.want(2, "T-2");
  table.limit(1, kStart + 3600);
  table.want(3, "T-3");
  EXPECT_THAT(table.started(), IsEmpty());
  table.end(2, Fault::none);
  EXPECT_EQ(table.ends().size(), 1U);
  EXPECT_THAT(table.started(), IsEmpty());
  table.wake();
  EXPECT_EQ(table.call().agent, 1);
  table.end(1, Fault::none);
  EXPECT_EQ(table.call().agent, 3);
}

TEST(Parking, WhoeverMeetsTheSameLimitChangesNothing) {
  Table table;
  table.want(1);
  table.want(2, "T-2");
  table.limit(1, kStart + 3600);
  table.limit(2, kStart + 3600);
  EXPECT_EQ(table.all<fact::ProviderParked>().size(), 1U);
  EXPECT_EQ(table.state.now.alarms.size(), 1U);
}

TEST(Parking, AGuessDoublesAndEndsWithAnAgentThatEndsWell) {
  Table table;
  table.want(1);
  for (const std::int64_t guess : {900, 1800, 3600}) {
    table.limit(1, 0);
    EXPECT_EQ(table.newest<fact::ProviderParked>().until, table.seconds + guess);
    EXPECT_TRUE(table.newest<fact::ProviderParked>().guessed);
    table.wake();
  }
  table.end(1, Fault::none);
  table.want(2);
  table.limit(2, 0);
  EXPECT_EQ(table.newest<fact::ProviderParked>().until, table.seconds + 900);
}

TEST(Parking, ATimeThatIsNonsenseIsAGuess) {
  for (const std::int64_t reset : {kStart - 5, kStart + std::int64_t{90} * 86400}) {
    Table table;
    table.want(1);
    table.limit(1, reset);
    EXPECT_EQ(table.newest<fact::ProviderParked>().until, kStart + 900);
  }
}

TEST(Parking, AFallbackTakesOverAndTheFirstChoiceComesBack) {
  Table table;
  table.with_fallback();
  table.want(1);
  table.limit(1, kStart + 3600);
  EXPECT_EQ(table.call().provider, "codex");
  EXPECT_EQ(table.call().model, "gpt-5");
  table.end(1, Fault::none);
  EXPECT_EQ(table.newest<fact::AgentUsed>().provider, "codex");
  EXPECT_EQ(table.newest<fact::AgentUsed>().asked_model, "gpt-5");
  table.want(2);
  EXPECT_EQ(table.call().provider, "codex");
  table.end(2, Fault::none);
  table.seconds = kStart + 4000;
  table.want(3);
  EXPECT_EQ(table.call().provider, "");
}

TEST(Parking, WithAllOfThemParkedTheFirstThatIsFreeGoesOn) {
  Table table;
  table.with_fallback();
  table.want(1);
  table.limit(1, kStart + 3600);
  table.limit(1, kStart + 600);
  EXPECT_EQ(table.newest<fact::AgentHeld>().provider, "codex");
  table.wake();
  EXPECT_LT(table.seconds, kStart + 700);
  EXPECT_EQ(table.call().provider, "codex");
}

TEST(Parking, APersonsWordCountsForMoreThanALimitThatWasMetMeanwhile) {
  Table table;
  table.want(1);
  table.want(2, "T-2");
  table.end(1, Fault::no_credit);
  AgentFinished limited = Table::ended(2, Fault::usage_limit);
  limited.facts.reset_at = kStart + 3600;
  table.turn({limited, workflow::Answered{fact::kFirstQuestion, "go on", "me"}});
  EXPECT_EQ(table.call().agent, 1) << "if the limit holds, one request finds it";
}

TEST(Parking, ItIsKnownAfterARestartAndEndsByItself) {
  Table table;
  table.want(1);
  table.limit(1, kStart + 3600);
  table.crash();
  table.turn({TakenUp{}}, {Table::agent(1)});
  EXPECT_THAT(table.started(), IsEmpty());
  EXPECT_EQ(table.orders<WakeAt>().size(), 1U) << "the alarm went with the process";
  table.wake();
  EXPECT_EQ(table.call().agent, 1);
}

// They are not ended: what they do may be done without another request, and one that needs it costs
// nothing.
TEST(Parking, WhoWorksWhenCreditIsGoneMeetsThatItselfAndItCostsNothing) {
  for (const Fault fault : {Fault::no_credit, Fault::unauthorised}) {
    Table table;
    for (const int agent : {1, 2, 3}) table.want(agent, "T-" + std::to_string(agent));
    table.end(1, fault);
    EXPECT_TRUE(std::none_of(table.commands.begin(), table.commands.end(), [](const Command& one) {
      return std::holds_alternative<EndAgent>(one);
    }));
    table.end(2, fault);
    EXPECT_THAT(table.ends(), IsEmpty()) << "the workflow does not hear of it";
    EXPECT_THAT(table.asked(), IsEmpty()) << "a person was asked already";
    EXPECT_EQ(table.all<fact::ProviderParked>().size(), 1U);
    table.end(3, Fault::none);
    EXPECT_EQ(table.ends().size(), 1U) << "its work counts";
    table.see(workflow::Answered{fact::kFirstQuestion, "go on", "me"});
    const int first = table.call().agent;
    EXPECT_EQ(table.call().attempt, 2);
    table.end(first, Fault::none);
    EXPECT_EQ(table.call().agent, 3 - first);
    EXPECT_EQ(table.call().attempt, 2) << "no attempt was spent";
  }
}

TEST(Parking, NoCreditStopsEverythingOfTheProviderAndAPersonIsAsked) {
  for (const Fault fault : {Fault::no_credit, Fault::unauthorised}) {
    Table table;
    table.want(1);
    table.end(1, fault);
    EXPECT_EQ(table.newest<fact::ProviderParked>().until, 0);
    ASSERT_EQ(table.orders<Park>().size(), 1U);
    ASSERT_EQ(table.asked().size(), 1U);
    EXPECT_EQ(table.asked()[0].context, "API Error: it failed");
    table.want(2, "T-2");
    EXPECT_THAT(table.started(), IsEmpty());
    EXPECT_THAT(table.asked(), IsEmpty()) << "once";
    EXPECT_TRUE(waits_for_person(table.state));
    table.see(workflow::Answered{fact::kFirstQuestion, "go on", "me"});
    EXPECT_EQ(table.call().agent, 1) << "the other follows when it has worked for a while";
    EXPECT_EQ(table.orders<Unpark>().size(), 1U);
    EXPECT_EQ(table.newest<fact::ProviderFree>().by, "me");
    // It was not mended after all: another question.
    table.end(1, fault);
    ASSERT_EQ(table.asked().size(), 1U);
    EXPECT_EQ(table.asked()[0].question, fact::kFirstQuestion + 1);
  }
}

TEST(Parking, AnAnswerThatDidNotHelpIsFollowedByAPauseThatGrows) {
  Table table;
  table.want(1);
  std::int64_t before = 0;
  for (int i = 0; i < 5; ++i) {
    table.end(1, Fault::unauthorised);
    table.see(workflow::Answered{fact::kFirstQuestion + i, "go on", "answers file"});
    if (i == 0) {
      EXPECT_EQ(table.started().size(), 1U);
      continue;
    }
    EXPECT_THAT(table.started(), IsEmpty());
    const std::int64_t pause = table.newest<fact::ProviderFree>().after - table.seconds;
    EXPECT_GT(pause, before);
    before = pause;
    table.wake();
    EXPECT_EQ(table.call().agent, 1);
  }
  table.end(1, Fault::none);
  table.want(2);
  table.end(2, Fault::unauthorised);
  table.see(workflow::Answered{fact::kFirstQuestion + 5, "go on", "me"});
  EXPECT_EQ(table.call().agent, 2) << "it had helped";
}

TEST(Parking, AnAnswerOfStopEndsTheRunAtItsNextBorder) {
  Table table;
  table.want(1);
  table.end(1, Fault::unauthorised);
  table.see(workflow::Answered{fact::kFirstQuestion, "stop", "me"});
  ASSERT_EQ(table.heard.size(), 2U);
  EXPECT_EQ(table.ends()[0].fault, Fault::interrupted);
  EXPECT_EQ(std::get<StopAsked>(table.heard[1]).how, Stop::paused);
}

TEST(Parking, APersonIsAskedAgainAfterARestartUnderTheSameNumber) {
  Table table;
  table.want(1);
  table.end(1, Fault::unauthorised);
  table.crash();
  table.turn({TakenUp{}}, {Table::agent(1)});
  ASSERT_EQ(table.asked().size(), 1U);
  EXPECT_EQ(table.asked()[0].question, fact::kFirstQuestion);
  EXPECT_EQ(table.all<fact::PersonAsked>().size(), 1U);
}

TEST(Parking, APersonWhoLiftsItElsewhereIsAnAnswer) {
  Table table;
  table.want(1);
  table.end(1, Fault::no_credit);
  table.news(FreedElsewhere{"claude", "capsule agents resume"});
  EXPECT_EQ(table.call().agent, 1);
  EXPECT_THAT(table.orders<Unpark>(), IsEmpty()) << "it is lifted already";
  EXPECT_FALSE(table.state.questions.at(fact::kFirstQuestion).open);
  table.see(workflow::Answered{fact::kFirstQuestion, "stop", "me"});
  EXPECT_THAT(table.heard, IsEmpty()) << "too late";
}

TEST(Parking, APersonWhoLiftsNothingButAPauseHasTheAgentTryAtOnce) {
  Table table;
  table.want(1);
  table.end(1, Fault::overloaded);
  ASSERT_THAT(table.started(), IsEmpty()) << "it waits for a while";
  table.news(FreedElsewhere{"codex", "a person"});
  EXPECT_THAT(table.started(), IsEmpty()) << "of another provider";
  table.news(FreedElsewhere{"claude", "a person"});
  EXPECT_EQ(table.call().agent, 1);
  // Somebody who does so again and again waits longer each time.
  table.end(1, Fault::overloaded);
  table.news(FreedElsewhere{"claude", "a person"});
  EXPECT_THAT(table.started(), IsEmpty());
  EXPECT_GT(table.newest<fact::ProviderFree>().after, 0);
}

TEST(Parking, WhatAnotherRunMetHoldsHereToo) {
  Table table;
  table.news(ParkedElsewhere{"claude", kStart + 600, true, Fault::usage_limit, "limit"});
  EXPECT_TRUE(table.newest<fact::ProviderParked>().elsewhere);
  table.want(1);
  EXPECT_THAT(table.started(), IsEmpty());
  table.news(ParkedElsewhere{"claude", kStart + 600, true, Fault::usage_limit, "limit"});
  EXPECT_EQ(table.all<fact::ProviderParked>().size(), 1U);
  table.news(ParkedElsewhere{"claude", kStart + 900, true, Fault::usage_limit, "limit"});
  EXPECT_EQ(table.newest<fact::AgentHeld>().until, kStart + 900);
  table.news(FreedElsewhere{"claude", ""});
  EXPECT_EQ(table.call().agent, 1);
}

TEST(Parking, AProviderThatNobodyHereWantsIsNoNews) {
  Table table;
  table.news(ParkedElsewhere{"gemini", kStart + 600, true, Fault::usage_limit, "limit"});
  table.news(ParkedElsewhere{"claude", kStart - 1, true, Fault::usage_limit, "over"});
  EXPECT_THAT(table.journal, IsEmpty());
}

TEST(Parking, AClockThatWasSetBackOnlyMakesItWaitLonger) {
  Table table;
  table.want(1);
  table.limit(1, kStart + 600);
  const int id = table.state.now.alarms.begin()->first;
  table.seconds -= 3600;
  table.news(Woken{id});
  EXPECT_THAT(table.started(), IsEmpty());
  EXPECT_EQ(table.orders<WakeAt>().size(), 1U) << "it is set again";
  table.wake();
  EXPECT_EQ(table.call().agent, 1);
}

TEST(Parking, WhileOtherWorkGoesOnNobodyWaitsForAPerson) {
  Table table;
  table.want(1);
  table.ask(Check{});
  table.end(1, Fault::unauthorised);
  EXPECT_FALSE(waits_for_person(table.state));
  table.see(Checked{});
  EXPECT_TRUE(waits_for_person(table.state));
  // A question that could not be put, and is answered all the same, counts for nothing.
  table.see(CommandFailed{Ask{fact::kFirstQuestion, "", "", "", {}, false}, Reason::io, ""});
  EXPECT_TRUE(waits_for_person(table.state));
  EXPECT_THAT(table.heard, IsEmpty());
}

TEST(Parking, WhoHasNeverBeenCalledIsKnownToWhoeverTakesAnAnswerBack) {
  Table table;
  table.want(1);
  table.limit(1, kStart + 600);
  table.want(2, "T-2");
  table.see(TakeBackAsked{7});
  ASSERT_EQ(table.heard.size(), 1U);
  EXPECT_EQ(std::get<TakeBackAsked>(table.heard[0]).unbegun, std::set<int>{2})
      << "agent 1 has seen its prompt";
}

// ---- Who goes first once it is over

// Three agents wait for a limit that ends.
struct Waiting3 : Table {
  Waiting3() {
    want(1);
    limit(1, kStart + 600);
    want(2, "T-2");
    want(3, "T-3");
  }
};

TEST(Trial, OneAgentGoesFirstAndTheRestFollowOnceItHasEndedWell) {
  Waiting3 table;
  table.wake();
  EXPECT_EQ(table.call().agent, 1);
  EXPECT_EQ(table.newest<fact::AgentHeld>().why, Hold::trial);
  EXPECT_FALSE(waits_for_person(table.state));
  table.want(4, "T-4");
  EXPECT_THAT(table.started(), IsEmpty());
  table.end(1, Fault::none);
  EXPECT_EQ(table.started().size(), 3U);
}

TEST(Trial, ALimitThatHasNotReallyEndedCostsOneRequest) {
  Waiting3 table;
  for (int i = 0; i < 3; ++i) {
    do table.wake();  // an alarm of before may still be set
    while (table.started().empty());
    EXPECT_EQ(table.call().agent, 1);
    table.limit(1, table.seconds + 600);
    EXPECT_THAT(table.started(), IsEmpty());
  }
  EXPECT_EQ(table.all<fact::AgentUsed>().size(), 4U);
}

TEST(Trial, AnAnswerThatTheStreamTellsOfIsEnough) {
  Waiting3 table;
  table.wake();
  table.news(AgentSpends{1, Table::used(10, 0)});
  EXPECT_THAT(table.started(), IsEmpty()) << "it was asked, and nothing was answered";
  table.news(AgentSpends{1, Table::used(10, 5)});
  EXPECT_EQ(table.started().size(), 2U);
}

TEST(Trial, WhoWorksForAMinuteHasFoundItFree) {
  Waiting3 table;
  table.wake();
  EXPECT_EQ(table.newest<fact::AgentHeld>().until, table.seconds + table.policy.trial_s);
  ASSERT_EQ(table.orders<WakeAt>().size(), 1U);
  table.wake();
  EXPECT_EQ(table.started().size(), 2U);
}

TEST(Trial, AServiceThatFailsOtherwiseLetsTheNextOneTry) {
  Waiting3 table;
  table.wake();
  table.end(1, Fault::overloaded);
  EXPECT_EQ(table.call().agent, 2);
  table.end(2, Fault::overloaded, Table::used(10));
  EXPECT_EQ(table.call().agent, 3) << "it had answered, and failed later";
  EXPECT_FALSE(table.state.on_trial.contains("claude"));
}

TEST(Trial, OneThatNeverBeganLetsTheNextOneTry) {
  Waiting3 table;
  table.wake();
  table.see(CommandFailed{table.call(), Reason::missing_program, "no claude"});
  EXPECT_EQ(table.call().agent, 2);
}

TEST(Trial, AfterARestartOneGoesFirstAgain) {
  Waiting3 table;
  table.wake();
  table.crash();
  table.turn({TakenUp{}}, {Table::agent(1), Table::agent(2, "T-2"), Table::agent(3, "T-3")});
  EXPECT_EQ(table.call().agent, 1);
}

TEST(Trial, WhoBeganBeforeTheLimitKeepsNobodyWaiting) {
  Table table;
  table.want(1);
  table.want(2, "T-2");
  table.limit(1, kStart + 600);
  table.wake();
  EXPECT_EQ(table.call().agent, 1) << "agent 2 works on";
}

TEST(Parking, ARunThatIsTakenUpIsToldWhoWaitedAndWhoHadNeverBegun) {
  Table table;
  for (const int agent : {1, 2, 3}) table.want(agent);
  table.end(1, Fault::usage_limit, Table::used(1));
  table.end(2, Fault::usage_limit);
  table.want(4);
  table.crash();
  table.see(TakenUp{});
  ASSERT_EQ(table.heard.size(), 1U);
  const auto& told = std::get<TakenUp>(table.heard[0]);
  EXPECT_THAT(told.held, ElementsAre(1));
  EXPECT_THAT(told.unbegun, ElementsAre(2, 4)) << "2 was never answered, and 3 was at work";
}

}  // namespace
}  // namespace capsule::supply
