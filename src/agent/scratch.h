// A temporary folder for one run of an agent, its TMPDIR: clients leave libraries, reports and
// sockets there. It is gone with the value. What processes that were killed left is removed when
// the next one is made. Any thread.
#pragma once

#include <string>

#include "base/files.h"
#include "base/result.h"

namespace capsule::agent {

class Scratch {
 public:
  // In TMPDIR, or /tmp. Error io.
  static Result<Scratch> create();
  Scratch(Scratch&&) noexcept = default;
  Scratch& operator=(Scratch&&) = delete;
  ~Scratch();

  // Short: a socket's path may have 107 bytes.
  const std::string& path() const { return path_; }

 private:
  Scratch(std::string path, File lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  std::string path_;
  File lock_;  // on the folder, for as long as it is used
};

}  // namespace capsule::agent
