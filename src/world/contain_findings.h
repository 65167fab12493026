// What `capsule doctor` says of the walls around agents and checks: which protections this kernel
// has, what the configuration asks for, whether that can be had, and what would not be found
// inside.
#pragma once

#include <string>
#include <string_view>

#include "contain/plan.h"
#include "world/doctor.h"

namespace capsule::world {

// One a protection, with the remedy where it is lacking.
Findings check_protections();

// The tightest preset that this kernel can hold, as a line for the configuration: "strict",
// "{preset: worktree, missing: weaker}", "off". Pure.
std::string best_preset(const contain::Kernel& kernel);

// What runs of the project get; and what is configured and would be refused, is not there, or gives
// away more than it seems to.
Findings check_walls(const Project& project, const contain::Kernel& kernel);

// "in <the user's own file>: <line>".
std::string in_users_file(const Project& project, const std::string& line);
// Such a line: what readies a tree has the user's rights.
inline constexpr std::string_view kFreeSetup = "worktree: {contain: off}";

// For whoever fails inside (gate::Walls::lacks).
std::string checks_lack(const Project& project);
std::string setup_lacks(const Project& project);

// What holds memory, processes, processors and the disk of agents, and what does not.
Findings check_limits(const Project& project, const contain::Kernel& kernel);

}  // namespace capsule::world
