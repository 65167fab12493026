// `capsule hook stop`, callable before anything else of the program is touched: the agent's client
// starts it at every stop of every session on the machine, so it must cost little more than
// starting a process.
#pragma once

#include <string_view>

namespace capsule::client {

// Reads the client's event from stdin and answers it on stdout. `program` is how it was called, by
// which one of several hooks for the same stop is told. Always returns 0: whatever goes
// wrong inside, the stop is allowed, and a message to the person says why, as does stderr.
int hook_stop(std::string_view program = {});

}  // namespace capsule::client
