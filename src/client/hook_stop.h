// `capsule hook stop`, callable before anything else of the program is touched: the agent's client
// starts it at every stop of every session on the machine, so it must cost little more than
// starting a process.
#pragma once

namespace capsule::client {

// Reads the client's event from stdin and answers it on stdout. Always returns 0: whatever goes
// wrong inside, the stop is allowed, and stderr says why.
int hook_stop();

}  // namespace capsule::client
