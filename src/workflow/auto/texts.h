// The words by which a session is held on course. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workflow/auto/state.h"
#include "workflow/step.h"

namespace capsule::auto_mode {

inline constexpr std::size_t kMaxTaskBytes = std::size_t{16} << 10;  // in a prompt; the rest is cut

// What has to be printed at the end of a phase, with a placeholder for the time.
std::string signal_block(Phase phase, signal::Skips skips,
                         std::string_view timestamp = "[current time ISO8601]");

// What has to be printed when a phase cannot be completed.
std::string error_block(Phase phase);

struct Unsignalled {
  Phase phase{};
  std::int64_t iteration = 0;
  std::int64_t max_iterations = kMaxIterations;
  std::string_view task;
  signal::Skips skips;
  std::string_view missed = {};  // why what was printed does not count; empty: not known
};

// For a session that stopped without the signal of its phase.
std::string continuation_prompt(const Unsignalled& place);

// What the prompt of a phase is rendered from. Empty where there is nothing to tell.
struct PhasePrompt {
  Phase phase{};
  signal::Skips skips;
  std::string_view task;
  std::string_view feedback;  // what is to be mended: failed checks, issues, the error before
  std::string_view reviewer;  // functional, security or quality; for a headless review
  bool headless = false;
  bool parallel = true;
};
std::string prompt_file(Phase phase);  // "prompts/auto/qa.md"
std::vector<workflow::Variable> variables_of(const PhasePrompt& prompt);

}  // namespace capsule::auto_mode
