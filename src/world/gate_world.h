// Connects the gates with the project's repository and commands.
#pragma once

#include <functional>
#include <string>

#include "gate/gates.h"
#include "process/tree.h"
#include "world/project.h"

namespace capsule::world {

gate::Verify verify_of(const config::Config& config);

// Whether a person asked to stop: what a check says then says nothing about the work.
using Interrupted = std::function<bool()>;

// `project` and `loop` must outlive what is returned. Error interrupted.
gate::World gate_world(const Project& project, process::Loop& loop, const Interrupted& interrupted);

// All of the project's checks in a clean checkout of a commit: what failed, or nothing. Empty when
// the project has none.
std::function<Result<std::string>(const std::string& commit)> verify_merged(
    const Project& project, process::Loop& loop, const Interrupted& interrupted);

}  // namespace capsule::world
