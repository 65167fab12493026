// How far the journal has come, in a small file beside it. It is written after each commit and
// never synced, so it may lag behind the journal but can never be ahead of it: a journal that has
// less than this lost acknowledged facts (its write-ahead log was removed or damaged).
#pragma once

#include <cstdint>
#include <string>

#include "base/files.h"

namespace capsule::store {

class HighWater {
 public:
  struct Mark {
    std::uint64_t seq = 0;   // of the newest fact
    std::uint64_t runs = 0;  // how many runs there are
  };

  explicit HighWater(std::string path) : path_(std::move(path)) {}

  // What the file says; zeros when it is missing or unreadable: then it proves nothing.
  Mark read();
  // Failures are ignored: an old mark is as true as a new one.
  void write(const Mark& mark);

 private:
  std::string path_;
  File file_;
};

}  // namespace capsule::store
