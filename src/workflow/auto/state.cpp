#include "workflow/auto/state.h"

#include "base/enum_count.h"

namespace capsule::auto_mode {
namespace {

constexpr std::string_view kExitReasons[] = {"",
                                             "all_phases_complete",
                                             "auto_complete_signal",
                                             "max_iterations_reached",
                                             "stale_state",
                                             "critical_error",
                                             "user_cancelled"};
static_assert(std::size(kExitReasons) == enum_count<ExitReason>());

}  // namespace

std::string_view name_of(ExitReason reason) {
  return kExitReasons[static_cast<std::size_t>(reason)];
}

std::optional<ExitReason> exit_reason_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kExitReasons); ++i)
    if (kExitReasons[i] == name) return static_cast<ExitReason>(i);
  return std::nullopt;
}

std::optional<Phase> current_phase(const State& state) {
  const auto phase = signal::phase_named(state.phase);
  if (phase == Phase::complete) return std::nullopt;
  return phase;
}

State started(std::string task, const Config& config, std::int64_t max_iterations,
              const std::string& now) {
  State state;
  state.active = true;
  state.task = std::move(task);
  state.config = config;
  state.max_iterations = max_iterations;
  state.started_at = now;
  const signal::Skips skips = config.skips();
  const Phase first = signal::first_phase(skips);
  state.phase = signal::name_of(first);
  for (PhaseRecord& phase : state.phases) phase.skipped = true;
  for (Phase phase = first; phase != Phase::complete; phase = signal::next_phase(phase, skips))
    state.phases[index_of(phase)].skipped = false;
  state.phases[index_of(first)].started_at = now;
  return state;
}

State with_its_phase_begun(State state, const std::string& now) {
  if (const auto phase = current_phase(state)) {
    std::string& began = state.phases[index_of(*phase)].started_at;
    if (began.empty()) began = state.started_at.empty() ? now : state.started_at;
  }
  return state;
}

State cancelled(State state, const std::string& now) {
  state = with_its_phase_begun(std::move(state), now);
  state.active = false;
  state.phase = kFailedPhase;
  state.exit_reason = ExitReason::user_cancelled;
  state.completed_at = now;
  return state;
}

std::optional<Phase> unfinished_phase(const State& state) {
  if (const auto phase = current_phase(state)) return phase;
  if (state.phase != kFailedPhase) return std::nullopt;
  // Phases never go backwards: the furthest that was begun counts, whatever those before it say.
  const signal::Skips skips = state.config.skips();
  for (std::size_t i = kPhases; i-- > 0;) {
    const auto phase = static_cast<Phase>(i);
    if (!state.phases[i].signal_detected && state.phases[i].started_at.empty()) continue;
    if (!state.phases[i].signal_detected) return phase;
    const Phase next = signal::next_phase(phase, skips);
    return next == Phase::complete ? std::nullopt : std::optional(next);
  }
  return signal::first_phase(skips);
}

void reopen(State& state, Phase phase) {
  state.active = true;
  state.phase = signal::name_of(phase);
  state.iteration = 0;
  state.completed_at.clear();
  state.exit_reason = ExitReason::none;
}

State continued(State state, const std::string& now) {
  const Phase phase = *unfinished_phase(state);
  reopen(state, phase);
  state.session.clear();
  state.last_stop = {};
  state.last_checked = now;
  if (state.phases[index_of(phase)].started_at.empty())
    state.phases[index_of(phase)].started_at = now;
  return state;
}

}  // namespace capsule::auto_mode
