// Landlock, the second lock over the same places: it holds where a hole in the first one would lead
// elsewhere, and it alone parts abstract sockets when the network is the machine's.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "contain/policy.h"

namespace capsule::contain {

// The version of the kernel's interface; 0: there is none.
int landlock_abi();

// Which version brought what.
inline constexpr int kLandlockTruncate = 3;
inline constexpr int kLandlockScopes = 6;  // signals and abstract sockets

// What may be done with a file or folder, and with all in it.
enum class Grant { list, read, proc, devices, write };
struct Rule {
  std::string path;
  Grant grant = Grant::read;
};

// Over the root that a contained command has.
std::vector<Rule> rules_inside(const Policy& policy);

// For this process and all its children, for ever. Needs no_new_privs. The descriptors 0, 1 and 2
// stay usable by their names, in the direction in which they were given. Requires abi > 0.
Result<void> apply_landlock(const std::vector<Rule>& rules, int abi);

}  // namespace capsule::contain
