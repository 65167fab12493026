// What the agents of a run that goes on do now, as another process can see it: by the end of their
// logs. Reads only.
#pragma once

#include <cstdint>
#include <map>

#include "dialect/activity.h"
#include "world/logs.h"
#include "world/runs.h"

namespace capsule::world {

struct Activities {
  std::map<int, dialect::Activity> of;  // by the agent's number; those that printed something
  std::int64_t now_ms = 0;              // on the clock of their times
};

// The logs that its agents at work print to, by their numbers; those that are there.
std::map<int, LogFile> live_logs(const Project& project, const Run& run);

// All logs of one agent, stderr behind stdout. Of one at work also that which it prints to: until
// it has ended, the name of that does not always tell whose it is.
std::vector<LogFile> logs_of_agent(const Project& project, const Run& run, int agent);

// Of the agents that work. Of one that prints text its newest line counts as what it said.
Activities activities_of(const Project& project, const Run& run);

}  // namespace capsule::world
