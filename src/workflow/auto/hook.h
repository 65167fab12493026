// What the Stop hook answers: a pure function of the state, of what the session said, and of the
// time. The table that it follows is docs/contracts/auto-hook.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "signal/block.h"
#include "workflow/auto/moment.h"
#include "workflow/auto/state.h"

namespace capsule::auto_mode {

// What the agent said since the last continuation.
struct Seen {
  std::vector<signal::Signal> sequence;      // completions, AUTO_COMPLETE and PHASE_ERROR
  std::optional<signal::Signal> transition;  // when it stands alone
  std::string error;                         // of the last PHASE_ERROR
};
Seen seen_in(const signal::BlockResult& result);
// Whether later phases were ended, but not the one that the state is in: its signal may stand
// further back than was looked.
bool misses_a_phase(const State& state, const Seen& seen);

enum class Verdict {
  not_ours,       // inactive, or another session's: the stop is allowed, nothing is written
  unknown_phase,  // the same, and somebody should know
  error,          // the agent said PHASE_ERROR: allowed, so that a person can act
  stale,          // allowed; no longer active
  finished,       // allowed; no longer active
  failed,         // allowed; the limit is reached
  next_phase,     // blocked, with the instructions of the phase that the state now names
  go_on,          // blocked, with the continuation prompt
};

struct Answer {
  Verdict verdict = Verdict::not_ours;
  State state;           // as it is to be written
  bool changed = false;  // whether it has to be
};

// Whether the stop of `session` is any business of this state; asked before its words are read.
bool concerns(const State& state, const std::string& session);

// `session` may be empty: the client did not say.
Answer answer_stop(State state, const Seen& seen, const std::string& session, const Moment& now);

bool blocks(Verdict verdict);

}  // namespace capsule::auto_mode
