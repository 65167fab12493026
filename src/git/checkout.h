// Moving the user's checkouts forward with main. Here alone we write into folders that belong to a
// person: only files that the merge changes, only when git itself would agree, and the user's own
// filters (not the repository's) are in force; see docs/decisions/0042.
#pragma once

#include <string>
#include <vector>

#include "git/diff.h"
#include "git/repository.h"

namespace capsule::git {

struct Checkout {
  std::string top;
  std::string git_dir;  // with its HEAD and index
};

// The checkouts, linked worktrees included, whose HEAD is the branch `ref`. Reads files only.
std::vector<Checkout> checkouts_of(const Repository& repository, const std::string& ref);

// The commit that the checkout was last moved to, by its own reflog, when that is not `main` and
// what is staged is exactly that commit: somebody moved the branch under it. Otherwise `main`. No
// process in the usual case, one otherwise.
Result<std::string> shown_in(const Repository& repository, const Checkout& checkout,
                             const std::string& main);

struct Forwarded {
  std::vector<std::string> in_the_way;  // not empty: nothing was done
  std::vector<std::string> kept;        // of .beads/, changed by the user: index moved, file not
};

// From commit `from` to `to`, which differ by `changes`. In the way are tracked files with changes
// of the user, and untracked files, ignored or not, that would be overwritten. One process when
// nothing is in the way. Requires: the RepositoryLock is held.
Result<Forwarded> forward_checkout(const Repository& repository, const Checkout& checkout,
                                   const std::string& from, const std::string& to,
                                   const std::vector<Change>& changes);

// What forward_checkout would find in the way; changes nothing but git's cache of file times.
Result<std::vector<std::string>> checkout_blockers(const Repository& repository,
                                                   const Checkout& checkout,
                                                   const std::string& from, const std::string& to,
                                                   const std::vector<Change>& changes);

// Takes a forward_checkout back, as far as the user has not begun to change the files.
void back_checkout(const Repository& repository, const Checkout& checkout, const std::string& from,
                   const std::string& to);

// Adds the move to the reflog of that checkout's HEAD, as git would have.
void note_move(const Repository& repository, const Checkout& checkout, const std::string& from,
               const std::string& to);

}  // namespace capsule::git
