// For tests: ends this process, as a power cut would, at a point that the environment names.
// Compiled in only with CAPSULE_TEST_HOOKS; what users install has none of it.
#pragma once

#include <memory>

#include "engine/world.h"

namespace capsule::world {

// CAPSULE_TEST_POINTS=FILE: every point that is reached is appended to the file, a line each.
// CAPSULE_TEST_CRASH_AT=N: SIGKILL at the N-th of them (from 1). nullptr when neither is set.
std::unique_ptr<engine::Probe> crash_probe();

}  // namespace capsule::world
