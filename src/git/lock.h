// Taking turns. Operations that lock something in the repository run one at a time among all
// Capsules of this machine; and locks that a killed git left behind do not stop the next run.
#pragma once

#include <string>
#include <utility>

#include "git/paths.h"
#include "git/repository.h"

namespace capsule::git {

// Held while the value lives; released by the system at our death, but not before the end of a git
// that was called meanwhile by the thread that took it: the next one finds no git at work. One a
// thread, and it stays with its thread.
class RepositoryLock {
 public:
  // Waits for its turn, a minute at most (blocked).
  static Result<RepositoryLock> take(const Repository& repository);
  ~RepositoryLock();
  RepositoryLock(RepositoryLock&&) noexcept = default;

 private:
  explicit RepositoryLock(File file);
  File file_;
};

// The file of the lock that this thread holds; -1 when it holds none.
int held_lock();

enum class Owner {
  ours,    // of a branch, worktree or ref of Capsule: no other living program has business there
  shared,  // of main, or of all refs: somebody else's git may hold it for a moment
  user,    // of a checkout: a git that waits for an editor holds it without having it open
};

// Requires: the caller holds the RepositoryLock. Removes `path` (a "….lock" file) when nobody has
// it open, and, if it is shared or the user's, only when it is more than two seconds old, waiting
// for that. The user's also has to wait for every git that runs in the folder `checkout`.
// Ensures: it is gone, or an error (blocked) that says who is at it.
Result<void> clear_stale_lock(const std::string& path, Owner owner,
                              const std::string& checkout = {});

}  // namespace capsule::git
