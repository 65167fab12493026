// Takes over what an agent committed in its private repository, as data: refs are read as text, and
// objects go through pack-objects and a strict index-pack. No git ever runs with the agent's
// configuration, hooks, alternates or links.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "git/private_repository.h"
#include "git/repository.h"

namespace capsule::git {

struct ImportLimits {
  std::size_t files = 200'000;                                  // that hold objects
  std::uint64_t bytes = std::uint64_t{2} * 1024 * 1024 * 1024;  // of them, as they are stored
  std::uint64_t object_bytes =
      std::uint64_t{1} * 1024 * 1024 * 1024;  // of one, when git needs it whole
};

struct Imported {
  bool moved = false;            // the branch is somewhere else now
  std::string tip;               // where it is
  std::vector<std::string> odd;  // what was strange, in words without a subject
};

// Requires: the agent and all that it started have ended. The branch moves only from where it was
// when the private repository was made; the worktree's own index is that of the new tip then, so
// that what was merely staged is not staged any more; files are left alone. Commits that were made
// on another branch or on none, in front of the agent's branch, are the branch's.
// Nothing new: reads two files and starts no process. Four processes otherwise, one more when its
// HEAD was elsewhere. Errors: refused (what it left cannot be taken over, and why; nothing was
// changed), conflict (the branch has moved meanwhile), failed, io.
Result<Imported> import_commits(const Repository& repository, const std::string& worktree,
                                const PrivateRepository& from, const std::string& main_ref,
                                const ImportLimits& limits = {});

}  // namespace capsule::git
