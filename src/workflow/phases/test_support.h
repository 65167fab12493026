// A run of phases at a table: the test plays the world. Tests only.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "workflow/phases/phases.h"

namespace capsule::phases {

using namespace event;
namespace flow = capsule::workflow;

struct Play {
  State s;
  std::vector<PipelineFact> facts;
  std::vector<flow::Command> commands;  // of the newest turn

  explicit Play(Definition definition = {}) {
    RunStarted started{"demo-1", "Title", "claude", 3, Convergence::stop, std::move(definition),
                       ""};
    take(phases::advance(s, {started}, {}, "t"));
  }
  void take(Turn turn) {
    facts.insert(facts.end(), turn.facts.begin(), turn.facts.end());
    commands = std::move(turn.commands);
    // Where nothing else is said, the checks are green before anybody works.
    const auto* check = commands.empty() ? nullptr : std::get_if<flow::Check>(&commands[0]);
    if (!answers_baseline || check == nullptr ||
        check->names != std::vector<std::string>{"baseline"})
      return;
    flow::Checked green;
    green.number = check->number;
    green.baseline = Baseline::green;
    see({green});
  }
  bool answers_baseline = true;
  void see(std::vector<flow::Observation> observations) {
    take(phases::advance(s, {}, observations, "t"));
  }
  template <class T>
  const T& command(std::size_t i = 0) {
    EXPECT_LT(i, commands.size());
    EXPECT_TRUE(std::holds_alternative<T>(commands.at(i))) << name_of(commands.at(i));
    return std::get<T>(commands.at(i));
  }
  template <class T>
  const T& fact() const {
    EXPECT_TRUE(std::holds_alternative<T>(facts.back())) << kind_of(facts.back());
    return std::get<T>(facts.back());
  }
  void prepare() {
    command<flow::PlanTree>();
    see({flow::TreePlanned{"demo-1", "/w", "capsule-demo-1", "abc"}});
    command<flow::OpenTree>();
    see({flow::TreeOpened{"demo-1", "/w", "capsule-demo-1", "abc"}});
  }
  static flow::AgentFinished said(int agent, Status status, std::string feedback = "f") {
    flow::AgentFinished finished;
    finished.agent = agent;
    flow::ContractWords words;
    words.signal.status = status;
    words.signal.feedback = std::move(feedback);
    finished.words = words;
    return finished;
  }
  // The agent that was started ends; its tree is kept and checked.
  void phase(const std::string& expected, Status status, std::string feedback = "f") {
    const auto& start = command<flow::StartAgent>();
    EXPECT_EQ(start.role, expected);
    see({said(start.agent, status, std::move(feedback))});
    keep_and_check();
  }
  void keep_and_check() {
    const auto& keep = command<flow::Keep>();
    see({flow::Kept{"demo-1", "refs/" + keep.label, "c-" + keep.label, "t-" + keep.label, "h"}});
    if (!commands.empty() && std::holds_alternative<flow::Check>(commands.front())) {
      flow::Checked checked;
      checked.number = std::get<flow::Check>(commands.front()).number;
      see({checked});
    }
  }
  void to_merge() {
    prepare();
    for (const char* name : {"test-writer", "test-review", "execute", "execute-review", "sign-off"})
      phase(name, Status::pass);
    EXPECT_EQ(command<flow::Check>().names, std::vector<std::string>{"signed-off"});
    see({flow::Checked{}});
    phase("merge", Status::pass);
  }
};

// What a new process makes of the facts so far.
inline State replayed(const std::vector<PipelineFact>& facts) {
  State s;
  for (const PipelineFact& fact : facts) phases::apply(s, fact);
  return s;
}

inline PhaseRule rule(const char* name, int stage = 2) {
  PhaseRule phase;
  phase.name = name;
  phase.prompt = "prompts/" + phase.name + ".md";
  phase.stage = stage;
  return phase;
}

// A plan that a person approves, and code on its branch.
inline Definition spike() {
  Definition definition;
  definition.name = "spike";
  PhaseRule plan = rule("plan");
  plan.approval = true;
  definition.phases = {plan, rule("code", 3)};
  definition.finish = Finish::branch;
  return definition;
}

}  // namespace capsule::phases
