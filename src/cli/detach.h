// --detach, of the commands that begin a run.
#pragma once

#include "cli/commands.h"
#include "cli/project_args.h"

namespace capsule::cli {

inline constexpr Option kDetach{
    "detach", "", "Go on without this terminal; the output goes to a file in .capsule/detached/"};

// Whether it was asked for.
bool wants_detach(const Args& args);
// Has the same command carried out by a process of its own, says how it is watched and stopped, and
// returns 0 once the run is carried on; else the words and the exit code of that process. The
// caller has looked at the words of the command.
Result<int> run_detached(const Args& args);

}  // namespace capsule::cli
