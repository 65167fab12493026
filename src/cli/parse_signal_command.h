// `capsule parse-signal`, callable before anything else of the program is touched: agents' scripts
// start it for every phase, so it must cost little more than starting a process.
#pragma once

namespace capsule::cli {

// Reads stdin to its end and prints the signal, compact, on one line. Returns the exit code: 0 a
// valid signal, 1 none (the synthetic ERROR signal was printed), 2 reading or printing failed.
int parse_signal();

}  // namespace capsule::cli
