// The root that a contained command sees: empty memory with the places of its policy in it.
#pragma once

#include "base/result.h"
#include "contain/policy.h"

namespace capsule::contain {

// Builds the root and moves into it, to the policy's folder. To be called by the first process of
// new user, mount and pid namespaces. Nothing of the machine's own root is reachable afterwards,
// except through descriptors.
Result<void> enter_root(const Policy& policy);

// Without a root of its own: to the policy's folder, if it is still the one that is meant.
Result<void> enter_folder(const Policy& policy);

}  // namespace capsule::contain
