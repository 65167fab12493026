// Which of some files of a worktree are nobody's work.
#pragma once

#include <string>
#include <vector>

#include "git/repository.h"

namespace capsule::git {

// Without those that git ignores there or that the worktree's set-up left, as snapshots have it.
// Paths are relative; those of folders end in a slash. One process; none when there are no paths.
std::vector<std::string> without_ignored(const Repository& repository, const std::string& worktree,
                                         std::vector<std::string> paths);

}  // namespace capsule::git
