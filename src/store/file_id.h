// Which file stands at a path, so that one that was removed or replaced is noticed.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

namespace capsule::store {

struct FileId {
  dev_t device = 0;
  ino_t number = 0;
  bool operator==(const FileId&) const = default;
};

// nullopt: there is none.
inline std::optional<FileId> file_at(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return std::nullopt;
  return FileId{info.st_dev, info.st_ino};
}

inline std::optional<FileId> file_of(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return std::nullopt;
  return FileId{info.st_dev, info.st_ino};
}

}  // namespace capsule::store
