// Worktrees of agents: real git worktrees, made with two git processes and removed with two.
// create and remove take turns with other Capsules (RepositoryLock) by themselves.
#pragma once

#include <string>

#include "git/repository.h"

namespace capsule::git {

struct Worktree {
  std::string path;    // absolute
  std::string branch;  // "refs/heads/capsule-…"
  std::string base;    // the commit that it started from
};

// A new branch at `start` (a commit id), checked out at `path`, whose last part is a valid_id.
// Nothing of the repository's configuration runs: no hook, no filter (see docs/decisions/0041).
// Errors: exists ("worktree … already exists" or "branch … already exists"), usage, failed, io.
// Ensures: on an error nothing of it is left; the folder appears only when it is complete.
Result<Worktree> create_worktree(const Repository& repository, const std::string& path,
                                 const std::string& branch, const std::string& start);

// Removes the folder, git's record of it, our index and the branch, whatever state an agent left
// them in. No error when some or all are gone. Links are not followed. Snapshots stay.
enum class ItsBranch { goes, stays };
Result<void> remove_worktree(const Repository& repository, const std::string& path,
                             const std::string& branch, ItsBranch its_branch = ItsBranch::goes);

// The files of a commit in the new folder `path`, as a worktree without a branch, for commands that
// ask git something there. One process. Errors: usage, failed, io.
Result<void> create_detached(const Repository& repository, const std::string& path,
                             const std::string& commit);
// Git's records of the worktree at `path`, whose folder is gone. Runs no process.
void forget_worktree(const Repository& repository, const std::string& path);

// What was noted when the worktree was made. Errors: not_found.
Result<Worktree> find_worktree(const Repository& repository, const std::string& path);

// The folder in which git keeps what it knows of the worktree; empty when there is none, or more
// than one says that it is it. Reads files only.
std::string record_of(const Repository& repository, const std::string& path);

// The commit that the worktree has checked out, by reading files; empty when that cannot be told.
std::string worktree_head(const Repository& repository, const std::string& path);

// Makes folder and git's record of it belong together again and its HEAD the branch, whatever an
// agent did to them; ends a merge or rebase that was under way; returns the record. Files, index
// and branch are not touched. Requires: the RepositoryLock is held.
Result<std::string> mend_worktree(const Repository& repository, const std::string& path,
                                  const std::string& branch);

// Removes the locks that a git of an agent that has ended left on the worktree and its branch. Only
// where a branch of Capsule is checked out. Requires: the RepositoryLock is held.
Result<void> clear_worktree_locks(const Repository& repository, const std::string& path);

// Our own index of that worktree, which no agent sees; and the folder that it is kept in.
std::string own_index(const Repository& repository, const std::string& path);
std::string own_notes(const Repository& repository, const std::string& path);

// Writes the files of a commit or tree to the empty folder `to`, with `index` as the new index.
// No filters. One process.
Result<void> write_files(const Repository& repository, const std::string& tree,
                         const std::string& to, const std::string& index);

}  // namespace capsule::git
