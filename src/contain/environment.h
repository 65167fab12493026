// The environment of a contained command: made up, never inherited.
#pragma once

#include <string>
#include <vector>

namespace capsule::contain {

// HOME, PATH, TMPDIR and PWD as they are inside, language, time zone and terminal as they are
// outside, and the variables that `names` hands over, where they are set. `set` (NAME=value) goes
// before all of these.
std::vector<std::string> made_up_environment(const std::string& home, const std::string& search,
                                             const std::string& start,
                                             const std::vector<std::string>& names,
                                             const std::vector<std::string>& set = {});

}  // namespace capsule::contain
