// The variables that every agent gets, whatever the workflow.
#pragma once

#include <string>
#include <vector>

#include "process/program.h"
#include "workflow/step.h"

namespace capsule::world {

// CAPSULE_RUN, _BEAD, _PHASE, _ROLE, _TASK, _ATTEMPT, _WORKTREE and _AGENT, all of them always:
// what an agent's own surroundings say must not shine through. Empty where there is none; bead and
// phase are those of workflows whose agents are configured by phase. After what `start` has of its
// own, which cannot replace one of them. In a worktree of ours git looks for no repository above
// it (git/pin.h).
std::vector<process::EnvChange> environment_of(const std::string& run,
                                               const workflow::StartAgent& start,
                                               const std::string& folder);

// The values of variables, inherited or changed like that, that nobody should read in a log.
std::vector<std::string> secrets_of(const std::vector<process::EnvChange>& changes);

}  // namespace capsule::world
