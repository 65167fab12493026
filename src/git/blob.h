// The files of a commit: one of them, or all by their id.
#pragma once

#include <string>

#include "git/repository.h"

namespace capsule::git {

// One process. Errors: not_found (no such file in it), failed.
Result<std::string> read_blob(const Repository& repository, const std::string& commit,
                              const std::string& path);

// The id of the tree of its files. One process.
Result<std::string> tree_of(const Repository& repository, const std::string& commit);

}  // namespace capsule::git
