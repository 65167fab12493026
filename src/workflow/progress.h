// What goes on while one of the project's own commands runs: told as it happens, for faces alone.
// Nothing is decided by it, and no fact holds it; what a command came to is in the facts. Values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "event/common.h"

namespace capsule::workflow {

// What it is run for.
enum class CheckFor {
  work,      // what an agent left
  baseline,  // main, before anybody works
  merge,     // the merged files, before main moves
  health,    // main, after remediation
  tree,      // a tree is made ready for its agents
  before,    // the files that an agent's work began with
  without,   // the tests alone: what they say when the new code is not there
};
std::string_view name_of(CheckFor what);  // "work", …

struct CheckProgress {
  std::uint64_t id = 0;  // the same at its start and its end
  std::string task;      // a bead, or one of a plan; empty: the run as a whole
  CheckFor what{};
  std::string name;     // "test", "build", "setup"
  std::string command;  // as the configuration spells it
  bool ended = false;
  event::CheckRun run = {};  // when it has ended
};

}  // namespace capsule::workflow
