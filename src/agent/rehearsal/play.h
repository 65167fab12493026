// Plays one take of a cassette in a worktree: files, commands, worklog, output. Blocks until the
// take is over. Single-threaded; commands inherit this process's environment and never go through a
// shell.
#pragma once

#include <functional>
#include <string>

#include "agent/rehearsal/cassette.h"
#include "agent/rehearsal/texts.h"
#include "base/result.h"

namespace capsule::agent::rehearsal {

struct Stage {
  std::string worktree;  // every path of the cassette stays beneath it, links not followed
  std::string phase;     // whose section the worklog's entries go to
  std::string prompt;
  std::function<Lookup(std::string_view)> variable;  // what ${NAME} stands for
  int out_fd = 1;
  int err_fd = 2;
};

struct PlayError {
  int line;  // of the step, in the cassette
  Error error;
};

// The exit code that the take asks for: 0 unless it has a step `exit`. It stops at the first step
// that cannot be done; what was done before it stays.
tl::expected<int, PlayError> play(const Take& take, const Stage& stage);

}  // namespace capsule::agent::rehearsal
