// What the agents of a run that goes on do now, as another process can see it: by the end of their
// logs. Reads only.
#pragma once

#include <cstdint>
#include <map>

#include "world/logs.h"
#include "world/runs.h"

namespace capsule::world {

// A run with what its agents at work do now; those that printed something.
struct RunNow {
  view::Run run;
  std::int64_t now_ms = 0;  // on the clock of that
};

// The logs that its agents at work print to, by their numbers; those that are there.
std::map<int, LogFile> live_logs(const Project& project, const Run& run);

// All logs of one agent, stderr behind stdout. Of one at work also that which it prints to: until
// it has ended, the name of that does not always tell whose it is.
std::vector<LogFile> logs_of_agent(const Project& project, const Run& run, int agent);

// Of an agent that prints text its newest line counts as what it said.
RunNow run_now(const Project& project, const Run& run);

}  // namespace capsule::world
