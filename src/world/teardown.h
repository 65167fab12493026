// Removes worktrees and branches that nobody works in, after keeping what is in them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "world/runs.h"

namespace capsule::world {

struct TeardownOrder {
  std::vector<std::string> words;  // of the one run or task that is meant, as find_run() has it
  bool dry_run = false;            // tell what would be done, and do nothing
  std::function<void(const std::string& line)> tell;  // what was done, or left alone and why
  std::function<void(const Error&)> fail = [](const Error&) {};  // what could not be done
};
// Goes on after a failure. Returns whether there was none. Error: the run that is meant is not
// found, or there is no reading the journal.
Result<bool> teardown(const Project& project, const TeardownOrder& order);

}  // namespace capsule::world
