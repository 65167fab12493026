// Prompts, templates and workflows: the program brings them along, and users bring their own. They
// are looked for in this order, each file by itself: beside the called scripts/; in the project;
// where Capsule is installed; for a binary that is not installed, in its source tree; in the
// program itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace capsule::world {

class Assets {
 public:
  // `scripts_dir` is empty unless a script called us. `project` may be empty.
  Assets(std::string_view scripts_dir, std::string_view project);

  // The path of the file or folder that wins over what the program has, "prompts/x.md" or
  // "templates/y". A folder wins as a whole.
  std::optional<std::string> beside(std::string_view name) const;
  // The text of a file, from wherever it is. Error not_found names the folders that were searched;
  // refused: the project's own is a link that leads out of it, to whatever its author wants told to
  // a model.
  Result<std::string> read(std::string_view name) const;

 private:
  std::vector<std::string> folders_;
  std::string project_;  // that one of them; may be empty
};

// What a project may want to have of its own: the prompts of the pipeline, of deliveries and of
// auto mode, and the template of worklogs. Names as read() takes them.
std::vector<std::string> files_for_projects();

// The running binary, links followed; `capsule` where it is the program with the database part.
std::string own_program();
// What that one is called; it stands beside `capsule`.
inline constexpr std::string_view kDatabaseProgram = "capsule-cluster";

}  // namespace capsule::world
