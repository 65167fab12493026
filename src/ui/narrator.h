// Tells the facts of a run to people, each in a line. One for each workflow. A line is a fact in
// words: what it needs beyond the fact itself is drawn from the view, and nothing is folded here.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/journal.h"
#include "event/fact.h"
#include "ui/style.h"
#include "ui/view/one_run.h"
#include "workflow/progress.h"

namespace capsule::ui {

class Narrator {
 public:
  virtual ~Narrator() = default;
  // Takes a fact in, in the order of the journal, and returns the lines that tell it, each ended by
  // a line feed; nothing when it is not worth one. `shown` is as it is after the whole step.
  virtual std::string on_fact(const event::NewFact& fact, view::OneRun& shown) = 0;
  // The same for one of the project's own commands, when it begins and when it has ended.
  virtual std::string on_check(const workflow::CheckProgress& check) = 0;
  // Whether the lines are told above the picture too; otherwise the picture says it all.
  virtual bool lines_above_board() const { return true; }
  // Before lines of others about what goes on, so that they stand below its own.
  virtual std::string_view indent() const { return {}; }
};

// Of a run of phases: its stages, and the verdict of each phase.
std::unique_ptr<Narrator> phases_narrator(Style style);
// Of a delivery: a line for each event.
std::unique_ptr<Narrator> delivery_narrator(Style style);
// Of auto mode: its phases, checks and reviews.
std::unique_ptr<Narrator> auto_narrator(Style style);
// Of whichever workflow it is.
std::unique_ptr<Narrator> narrator_of(const engine::RunHead& head, Style style);

// What changed around a run, told with the agents that worked then.
std::string ground_words(const event::GroundMoved& moved, view::OneRun& shown);

}  // namespace capsule::ui
