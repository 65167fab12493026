// Calls of agents that ended with the process of Capsule that made them, by a kill, a crash or a
// power loss: nobody recorded what they used, but their logs tell it as far as it came. Reads only.
#pragma once

#include <vector>

#include "event/fact.h"
#include "workflow/step.h"
#include "world/runs.h"

namespace capsule::world {

// Of agents that had not ended by `run`, in the order of their logs; those that `facts` know are
// left out. To be asked before the run is taken up: logs that are written from then on are of calls
// that somebody records.
std::vector<workflow::CutOff> cut_off_calls(const Project& project, const Run& run,
                                            const std::vector<event::Fact>& facts);

}  // namespace capsule::world
