// The files of a commit: one of them, or all by their id.
#pragma once

#include <string>

#include "git/repository.h"

namespace capsule::git {

// One process. Errors: not_found (no such file in it), failed.
Result<std::string> read_blob(const Repository& repository, const std::string& commit,
                              const std::string& path);

// A file of a commit as git keeps it: 0100644, 0100755, or 0120000 (a link; the text is its
// target).
struct Entry {
  unsigned mode = 0;
  std::string text;
};
// Two processes. Errors: as above; a submodule is not found.
Result<Entry> read_entry(const Repository& repository, const std::string& commit,
                         const std::string& path);

// The id of the tree of its files. One process.
Result<std::string> tree_of(const Repository& repository, const std::string& commit);

}  // namespace capsule::git
