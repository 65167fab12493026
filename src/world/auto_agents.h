// The agents of a headless run of auto mode: one for a phase, in one session where the client has
// sessions; three reviewers at once.
#pragma once

#include <functional>
#include <string>

#include "agent/crew.h"
#include "engine/auto_ports.h"
#include "world/project.h"

namespace capsule::world {

class AutoAgentsPort : public engine::AutoAgents {
 public:
  // `project` and `loop` must outlive it.
  AutoAgentsPort(const Project& project, process::Loop& loop, std::string log_folder,
                 std::function<bool()> interrupted);
  Result<void> preflight() override;
  std::string new_session() override;
  Result<engine::TurnReport> turn(const engine::TurnRequest& request) override;
  Result<Reviews> review(const engine::TurnRequest& request) override;

 private:
  struct Spoken {
    agent::Ending ending;
    std::string text;  // what the agent said, decoded
    std::string raw;   // what it printed
  };
  Result<agent::Task> task_for(const engine::TurnRequest& request, std::string_view phase,
                               int attempt, std::string prompt);
  Result<Spoken> heard(const agent::Ending& ending) const;
  Result<void> wait(const std::function<bool()>& pending);

  const Project& project_;
  process::Loop& loop_;
  agent::Crew crew_;
  std::string log_folder_;
  std::function<bool()> interrupted_;
};

}  // namespace capsule::world
