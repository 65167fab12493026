// What a contained command may do, in plain words. Pure.
#pragma once

#include <string>

#include "contain/plan.h"

namespace capsule::ui {

// The places, the rules and, where they are known, the gaps. Without a report the reason why
// nothing would be run is told by others.
std::string contain_text(const contain::Policy& policy, const contain::Report* report);

}  // namespace capsule::ui
