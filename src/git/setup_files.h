// What the command that readies a worktree (`npm ci`, `git lfs pull`) depends on, and what it left
// there. Left files that git does not ignore are nobody's work: snapshots pass them over. Tracked
// files that it changed (git-lfs puts contents in the place of pointers) count as what they were,
// until somebody else changes them.
//
// Noted in our own area beside the worktree's index; gone with the worktree.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "git/repository.h"

namespace capsule::git {

struct SetupNotes {
  std::string key;                // of the set-up that was done; empty: none was
  std::vector<std::string> left;  // untracked: paths, those of folders end in a slash
  struct Changed {
    std::string path;
    std::uint64_t size = 0, number = 0;  // as it was left
    std::int64_t time = 0;
  };
  std::vector<Changed> changed;  // tracked
};
SetupNotes read_setup(const Repository& repository, const std::string& worktree);

// What the set-up follows from: the command, the tracked files that the patterns name, submodules,
// files of git-lfs, and the folder itself. Two processes.
Result<std::string> setup_key(const Repository& repository, const std::string& worktree,
                              const std::string& command, const std::vector<std::string>& patterns);

// Right after the command has ended. Requires: note_files() right before it. Error failed: it left
// too many files that git does not ignore.
Result<void> note_setup(const Repository& repository, const std::string& worktree,
                        const std::string& key);

// For snapshots. Makes our index pass over the tracked files that are as the set-up left them, and
// look at those that are not. No process where the set-up changed none.
Result<void> pass_over_changed(const Repository& repository, const std::string& worktree,
                               const std::string& index, const SetupNotes& notes);
// What `git add` reads as its pathspecs, to leave out what the set-up left; empty: nothing was.
std::string left_out_pathspecs(const SetupNotes& notes);

}  // namespace capsule::git
