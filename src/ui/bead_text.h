// Beads as people read them. Pure. Every text of a bead passes printable(): a title can neither
// move the cursor nor forge a line.
#pragma once

#include <string>
#include <vector>

#include "engine/tracker.h"

namespace capsule::ui {

// One bead a line, in columns: a symbol with the status, priority, type, id, title.
std::string bead_lines(const std::vector<engine::Bead>& beads);

// Everything about one bead.
std::string bead_page(const engine::Bead& bead);

}  // namespace capsule::ui
