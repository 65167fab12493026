// What stands in for a root of its own where there are no namespaces: Landlock rules over the
// machine's root, and a folder for home and temporary files.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "contain/landlock.h"
#include "contain/policy.h"

namespace capsule::contain {

// A new folder with `home` and `tmp` in it, for this user alone.
Result<std::string> make_private_folder();
// With everything in it; links are not followed.
void remove_private_folder(const std::string& folder);

// Places that are hidden are left out of the folder that they are in; scratch can be read; memory
// is the private folder; what should appear elsewhere than it lies is missing, but for a home of
// its own.
std::vector<Rule> rules_outside(const Policy& policy, const std::string& private_folder);

// The policy's own, with the private folder's home and temporary files.
std::vector<std::string> environment_outside(const Policy& policy,
                                             const std::string& private_folder);

}  // namespace capsule::contain
