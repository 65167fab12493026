#include "world/environment.h"

#include <unistd.h>

#include <utility>

#include "agent/redaction.h"
#include "git/pin.h"

namespace capsule::world {

std::vector<process::EnvChange> environment_of(const std::string& run,
                                               const workflow::StartAgent& start,
                                               const std::string& folder) {
  const bool by_phase = start.settings == workflow::Settings::phase;
  std::vector<process::EnvChange> env;
  for (const auto& [name, value] : start.env) env.push_back({name, value});
  env.push_back({"CAPSULE_RUN", run});
  env.push_back({"CAPSULE_BEAD", by_phase ? start.task : ""});
  env.push_back({"CAPSULE_PHASE", by_phase ? start.role : ""});
  env.push_back({"CAPSULE_ROLE", start.role});
  env.push_back({"CAPSULE_TASK", start.task});
  env.push_back({"CAPSULE_ATTEMPT", std::to_string(start.attempt)});
  env.push_back({"CAPSULE_WORKTREE", folder});
  env.push_back({"CAPSULE_AGENT", start.agent == 0 ? "" : std::to_string(start.agent)});
  // Whatever becomes of .git in its worktree, the user's checkout above is not its repository.
  if (auto ceiling = git::ceiling_of(folder)) env.push_back({git::kCeilingVariable, *ceiling});
  return env;
}

std::vector<std::string> secrets_of(const std::vector<process::EnvChange>& changes) {
  std::vector<std::string> secrets;
  const auto look = [&](std::string_view name, std::string_view value) {
    for (std::string& secret : agent::secrets_in(name, value)) secrets.push_back(std::move(secret));
  };
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != text.npos) look(text.substr(0, equals), text.substr(equals + 1));
  }
  for (const process::EnvChange& change : changes)
    if (change.value) look(change.name, *change.value);
  return secrets;
}

}  // namespace capsule::world
