// The git dir that our calls use: <common_dir>/capsule/git. It has its own configuration and no
// hooks; objects, refs and reflogs are links to the repository's own. So whatever an agent writes
// to the shared configuration, git never reads it in our calls.
#pragma once

#include <string>

#include "git/repository.h"

namespace capsule::git {

// Ensures: the folder is complete, and holds nothing that we did not put there. A few system calls
// when it is; checked before every call, because an agent can write here too.
Result<std::string> private_dir(const Repository& repository);

// Where Capsule keeps its own things in the repository: <common_dir>/capsule.
std::string capsule_area(const Repository& repository);

// A file name in that area that nobody else uses; the caller removes what it makes there.
Result<std::string> spare_file(const Repository& repository);

}  // namespace capsule::git
