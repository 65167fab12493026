// What a command wrote into the layer over its folder, read afterwards. Everything in it is the
// command's own making: no link is followed, and what is looked at is bounded. Pure but for
// reading.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace capsule::contain {

// In the folder of a layer: what was written, and what overlayfs needs for itself.
inline constexpr const char* kUpper = "/upper";
inline constexpr const char* kWork = "/work";

struct LayerChange {
  enum class Kind { added, changed, removed };
  Kind kind = Kind::changed;
  std::string path;  // below the folder; one of a folder ends in a slash
  bool operator==(const LayerChange&) const = default;
};

struct LayerChanges {
  std::vector<LayerChange> all;  // by path
  bool more = false;             // there were too many to look at, or too deep
};

struct LayerLimits {
  std::size_t changes = 10'000;
  std::size_t looked_at = 200'000;  // entries of folders
  std::size_t compared_bytes =
      std::size_t{64} * 1024 * 1024;  // of one file; a larger one is changed
};

// How the folder looked to the command in the end, against how it looks below the layer. A file
// that was only touched, or written again as it was, is no change. Folders are named when they are
// empty, removed as a whole, or cannot be read. Below a cover a file of the cover counts as the
// folder's. `cover` may be empty. Error io when layer or folder cannot be opened.
Result<LayerChanges> list_layer(const std::string& layer, const std::string& folder,
                                const std::string& cover = {}, const LayerLimits& limits = {});

// For the making of a cover: `relative` seems to be missing, or (for a folder in the cover) to hold
// what the cover holds and nothing else. Errors: refused (the file system cannot hold such marks),
// io.
Result<void> make_gap(const std::string& cover, const std::string& relative);
Result<void> make_opaque(const std::string& cover, const std::string& relative);

}  // namespace capsule::contain
