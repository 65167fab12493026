// The folder `.beads` of a project, on disk: whole files are read, and replaced so that a reader
// sees the old or the new text and a crash leaves one of them. Writers take turns through an
// exclusive flock on the folder itself, which leaves nothing behind. Symbolic links are refused: a
// repository must not be able to point our writes elsewhere. An object belongs to one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/result.h"

namespace capsule::task {

inline constexpr std::size_t kMaxBeadsFileBytes = 512U << 20;

class BeadsFolder {
 public:
  // Reasons: not_found (the project or its .beads is not there), refused, io.
  static Result<BeadsFolder> open(const std::string& project_dir);
  // Makes the folder where it is missing.
  static Result<BeadsFolder> create(const std::string& project_dir);

  // For messages: the path of a file in the folder, or of the folder itself.
  std::string path(std::string_view name) const;

  // nullopt: there is no such file.
  Result<std::optional<std::string>> read(const std::string& name) const;

  // Whether the folder holds a file whose name ends so.
  bool has_file_ending(std::string_view ending) const;

  // Waits for other writers, up to half a minute. Held until the object goes.
  Result<void> lock();

  // Writes beside the file, syncs, renames, syncs the folder. Requires: lock() succeeded.
  Result<void> replace(const std::string& name, std::string_view text) const;

  // What changes whenever the file is replaced; for caches. Empty: there is no such file.
  std::string stamp(const std::string& name) const;

 private:
  BeadsFolder(File folder, std::string project_dir)
      : folder_(std::move(folder)), project_dir_(std::move(project_dir)) {}
  int fd() const { return folder_.fd(); }

  File folder_;
  std::string project_dir_;
};

}  // namespace capsule::task
