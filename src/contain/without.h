// Tests leave out one protection after the other, and see that something then gets out.
#pragma once

#include "contain/policy.h"

namespace capsule::contain {

// Those that CAPSULE_TEST_WITHOUT names, with commas between. Those that are no more than another
// policy (a home, a folder for what vanishes, a repository of one's own, …) are changed in it, the
// others noted in policy.without. What users install does nothing here.
void leave_out(Policy& policy);

}  // namespace capsule::contain
