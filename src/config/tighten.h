// What the project's own file may not loosen. A project can come from anybody; its file can ask for
// tighter walls than its user has, and not for weaker ones. Internal to config.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace capsule::config {

// `entries` of defaults, user and project, in this order. Those of the project that loosen are
// removed; each is a problem that says where it belongs.
void drop_looser(std::vector<Entry>& entries, std::vector<Problem>& problems,
                 const std::string& user_file);

// A preset that a variable or a flag names holds for all phases, roles and checks: what files say
// of single ones is removed.
void drop_overruled(std::vector<Entry>& entries);

}  // namespace capsule::config
