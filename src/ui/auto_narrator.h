// Auto mode told to people: its phases, checks and reviews.
#pragma once

#include <memory>
#include <string>

#include "ui/narrator.h"
#include "ui/style.h"
#include "ui/view/view.h"
#include "workflow/auto/workflow.h"

namespace capsule::ui {

// `run` must outlive it.
std::unique_ptr<Narrator> auto_narrator(const auto_mode::Run& run, Style style);

// Where the work of a run is.
struct AutoPlace {
  bool in_place = false;    // in the user's own checkout
  std::string folder;       // empty: there is none
  std::string description;  // the file that describes work on a branch; empty: there is none
};
// What it came to, what its agents used, and what to do next.
std::string auto_summary(const view::Run& run, const AutoPlace& place, const Style& style);

// `capsule auto status`: its task, where it is, and every phase.
std::string auto_page(const auto_mode::State& state, const Style& style);

// "[4/9] execution … ✓ (12s)"
std::string phase_line(auto_mode::Phase phase, const auto_mode::PhaseRecord& record,
                       const Style& style);

}  // namespace capsule::ui
