// What the branch of a run has that main has not.
#pragma once

#include <string>
#include <vector>

#include "git/commit.h"
#include "git/repository.h"

namespace capsule::git {

struct Tips {
  std::string main_ref;    // "refs/heads/main"
  std::string main;        // its commit
  std::string branch_ref;  // "refs/heads/capsule-…"
  std::string tip = {};    // its commit; empty when there is no such branch
};

// Main is the configured branch; without one `main`, else `master`. `branch` may be empty. One
// process. Errors: not_found.
Result<Tips> find_tips(const Repository& repository, const std::string& configured_main,
                       const std::string& branch);

// The full name of the same branch, by reading files.
std::string main_ref_of(const Repository& repository, const std::string& configured_main);

struct BranchState {
  Tips tips;
  std::string fork;                  // the newest commit that both have
  std::vector<Commit> commits;       // on the branch and not on main, newest first
  std::vector<std::string> foreign;  // those of them that were there before the run began
  std::string merged_as;             // the merge commit of this run on main; empty: none
  std::vector<Commit> merges;        // all that say so by their trailer, newest first
};

// `base` is the commit that the worktree started from; empty: not known. One process, two in
// histories with several merges. Requires: tips.tip is not empty. Errors: refused (no common
// history), failed.
Result<BranchState> branch_state(const Repository& repository, const Tips& tips,
                                 const std::string& base, const std::string& run);

// Whether `merge` brings the work at `tip` to main, as plan_merge would have done it: anybody can
// write a trailer. Files that match `exclude` do not count. Three processes.
Result<bool> brings(const Repository& repository, const Commit& merge, const std::string& tip,
                    const std::vector<std::string>& exclude);

// The merge commit of the run on main since `base`; empty: none. Also works when the branch is
// gone.
Result<std::string> find_merge(const Repository& repository, const std::string& main,
                               const std::string& base, const std::string& run);

// The commits of a branch as it was moved, newest first, without what merges brought; at most
// `most`. One process.
Result<std::vector<Commit>> first_parents(const Repository& repository, const std::string& tip,
                                          int most);

}  // namespace capsule::git
