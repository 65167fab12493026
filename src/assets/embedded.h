// The files that the program brings along: prompts/, templates/ and workflows/ of its source tree,
// put into it when it is built (cmake/assets.cmake). They are constants: start-up does nothing for
// them, and views of them hold for ever. Files beside the program win over them: see
// world/assets.h.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace capsule::assets {

struct Embedded {
  std::string_view name;  // "prompts/execute.md"
  std::string_view bytes;
  unsigned mode;  // 0755 for programs, 0644 for the others
};

// All of them, in the order of their names.
std::span<const Embedded> embedded_files();

// Null when there is none.
const Embedded* find_embedded(std::string_view name);

// Those below a folder, "templates/demo-capsule".
std::span<const Embedded> embedded_below(std::string_view folder);

// Writes what is below `folder` to `target`, by the names that it has there, with its modes.
Result<void> write_embedded(std::string_view folder, const std::string& target);

}  // namespace capsule::assets
