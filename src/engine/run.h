// A run of the journal as commands and faces look at it, whatever its workflow. Values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/journal.h"
#include "workflow/summary.h"

namespace capsule::engine {

struct Run {
  RunHead head;
  workflow::RunSummary summary;
  std::optional<Holder> holder;  // the living process that works on this very run
  std::string unreadable;        // why its facts tell nothing, for people; empty: they were read

  bool live() const { return holder.has_value(); }
};

enum class RunState {
  running,  // a process works on it
  cut_off,  // it has not ended, and nobody works on it
  waiting,  // only a person can bring it on
  paused,   // a person had it stop; it has not ended, and goes on when it is taken up
  ended,
};
std::string_view name_of(RunState state);  // "running", …
RunState state_of(const RunHead& head, const workflow::RunSummary& summary, bool live,
                  bool readable);
RunState state_of(const Run& run);

// "pid 4711 on host"
std::string words_of(const Holder& holder);

// Names of workflows in the journal that are not one of phases, and what auto mode is about: one at
// a time in a project, and no bead has such an id.
inline constexpr std::string_view kDelivery = "delivery";
inline constexpr std::string_view kAuto = "auto";                 // headless
inline constexpr std::string_view kAutoSession = "auto-session";  // held on course by the hook
inline constexpr std::string_view kAutoSubject = "auto mode";
// Before a bead whose tasks are delivered; plans are named by their path.
inline constexpr std::string_view kDeliveredBead = "delivery:";
// The outcome in the head of a run that has not ended, so that it has no `ended_at`, while nobody
// works on it because a person had it stop.
inline constexpr std::string_view kPaused = "paused";

// Whether it is a run of phases: the pipeline, or a user's own.
inline bool is_phases(const RunHead& head) {
  return head.workflow != kDelivery && head.workflow != kAuto && head.workflow != kAutoSession;
}

}  // namespace capsule::engine
