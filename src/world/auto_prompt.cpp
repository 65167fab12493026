#include "world/auto_prompt.h"

#include "worklog/template.h"

namespace capsule::world {

Result<std::string> render_auto_prompt(const Assets& assets, const AutoPrompt& prompt) {
  const std::string text = TRY(assets.read(auto_mode::prompt_file(prompt.phase)));
  const std::vector<workflow::Variable> values = auto_mode::variables_of(prompt);
  std::vector<worklog::Variable> variables;
  variables.reserve(values.size());
  for (const workflow::Variable& value : values) variables.push_back({value.name, value.text});
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
