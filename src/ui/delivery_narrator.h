// A delivery told to people: a line for each event, and on a terminal a board below them with a row
// for each agent that works (task, role, attempt, elapsed, last line) and how far the plan is.
#pragma once

#include <memory>

#include "ui/narrator.h"
#include "ui/style.h"
#include "workflow/delivery/delivery.h"

namespace capsule::ui {

// `state` must outlive it.
std::unique_ptr<Narrator> delivery_narrator(const delivery::State& state, Style style);

}  // namespace capsule::ui
