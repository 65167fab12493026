// A run that goes on without the terminal that it was started from: the same command in a process
// and session of its own, with nothing to read, and its words in a file.
#pragma once

#include <sys/types.h>

#include <string>

#include "world/project.h"

namespace capsule::run {

struct Detached {
  pid_t pid = 0;
  std::string log;    // what it prints; removed when no run was begun
  std::string run;    // its id, once the run is recorded, claimed and carried on; or else, empty:
  int exit_code = 0;  // of the process, which has ended,
  std::string said;   // with these words
};

// Calls this very command again, without its word --detach, and waits until the run is carried on
// or the process has ended. One thread. Errors: io.
Result<Detached> detach(const world::Project& project);

// Tells whoever waits for it in detach(), in the process that it started; elsewhere it does
// nothing. Once: whatever this process starts later knows nothing of it. Requires: one thread.
void tell_carried_on(const std::string& run);

}  // namespace capsule::run
