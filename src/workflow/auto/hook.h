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

// One stop of a session, as its client tells it.
struct SessionStop {
  Seen seen;
  std::string session;         // empty: the client did not say
  std::size_t background = 0;  // tasks of the client that still run: it wakes the session later
  // By which another call for the same stop is known.
  std::string id = {};        // the last thing that the session was told; empty: not known
  bool doubled = false;       // the hook is installed more than once
  std::int64_t began = 0;     // when this call began, and
  std::int64_t answered = 0;  // when it has its answer, in ticks of the machine's own clock
};

enum class Verdict {
  not_ours,       // inactive, or another session's: the stop is allowed, nothing is written
  answered,       // by another call for the same stop: nothing is said or written again
  unknown_phase,  // the same, and somebody should know
  error,          // the agent said PHASE_ERROR: allowed, so that a person can act
  stale,          // allowed; no longer active
  waiting,        // allowed, nothing counted: the client's own tasks are still at work
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

Answer answer_stop(State state, const SessionStop& stop, const Moment& now);

bool blocks(Verdict verdict);

}  // namespace capsule::auto_mode
