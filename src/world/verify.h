// From configuration to the commands that check the project.
#pragma once

#include <string>

#include "config/config.h"
#include "gate/verify.h"

namespace capsule::world {

gate::Verify verify_of(const config::Config& config);
// The same for a prompt, a line each.
std::string verify_text(const config::Config& config);

}  // namespace capsule::world
