// Phases that a person runs by hand in a worktree of Capsule's: they are noted, so that a resumed
// run knows what is done.
#pragma once

#include <optional>
#include <string>

#include "agent/report.h"
#include "world/project.h"

namespace capsule::world {

// For a folder <project>/.capsule/worktrees/<bead>: the project, and the bead.
std::optional<std::string> owner_of_worktree(const std::string& folder);
std::optional<std::string> bead_of_worktree(const std::string& folder);

// A project for run-phase, which works in folders that are no repository too: `folder`, whatever
// the words say.
Result<Project> open_loose_project(const ProjectWords& words, const std::string& folder);

// Adds the phase to the bead's newest run, if that run has ended. A phase that cannot be noted is
// none the worse: an error is only worth a warning.
Result<void> note_hand_run(const Project& project, const std::string& bead,
                           const std::string& phase, const agent::Report& report,
                           std::int64_t duration_ms);

}  // namespace capsule::world
