// Headless auto mode as a workflow of the engine: what has happened goes in, facts and commands
// come out. Pure; one caller at a time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workflow/auto/run.h"
#include "workflow/step.h"
#include "workflow/summary.h"

namespace capsule::auto_mode {

// The trees of a run. The checkout is the user's own: it is looked at and kept in snapshots, but
// never put back, merged or removed.
inline constexpr std::string_view kTree = "auto";
inline constexpr std::string_view kCheckout = "checkout";

// What a person is asked now. Requires: Step::approve.
workflow::Waiting waiting_of(const Run& run);

struct Rules {
  using State = Run;
  using Fact = fact::Fact;
  struct Turn {
    std::vector<Fact> facts;
    std::vector<workflow::Command> commands;
  };

  static void apply(State& run, const Fact& fact) { auto_mode::apply(run, fact); }
  // Given: Started in a new run; Resumed in one that has ended, which is recorded once what a
  // person did there is kept; Ended in one that nobody works on. The simulation gives a broken
  // `apply`, to show that it notices.
  using Apply = void (*)(State&, const Fact&);
  static Turn advance(State& run, std::vector<Fact> given,
                      const std::vector<workflow::Observation>& observations, const std::string& at,
                      Apply apply = auto_mode::apply);
  static workflow::RunSummary summary(const State& run);
  static std::string outcome(const State& run);  // empty: not ended
  // Ended, and about to go on: that is recorded when what is there is kept.
  static bool resuming(const State& run) { return run.under_way.what == UnderWay::What::keeping; }
  static bool waits_for_person(const State& run) {
    return run.step == Step::approve && run.asked.question != 0;
  }
  // A stop is recorded as an end; only a question that nobody answered stays open.
  static bool stopped(const State& run) {
    return run.step == Step::approve && run.under_way.stop.has_value();
  }

  static std::string_view kind_of(const Fact& fact) { return fact::kind_of(fact); }
  static std::string body_of(const Fact& fact) { return fact::body_of(fact); }
  static Result<Fact> read_fact(std::string_view kind, std::string_view body) {
    return fact::read_fact(kind, body);
  }
};

}  // namespace capsule::auto_mode
