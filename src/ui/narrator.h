// What a face asks of a workflow, to tell its facts to people in lines. One for each workflow; they
// read the typed state, by a reference to that of the workflow that runs, and never change it.
#pragma once

#include <string>
#include <string_view>

#include "event/fact.h"
#include "workflow/progress.h"

namespace capsule::ui {

class Narrator {
 public:
  virtual ~Narrator() = default;
  // Takes a fact in, in the order of the journal, and returns the lines that tell it, each ended by
  // a line feed; nothing when it is not worth one. The state is that after the whole step.
  virtual std::string on_fact(const event::NewFact& fact) = 0;
  // The same for one of the project's own commands, when it begins and when it has ended.
  virtual std::string on_check(const workflow::CheckProgress& check) = 0;
  // Whether the lines are told above the picture too; otherwise the picture says it all.
  virtual bool lines_above_board() const { return true; }
  // Before lines of others about what goes on, so that they stand below its own.
  virtual std::string_view indent() const { return {}; }
};

}  // namespace capsule::ui
