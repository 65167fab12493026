#include "workflow/auto/hook.h"

#include <algorithm>
#include <limits>

namespace capsule::auto_mode {
namespace {

using signal::BlockKind;
using signal::Signal;

std::int64_t seconds_since(const std::string& then, const Moment& now) {
  const auto seconds = seconds_of(then);
  return seconds ? now.seconds - *seconds : 0;
}

void note(State& state, Signal signal, const Moment& now) {
  state.detected.push_back({std::string(signal::row(signal).wire), now.text});
}

void finish(State& state, ExitReason reason, std::string_view phase, const Moment& now) {
  state.active = false;
  state.phase = phase;
  state.exit_reason = reason;
  state.completed_at = now.text;
}

// The current phase is done.
void advance(State& state, Phase phase, const Moment& now) {
  PhaseRecord& done = state.phases[index_of(phase)];
  const std::string& began = done.started_at.empty() ? state.started_at : done.started_at;
  done.signal_detected = true;
  done.completed_at = now.text;
  if (seconds_of(began)) done.duration_s = std::max<std::int64_t>(0, seconds_since(began, now));
  const Phase next = signal::next_phase(phase, state.config.skips());
  state.iteration = 0;
  state.last_error.clear();
  if (next == Phase::complete)
    return finish(state, ExitReason::all_phases_complete, signal::name_of(next), now);
  state.phase = signal::name_of(next);
  state.phases[index_of(next)].started_at = now.text;
}

// Takes the signals in their order; one turn may end several phases. Returns what stands at the
// end; go_on: nothing that counts was said.
Verdict take_signals(State& state, const Seen& seen, const Moment& now) {
  Verdict verdict = Verdict::go_on;
  for (const Signal signal : seen.sequence) {
    const auto phase = current_phase(state);
    switch (signal::row(signal).kind) {
      case BlockKind::finish:
        note(state, signal, now);
        finish(state, ExitReason::auto_complete_signal, signal::name_of(Phase::complete), now);
        return Verdict::finished;
      case BlockKind::error:
        verdict = Verdict::error;
        break;
      case BlockKind::completion:
        if (signal != signal::expected_signal(*phase)) break;
        note(state, signal, now);
        advance(state, *phase, now);
        if (!state.active) return Verdict::finished;
        verdict = Verdict::next_phase;
        break;
      case BlockKind::transition:
      case BlockKind::none:
        break;
    }
  }
  if (verdict == Verdict::error) {
    note(state, Signal::phase_error, now);
    state.last_error = seen.error;
  } else if (seen.transition) {
    note(state, *seen.transition, now);
  }
  return verdict;
}

// Only a state that no session has taken up can be forgotten.
bool is_stale(const State& state, const Moment& now) {
  if (!state.session.empty()) return false;
  const bool checked = seconds_of(state.last_checked).has_value();
  return seconds_since(checked ? state.last_checked : state.started_at, now) > kStaleSeconds;
}

}  // namespace

Seen seen_in(const signal::BlockResult& result) {
  Seen seen;
  for (const signal::BlockSighting& sighting : result.sequence)
    seen.sequence.push_back(sighting.signal);
  if (result.signal && signal::row(*result.signal).kind == BlockKind::transition)
    seen.transition = result.signal;
  if (result.signal == Signal::phase_error)
    if (const std::string* error = result.field("ERROR")) seen.error = *error;
  return seen;
}

bool misses_a_phase(const State& state, const Seen& seen) {
  const auto phase = current_phase(state);
  if (!phase) return false;
  bool others = false;
  for (const Signal signal : seen.sequence) {
    if (signal == signal::expected_signal(*phase)) return false;
    if (signal::row(signal).kind != BlockKind::completion) return false;
    others = true;
  }
  return others;
}

bool concerns(const State& state, const std::string& session) {
  return state.active && (state.session.empty() || state.session == session);
}

bool blocks(Verdict verdict) { return verdict == Verdict::next_phase || verdict == Verdict::go_on; }

Answer answer_stop(State state, const Seen& seen, const std::string& session, const Moment& now) {
  if (!concerns(state, session)) return {Verdict::not_ours, std::move(state)};
  if (!current_phase(state)) return {Verdict::unknown_phase, std::move(state)};
  State next = state;
  next.last_checked = now.text;
  next.session = session;
  const Verdict verdict = take_signals(next, seen, now);
  if (verdict != Verdict::go_on) return {verdict, std::move(next), true};
  if (is_stale(state, now)) {
    state.active = false;
    state.exit_reason = ExitReason::stale_state;
    return {Verdict::stale, std::move(state), true};
  }
  const bool at_limit = next.iteration >= next.max_iterations;
  if (next.iteration < std::numeric_limits<std::int64_t>::max()) ++next.iteration;
  if (at_limit) {
    next = with_its_phase_begun(std::move(next), now.text);
    finish(next, ExitReason::max_iterations_reached, kFailedPhase, now);
    return {Verdict::failed, std::move(next), true};
  }
  return {Verdict::go_on, std::move(next), true};
}

}  // namespace capsule::auto_mode
