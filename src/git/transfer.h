// Commits that go to a repository that machines share, and come from there. Hooks are off and the
// repository's own configuration is not read: only the user's says who he is to a server. Refs are
// below refs/capsule/, all others are refused (usage); what the other side says is hostile.
#pragma once

#include <string>
#include <vector>

#include "git/repository.h"

namespace capsule::git {

// Where `origin` of the repository is, as its owner wrote it; a relative path is one from its top.
// Error not_found: it has none.
Result<std::string> shared_remote(const Repository& repository);

// Sets `ref` there to the commit, wherever it was. Errors: failed (git's words), timed_out.
Result<void> push_commit(const Repository& repository, const std::string& remote,
                         const std::string& commit, const std::string& ref);

// The commit that `ref` is at there; the same ref of ours is at it then. All of its objects are
// checked. Errors: failed (also: there is no such ref), timed_out.
Result<std::string> fetch_commit(const Repository& repository, const std::string& remote,
                                 const std::string& ref);

// They are gone there. Of those that were gone before nothing is said.
Result<void> drop_remote_refs(const Repository& repository, const std::string& remote,
                              const std::vector<std::string>& refs);

}  // namespace capsule::git
