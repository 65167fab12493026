// A git repository as Capsule sees it. A plain value: what was true when it was opened (HEAD may
// have moved since). Its copies share the settings, which are read once, when first needed; all
// functions of this folder may be called from any thread.
//
// An agent may write to the repository's shared configuration. Only open_repository and the reading
// of settings let git see it, and neither runs anything; see private_dir.h for all other calls.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace capsule::git {

struct Settings;
struct SettingsOnce;

struct Repository {
  std::string top;         // the top folder of the working tree; paths are absolute
  std::string git_dir;     // of this checkout
  std::string common_dir;  // shared by all worktrees; the same as git_dir in the main one
  std::string head;        // commit id
  std::string branch;      // "refs/heads/…"; empty when HEAD is detached
  bool sha256 = false;     // ids have 64 digits instead of 40
  std::shared_ptr<SettingsOnce> once;
};

// One git call. Errors: not_found (no such folder, not a git repository), refused (bare, inside
// .git, no commits yet, a kind of storage that we do not know), missing_program, failed.
Result<Repository> open_repository(const std::string& folder);

// Keeps `.capsule/` and the given patterns out of git by <common_dir>/info/exclude. Does nothing
// when they are there; never touches .gitignore; runs no process.
Result<void> exclude_capsule_dir(const Repository& repository,
                                 const std::vector<std::string>& more = {});

// What the HEAD of a git dir names ("refs/heads/…"); empty when it is detached or cannot be read.
std::string branch_of_head(const std::string& git_dir);

// Whether `text` can be an object id of the repository: digits and a-f, of the right length.
bool is_object_id(const Repository& repository, std::string_view text);

// The id of nothing, which stands for "does not exist" in ref updates.
std::string zero_id(const Repository& repository);

}  // namespace capsule::git
