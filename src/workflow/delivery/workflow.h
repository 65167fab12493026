// The delivery, in the shape that the engine runs: WorkflowOf<delivery::Rules>. Whoever makes one
// gives it a State that knows its run (State::run): the ids of sessions follow from it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "workflow/delivery/delivery.h"

namespace capsule::delivery {

struct Rules {
  using State = delivery::State;
  using Fact = DeliveryFact;
  using Turn = delivery::Turn;

  static void apply(State& state, const Fact& fact) { delivery::apply(state, fact); }
  static Turn advance(State& state, const std::vector<Fact>& given,
                      const std::vector<Observation>& observations, const std::string&) {
    return delivery::advance(state, given, observations);
  }
  static workflow::RunSummary summary(const State& state) { return run_summary(state); }
  static std::string outcome(const State& state) {
    return state.outcome == Outcome::none ? std::string() : std::string(name_of(state.outcome));
  }
  static bool waits_for_person(const State& state) { return delivery::waits_for_person(state); }
  static bool paused(const State& state) { return state.paused; }
  static bool stopped(const State& state) { return delivery::stopped(state); }

  static std::string_view kind_of(const Fact& fact) { return event::delivery::kind_of(fact); }
  static std::string body_of(const Fact& fact) { return event::delivery::body_of(fact); }
  static Result<Fact> read_fact(std::string_view kind, std::string_view body) {
    return event::delivery::read_fact(kind, body);
  }
};

}  // namespace capsule::delivery
