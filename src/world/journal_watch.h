// Waits until the journal of a project may have something new. One thread.
#pragma once

#include <chrono>
#include <string>

#include "base/files.h"

namespace capsule::world {

class JournalWatch {
 public:
  // Where the system has no watches left, waiting takes its whole time.
  explicit JournalWatch(const std::string& project);
  // Until something is written there, a signal comes, or the time is over.
  void wait(std::chrono::milliseconds most);

 private:
  File inotify_;
};

}  // namespace capsule::world
