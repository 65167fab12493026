#include "world/supply_policy.h"

namespace capsule::world {
namespace {

using supply::Choice;

std::string model_of_provider(const config::Config& config, const std::string& provider) {
  const auto found = config.providers.find(provider);
  return found == config.providers.end() ? std::string() : found->second.model;
}

std::vector<Choice> choices_of(const config::Config& config, Choice first,
                               const std::vector<config::Fallback>& fallbacks) {
  std::vector<Choice> choices{std::move(first)};
  for (const config::Fallback& one : fallbacks)
    choices.push_back(
        {one.provider, one.model.empty() ? model_of_provider(config, one.provider) : one.model});
  return choices;
}

std::vector<Choice> phase_choices(const config::Config& config, std::string_view phase) {
  return choices_of(config, {config.provider_of(phase), config.model_of(phase)},
                    config.fallbacks_of(phase));
}

}  // namespace

supply::Policy policy_of(const config::Config& config, const event::Definition& definition) {
  supply::Policy policy;
  for (const auto& [phase, settings] : config.phases)
    policy.phases[phase] = phase_choices(config, phase);
  for (const event::PhaseRule& rule : definition.phases) {
    std::vector<Choice> choices = phase_choices(config, rule.name);
    if (!rule.provider.empty() && rule.provider != choices.front().provider)
      choices.front() = {rule.provider, model_of_provider(config, rule.provider)};
    if (!rule.model.empty()) choices.front().model = rule.model;
    policy.phases[rule.name] = std::move(choices);
  }
  for (const auto& [role, settings] : config.roles)
    policy.roles[role] =
        choices_of(config, {config.provider_of_role(role), config.model_of_role(role)},
                   config.fallbacks_of_role(role));
  policy.other_phases = policy.other_roles = choices_of(
      config, {config.provider, model_of_provider(config, config.provider)}, config.fallbacks);
  policy.budget = {config.budget.run, config.budget.task, config.budget.day, config.budget.tokens,
                   config.budget.hard};
  for (const auto& [name, price] : config.prices)
    policy.prices[name] = {price.input, price.output, price.cache_read, price.cache_written};
  policy.trailers = config.trailers;
  return policy;
}

supply::Policy policy_for(const Project& project, const event::Definition& definition) {
  supply::Policy policy = policy_of(project.config, definition);
  policy.given = kept_words(project.words);
  return policy;
}

}  // namespace capsule::world
