// How the nine phases follow each other, for a session that the Stop hook holds on course and for a
// headless run alike. Pure: functions on the state that .caw/auto-state.json holds.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "workflow/auto/moment.h"
#include "workflow/auto/state.h"

namespace capsule::auto_mode {

// The state is in `phase` from now on; its iterations count anew. `complete` is none to be in: it
// is left where it was.
void enter_phase(State& state, Phase phase, const Moment& now);

// The phase that the state is in has ended with its signal, or was not needed. Enters the next one
// and returns it. Requires: current_phase().
Phase complete_phase(State& state, const Moment& now, bool skipped = false);

// Told to go on once more. False: that is beyond the limit.
bool count_iteration(State& state);

// No longer active. `phase`: `complete` or `failed`.
void finish(State& state, ExitReason reason, std::string_view phase, const std::string& now);

// What the signals of one turn come to.
struct Taken {
  bool completed = false;  // at least one phase, and nothing went wrong after it
  bool error = false;      // PHASE_ERROR stands at the end, in the phase that is then current
  bool finished = false;   // AUTO_COMPLETE: the rest was not read
};

// Takes the signals in their order, each by the phase that is then current: one turn may end
// several. Signals that count are noted in the state, and the error in `last_error`. `on_complete`
// is called when the current phase's signal was said; it brings the state on, and returns whether
// the rest is to be read.
Taken take_signals(State& state, const std::vector<signal::Signal>& signals,
                   const std::string& error, const std::string& now,
                   const std::function<bool()>& on_complete);

}  // namespace capsule::auto_mode
