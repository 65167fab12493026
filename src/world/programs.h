// Whether programs that a project needs are installed, what installs them, and how this one is
// called.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "config/config.h"

namespace capsule::world {

bool on_path(std::string_view program);
// How a shell calls this very program: by its name where PATH finds it, else by its path.
std::string own_word();
// "apt-get install golang-go"; empty where it is not known. Never bd, which is another program
// there.
std::string installed_by(std::string_view program);

// Error missing_program: a command of verify, or worktree.setup, cannot be run, whatever an agent
// does. Of a shell's line the first word is looked at, where it plainly names a program. What has a
// slash may be made by then.
Result<void> check_programs(const config::Config& config);

}  // namespace capsule::world
