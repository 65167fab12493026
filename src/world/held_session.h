// Sessions of an agent's client that the Stop hook holds on course, in the journal.
#pragma once

#include <string>

#include "base/result.h"

namespace capsule::world {

// Brings what the hook wrote into the journal, once for each state that is found. Does nothing for
// the state of a headless run, and where there is no repository.
Result<void> record_session(const std::string& folder);

}  // namespace capsule::world
