// The second parent of the merge: the work of a run as one commit, without what must not reach
// main.
#pragma once

#include <string>
#include <vector>

#include "git/branch.h"
#include "git/diff.h"
#include "git/repository.h"

namespace capsule::git {

struct WorkCommit {
  std::string commit;
  std::string tree;
  bool made_anew = false;             // the agent's own commit did not do as it was
  std::vector<std::string> excluded;  // paths that were left out or put back
  std::vector<Change> changes;        // from state.fork to `tree`; empty: only excluded files
};

// The agent's commit is taken as it is when it is the only one, its first line is `message` and it
// touches nothing excluded. Otherwise one commit is made on state.fork, with the tip's tree, the
// author of the newest commit and `message`. An excluded file that main tracks stays as it was at
// the fork. One process when the commit does; two to five otherwise.
// Errors: refused (nothing to merge; foreign commits), failed.
Result<WorkCommit> work_commit(const Repository& repository, const BranchState& state,
                               const std::string& message, const std::vector<std::string>& exclude);

// The files of `commit` with `changes` made to them: each path as its change leaves it. Returns the
// tree. Three processes.
Result<std::string> with_changes(const Repository& repository, const std::string& commit,
                                 const std::vector<Change>& changes);

}  // namespace capsule::git
