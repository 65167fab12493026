// A repository for one agent. It appears to it in the place of the project's own, by the same path
// and with the same names, borrows the project's objects read-only, and holds nothing else of it:
// one branch to move, main and tags as copies, a few lines of configuration. What the agent commits
// is taken over afterwards as data, by import_commits.h; on disk its worktree stays an ordinary one
// of git. Whoever starts the agent sees to the mounts.
#pragma once

#include <string>
#include <vector>

#include "git/repository.h"

namespace capsule::git {

struct PrivateRepository {
  std::string folder;  // on disk; the agent finds it at the repository's common_dir
  std::string record;  // of its worktree, below `folder`; empty: its checkout is the main one
  std::string branch;  // "refs/heads/…", that it may move; empty: HEAD is detached
  std::string tip;     // where that branch was
  // What has to be seen inside besides, read-only: the project's objects, and its hooks.
  struct Seen {
    std::string path;    // inside
    std::string source;  // outside
  };
  std::vector<Seen> seen;
};

// Whether the project's hooks run there. Not for who judges: one that lies in the worktree is its
// writer's, and what is committed there vanishes.
enum class Hooks { run, none };

// In the new folder `folder`, for the agent that works in `worktree`. `main_ref`
// ("refs/heads/main") is where its work shall go; may be empty. Runs no process but the reading of
// settings, once. Errors: not_found (no worktree of the repository is there), exists, io.
Result<PrivateRepository> make_private_repository(const Repository& repository,
                                                  const std::string& worktree,
                                                  const std::string& folder,
                                                  const std::string& main_ref,
                                                  Hooks hooks = Hooks::run);

}  // namespace capsule::git
