// What a contained command may do, in plain words. Pure.
#pragma once

#include <string>

#include "config/config.h"
#include "contain/net/gateway.h"
#include "contain/plan.h"

namespace capsule::ui {

// The places, the rules and, where they are known, the gaps. Without a report the reason why
// nothing would be run is told by others.
std::string contain_text(const contain::Policy& policy, const contain::Report* report);

// What of that files and variables have said for the role, below a heading; empty: nothing.
std::string contain_origins(const config::Config& config, contain::Role role);

// A line for each protection that a command which may go without them goes without.
std::string gaps_text(const contain::Policy& policy, const contain::Report& in_force);

// The hosts that a command asked for in vain, each with what would allow it; empty when there are
// none.
std::string refusals_text(const contain::Gateway& gateway);

}  // namespace capsule::ui
