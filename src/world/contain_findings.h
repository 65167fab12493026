// What `capsule doctor` says of each protection that contained commands rely on.
#pragma once

#include "world/doctor.h"

namespace capsule::world {

// One a protection. A warning where it is lacking, with the remedy: nothing but `capsule contain`
// needs it.
Findings check_containment();

}  // namespace capsule::world
