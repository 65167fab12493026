// What the configuration says about agents' services and costs, as workflow/supply wants it. Pure.
#pragma once

#include "config/config.h"
#include "event/definition.h"
#include "workflow/supply/policy.h"
#include "world/project.h"

namespace capsule::world {

// With the phases of a workflow, which may name agents of their own.
supply::Policy policy_of(const config::Config& config, const event::Definition& definition = {});
// The same for a run of the project, which keeps what its caller says.
supply::Policy policy_for(const Project& project, const event::Definition& definition = {});

}  // namespace capsule::world
