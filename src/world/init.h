// Makes an existing repository ready for runs. Changes nothing that is there.
#pragma once

#include <string>
#include <vector>

#include "world/project.h"

namespace capsule::world {

struct InitStep {
  std::string what;
  bool changed = false;
  std::string note = {};  // for people; may be empty
};
using InitSteps = std::vector<InitStep>;

// Prompts and template, tracker, configuration and git's exclusion, each where it is missing. Safe
// to repeat.
Result<InitSteps> initialise(const Project& project);

}  // namespace capsule::world
