// A tree with walls around it. What is wished goes to the guardian as a sealed file in memory; the
// guardian makes the policy of it, once, and starts the agent inside.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "contain/policy.h"
#include "contain/start.h"
#include "process/program.h"

namespace capsule::process {

// What of /etc is to be hidden. It takes as long to find as all walls to put up, so those who start
// in the same moment ask once.
class GuardedSettings {
 public:
  const std::vector<std::string>& now();

 private:
  std::optional<std::int64_t> asked_ms_;
  std::vector<std::string> paths_;
};

// For Loop::start. What the wish leaves open comes from the tree: where it starts, what was set for
// it, and, of the environment of the guardian, home and search path.
struct Surroundings {
  const std::string& folder;  // empty: the wish's own
  const std::vector<EnvChange>& changes;
  const std::vector<std::string>& env;      // NAME=value
  const std::vector<std::string>& guarded;  // see Wish
};
Result<File> wish_file(contain::Wish wish, const Surroundings& around);

// For the guardian, which has one thread. Reads and closes `fd`. The agent runs when this returns,
// in a session of its own and with no signal blocked. Errors, and nothing of it ran: those of
// contain::make_policy and contain::start; damaged.
Result<contain::Inside> start_contained(int fd, const std::vector<std::string>& argv);

}  // namespace capsule::process
