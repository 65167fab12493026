// The one entry for names that come from outside and end up in paths, branch names and arguments:
// bead ids, phase names, run ids. Pure.
#pragma once

#include <string_view>

#include "base/result.h"

namespace capsule {

inline constexpr std::size_t kMaxIdBytes = 100;

// [A-Za-z0-9][A-Za-z0-9._-]{0,99} without "..", and not ending in "." or ".lock": such a name is
// one path component, never an option, and can stand in a branch name that git accepts.
bool valid_id(std::string_view id);

// Ensures: the id is valid, or an error with reason usage that names `what` ("bead id").
Result<void> check_id(std::string_view what, std::string_view id);

}  // namespace capsule
