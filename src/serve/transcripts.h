// What agents printed, readable and in pieces. Runs beside the loop, one call at a time.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "base/result.h"
#include "world/logs.h"

namespace capsule::serve {

inline constexpr std::size_t kMaxPieceBytes = std::size_t{256} * 1024;

// Keeps what was asked for last as far as it was read, so that the next piece, or what an agent at
// work has added, costs only what is new. A page asks for both streams of an agent in turn, and
// there may be two pages.
class Transcripts {
 public:
  // One stream of one agent: `key` tells it from all others, `files` are its logs in their order.
  struct Stream {
    std::string key;
    std::vector<world::LogFile> files;
    bool at_work = false;  // more may come: a line that is not complete is held back
  };
  Transcripts();
  ~Transcripts();
  // {"from":0,"next":1234,"size":9999,"text":"…"}: the words of a client's events where it prints
  // such. `next` is `size` at the end. What was told is never told otherwise, however the logs
  // grow. Error not_found: nothing was printed, or it is gone.
  Result<std::string> piece(const Stream& stream, std::uint64_t from);
  std::size_t kept() const { return readings_.size(); }

 private:
  class Reading;
  std::list<Reading> readings_;  // the newest first
};

}  // namespace capsule::serve
