// What is known of a bead beyond itself (ancestors, blockers, progress), worked out from the
// tracker's values. No clock, no disk: the outside world is seen through the Tracker that is passed
// in.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/tracker.h"

namespace capsule::engine {

// The bead's own acceptance criteria; else the section "Acceptance Criteria" of its description (a
// heading or a line of its own, in any case, up to the next heading); else the section
// "Requirements"; else empty. Without blank lines at both ends.
std::string acceptance_criteria(const Bead& bead);

struct Ancestry {
  std::optional<Bead> feature;  // the nearest one above the bead
  std::optional<Bead> epic;
};

// Walks up the parents. A parent that does not exist or was seen before ends the walk; other
// failures of the tracker are the caller's.
Result<Ancestry> ancestry(Tracker& tracker, const Bead& bead);

bool is_closed(std::string_view status);

// What the bead waits for: its `blocks` dependencies that are not closed. A status that the
// dependency does not carry is looked up; one that does not exist blocks nothing, as with bd.
Result<std::vector<BeadDependency>> open_blockers(Tracker& tracker, const Bead& bead);

struct Progress {
  std::size_t closed = 0;
  std::size_t total = 0;
};

Progress progress(const std::vector<Bead>& children);

// Of the direct children of a feature or epic.
Result<Progress> progress(Tracker& tracker, std::string_view parent);

}  // namespace capsule::engine
