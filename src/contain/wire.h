// What the process between and the one that started it tell each other: whole messages over a
// SOCK_SEQPACKET connection.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "contain/report.h"

namespace capsule::contain {

inline constexpr std::size_t kMaxWords = 2000;

struct Message {
  enum class Kind {
    failed,
    listening,  // comes with the listeners of the new network, where there are any
    here,       // from the command's own process, before it runs: the kernel adds its number
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

// What comes beside a message.
struct Beside {
  pid_t sender = 0;  // by his number here; 0: the kernel was not asked
  std::vector<File> files = {};
};

// With descriptors that the other side gets too.
void send_message(int channel, const Message& message, const std::vector<File>& files = {});
// Waits for one, unless `flags` has MSG_DONTWAIT. False: there is none, the other side is gone, or
// it said something else.
bool receive_message(int channel, Message& message, Beside& beside, int flags = 0);

}  // namespace capsule::contain
