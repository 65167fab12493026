// The event that an agent's client sends to its Stop hook, and the project that it is about.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.h"

namespace capsule::client {

struct HookEvent {
  bool is_stop = true;  // other events, such as a sub-agent's stop, are not ours
  std::string session;
  std::string transcript;
  std::string cwd;
  std::string last_message;
  std::size_t background = 0;  // tasks of the client that run, or are about to
};

// Reads `fd` until the event is complete; a client may leave its end of the pipe open. What follows
// is not read. Errors: damaged (it is no JSON object), timed_out (the rest does not come).
Result<HookEvent> read_event(int fd);

// The folder with a state file: `cwd` or the nearest one above it, up to the top of its repository;
// else what the client calls the project (CLAUDE_PROJECT_DIR). nullopt: there is none.
std::optional<std::string> find_auto_project(const std::string& cwd);

}  // namespace capsule::client
