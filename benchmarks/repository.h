// A repository with one commit, for a benchmark of what works in a project.
#pragma once

#include <cstdlib>
#include <string>

#include "base/files.h"
#include "git/create.h"

namespace capsule::bench {

inline void make_repository(const std::string& root) {
  if (!write_file(root + "/a.txt", "a\n") ||
      !git::create_repository(root, "Bench", "bench@example.com") ||
      !git::commit_everything(root, "Begin"))
    std::abort();
}

}  // namespace capsule::bench
