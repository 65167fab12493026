// The providers of a project as they stand now: free or parked, who works, who waits, what was used
// today. From the configuration, the machine's parkings and the journal. Reads only.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/journal.h"
#include "workflow/summary.h"
#include "world/parkings.h"
#include "world/project.h"

namespace capsule::world {

// Agents of one run.
struct AgentsOfRun {
  std::string run;
  std::string name;  // by which people know it
  int count = 0;
};
// A run that has not ended and for which the provider is parked.
struct ParkedRun {
  std::string run, name;
  Parking parking;
  bool live = false;
  std::string go_on;  // the command that brings it on, when it is not live; empty: none does
};

struct ProviderState {
  std::string name;
  bool configured = false;         // the project's configuration or workflows name it
  std::string program;             // empty: nobody knows how it is called
  bool found = false;              // that can be started
  std::optional<Parking> machine;  // for all runs of the machine
  std::vector<ParkedRun> parked_in;
  std::vector<AgentsOfRun> running, waiting;
  workflow::Usage today;

  bool parked() const { return machine.has_value() || !parked_in.empty(); }
};

// The names that the configuration and the workflows of the project have.
std::set<std::string> configured_providers(const Project& project);

// Those that are configured, known clients that are installed, and whatever is parked or was used
// today; by their names. `store` may be null. `now`: seconds since 1970.
Result<std::vector<ProviderState>> provider_states(const Project& project, engine::Records* store,
                                                   const std::string& parkings, std::int64_t now);

}  // namespace capsule::world
