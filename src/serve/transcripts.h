// What agents printed, readable and in pieces. Runs beside the loop, one call at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "ui/transcript.h"
#include "world/logs.h"

namespace capsule::serve {

inline constexpr std::size_t kMaxPieceBytes = std::size_t{256} * 1024;

// Keeps what was asked for last as far as it was read, so that the next piece, or what an agent at
// work has added, costs only what is new.
class Transcripts {
 public:
  // One stream of one agent: `key` tells it from all others, `files` are its logs in their order.
  struct Stream {
    std::string key;
    std::vector<world::LogFile> files;
    bool at_work = false;  // more may come: a line that is not complete is held back
  };
  // {"from":0,"next":1234,"size":9999,"text":"…"}: the words of a client's events where it prints
  // such. `next` is `size` at the end. What was told is never told otherwise, however the logs
  // grow. Error not_found: nothing was printed, or it is gone.
  Result<std::string> piece(const Stream& stream, std::uint64_t from);

 private:
  // One log, as far as it was read.
  struct Part {
    std::string name;
    std::size_t begin = 0;                       // of its words in text_
    std::string first;                           // of its bytes, while it may turn out to be events
    bool plain = false;                          // it has not
    std::unique_ptr<ui::Transcript> transcript;  // it has
  };
  void forget();
  void take(const std::string& name, std::string_view bytes);
  void finish(Part& part);
  std::size_t tellable() const;  // while more may come

  std::string key_;
  std::unique_ptr<world::LogFollower> logs_;
  std::vector<Part> parts_;
  std::string text_;
  std::size_t read_ = 0;
};

}  // namespace capsule::serve
