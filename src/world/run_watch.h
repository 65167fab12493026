// Waits until there may be something new of a run: its journal, its logs, or the process that
// carries it on. It sleeps until then, however long; only where nothing tells (a network's disk, a
// process of another machine, no watches left) it looks once a second. One thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "engine/journal.h"

namespace capsule::world {

// Whether writes of other machines to this folder go by without a word.
bool changes_unheard(const std::string& folder);

// Watches a folder, or as much of the way to it as there is: what appears there is heard of.
// Returns whether the folder itself is watched. `mask` adds to what is watched there already.
bool watch_on_the_way(int inotify, const std::string& folder, std::uint32_t mask,
                      std::string_view top);

class RunWatch {
 public:
  explicit RunWatch(std::string project);
  // Each is to be called before that is read which may change, so that nothing is missed.
  void look_at_logs(const std::vector<std::string>& folders);
  void look_at(const engine::ProcessIdentity& process);

  // Until something has happened, or a signal has come. `leave` is asked first; while it is, and
  // until the sleep begins, SIGINT is held back, so that none is slept through.
  void wait(const std::function<bool()>& leave = {});

 private:
  const std::string project_;
  File inotify_, pidfd_;
  std::optional<engine::ProcessIdentity> process_;
  bool blind_ = false;    // of what is written
  bool unknown_ = false;  // whether the process lives
};

}  // namespace capsule::world
