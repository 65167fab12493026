// Snapshots: the whole of a worktree as a commit under refs/capsule/, untracked files included,
// ignored ones not. They are taken through our own index and git dir, so neither the agent's index
// (which may lie about changes) nor its configuration has a say. Files inside nested repositories
// are in it as plain files; submodules that the project itself tracks stay links to their commit.
#pragma once

#include <string>

#include "git/repository.h"

namespace capsule::git {

struct Snapshot {
  std::string commit;
  std::string tree;
  std::string head = {};     // what the worktree had checked out; empty: could not be told
  std::string warning = {};  // what could not be read, in git's words; empty: all is in
};

// `ref` is "refs/capsule/<run>/<n>-<phase>"; it is set even if it existed. `parent` is a commit id:
// the snapshot before, or where the work started. The commit that the worktree has checked out
// becomes a second parent, so that the agent's own commits are kept too. Three processes; more only
// when a nested repository is met for the first time, or our index is lost. Synced before it
// returns. Errors: not_found (no such worktree), usage, failed, io.
Result<Snapshot> take_snapshot(const Repository& repository, const std::string& worktree,
                               const std::string& ref, const std::string& message,
                               const std::string& parent);

// What the worktree had checked out when the snapshot was taken; empty: it does not say. One
// process.
Result<std::string> snapshot_head(const Repository& repository, const std::string& snapshot);

// The files of a commit or tree into `to`, which must be empty or not exist (exists). No filters.
Result<void> restore_snapshot(const Repository& repository, const std::string& commit,
                              const std::string& to);

// Puts a worktree back to a snapshot: its files, its branch (a short name) and what git thinks is
// staged. It may be damaged or gone. Files that are neither in our index nor ignored stay, so take
// a snapshot of what is there first; that also keeps it. Five processes.
Result<void> rewind_worktree(const Repository& repository, const std::string& worktree,
                             const std::string& branch, const std::string& snapshot);

// Around a command that is run in a worktree, so that what it leaves there counts for nothing: the
// files as they are now, as the id of a tree, and afterwards the same files again. Ignored files,
// branch and staging are left alone. Two processes; one, or two when there is something to undo.
// Errors: not_found (no such worktree), failed, io.
Result<std::string> note_files(const Repository& repository, const std::string& worktree,
                               const std::string& parent);
Result<void> put_files_back(const Repository& repository, const std::string& worktree,
                            const std::string& tree);

}  // namespace capsule::git
