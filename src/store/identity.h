// Who this process is, and whether another one still lives. A pid alone is not enough: it is used
// again after its process is gone, and means nothing after a restart of the machine.
#pragma once

#include "engine/journal.h"

namespace capsule::store {

engine::ProcessIdentity this_process();

enum class Life { dead, alive, unknown };  // unknown: another machine or container

// A zombie is dead: it holds nothing any more.
Life life_of(const engine::ProcessIdentity& process);

}  // namespace capsule::store
