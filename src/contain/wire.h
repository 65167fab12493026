// What the process between and the one that started it tell each other: whole messages over a
// SOCK_SEQPACKET connection.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "contain/report.h"

namespace capsule::contain {

inline constexpr std::size_t kMaxWords = 2000;

struct Message {
  enum class Kind { failed, running, ended };
  Kind kind = Kind::failed;
  // failed
  Reason reason = Reason::io;
  char message[kMaxWords] = {};
  char hint[kMaxWords] = {};
  // ended
  int exit_code = -1;
  int term_signal = 0;
};

// The other way: a signal for the command.
struct Pass {
  int signal = 0;
};

}  // namespace capsule::contain
