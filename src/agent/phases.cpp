#include "agent/phases.h"

#include <fcntl.h>

#include <cstdlib>

#include "worklog/prompt.h"

namespace capsule::agent {

Result<void> find_agent(const Provider& provider) {
  const char* path = std::getenv("PATH");
  auto found = process::find_program(provider.argv.front(), path != nullptr ? path : "", AT_FDCWD);
  if (found) return {};
  return tl::unexpected(with_advice(provider, found.error()));
}

Result<void> AgentPhases::preflight() {
  for (const auto& [phase, settings] : equipment_.settings) {
    TRY_VOID(find_agent(settings.provider));
    TRY_VOID(equipment_.prompt(name_of(phase)));
  }
  return {};
}

std::string AgentPhases::provider_of(event::Phase phase) {
  return equipment_.settings.at(phase).provider.name;
}
std::string AgentPhases::model_of(event::Phase phase) {
  return equipment_.settings.at(phase).provider.model;
}

Result<engine::PhaseReport> AgentPhases::run(const engine::PhaseRequest& request) {
  const PhaseSettings& settings = equipment_.settings.at(request.phase);
  Assignment assignment;
  assignment.phase = name_of(request.phase);
  assignment.folder = request.worktree;
  assignment.prompt =
      worklog::compose_prompt(TRY(equipment_.prompt(assignment.phase)), request.feedback);
  assignment.timeout = settings.timeout;
  assignment.stamp = equipment_.stamp();
  assignment.interrupted = equipment_.interrupted;
  assignment.env = {{"CAPSULE_RUN", request.run},
                    {"CAPSULE_BEAD", request.bead},
                    {"CAPSULE_PHASE", assignment.phase},
                    {"CAPSULE_ATTEMPT", std::to_string(request.attempt)},
                    {"CAPSULE_WORKTREE", request.worktree}};
  if (!request.commit_message.empty())
    assignment.env.push_back({"CAPSULE_COMMIT_MSG", request.commit_message});
  return run_agent(loop_, settings.provider, assignment, watch_);
}

}  // namespace capsule::agent
