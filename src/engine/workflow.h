// A workflow as the runner sees it: whatever it is about, it folds facts, and answers observations
// with facts and commands. `WorkflowOf` makes one out of a workflow's data and pure functions, and
// puts workflow/supply between it and the world: facts of that are told apart by their kind.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/journal.h"
#include "engine/run.h"
#include "event/fact.h"
#include "workflow/step.h"
#include "workflow/summary.h"
#include "workflow/supply/supply.h"

namespace capsule::engine {

// What one step of a workflow comes to. The facts are to be recorded, all of them at once, before
// the first command is carried out.
struct Turn {
  std::vector<event::NewFact> facts;
  std::vector<workflow::Command> commands;
  std::optional<Ending> ending;  // the run ends, or goes on after it had ended
};

class Workflow {
 public:
  virtual ~Workflow() = default;
  // Folds a fact of the journal. Error damaged: it is none of this workflow's.
  virtual Result<void> apply(const event::Fact& fact) = 0;
  virtual Turn advance(std::vector<workflow::Observation> observations, const std::string& at) = 0;
  virtual workflow::RunSummary summary() const = 0;
  virtual bool ended() const = 0;
  // Nothing runs, and only an answer brings it on.
  virtual bool waits_for_person() const = 0;
  // A person asked to stop, and all that had to be done for that is done; it has not ended.
  virtual bool stopped() const = 0;
};

// `Rules` states a workflow:
//   using State, Fact                    values; a State is made empty and can be copied. Where it
//                                        has `at`, that is the time of the facts that are folded
//   struct Turn { std::vector<Fact> facts; std::vector<workflow::Command> commands; };
//   static void apply(State&, const Fact&)
//   static Turn advance(State&, std::vector<Fact> given, const std::vector<Observation>&, at)
//   static workflow::RunSummary summary(const State&)
//   static std::string outcome(const State&)          name in the journal; empty: not ended
//   static bool waits_for_person(const State&), stopped(const State&)
//   static bool paused(const State&)                  it has not ended, and was stopped for a
//   while;
//                                                     may be left out: never
//   static bool resuming(const State&)                it has ended, and goes on once what it asked
//                                                     for is observed; may be left out: never
//   static kind_of(Fact), body_of(Fact), read_fact(kind, body)
// `Supply` is replaced by the simulation alone.
template <class Rules, class Supply = supply::Rules>
class WorkflowOf : public Workflow {
 public:
  using State = typename Rules::State;
  using Fact = typename Rules::Fact;

  explicit WorkflowOf(State state = {}, supply::Policy policy = {})
      : state_(std::move(state)), policy_(std::move(policy)) {
    if constexpr (requires { state_.run; }) supply_.run = state_.run;
    if constexpr (requires { state_.id; }) supply_.run = state_.id;
  }

  Result<void> apply(const event::Fact& fact) override {
    keep_time(fact.at);
    if (event::supply::is_supply(fact.kind))
      Supply::apply(supply_, TRY(Supply::read_fact(fact.kind, fact.body)));
    else
      Rules::apply(state_, TRY(Rules::read_fact(fact.kind, fact.body)));
    return {};
  }
  Turn advance(std::vector<workflow::Observation> observations, const std::string& at) override {
    return turn_of({}, std::move(observations), at);
  }
  // What a person decided, not the world: a start, a resumption, a changed plan. In the first turn
  // of a process, with World::standing().
  Turn given(std::vector<Fact> facts, const std::string& at,
             std::vector<workflow::Observation> standing = {}) {
    return turn_of(std::move(facts), std::move(standing), at);
  }
  workflow::RunSummary summary() const override {
    workflow::RunSummary summary = Rules::summary(state_);
    supply::complete(summary, supply_);
    return summary;
  }
  bool ended() const override {
    if constexpr (requires { Rules::resuming(state_); })
      if (Rules::resuming(state_)) return false;
    return !Rules::outcome(state_).empty();
  }
  bool waits_for_person() const override {
    return Rules::waits_for_person(state_) || supply::waits_for_person(supply_);
  }
  bool stopped() const override { return Rules::stopped(state_); }
  const State& state() const { return state_; }
  const supply::State& supply() const { return supply_; }

 private:
  // When the facts were made that are folded next, where a state wants to know: since when
  // something waits.
  void keep_time(const std::string& at) {
    if constexpr (requires { state_.at = at; }) state_.at = at;
    supply_.at = at;
  }
  Turn turn_of(std::vector<Fact> facts, std::vector<workflow::Observation> observations,
               const std::string& at) {
    keep_time(at);
    const std::string before = standing_in_head();
    Turn turn;
    supply::Turn passing(supply_, policy_, at, Supply::apply);
    const auto add_supplied = [&] {
      for (const event::supply::Fact& fact : passing.take_facts())
        turn.facts.push_back(
            {std::string(event::supply::kind_of(fact)), at, Supply::body_of(fact)});
    };
    std::vector<workflow::Observation> heard = Supply::hear(passing, std::move(observations));
    do {
      // A run begins with its own first fact.
      if (facts.empty()) add_supplied();
      auto decided = Rules::advance(state_, std::exchange(facts, {}), heard, at);
      turn.facts.reserve(turn.facts.size() + decided.facts.size());
      for (const Fact& fact : decided.facts)
        turn.facts.push_back({std::string(Rules::kind_of(fact)), at, Rules::body_of(fact)});
      heard = Supply::settle(passing, std::move(decided.commands));
    } while (!heard.empty());
    add_supplied();
    turn.commands = std::move(passing.commands);
    const std::string after = standing_in_head();
    if (after != before) turn.ending = Ending{Rules::outcome(state_).empty() ? "" : at, after};
    return turn;
  }
  // The outcome as the head of the run has it.
  std::string standing_in_head() const {
    std::string outcome = Rules::outcome(state_);
    if constexpr (requires { Rules::paused(state_); })
      if (outcome.empty() && Rules::paused(state_)) return std::string(kPaused);
    return outcome;
  }
  State state_;
  supply::State supply_;
  supply::Policy policy_;
};

}  // namespace capsule::engine
