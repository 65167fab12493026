// A folder of ours below .capsule/tmp, for as long as the value lives. A lock beside it says that
// its maker does, too: what a killed one left is found and removed by the next run.
#pragma once

#include <string>

#include "base/files.h"
#include "base/result.h"
#include "git/repository.h"

namespace capsule::git {

// Movable, not copyable; the destructor removes the folder, whatever was done to it.
class TemporaryFolder {
 public:
  // Only the name is taken: the folder itself is made by whoever fills it. Errors: io.
  static Result<TemporaryFolder> make(const Repository& repository);
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  const std::string& path() const { return path_; }

 private:
  TemporaryFolder(Repository repository, std::string path, File lock)
      : repository_(std::move(repository)), path_(std::move(path)), lock_(std::move(lock)) {}
  Repository repository_;
  std::string path_;  // empty: moved from
  File lock_;
};

// Removes the folders whose maker is gone, with git's records of worktrees in them. What cannot be
// removed now is left for the next sweep. Runs no process; may be called at any time, whoever else
// works on the project.
void sweep_temporary_folders(const Repository& repository);

}  // namespace capsule::git
