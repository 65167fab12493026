#include "world/environment.h"

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

}  // namespace capsule::world
