// The prompts of auto mode: files in prompts/auto/, one a phase, rendered with the exact signal
// block that has to be printed.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "workflow/auto/state.h"
#include "world/assets.h"

namespace capsule::world {

// What a prompt is told. Empty where there is nothing to tell.
struct AutoPrompt {
  auto_mode::Phase phase{};
  signal::Skips skips;
  std::string_view task;
  std::string_view feedback;  // what is to be mended: failed checks, issues, the error before
  std::string_view reviewer;  // functional, security or quality; for a headless review
  bool headless = false;
  bool parallel = true;
};

Result<std::string> render_auto_prompt(const Assets& assets, const AutoPrompt& prompt);

// The instructions with which a session goes on to its next phase. Without a prompt file a short
// text of our own: the session has to go on.
std::string next_phase_prompt(const std::string& project, const auto_mode::State& state,
                              auto_mode::Phase phase);

}  // namespace capsule::world
