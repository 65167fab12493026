// Wakes the loop when a file appears in a folder; no polling. Single-threaded, on the thread of the
// Loop, which must outlive it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/files.h"
#include "process/tree.h"

namespace capsule::world {

class FolderWatch {
 public:
  explicit FolderWatch(process::Loop& loop) : loop_(loop) {}
  ~FolderWatch();
  FolderWatch(const FolderWatch&) = delete;
  FolderWatch& operator=(const FolderWatch&) = delete;

  // Makes the folder when it is missing. Where the system has no watches left nothing is called,
  // and files are found at the next look. A second call does nothing.
  void watch(const std::string& folder, std::function<void()> appeared);

 private:
  process::Loop& loop_;
  File inotify_;
  std::optional<process::WatchId> watch_;
};

}  // namespace capsule::world
