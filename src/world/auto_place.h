// Where a headless run of auto mode works: a worktree of its own, or the checkout itself.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/auto_ports.h"
#include "world/project.h"

namespace capsule::world {

// `verify_merged` runs the project's checks on a merged commit that nobody has tested yet; empty
// text: all is well; an empty function: there are none. `project` must outlive it.
std::unique_ptr<engine::AutoPlace> worktree_place(
    const Project& project, const std::string& run,
    std::function<Result<std::string>(const std::string& commit)> verify_merged);
std::unique_ptr<engine::AutoPlace> checkout_place(const Project& project, const std::string& run);

}  // namespace capsule::world
