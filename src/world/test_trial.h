// The test command, run once before anybody is paid: whether it can run at all, how many tests it
// names and in which way, and how long it takes. It runs in a folder that holds exactly the files
// of the main branch, as the checks of a run do; the user's checkout is not touched. Waits; Ctrl-C
// ends the command and is an error (interrupted).
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "gate/verify.h"
#include "world/doctor.h"
#include "world/project.h"

namespace capsule::world {

// Requires: the project has a test command. Errors: not_found (no main branch), interrupted, io.
Result<gate::Verdict> try_tests(const Project& project);

// What a person should know of it. Pure.
Finding finding_of(const gate::Verdict& verdict);

}  // namespace capsule::world
