// What any workflow can ask of the world (commands) and what the world can tell it (observations):
// one vocabulary for all of them. Values only: whoever carries a command out never sees a
// workflow's state, and a workflow never sees a clock, disk, process or repository.
//
// Each command but EndAgent, Park and Unpark is answered by exactly one observation, sooner or
// later: the one that is named beside it, or CommandFailed. Every command may be given again after
// a crash; the world then finds what is done already and says so.
#pragma once

#include <string>
#include <string_view>

#include "workflow/command.h"
#include "workflow/observation.h"

namespace capsule::workflow {

// The N-th time that agents of a phase fail by themselves ends it, where the workflow has no limit
// of its own for that.
inline constexpr int kOwnFaults = 3;

// Main may be moved by others while we merge; every try merges anew on the newest main. One rule
// for all workflows.
inline constexpr int kMergeTries = 20;

// The id of a session for an agent's client, in the form of a random UUID; it follows from the run
// and the agent that began it, so that it is known again after a crash.
std::string session_id(std::string_view run, int agent);

}  // namespace capsule::workflow
