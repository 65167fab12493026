// Where things of a bead are kept, below the top folder of the project. Pure.
#pragma once

#include <string>
#include <string_view>

#include "git/repository.h"

namespace capsule::workspace {

std::string worktree_path(const std::string& project, std::string_view name);
std::string worktree_path(const git::Repository& repository, std::string_view bead);
std::string branch_name(std::string_view bead);
std::string archive_path(const git::Repository& repository, std::string_view bead);

}  // namespace capsule::workspace
