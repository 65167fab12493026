// Removing a worktree outside a run, after keeping all that is in it.
#pragma once

#include <string>

#include "world/runs.h"

namespace capsule::world {

// Keeps everything (a snapshot, which `capsule snapshots` lists with those of its run, and the logs
// in the archive), then removes the worktree .capsule/worktrees/<name> and its branch; a run of
// phases that had not ended counts as aborted from then on. Error blocked: a living Capsule works
// in it.
Result<void> discard_worktree(const Project& project, engine::Records& store,
                              const std::string& name);

// The same for a branch capsule-<name> whose worktree is gone.
Result<void> discard_branch(const Project& project, engine::Records& store, const std::string& name,
                            const std::string& commit);

}  // namespace capsule::world
