// The phases of the pipeline, run by agents: which provider, prompt and limit each phase has.
#pragma once

#include <functional>
#include <map>

#include "agent/run.h"

namespace capsule::agent {

struct PhaseSettings {
  Provider provider;
  std::chrono::seconds timeout{600};
};

// Everything is resolved before the first phase, so that a run cannot fail half-way for want of a
// prompt.
struct Equipment {
  std::map<event::Phase, PhaseSettings> settings;                     // one for every phase
  std::function<Result<std::string>(std::string_view phase)> prompt;  // the text of its prompt file
  std::function<std::string()> stamp;                                 // YYYYMMDD-HHMMSS, now
  std::function<bool()> interrupted;
};

class AgentPhases : public engine::PhaseRunner {
 public:
  AgentPhases(process::Loop& loop, Equipment equipment, Watch& watch)
      : loop_(loop), equipment_(std::move(equipment)), watch_(watch) {}
  Result<void> preflight() override;
  std::string provider_of(event::Phase phase) override;
  std::string model_of(event::Phase phase) override;
  Result<engine::PhaseReport> run(const engine::PhaseRequest& request) override;

 private:
  process::Loop& loop_;
  Equipment equipment_;
  Watch& watch_;
};

// Whether the provider's program can be started at all.
Result<void> find_agent(const Provider& provider);

}  // namespace capsule::agent
