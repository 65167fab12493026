#include "workflow/auto/hook.h"

#include <cstdlib>

#include "workflow/auto/phases.h"

namespace capsule::auto_mode {
namespace {

using signal::BlockKind;
using signal::Signal;

std::int64_t seconds_since(const std::string& then, const Moment& now) {
  const auto seconds = seconds_of(then);
  return seconds ? now.seconds - *seconds : 0;
}

// Brings the state on by what was said; go_on: nothing of it counts.
Verdict take(State& state, const Seen& seen, const Moment& now) {
  std::vector<Signal> signals = seen.sequence;
  if (seen.transition) signals.push_back(*seen.transition);
  const Taken taken = take_signals(state, signals, seen.error, now.text, [&] {
    if (complete_phase(state, now) == Phase::complete)
      finish(state, ExitReason::all_phases_complete, signal::name_of(Phase::complete), now.text);
    return state.active;
  });
  if (taken.finished)
    finish(state, ExitReason::auto_complete_signal, signal::name_of(Phase::complete), now.text);
  if (!state.active) return Verdict::finished;
  if (taken.error) return Verdict::error;
  return taken.completed ? Verdict::next_phase : Verdict::go_on;
}

// The client calls every Stop hook that it knows at the same time, and goes on when all of them
// have answered. So a call that began before another one had its answer is for the same stop. The
// second of two hooks may begin a little later: then the transcript tells, which is as good where
// turns take longer than the client takes to write it.
bool is_answered(const State& state, const SessionStop& stop, const Moment& now) {
  const LastStop& last = state.last_stop;
  if (stop.session != state.session) return false;
  if (stop.began < last.ticks && last.ticks <= stop.answered) return true;
  if (!stop.doubled || stop.id.empty() || stop.id != last.id) return false;
  const auto then = seconds_of(last.at);
  return then && std::abs(now.seconds - *then) <= kSameStopSeconds;
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

Answer answer_stop(State state, const SessionStop& stop, const Moment& now) {
  if (!concerns(state, stop.session)) return {Verdict::not_ours, std::move(state)};
  if (!current_phase(state)) return {Verdict::unknown_phase, std::move(state)};
  if (is_answered(state, stop, now)) return {Verdict::answered, std::move(state)};
  const auto looked_at = [&](State seen_state) {
    seen_state.last_checked = now.text;
    seen_state.session = stop.session;
    seen_state.last_stop = {stop.id, now.text, stop.answered};
    return seen_state;
  };
  State next = looked_at(state);
  const Verdict verdict = take(next, stop.seen, now);
  if (verdict != Verdict::go_on) return {verdict, std::move(next), true};
  if (is_stale(state, now)) {
    state.active = false;
    state.exit_reason = ExitReason::stale_state;
    return {Verdict::stale, std::move(state), true};
  }
  if (stop.background > 0) return {Verdict::waiting, looked_at(std::move(state)), true};
  if (!count_iteration(next)) {
    next = with_its_phase_begun(std::move(next), now.text);
    finish(next, ExitReason::max_iterations_reached, kFailedPhase, now.text);
    return {Verdict::failed, std::move(next), true};
  }
  return {Verdict::go_on, std::move(next), true};
}

}  // namespace capsule::auto_mode
