#include "workflow/auto/phases.h"

#include <algorithm>
#include <limits>

namespace capsule::auto_mode {

using signal::BlockKind;
using signal::Signal;

void enter_phase(State& state, Phase phase, const Moment& now) {
  state.iteration = 0;
  if (phase == Phase::complete) return;
  state.phase = signal::name_of(phase);
  state.phases[index_of(phase)].started_at = now.text;
}

Phase complete_phase(State& state, const Moment& now, bool skipped) {
  const Phase phase = *current_phase(state);
  PhaseRecord& record = state.phases[index_of(phase)];
  record.signal_detected = !skipped;
  record.skipped |= skipped;
  record.completed_at = now.text;
  const auto began = seconds_of(record.started_at.empty() ? state.started_at : record.started_at);
  if (began && !skipped) record.duration_s = std::max<std::int64_t>(0, now.seconds - *began);
  state.last_error.clear();
  const Phase next = signal::next_phase(phase, state.config.skips());
  enter_phase(state, next, now);
  return next;
}

bool count_iteration(State& state) {
  const bool at_limit = state.iteration >= state.max_iterations;
  if (state.iteration < std::numeric_limits<std::int64_t>::max()) ++state.iteration;
  return !at_limit;
}

void finish(State& state, ExitReason reason, std::string_view phase, const std::string& now) {
  state.active = false;
  state.phase = phase;
  state.exit_reason = reason;
  state.completed_at = now;
}

Taken take_signals(State& state, const std::vector<Signal>& signals, const std::string& error,
                   const std::string& now, const std::function<bool()>& on_complete) {
  const auto note = [&](Signal signal) {
    if (state.detected.size() < kMaxDetected)
      state.detected.push_back({std::string(signal::row(signal).wire), now});
  };
  Taken taken;
  std::vector<Signal> transitions;
  for (const Signal signal : signals) {
    const auto phase = current_phase(state);
    switch (signal::row(signal).kind) {
      case BlockKind::finish:
        note(signal);
        return {false, false, true};
      case BlockKind::error:
        taken = {false, true, false};
        break;
      case BlockKind::completion:
        if (!phase || signal != signal::expected_signal(*phase)) break;
        note(signal);
        taken = {true, false, false};
        if (!on_complete()) return taken;
        break;
      case BlockKind::transition:
        transitions.push_back(signal);  // noted alone: the phases decide by themselves
        break;
      case BlockKind::none:
        break;
    }
  }
  if (taken.error) {
    note(Signal::phase_error);
    state.last_error = error;
  } else {
    for (const Signal transition : transitions) note(transition);
  }
  return taken;
}

}  // namespace capsule::auto_mode
