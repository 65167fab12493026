// The archive of a bead: its worklog and phase logs, kept when the worktree goes. What an agent
// left in the worktree is read without following links, and only regular files are taken.
#pragma once

#include <string>

#include "base/result.h"

namespace capsule::workspace {

// In a worktree and in its archive.
inline constexpr const char* kWorklog = "worklog.md";

// Copies worklog.md and .capsule/output/* of `worktree` to `folder` (…/logs/<bead>). What an
// earlier run left there is moved to a folder of its own, named after that run. Safe to repeat.
Result<void> archive_worktree(const std::string& worktree, const std::string& folder,
                              const std::string& run);

// The folder in `folder`, or that itself, that keeps what was of a run; empty: nothing was kept. An
// archive of earlier versions that names no run counts as that of the newest.
std::string archive_of(const std::string& folder, const std::string& run);

}  // namespace capsule::workspace
