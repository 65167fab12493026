// Checked values into the members of the configuration. Internal to config.
#pragma once

#include <string>

#include "config/config.h"

namespace capsule::config {

// The name that stands for `*` in the entry's row. Names may hold dots themselves. Requires: the
// row has one.
std::string name_in(const Entry& entry);

// Every member from `config.entries`.
void fill(Config& config);

}  // namespace capsule::config
