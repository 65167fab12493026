// What came of a person's words for an agent, for people and for programs. Pure.
#pragma once

#include <string>

#include "world/live_runs.h"

namespace capsule::ui {

// `go_on`: the command that brings the run on, when nobody works on it.
std::string message_text(const world::LeftMessage& left, const world::Found& found,
                         const std::string& go_on, bool for_next);
std::string message_json(const world::LeftMessage& left, const world::Found& found);

}  // namespace capsule::ui
