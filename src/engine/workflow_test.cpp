// Any workflow, with workflow/supply between it and the world.
#include "engine/workflow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capsule::engine {
namespace {

using namespace workflow;  // NOLINT: the vocabulary is what these tests are about
using event::Fault;

constexpr const char* kAt = "2026-01-01T00:00:00.000Z";

// Starts one agent, and says what it heard of it.
struct Rules {
  using Fact = std::string;
  struct State {
    std::string run;
    std::string heard, outcome;
    std::optional<Stop> stop;
    bool stopped = false;
  };
  struct Turn {
    std::vector<Fact> facts;
    std::vector<Command> commands;
  };
  static void apply(State& state, const Fact& fact) {
    if (fact.starts_with("ended")) state.outcome = fact;
    state.heard += fact + ";";
  }
  static Turn advance(State& state, std::vector<Fact> given,
                      const std::vector<Observation>& observations, const std::string&) {
    Turn turn;
    const auto record = [&](const Fact& fact) {
      apply(state, fact);
      turn.facts.push_back(fact);
    };
    for (const Fact& fact : given) {
      record(fact);
      StartAgent start;
      start.agent = 1;
      start.role = "execute";
      start.session = "s";
      turn.commands.emplace_back(start);
    }
    for (const Observation& one : observations) {
      if (const auto* finished = std::get_if<AgentFinished>(&one))
        record("ended " + std::string(event::name_of(finished->fault)));
      else
        record(std::string(name_of(one)));
    }
    return turn;
  }
  static RunSummary summary(const State& state) {
    RunSummary summary;
    AgentSummary agent;
    agent.number = 1;
    agent.running = state.outcome.empty();
    summary.agents.push_back(agent);
    summary.outcome = state.outcome;
    return summary;
  }
  static std::string outcome(const State& state) { return state.outcome; }
  static bool waits_for_person(const State&) { return false; }
  static bool stopped(const State& state) { return state.stopped; }
  static std::string_view kind_of(const Fact&) { return "heard"; }
  static std::string body_of(const Fact& fact) { return fact; }
  static Result<Fact> read_fact(std::string_view, std::string_view body) {
    return std::string(body);
  }
};

std::vector<std::string> kinds_of(const Turn& turn) {
  std::vector<std::string> kinds;
  for (const event::NewFact& fact : turn.facts) kinds.push_back(fact.kind);
  return kinds;
}

AgentFinished ended(Fault fault) {
  AgentFinished finished;
  finished.agent = 1;
  finished.fault = fault;
  return finished;
}

supply::Policy claude() {
  supply::Policy policy;
  policy.other_phases = {{"claude", ""}};
  return policy;
}

TEST(WorkflowOf, AFaultOfTheServiceIsRecordedAndTheWorkflowHearsNothingOfIt) {
  WorkflowOf<Rules> workflow({}, claude());
  workflow.given({"begin"}, kAt);
  const Turn turn = workflow.advance({ended(Fault::overloaded)}, kAt);
  EXPECT_THAT(kinds_of(turn), testing::ElementsAre("supply_agent_used", "supply_agent_faulted",
                                                   "supply_agent_held"));
  EXPECT_EQ(workflow.state().heard, "begin;");
  EXPECT_FALSE(workflow.ended());
  ASSERT_EQ(turn.commands.size(), 1U);
  EXPECT_EQ(name_of(turn.commands[0]), "supply_order");
  EXPECT_EQ(workflow.summary().waits.size(), 1U);
}

TEST(WorkflowOf, ItsFactsAndThoseOfSupplyAreToldApartWhenTheyAreReadAgain) {
  WorkflowOf<Rules> workflow({}, claude());
  std::vector<event::NewFact> facts = workflow.given({"begin"}, kAt).facts;
  for (const event::NewFact& fact : workflow.advance({ended(Fault::unauthorised)}, kAt).facts)
    facts.push_back(fact);
  EXPECT_TRUE(workflow.waits_for_person());
  WorkflowOf<Rules> again({}, claude());
  for (const event::NewFact& fact : facts)
    ASSERT_TRUE(again.apply({1, "run", fact.kind, fact.at, fact.body}));
  EXPECT_EQ(again.state().heard, "begin;");
  EXPECT_TRUE(again.supply().parked.contains("claude"));
  EXPECT_EQ(again.summary().standing, Standing::waiting);
  EXPECT_FALSE(again.apply({1, "run", "supply_unheard_of", kAt, "{}"}));
}

TEST(WorkflowOf, WhatTheWorkflowHearsOfAnAgentThatWaitsIsPartOfTheSameTurn) {
  WorkflowOf<Rules> workflow({}, claude());
  workflow.given({"begin"}, kAt);
  workflow.advance({ended(Fault::overloaded)}, kAt);
  const Turn turn = workflow.advance({StopAsked{Stop::paused}}, kAt);
  EXPECT_EQ(workflow.state().heard, "begin;ended interrupted;stop_asked;");
  ASSERT_TRUE(turn.ending);
  EXPECT_EQ(turn.ending->outcome, "ended interrupted");
}

TEST(WorkflowOf, AStartThatWouldHaveToWaitWhileTheRunStopsIsAnsweredAtOnce) {
  WorkflowOf<Rules> workflow({}, claude());
  SupplyNews parked{ParkedElsewhere{"claude", 0, false, Fault::no_credit, ""}};
  workflow.advance({parked, StopAsked{Stop::paused}}, kAt);
  const Turn turn = workflow.given({"begin"}, kAt);
  EXPECT_EQ(workflow.state().heard, "stop_asked;begin;ended interrupted;");
  EXPECT_TRUE(turn.commands.empty());
}

}  // namespace
}  // namespace capsule::engine
