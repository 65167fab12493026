// What a contained command may do, in plain words. Pure.
#pragma once

#include <string>

#include "contain/net/gateway.h"
#include "contain/plan.h"

namespace capsule::ui {

// The places, the rules and, where they are known, the gaps. Without a report the reason why
// nothing would be run is told by others.
std::string contain_text(const contain::Policy& policy, const contain::Report* report);

// The hosts that a command asked for in vain, each with what would allow it; empty when there are
// none.
std::string refusals_text(const contain::Gateway& gateway);

}  // namespace capsule::ui
