// Reads the index of a checkout, git's list of what is staged, without a process: versions 2 to 4.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace capsule::git {

struct IndexEntry {
  std::string path;
  std::int64_t ctime_ns = 0, mtime_ns = 0;
  std::uint32_t mode = 0, size = 0;  // the size of its lowest 32 bits
  bool watched = true;               // its file is to be in the working tree, as a file or link
};

struct IndexFile {
  std::vector<IndexEntry> entries;
  std::uint64_t staged = 0;  // tells two lists apart that differ in a path, mode, content or stage
};

// Pure. None: it is damaged, or of a kind that we do not read (shared with another file, folders as
// entries).
std::optional<IndexFile> read_index(std::string_view bytes, bool sha256);

}  // namespace capsule::git
