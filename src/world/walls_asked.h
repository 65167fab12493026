// Walls between machines: what a run asks of whoever carries an agent out for it, and how a worker
// keeps to that with its own configuration.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "event/work.h"
#include "workflow/step.h"
#include "world/project.h"

namespace capsule::world {

// As this run's configuration says, whatever this kernel has; nothing asked: it has no walls.
event::work::Walls walls_asked(const Project& project, const workflow::StartAgent& start);

// The label that only a worker has whose kernel holds such walls: "walls:strict"; empty: they may
// be weaker there, or there are none.
std::string label_of(const event::work::Walls& asked);
// Those of this machine.
std::vector<std::string> walls_labels();

// The project with walls that are nowhere looser than these: the tighter of both holds. What
// readies a tree keeps the walls that it has of its own. Error damaged: words that this version
// does not know.
Result<Project> held_to(const Project& project, const event::work::Walls& asked);

}  // namespace capsule::world
