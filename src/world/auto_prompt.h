// The prompts of auto mode: files in prompts/auto/, one a phase, rendered with the exact signal
// block that has to be printed.
#pragma once

#include <string>

#include "base/result.h"
#include "workflow/auto/state.h"
#include "workflow/auto/texts.h"
#include "world/assets.h"

namespace capsule::world {

using AutoPrompt = auto_mode::PhasePrompt;

Result<std::string> render_auto_prompt(const Assets& assets, const AutoPrompt& prompt);

// The instructions with which a session goes on to its next phase. Without a prompt file a short
// text of our own: the session has to go on.
std::string next_phase_prompt(const std::string& project, const auto_mode::State& state,
                              auto_mode::Phase phase);

}  // namespace capsule::world
