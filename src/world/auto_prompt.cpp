#include "world/auto_prompt.h"

#include "workflow/auto/texts.h"
#include "worklog/template.h"

namespace capsule::world {

Result<std::string> render_auto_prompt(const Assets& assets, const AutoPrompt& prompt) {
  const std::string name(signal::name_of(prompt.phase));
  const std::string text = TRY(assets.read("prompts/auto/" + name + ".md"));
  const std::string block = auto_mode::signal_block(prompt.phase, prompt.skips);
  const std::string error = auto_mode::error_block(prompt.phase);
  const std::string number = std::to_string(auto_mode::index_of(prompt.phase) + 1);
  const auto next = signal::next_phase(prompt.phase, prompt.skips);
  const worklog::Variable variables[] = {
      {"PHASE", name},
      {"NUMBER", number},
      {"TASK", prompt.task.substr(0, auto_mode::kMaxTaskBytes)},
      {"SIGNAL", block},
      {"ERROR_SIGNAL", error},
      {"NEXT", next == signal::Phase::complete ? "none" : signal::name_of(next)},
      {"FEEDBACK", prompt.feedback},
      {"REVIEWER", prompt.reviewer},
      {"HEADLESS", prompt.headless ? "yes" : ""},
      {"PARALLEL", prompt.parallel ? "yes" : ""},
  };
  return worklog::render(text, variables);
}

std::string next_phase_prompt(const std::string& project, const auto_mode::State& state,
                              auto_mode::Phase phase) {
  AutoPrompt prompt;
  prompt.phase = phase;
  prompt.skips = state.config.skips();
  prompt.task = state.task;
  prompt.parallel = state.config.parallel_validation;
  if (auto text = render_auto_prompt(Assets("", project), prompt)) return *std::move(text);
  const std::string name(signal::name_of(phase));
  return "# Auto mode: " + name + "\n\nThe phase before is complete. Go on with the phase " + name +
         ".\n\nTask: " + state.task + "\n\nWhen it is complete, output:\n\n```\n" +
         auto_mode::signal_block(phase, prompt.skips) + "```\n";
}

}  // namespace capsule::world
