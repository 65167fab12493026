// worklog.md of a tree, which agents can write to. Internal to workspace.
#pragma once

#include <string>

#include "base/result.h"

namespace capsule::workspace {

inline constexpr const char* kWorklogFile = "worklog.md";

// A crash leaves no half-written neighbour among the files of the work.
Result<void> put_worklog(const std::string& worktree, const std::string& text);

}  // namespace capsule::workspace
