// The state of an auto workflow as values: what .caw/auto-state.json holds. Pure; owns its texts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "signal/vocabulary.h"

namespace capsule::auto_mode {

using signal::Phase;

inline constexpr std::size_t kPhases = signal::kPhaseCount - 1;  // nine; `complete` is none
inline constexpr std::int64_t kMaxIterations = 20;               // when a state does not say
inline constexpr std::int64_t kStaleSeconds = std::int64_t{2} * 60 * 60;
inline constexpr std::int64_t kSameStopSeconds = 5;  // two calls for one stop are that close
inline constexpr std::size_t kMaxDetected = 1000;    // signals that a state notes; no more are
inline constexpr std::string_view kFailedPhase = "failed";

struct Config {
  bool skip_expansion = false;
  bool skip_qa = false;
  bool skip_review = false;
  bool skip_reflect = false;
  bool verbose = false;
  bool no_questions = false;
  bool parallel_validation = true;

  signal::Skips skips() const { return {skip_expansion, skip_qa, skip_review, skip_reflect}; }
  bool operator==(const Config&) const = default;
};

struct PhaseRecord {
  bool signal_detected = false;
  bool skipped = false;
  std::string started_at;
  std::string completed_at;
  std::optional<std::int64_t> duration_s;
  bool operator==(const PhaseRecord&) const = default;
};

struct Detected {
  std::string signal;
  std::string at;
  bool operator==(const Detected&) const = default;
};

// The stop that was answered last.
struct LastStop {
  std::string id;  // empty: it could not be told from others
  std::string at;
  std::int64_t ticks = 0;  // the same, by the machine's own clock, which never goes back
  bool operator==(const LastStop&) const = default;
};

enum class ExitReason {
  none,
  all_phases_complete,
  auto_complete_signal,
  max_iterations_reached,
  stale_state,
  critical_error,
  user_cancelled,
};
std::string_view name_of(ExitReason reason);  // empty for none
std::optional<ExitReason> exit_reason_named(std::string_view name);

struct State {
  bool active = false;
  std::string phase = "expansion";  // as it is written; a name that nobody knows is left alone
  std::int64_t iteration = 0;
  std::int64_t max_iterations = kMaxIterations;
  std::string task;
  std::string started_at;
  std::string completed_at;
  std::string session;  // empty: not bound yet
  Config config;
  std::array<PhaseRecord, kPhases> phases;
  std::string last_checked;
  std::vector<Detected> detected;  // at most kMaxDetected
  LastStop last_stop;
  ExitReason exit_reason = ExitReason::none;
  std::string last_error;

  bool operator==(const State&) const = default;
};

inline std::size_t index_of(Phase phase) { return static_cast<std::size_t>(phase); }

// One of the nine phases; nullopt for `complete`, `failed` and names that nobody knows.
std::optional<Phase> current_phase(const State& state);

// A new, active state at its first phase.
State started(std::string task, const Config& config, std::int64_t max_iterations,
              const std::string& now);

// With a time at which its phase began: a state that names no phase any more still says where it
// was. Other tools do not write it.
State with_its_phase_begun(State state, const std::string& now);

// A person ended it.
State cancelled(State state, const std::string& now);

// Where an ended state goes on: the phase it names, else the furthest that was begun, or the one
// after it when it is done. nullopt: that was the last.
std::optional<Phase> unfinished_phase(const State& state);

// Active again in `phase`, with its iterations counted anew.
void reopen(State& state, Phase phase);

// Active again in the unfinished phase, with its iterations counted anew, for any session.
// Requires: unfinished_phase().
State continued(State state, const std::string& now);

}  // namespace capsule::auto_mode
