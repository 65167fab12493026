#include "world/providers.h"

#include "agent/rehearsal/rehearsal.h"
#include "assets/embedded.h"
#include "base/text.h"

namespace capsule::world {
namespace {

std::string cassette_for(const Project& project, const config::Provider* row,
                         std::string_view bead) {
  if (row != nullptr && !row->cassette.empty())
    return row->cassette.front() == '/' ? row->cassette : project.root() + "/" + row->cassette;
  const std::string own = "cassettes/" + std::string(bead) + ".yaml";
  const std::string any(agent::rehearsal::kAnyProject);
  for (const std::string& name : {own, "templates/demo-capsule/" + own, any}) {
    if (const auto path = project.assets.beside(name)) return *path;
    if (assets::find_embedded(name) != nullptr) return agent::rehearsal::built_in(name);
  }
  return agent::rehearsal::built_in(any);
}

Result<agent::Provider> provider_with(const Project& project, std::string_view name,
                                      const std::string& model, std::string_view bead) {
  const auto found = project.config.providers.find(name);
  const config::Provider* row = found == project.config.providers.end() ? nullptr : &found->second;
  if (row != nullptr && !row->command.empty()) {
    agent::Provider provider;
    provider.name = name;
    for (const std::string& word : row->command)
      provider.argv.push_back(replace_all(word, "{model}", model));
    provider.stdin_prompt = row->input != config::Stdin::none;
    provider.model = model;
    return provider;
  }
  if (name == "claude") return agent::claude_provider(model);
  if (name == "rehearsal")
    return agent::rehearsal_provider(own_program(), cassette_for(project, row, bead));
  std::string known = "claude, rehearsal";
  for (const auto& [other, settings] : project.config.providers)
    if (!settings.command.empty()) known += ", " + other;
  return fail(Reason::usage, "unknown provider '" + printable(name) + "'",
              "valid: " + known + "; add one in .capsule/config.yaml: providers: {" +
                  printable(name) + ": {command: [program, argument]}}");
}

}  // namespace

Result<agent::Provider> provider_named(const Project& project, std::string_view name,
                                       std::string_view phase, std::string_view bead) {
  return provider_with(project, name, project.config.model_of(phase), bead);
}

Result<agent::Provider> provider_for_role(const Project& project, std::string_view role) {
  return provider_with(project, project.config.provider_of_role(role),
                       project.config.model_of_role(role), "");
}

Result<agent::PhaseSettings> settings_of(const Project& project, std::string_view phase,
                                         std::string_view bead) {
  const std::string& name = project.config.provider_of(phase);
  return agent::PhaseSettings{TRY(provider_named(project, name, phase, bead)),
                              project.config.timeout_of(phase)};
}

Result<agent::PhaseSettings> agent_settings(const Project& project,
                                            const workflow::StartAgent& start) {
  const config::Config& config = project.config;
  const std::string& name = start.configured.empty() ? start.role : start.configured;
  const bool role = start.settings == workflow::Settings::role;
  const std::string provider = !start.provider.empty() ? start.provider
                               : role                  ? config.provider_of_role(name)
                                                       : config.provider_of(name);
  const std::string model = !start.model.empty() ? start.model
                            : role               ? config.model_of_role(name)
                                                 : config.model_of(name);
  agent::PhaseSettings settings{TRY(provider_with(project, provider, model, start.task)),
                                role ? config.timeout_of_role(name) : config.timeout_of(name)};
  if (start.short_limit) settings.timeout = config.limits.delegation_timeout;
  if (start.timeout_seconds > 0) settings.timeout = std::chrono::seconds(start.timeout_seconds);
  return settings;
}

}  // namespace capsule::world
