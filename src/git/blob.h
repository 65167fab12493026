// One file as a commit has it.
#pragma once

#include <string>

#include "git/repository.h"

namespace capsule::git {

// One process. Errors: not_found (no such file in it), failed.
Result<std::string> read_blob(const Repository& repository, const std::string& commit,
                              const std::string& path);

}  // namespace capsule::git
