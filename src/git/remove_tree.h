// Removing a folder that an agent has had to itself: links are removed and never followed, however
// they are swapped meanwhile; folders without permissions, very deep ones and odd names are no
// obstacle; other file systems that are mounted below are left alone (an error).
#pragma once

#include <string>

#include "base/result.h"

namespace capsule::git {

// Ensures: nothing is at `path` any more, or an error (io, refused). No error when nothing was.
Result<void> remove_tree(const std::string& path);

}  // namespace capsule::git
