// A folder of ours among the temporary files of the machine, for as long as the value lives. A lock
// in it says that its maker does, too. Single-threaded.
#pragma once

#include <string>

#include "base/files.h"
#include "base/result.h"

namespace capsule::gate {

// Movable, not copyable; the destructor removes the folder, whatever was done to it.
class PrivateFolder {
 public:
  // In TMPDIR where its path is plain letters, digits and signs, else in /tmp: options and
  // variables carry the path through shells and other readers of words. Error io.
  static Result<PrivateFolder> make();
  PrivateFolder(PrivateFolder&& other) noexcept;
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  ~PrivateFolder();
  const std::string& path() const { return path_; }

 private:
  PrivateFolder(std::string path, File lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  std::string path_;  // empty: moved away
  File lock_;
};

// Removes those of processes that were killed. Those of other users, and of runs that go on, stay.
// Runs no process.
void sweep_private_folders();

}  // namespace capsule::gate
