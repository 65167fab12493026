// Supply at a table: the test plays the workflow and the world. Tests only.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "workflow/supply/supply.h"

namespace capsule::supply {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using namespace workflow;  // NOLINT: the vocabulary is what these tests are about

inline constexpr std::int64_t kStart = 1'767'225'600;  // 2026-01-01T00:00:00Z

struct Table {
  State state;
  Policy policy;
  std::vector<fact::Fact> journal;
  std::vector<Command> commands;   // of the newest turn
  std::vector<Observation> heard;  // by the workflow, in the newest turn
  std::int64_t seconds = kStart;

  Table() {
    state.run = "run-1";
    policy.other_phases = policy.other_roles = {{"claude", ""}};
  }
  void with_fallback() {
    policy.other_phases = policy.other_roles = {{"claude", "opus"}, {"codex", "gpt-5"}};
  }

  // Of the second day of the year at most.
  std::string at() const {
    const std::int64_t of = seconds - kStart;
    char text[40];
    std::snprintf(text, sizeof text, "2026-01-%02dT%02d:%02d:%02d.000Z",
                  static_cast<int>(of / 86400) + 1, static_cast<int>(of / 3600 % 24),
                  static_cast<int>(of / 60 % 60), static_cast<int>(of % 60));
    return text;
  }

  void turn(std::vector<Observation> observations, std::vector<Command> asked = {}) {
    const std::string now = at();
    Turn turn(state, policy, now);
    heard = turn.hear(std::move(observations));
    for (Observation& one : turn.settle(std::move(asked))) heard.push_back(std::move(one));
    for (fact::Fact& one : turn.take_facts()) journal.push_back(std::move(one));
    commands = std::move(turn.commands);
  }
  void see(Observation one) { turn({std::move(one)}); }
  template <class News>
  void news(News one) {
    turn({SupplyNews{std::move(one)}});
  }
  void ask(Command command) { turn({}, {std::move(command)}); }

  static StartAgent agent(int number, const std::string& task = "T-1") {
    StartAgent start;
    start.agent = number;
    start.role = "developer";
    start.settings = Settings::role;
    start.task = task;
    start.attempt = 2;
    start.tree = task;
    start.settle = Settle::keep;
    start.dialect = Dialect::line;
    start.prompt.file = "prompts/delivery/developer.md";
    start.session = "session-" + std::to_string(number);
    return start;
  }
  void want(int number, const std::string& task = "T-1") { ask(agent(number, task)); }

  static TokenUse used(std::int64_t micros, std::int64_t output = 100) {
    TokenUse use;
    use.tokens_known = use.cost_known = true;
    use.input = 1000;
    use.output = output;
    use.cost_micros = micros;
    use.turns = 1;
    return use;
  }
  static AgentFinished ended(int number, Fault fault, TokenUse use = {}) {
    AgentFinished finished;
    finished.agent = number;
    finished.fault = fault;
    finished.words = LineWords{};
    finished.facts.use = use;
    finished.facts.words = fault == Fault::none ? "" : "API Error: it failed";
    return finished;
  }
  void end(int number, Fault fault, TokenUse use = {}) { see(ended(number, fault, use)); }
  void limit(int number, std::int64_t reset) {
    AgentFinished finished = ended(number, Fault::usage_limit);
    finished.facts.reset_at = reset;
    see(finished);
  }
  // The alarm that is set goes off.
  void wake() {
    ASSERT_FALSE(state.now.alarms.empty());
    const auto [id, ms] = *state.now.alarms.begin();
    seconds = std::max(seconds, (ms + 999) / 1000);
    news(Woken{id});
  }
  // The process ends; another one knows what was recorded.
  void crash() {
    state = {};
    state.run = "run-1";
    for (const fact::Fact& one : journal) supply::apply(state, one);
    commands.clear();
    heard.clear();
  }

  std::vector<std::string> kinds() const {
    std::vector<std::string> names;
    for (const fact::Fact& one : journal)
      names.emplace_back(fact::kind_of(one).substr(fact::kPrefix.size()));
    return names;
  }
  template <class F>
  std::vector<F> all() const {
    std::vector<F> found;
    for (const fact::Fact& one : journal)
      if (const F* typed = std::get_if<F>(&one)) found.push_back(*typed);
    return found;
  }
  template <class F>
  F newest() const {
    const std::vector<F> found = all<F>();
    EXPECT_FALSE(found.empty());
    return found.empty() ? F{} : found.back();
  }
  // Of the newest turn's commands.
  std::vector<StartAgent> started() const {
    std::vector<StartAgent> found;
    for (const Command& one : commands)
      if (const auto* start = std::get_if<StartAgent>(&one)) found.push_back(*start);
    return found;
  }
  StartAgent call() const {
    const std::vector<StartAgent> found = started();
    EXPECT_EQ(found.size(), 1U);
    return found.empty() ? StartAgent{} : found.front();
  }
  template <class Order>
  std::vector<Order> orders() const {
    std::vector<Order> found;
    for (const Command& one : commands)
      if (const auto* order = std::get_if<SupplyOrder>(&one))
        if (const auto* typed = std::get_if<Order>(&order->what)) found.push_back(*typed);
    return found;
  }
  std::vector<Ask> asked() const {
    std::vector<Ask> found;
    for (const Command& one : commands)
      if (const auto* ask = std::get_if<Ask>(&one)) found.push_back(*ask);
    return found;
  }
  // What the workflow heard of the ends of agents.
  std::vector<AgentFinished> ends() const {
    std::vector<AgentFinished> found;
    for (const Observation& one : heard)
      if (const auto* finished = std::get_if<AgentFinished>(&one)) found.push_back(*finished);
    return found;
  }
};

}  // namespace capsule::supply
