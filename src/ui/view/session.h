// A session of auto mode as its state file tells it; the journal holds the same text. Pure.
#pragma once

#include "ui/view/view.h"
#include "workflow/auto/state.h"

namespace capsule::view {

// Its phases are those that it does not leave out.
Run session_of(const auto_mode::State& state);

}  // namespace capsule::view
