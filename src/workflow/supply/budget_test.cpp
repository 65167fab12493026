#include "workflow/supply/test_support.h"

namespace capsule::supply {
namespace {

TEST(Budget, AtFourFifthsOneNoticeAndAtTheLimitNothingNewStartsAndAPersonIsAsked) {
  Table table;
  table.policy.budget.run = 1'000'000;
  table.want(1);
  table.end(1, Fault::none, Table::used(700'000));
  EXPECT_THAT(table.all<fact::BudgetReached>(), IsEmpty());
  table.want(2);
  table.end(2, Fault::none, Table::used(150'000));
  EXPECT_FALSE(table.newest<fact::BudgetReached>().all);
  EXPECT_EQ(table.newest<fact::BudgetReached>().spent, 850'000);
  table.want(3);
  EXPECT_EQ(table.call().agent, 3) << "there is some left";
  table.end(3, Fault::none, Table::used(160'000));
  EXPECT_TRUE(table.newest<fact::BudgetReached>().all);
  EXPECT_EQ(table.all<fact::BudgetReached>().size(), 2U);
  EXPECT_THAT(table.asked(), IsEmpty()) << "nobody wants to start";
  table.want(4);
  EXPECT_THAT(table.started(), IsEmpty());
  EXPECT_EQ(table.newest<fact::AgentHeld>().why, Hold::budget);
  ASSERT_EQ(table.asked().size(), 1U);
  EXPECT_THAT(table.asked()[0].text, HasSubstr("1.01 of 1.00"));
  EXPECT_TRUE(waits_for_person(table.state));
}

TEST(Budget, AnAmountIsAddedToWhatWasSpent) {
  Table table;
  table.policy.budget.run = 1'000'000;
  table.want(1);
  table.end(1, Fault::none, Table::used(1'500'000));
  table.want(2);
  table.see(workflow::Answered{fact::kFirstQuestion, "plenty", "me"});
  ASSERT_EQ(table.asked().size(), 1U);
  EXPECT_THAT(table.asked()[0].text, HasSubstr("'plenty' is no amount"));
  EXPECT_THAT(table.started(), IsEmpty());
  table.see(workflow::Answered{fact::kFirstQuestion + 1, "0.50", "me"});
  EXPECT_EQ(table.call().agent, 2);
  EXPECT_EQ(table.newest<fact::BudgetRaised>().limit, 2'000'000);
  table.end(2, Fault::none, Table::used(600'000));
  table.want(3);
  EXPECT_THAT(table.started(), IsEmpty());
}

TEST(Budget, AnAnswerForAllCasesThatIsNoAmountEndsTheRunAtItsNextBorder) {
  Table table;
  table.policy.budget.run = 1000;
  table.want(1);
  table.end(1, Fault::none, Table::used(1500));
  table.want(2);
  int questions = 0;
  while (table.asked().size() == 1 && questions < 10) {
    ++questions;
    table.see(workflow::Answered{table.asked()[0].question, "halt", "answers file"});
  }
  EXPECT_EQ(questions, 3);
  EXPECT_EQ(std::get<StopAsked>(table.heard.at(1)).how, Stop::paused);
}

TEST(Budget, StopEndsTheRunAtItsNextBorder) {
  Table table;
  table.policy.budget.tokens = 10;
  table.want(1);
  table.end(1, Fault::none, Table::used(1));
  table.want(2);
  EXPECT_THAT(table.asked()[0].text, HasSubstr("1100 tokens of 10 tokens"));
  table.see(workflow::Answered{fact::kFirstQuestion, "Stop", "me"});
  ASSERT_EQ(table.ends().size(), 1U);
  EXPECT_EQ(std::get<StopAsked>(table.heard[1]).how, Stop::paused);
}

TEST(Budget, SpendingIsSummedOverFaultsAndRestarts) {
  Table table;
  table.policy.budget.run = 1'000'000;
  table.want(1);
  table.end(1, Fault::overloaded, Table::used(400'000));
  table.wake();
  table.end(1, Fault::none, Table::used(400'000));
  table.crash();
  table.want(2);
  table.end(2, Fault::none, Table::used(300'000));
  table.want(3);
  EXPECT_THAT(table.started(), IsEmpty());
}

TEST(Budget, OfATaskHoldsThatTaskAlone) {
  Table table;
  table.policy.budget.task = 100;
  table.want(1, "T-1");
  table.end(1, Fault::none, Table::used(200));
  table.want(2, "T-1");
  EXPECT_THAT(table.started(), IsEmpty());
  EXPECT_EQ(table.asked()[0].task, "T-1");
  table.want(3, "T-2");
  EXPECT_EQ(table.call().agent, 3);
  EXPECT_FALSE(waits_for_person(table.state));
}

// The only thing that the workflow has heard in the newest turn.
AgentWaits waits(const Table& table) {
  const auto* one = table.heard.size() == 1 ? std::get_if<AgentWaits>(&table.heard[0]) : nullptr;
  return one == nullptr ? AgentWaits{} : *one;
}

TEST(Budget, WhoWaitsForOneGivesItsPlaceInTheLaneAndIsTheNext) {
  Table table;
  table.policy.budget.task = 100;
  const auto in_lane = [](int number, const std::string& task) {
    StartAgent start = Table::agent(number, task);
    start.lane = "developers";
    start.at_once = 1;
    return start;
  };
  table.want(1, "T-1");
  table.end(1, Fault::none, Table::used(200));
  table.ask(in_lane(2, "T-1"));
  EXPECT_THAT(table.started(), IsEmpty());
  EXPECT_EQ(waits(table), (AgentWaits{2, true, true}));
  table.ask(in_lane(3, "T-2"));
  EXPECT_EQ(table.call().agent, 3);
  const int question = fact::kFirstQuestion;
  table.see(Answered{question, "5", "anna"});
  EXPECT_THAT(table.started(), IsEmpty()) << "another works in its place";
  EXPECT_EQ(record_of(table.state, 2).hold, Hold::slot);
  EXPECT_EQ(waits(table), (AgentWaits{2, false, false}));
  EXPECT_FALSE(waits_for_person(table.state));
  table.end(3, Fault::none, Table::used(1));
  EXPECT_EQ(table.call().agent, 2);
}

TEST(Parking, OneWhoWaitsForItsServiceWithOthersOfItsLaneIsNotAlone) {
  Table table;
  StartAgent start = Table::agent(1);
  start.lane = "developers";
  start.at_once = 1;
  table.ask(start);
  EXPECT_THAT(table.heard, IsEmpty());
  table.limit(1, kStart + 600);
  EXPECT_EQ(waits(table), (AgentWaits{1, true, false}));
  table.wake();
  EXPECT_EQ(table.call().agent, 1);
  EXPECT_EQ(waits(table), (AgentWaits{1, false, false}));
}

TEST(WordsOfTheCaller, AreRecordedOnceAndAgainOnlyWhenTheyChange) {
  Table table;
  table.policy.given = {"provider=codex"};
  table.want(1);
  table.end(1, Fault::none);
  const auto given = [&] {
    std::vector<fact::WordsGiven> all;
    for (const fact::Fact& one : table.journal)
      if (const auto* words = std::get_if<fact::WordsGiven>(&one)) all.push_back(*words);
    return all;
  };
  EXPECT_THAT(given(), ElementsAre(fact::WordsGiven{{"provider=codex"}}));
  table.crash();
  EXPECT_EQ(table.state.given, table.policy.given);
  table.policy.given = {"provider=claude"};
  table.want(2);
  EXPECT_EQ(given().size(), 2U);
}

TEST(Budget, OfADayCountsOtherRunsAndIsOverAtMidnight) {
  Table table;
  table.policy.budget.day = 1000;
  const std::int64_t midnight = kStart + 86400;
  table.news(SpentElsewhere{900, "2026-01-01", midnight});
  table.want(1);
  table.end(1, Fault::none, Table::used(100));
  table.want(2);
  EXPECT_THAT(table.started(), IsEmpty());
  EXPECT_EQ(table.newest<fact::AgentHeld>().until, midnight);
  EXPECT_FALSE(waits_for_person(table.state)) << "it goes on by itself";
  ASSERT_FALSE(table.state.now.alarms.empty());
  table.seconds = midnight;
  table.turn({SupplyNews{SpentElsewhere{0, "2026-01-02", midnight + 86400}},
              SupplyNews{Woken{table.state.now.alarms.begin()->first}}});
  EXPECT_EQ(table.call().agent, 2);
  EXPECT_FALSE(table.state.questions.at(fact::kFirstQuestion).open) << "time has answered it";
}

TEST(Budget, WhoWorksFinishesUnlessItIsHard) {
  Table table;
  table.policy.budget.run = 1000;
  table.want(1);
  table.news(AgentSpends{1, Table::used(1500)});
  EXPECT_THAT(table.commands, IsEmpty());
  EXPECT_TRUE(table.newest<fact::BudgetReached>().all);
  table.want(2, "T-2");
  EXPECT_THAT(table.started(), IsEmpty()) << "what is being used counts";
}

TEST(Budget, TheNoticeComesWhileItWorksPricedByTheModelThatAnswers) {
  Table table;
  table.policy.budget.run = 1000;
  table.policy.prices["claude-x"] = {0, 10'000'000, 0, 0};
  table.want(1);
  TokenUse use;
  use.tokens_known = true;
  use.output = 50;
  table.news(AgentSpends{1, use, "claude-x"});
  EXPECT_THAT(table.all<fact::BudgetReached>(), IsEmpty());
  use.output = 80;
  table.news(AgentSpends{1, use, "claude-x"});
  ASSERT_EQ(table.all<fact::BudgetReached>().size(), 1U);
  EXPECT_EQ(table.newest<fact::BudgetReached>().spent, 800);
  EXPECT_FALSE(table.newest<fact::BudgetReached>().all);
  use.output = 90;
  table.news(AgentSpends{1, use, "claude-x"});
  EXPECT_EQ(table.all<fact::BudgetReached>().size(), 1U) << "once";
}

TEST(Budget, AHardOneEndsWhoWorksAndKeepsItsWorkAndItsAttempt) {
  Table table;
  table.policy.budget.run = 1000;
  table.policy.budget.hard = true;
  table.want(1);
  table.news(AgentSpends{1, Table::used(1500)});
  ASSERT_EQ(table.commands.size(), 1U);
  EXPECT_EQ(std::get<EndAgent>(table.commands[0]).agent, 1);
  table.news(AgentSpends{1, Table::used(1600)});
  EXPECT_THAT(table.commands, IsEmpty()) << "once";
  table.end(1, Fault::idle, Table::used(1600));
  EXPECT_THAT(table.heard, IsEmpty());
  EXPECT_EQ(table.newest<fact::AgentFaulted>().fault, Fault::over_budget);
  EXPECT_EQ(table.newest<fact::AgentHeld>().why, Hold::budget);
  ASSERT_EQ(table.asked().size(), 1U);
  table.see(workflow::Answered{fact::kFirstQuestion, "1", "me"});
  EXPECT_EQ(table.call().agent, 1);
  EXPECT_EQ(table.call().attempt, 2);
  EXPECT_TRUE(table.call().resume) << "it goes on in its session";
}

TEST(Budget, OneThatFinishedInTheLastMomentHasFinished) {
  Table table;
  table.policy.budget.run = 1000;
  table.policy.budget.hard = true;
  table.want(1);
  table.news(AgentSpends{1, Table::used(1500)});
  table.end(1, Fault::none, Table::used(1600));
  EXPECT_EQ(table.ends().size(), 1U);
}

TEST(Budget, OneWhoseServiceFailedInTheLastMomentHasMetThatFault) {
  Table table;
  table.policy.budget.run = 1000;
  table.policy.budget.hard = true;
  table.want(1);
  table.news(AgentSpends{1, Table::used(1500)});
  table.limit(1, kStart + 3600);
  EXPECT_EQ(table.newest<fact::AgentFaulted>().fault, Fault::usage_limit);
  EXPECT_TRUE(table.state.parked.contains("claude"));
}

TEST(Budget, WhatIsConfiguredLargerWhenTheRunIsTakenUpIsAnAnswer) {
  Table table;
  table.policy.budget.run = 1000;
  table.want(1);
  table.end(1, Fault::none, Table::used(1500));
  table.want(2);
  table.crash();
  table.policy.budget.run = 2000;
  table.want(2);
  EXPECT_EQ(table.call().agent, 2);
  EXPECT_FALSE(table.state.questions.at(fact::kFirstQuestion).open);
}

TEST(Budget, WhatIsNotKnownIsSaid) {
  Table table;
  table.policy.budget.run = 1000;
  table.want(1);
  table.end(1, Fault::none, {});
  EXPECT_EQ(table.state.without_cost, 1);
  table.want(2);
  table.end(2, Fault::none, Table::used(1500));
  table.want(3);
  EXPECT_THAT(table.asked()[0].text, HasSubstr("the cost of 1 call is not known"));
}

TEST(Budget, TokensAndAPriceAreACost) {
  Table table;
  table.policy.budget.run = 1000;
  table.policy.prices["gpt-5"] = {1'000'000, 10'000'000, 0, 0};
  table.want(1);
  AgentFinished finished = Table::ended(1, Fault::none);
  finished.facts.model = "gpt-5-2025-08-07";
  finished.facts.use.tokens_known = true;
  finished.facts.use.input = 500;
  finished.facts.use.output = 60;
  table.see(finished);
  EXPECT_EQ(table.newest<fact::AgentUsed>().use.cost_micros, 1100);
  EXPECT_TRUE(table.newest<fact::AgentUsed>().use.cost_known);
  table.want(2);
  EXPECT_THAT(table.started(), IsEmpty());
}

// By a kill, a crash, a power loss: the journal knows of its start alone, and its log of the rest.
TEST(Budget, ACallThatWasCutOffIsSpentAsFarAsItsLogTells) {
  Table table;
  table.policy.budget.run = 1'000'000;
  table.want(1);
  table.crash();
  workflow::CutOff cut_off{1, "T-1", "developer", 2, {}, "/logs/1-developer.log", "", ""};
  cut_off.facts.provider = "claude";
  cut_off.facts.model = "claude-x-1";
  cut_off.facts.use = Table::used(1'200'000);
  table.news(cut_off);
  EXPECT_EQ(table.newest<fact::AgentUsed>().fault, Fault::lost);
  EXPECT_EQ(table.newest<fact::AgentUsed>().log, "/logs/1-developer.log");
  EXPECT_EQ(table.state.spent.micros, 1'200'000);
  table.want(1);
  EXPECT_THAT(table.started(), IsEmpty()) << "a budget is not new with each start of Capsule";
  ASSERT_EQ(table.asked().size(), 1U);
  EXPECT_THAT(table.asked()[0].text, HasSubstr("1.20 of 1.00"));
}

TEST(Budget, ACallThatWasCutOffAndToldNothingIsCountedAsUnknown) {
  Table table;
  table.want(1);
  table.crash();
  table.news(workflow::CutOff{1, "T-1", "developer", 2, {}, "/logs/1-developer.log", "", ""});
  EXPECT_EQ(table.state.without_cost, 1);
  EXPECT_EQ(table.state.without_tokens, 1);
  table.want(1);
  EXPECT_FALSE(table.call().anew) << "its session is the workflow's matter";
  EXPECT_EQ(table.call().client_session, "");
}

// What a message that was given to it said, it has not done.
TEST(Budget, ACallThatWasCutOffHasHeardNothing) {
  Table table;
  table.news(workflow::MessageLeft{"m-1", "T-1", "use tabs", "me"});
  table.want(1);
  ASSERT_THAT(table.call().prompt.appended, HasSubstr("use tabs"));
  table.crash();
  table.news(workflow::CutOff{1, "T-1", "developer", 2, {}, "/logs/1-developer.log", "", ""});
  table.want(1);
  EXPECT_THAT(table.call().prompt.appended, HasSubstr("use tabs"));
}

TEST(Budget, APriceTimesWhateverIsToldStaysWithinWhatCanBeAddedUp) {
  Table table;
  table.policy.prices["claude"] = {std::int64_t{1} << 60, 1, 1, 1};
  TokenUse use;
  use.tokens_known = true;
  use.input = 1'000'000'000'000;
  for (int i = 1; i < 20; ++i) {
    table.want(i);
    table.end(i, Fault::none, use);
  }
  EXPECT_GT(table.state.spent.micros, 0);
}

}  // namespace
}  // namespace capsule::supply
