// Holds a worktree of an agent to its own git dir. An agent can remove or change what binds the
// two; git then looks for a repository in the folders above, and finds the user's checkout.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "git/repository.h"

namespace capsule::git {

inline constexpr const char* kCeilingVariable = "GIT_CEILING_DIRECTORIES";

// The value of that variable for a program that works in `folder`, a worktree or checkout of ours
// beneath .capsule: git looks for no repository above it, whatever becomes of `.git` there. The
// caller's own value is kept behind it. None for folders of other people. (A path with a colon
// cannot be said in it: then git reads it as two that do not exist.)
std::optional<std::string> ceiling_of(const std::string& folder);

// What binds the worktree at `path` to git's record of it and to its branch (a short name), put
// back where it is gone or changed: `.git`, the record, its HEAD, index and branch. Commits that
// were made on another branch, or on none, in front of it are the branch's from now on. `head`:
// where the branch is put when it is gone; may be empty. Returns what was wrong, in words; nothing:
// all was well, told by reading files alone. A folder that was never a worktree is left alone.
// Errors: failed, io; then it must not be worked in.
Result<std::vector<std::string>> pin_worktree(const Repository& repository, const std::string& path,
                                              const std::string& branch, const std::string& head);

}  // namespace capsule::git
