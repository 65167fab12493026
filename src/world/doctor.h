// What a run would need in a project, what is missing, and what fixes it. Changes nothing.
#pragma once

#include <string>
#include <vector>

#include "world/project.h"

namespace capsule::world {

enum class Health { good, doubtful, bad };
std::string_view name_of(Health health);  // "ok", "warning", "problem"

struct Finding {
  Health health{};
  std::string what;  // "git", "tracker", …
  std::string text;
  std::vector<std::string> mend = {};  // commands, or lines for the configuration
};
using Findings = std::vector<Finding>;

// What an error says.
Finding trouble(std::string what, const Error& error);

// git first; when it is bad, nothing else was looked at.
Findings examine(const ProjectWords& words);
// Whether a run could start: nothing is bad.
bool is_ready(const Findings& findings);

}  // namespace capsule::world
