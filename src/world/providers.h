// From configuration to agents: which program a provider's name stands for.
#pragma once

#include <string_view>

#include "agent/provider.h"
#include "event/definition.h"
#include "workflow/step.h"
#include "world/project.h"

namespace capsule::world {

// For a phase that is run by hand: with the arguments of the specification, printing text. `bead`
// chooses the cassette of the rehearsal agent. Error usage names the providers that there are.
Result<agent::Provider> provider_named(const Project& project, std::string_view name,
                                       std::string_view phase, std::string_view bead);

// The agent for a role of a delivery. Error usage: as above.
Result<agent::Provider> provider_for_role(const Project& project, std::string_view role);

// The agent, and its time limit, for what a workflow starts: as the workflow states it, else as the
// configuration has it for that phase or role.
Result<agent::PhaseSettings> agent_settings(const Project& project,
                                            const workflow::StartAgent& start);

// The same by hand.
Result<agent::PhaseSettings> settings_of(const Project& project, const event::PhaseRule& phase,
                                         std::string_view bead);

}  // namespace capsule::world
