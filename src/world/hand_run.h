// Phases that a person runs by hand, in any folder. Those in a worktree of Capsule's are noted, so
// that a resumed run knows what is done.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/report.h"
#include "event/definition.h"
#include "event/supply.h"
#include "world/project.h"

namespace capsule::world {

// For a folder <project>/.capsule/worktrees/<bead>: the project, and the bead.
std::optional<std::string> owner_of_worktree(const std::string& folder);
std::optional<std::string> bead_of_worktree(const std::string& folder);

// A project for run-phase, which works in folders that are no repository too: `folder`, whatever
// the words say.
Result<Project> open_loose_project(const ProjectWords& words, const std::string& folder);

// The phase as the pipeline of the project states it; one of another name has the prompt of its
// name. Errors: those of find_workflow().
Result<event::PhaseRule> phase_by_hand(const Project& project, const std::string& name);

struct HandRun {
  agent::Report report;
  int exit_code = 0;      // of an interrupted one
  std::string not_noted;  // why --resume will not know of it; empty: it will, or need not
  std::vector<std::string> odd = {};  // sentences: what came of it inside its walls
};
// Runs the agent of a phase in a folder, to its end, and notes it. Ctrl-C ends it. It has walls
// where somebody has chosen some: those of the default would be no phase as scripts know it. Error
// refused: walls were chosen, and the folder is no worktree of the project.
Result<HandRun> run_by_hand(const Project& project, const event::PhaseRule& phase,
                            const std::string& folder, const std::string& prompt,
                            std::string_view feedback);

// What is known of it beside its signal: of its walls, and of the call. The call's number is told
// by the run that it is added to.
struct HandFacts {
  std::vector<event::supply::Fact> walls = {};
  std::optional<event::supply::AgentUsed> call = {};  // none: nobody was called
};

// Adds the phase to the bead's newest run, if that run has ended. A phase that cannot be noted is
// none the worse: an error is only worth a warning.
Result<void> note_hand_run(const Project& project, const std::string& bead,
                           const std::string& phase, const agent::Report& report,
                           std::int64_t duration_ms, const HandFacts& known = {});

}  // namespace capsule::world
