// What a caller wants of a bead: to run it, to prepare it, to merge it. Each finds out which run is
// meant, and carries that on.
#pragma once

#include <string>

#include "ui/terminal.h"
#include "workflow/phases/phases.h"
#include "world/project.h"

namespace capsule::run {

struct BeadOrder {
  // Empty: that of the run which goes on or is started over, or else the pipeline.
  std::string workflow;
  std::string branch;            // that such a workflow looks at; empty: the same
  event::Integrate integrate{};  // unsaid: as the workflow or the project says
  bool resume = false;           // go on with a run that has ended
  bool clean = false;            // start over; not with `resume`
};
// Takes the bead to its end, and shows that. Returns the exit code. A run that was cut off goes on
// by itself. Errors: refused (the bead is closed), blocked (by another bead, or a process works on
// it), exists (there is a worktree, and the order does not say what to do with it), not_found (the
// branch), usage (also: another workflow or branch than that of the run which goes on), those of
// the world.
Result<int> run_bead(world::Project project, const std::string& bead, const BeadOrder& order,
                     ui::Look look);

// Makes worktree and worklog; where they are is in the state. Errors as above, and failed.
Result<phases::State> prepare_bead(world::Project project, const std::string& bead, ui::Look look);

// Merges a signed-off worktree. Error not_found: there is none.
Result<int> merge_bead(world::Project project, const std::string& bead, ui::Look look);

}  // namespace capsule::run
