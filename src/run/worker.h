// A worker: carries out agents that runs on other machines want, in worktrees of this clone, by the
// project's configuration here. It decides nothing else: what an agent leaves goes back as a
// snapshot, and checks and merges are the run's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/journal.h"
#include "world/project.h"

namespace capsule::run {

struct WorkerOrder {
  std::vector<std::string> labels;  // besides those that are found
  int slots = 1;
  bool once = false;  // ends when one was done
};

// Until it is asked to end: the first Ctrl-C or SIGTERM lets its agents finish, the second ends
// them and gives their work back. Returns the exit code.
Result<int> work(const world::Project& project, engine::Records& records, const WorkerOrder& order);

}  // namespace capsule::run
