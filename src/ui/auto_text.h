// Auto mode for people: its end, its page, and a phase that is over. Pure.
#pragma once

#include <string>

#include "ui/style.h"
#include "ui/view/view.h"

namespace capsule::ui {

// Where the work of a run is.
struct AutoPlace {
  bool in_place = false;    // in the user's own checkout
  std::string folder;       // empty: there is none
  std::string description;  // the file that describes work on a branch; empty: there is none
};
// What it came to, what its agents used, and what to do next.
std::string auto_summary(const view::Run& run, const AutoPlace& place, const Style& style);

// `capsule auto status`: its task, where it is, and every phase. Requires: the run has a course.
std::string auto_page(const view::Run& run, const Style& style);

// "[4/9] execution … ✓ (12s)"
std::string phase_line(const view::Phase& phase, const Style& style);

}  // namespace capsule::ui
