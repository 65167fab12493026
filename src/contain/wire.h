// What the process between and the one that started it tell each other: whole messages over a
// SOCK_SEQPACKET connection.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "contain/report.h"

namespace capsule::contain {

inline constexpr std::size_t kMaxWords = 2000;

struct Message {
  enum class Kind {
    failed,
    here,  // from the command's own process, before it runs: the kernel adds its number
    running,
    ended,
  };
  Kind kind = Kind::failed;
  // failed
  Reason reason = Reason::io;
  char message[kMaxWords] = {};
  char hint[kMaxWords] = {};
  // ended
  int exit_code = -1;
  int term_signal = 0;
};

// The other way: a signal for the command, or for all inside.
struct Pass {
  int signal = 0;
  bool all = false;
};

}  // namespace capsule::contain
