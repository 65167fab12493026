// What differs between two commits or trees.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "git/repository.h"

namespace capsule::git {

struct Change {
  char status = 'M';      // A added, M modified, D deleted, R renamed, T another type
  std::string path;       // where it is now, or was; any bytes but NUL
  std::string from = {};  // where it was, if renamed
  std::string old_mode, new_mode;
  std::string old_id, new_id;
};

enum class Renames { found, ignored };  // ignored: a deletion and an addition

// One process, in order of path.
Result<std::vector<Change>> diff_trees(const Repository& repository, const std::string& a,
                                       const std::string& b, Renames renames = Renames::found);

// Pure: the raw format with -z.
Result<std::vector<Change>> parse_raw_diff(std::string_view text);

}  // namespace capsule::git
