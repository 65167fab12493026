// Prompts and templates stay files on disk, and users bring their own. They are looked for in this
// order, each file by itself: beside the called scripts/; in the project; where Capsule is
// installed; for a binary that is not installed, in its source tree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace capsule::world {

class Assets {
 public:
  // `scripts_dir` is empty unless a script called us. `project` may be empty.
  Assets(std::string_view scripts_dir, std::string_view project);

  // The path of "prompts/x.md" or "templates/y". Error not_found names the folders that were
  // searched.
  Result<std::string> find(std::string_view name) const;
  // Its text.
  Result<std::string> read(std::string_view name) const;

 private:
  std::vector<std::string> folders_;
};

// The running binary, links followed.
std::string own_program();

}  // namespace capsule::world
