// What commands do to worktrees outside a run, and what they refuse before one.
#pragma once

#include <string>

#include "cli/session.h"
#include "world/project.h"

namespace capsule::cli {

// Keeps everything (a snapshot under refs/capsule/rescue/, the logs in the archive), then removes
// the worktree of a bead and its branch, and ends a run of it that was cut off. Error blocked: a
// living Capsule works in it.
Result<void> discard_worktree(const world::Project& project, store::Store& store,
                              const std::string& bead);

// What to say when the bead has a worktree already: in which state it is, and how to go on.
Error already_exists(Session& session, const std::optional<Session::Newest>& newest);

// Error blocked, naming them: the bead has `blocks` dependencies that are not closed.
Result<void> refuse_blocked(Session& session);

}  // namespace capsule::cli
