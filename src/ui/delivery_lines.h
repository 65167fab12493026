// A delivery as lines: for people without a terminal, for programs, and the report at its end.
// Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ui/style.h"
#include "workflow/delivery/delivery.h"

namespace capsule::ui {

// Tells fact after fact, in the order of the journal.
class Narrator {
 public:
  explicit Narrator(Style style) : style_(style) {}
  // A line that tells the fact, ended by a line feed; empty when it is not worth one. `after` is
  // the state after the whole step.
  std::string line(const event::delivery::DeliveryFact& fact, const delivery::State& after);

 private:
  struct Who {
    std::string task;
    signal::Role role{};
  };
  Style style_;
  std::map<int, Who> agents_;  // that were dispatched and have not ended
};

// The fact as one JSON object on a line: {"event":kind,"at":time,"run":id, …members}.
std::string delivery_json(const event::delivery::DeliveryFact& fact, const std::string& run,
                          const std::string& at);

// The last line of --json: {"event":"delivery_finished","completed":[…],"failed":[…],"waiting":[…]}
std::string delivery_finished_json(const delivery::State& state);

// What a person reads at the end.
std::string delivery_summary(const delivery::State& state, const Style& style);

// Per task: attempts, verdicts, files, duration, questions and answers.
std::string delivery_report(const delivery::State& state, const std::string& run);

// "review", "development (attempt 2)", "waits for a person", …
std::string standing_of(const delivery::State& state, const delivery::TaskState& task);

}  // namespace capsule::ui
