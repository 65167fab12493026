#include "workflow/auto/texts.h"

#include "base/text.h"

namespace capsule::auto_mode {
namespace {

std::string_view next_name(Phase phase, signal::Skips skips) {
  const Phase next = signal::next_phase(phase, skips);
  return next == Phase::complete ? "none" : signal::name_of(next);
}

}  // namespace

std::string signal_block(Phase phase, signal::Skips skips, std::string_view timestamp) {
  std::string text = "---\nSIGNAL: ";
  text += signal::row(signal::expected_signal(phase)).wire;
  text += "\nPHASE: ";
  text += signal::name_of(phase);
  text += "\nSTATUS: complete\nTIMESTAMP: ";
  text += timestamp;
  text += "\nNEXT: ";
  text += next_name(phase, skips);
  return text + "\n---\n";
}

std::string error_block(Phase phase) {
  return signal::format_text(signal::row(signal::Signal::phase_error), {}, phase);
}

std::string continuation_prompt(const Unsignalled& place) {
  std::string text =
      "## Auto Mode Continuation\n"
      "\n"
      "The auto workflow is active but phase completion signal was not detected.\n"
      "\n"
      "**Current State:**\n"
      "- Phase: ";
  text += signal::name_of(place.phase);
  text += "\n- Iteration: " + std::to_string(place.iteration) + "/" +
          std::to_string(place.max_iterations) + "\n- Task: ";
  text += cut(place.task, kMaxTaskBytes);
  text += "\n\n**Expected Signal:** ";
  text += signal::row(signal::expected_signal(place.phase)).wire;
  if (!place.missed.empty()) text += "\n\n**Why It Did Not Count:** " + std::string(place.missed);
  text +=
      "\n\n**Action Required:**\n"
      "Continue working on the current phase. When complete, output:\n"
      "\n"
      "```\n" +
      signal_block(place.phase, place.skips) +
      "```\n"
      "\n"
      "If unable to complete, explain the blocker and request user guidance.\n";
  return text;
}

std::string prompt_file(Phase phase) {
  return "prompts/auto/" + std::string(signal::name_of(phase)) + ".md";
}

std::vector<workflow::Variable> variables_of(const PhasePrompt& prompt) {
  return {
      {"PHASE", std::string(signal::name_of(prompt.phase))},
      {"NUMBER", std::to_string(index_of(prompt.phase) + 1)},
      {"TASK", std::string(cut(prompt.task, kMaxTaskBytes))},
      {"SIGNAL", signal_block(prompt.phase, prompt.skips)},
      {"ERROR_SIGNAL", error_block(prompt.phase)},
      {"NEXT", std::string(next_name(prompt.phase, prompt.skips))},
      {"FEEDBACK", std::string(prompt.feedback)},
      {"REVIEWER", std::string(prompt.reviewer)},
      {"HEADLESS", prompt.headless ? "yes" : ""},
      {"PARALLEL", prompt.parallel ? "yes" : ""},
  };
}

}  // namespace capsule::auto_mode
