// One stream of an agent on disk: all of it, or, of a flood, its beginning and its end. Logs never
// replace earlier files and are opened without following links: the folder may be the agent's own.
// Single-threaded.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/result.h"

namespace capsule::agent {

// A log holds this much from the beginning; of what follows, the end is kept.
inline constexpr std::size_t kLogHeadBytes = std::size_t{32} << 20;
inline constexpr std::size_t kLogTailBytes = std::size_t{1} << 20;
// The most that a log can have: what is left out is named in a line.
inline constexpr std::size_t kMaxLogBytes = kLogHeadBytes + 2 * kLogTailBytes + 100;

class StreamLog {
 public:
  // `name` beneath `root`, in a folder that exists. Errors: exists, refused (a link on the way),
  // io.
  Result<void> open(const std::string& root, const std::string& name);
  // Its path; empty: it was not opened.
  const std::string& path() const { return path_; }

  Result<void> write(std::string_view bytes);
  // Writes the end that was held back. Does nothing without open().
  Result<void> close();

 private:
  File file_;
  std::string path_;
  std::string tail_;
  std::size_t written_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace capsule::agent
