// A run of auto mode at a table: the test plays the world. Tests only.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "workflow/auto/workflow.h"

namespace capsule::auto_mode {

using event::Fault;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace workflow;  // NOLINT: the vocabulary is what these tests are about

inline constexpr const char* kAt = "2026-01-01T00:00:05.000Z";

// A run, what was recorded of it, and the newest commands.
struct Driver {
  Run run;
  std::vector<fact::Fact> journal;
  std::vector<Command> commands;

  Driver() { run.id = "run-1"; }

  void take(Rules::Turn turn) {
    journal.insert(journal.end(), turn.facts.begin(), turn.facts.end());
    commands = std::move(turn.commands);
    // Where nothing else is said, the checks are green before anybody works.
    const auto* check = commands.empty() ? nullptr : std::get_if<Check>(&commands[0]);
    if (check == nullptr || check->names != std::vector<std::string>{"baseline"}) return;
    Checked green;
    green.baseline = event::Baseline::green;
    see(green);
  }
  void given(fact::Fact one) { take(Rules::advance(run, {std::move(one)}, {}, kAt)); }
  void see(const Observation& one) { take(Rules::advance(run, {}, {one}, kAt)); }

  // The process ends, and another one takes the run up.
  void crash(const TakenUp& taken_up = {}) {
    run = {};
    run.id = "run-1";
    for (const fact::Fact& one : journal) apply(run, one);
    see(taken_up);
  }

  template <class C>
  const C& only() const {
    static const C none{};
    EXPECT_EQ(commands.size(), 1U);
    if (commands.empty()) return none;
    const C* typed = std::get_if<C>(&commands.front());
    EXPECT_NE(typed, nullptr) << name_of(commands.front());
    return typed == nullptr ? none : *typed;
  }
  std::vector<std::string> kinds() const {
    std::vector<std::string> names;
    for (const fact::Fact& one : journal) names.emplace_back(fact::kind_of(one).substr(5));
    return names;
  }
  template <class F>
  const F& newest() const {
    return std::get<F>(journal.back());
  }

  // The agent that runs ends with these signals.
  void says(std::vector<std::string> signals, const std::string& text = "") {
    const auto& start = only<StartAgent>();
    see(ended(start.agent, Fault::none, BlockWords{std::move(signals), "", false, text}));
  }
  static AgentFinished ended(int agent, Fault fault, Words words = {}) {
    AgentFinished ended;
    ended.agent = agent;
    ended.fault = fault;
    ended.words = std::move(words);
    ended.detail = "no such program";
    ended.log = "log-" + std::to_string(agent);
    ended.duration_ms = 10;
    ended.cost_micros = 3;
    return ended;
  }
  void opened() { see(TreeOpened{"auto", "folder", "branch", "base"}); }
};

inline fact::Started plain() {
  fact::Started started;
  started.task = "Do it\nwell";
  started.provider = "claude";
  return started;
}

inline Driver at_work(const fact::Started& started = plain()) {
  Driver driver;
  driver.given(started);
  driver.opened();
  return driver;
}

inline const std::vector<std::string> kUpToQa{"EXPANSION_COMPLETE", "INIT_COMPLETE",
                                              "PLANNING_COMPLETE", "EXECUTION_COMPLETE"};

inline Driver in_review(bool parallel = true) {
  fact::Started started = plain();
  started.skip_qa = true;
  started.parallel = parallel;
  Driver driver = at_work(started);
  driver.says(kUpToQa);
  return driver;
}

inline Driver in_merge() {
  Driver driver = at_work();
  driver.says({"AUTO_COMPLETE"});
  return driver;
}

inline AgentFinished verdict(int agent, const std::string& text) {
  AgentFinished ended = Driver::ended(agent, Fault::none, VerdictWords{text});
  ended.began_at = "a";
  ended.ended_at = "b";
  return ended;
}

}  // namespace capsule::auto_mode
