// A simulated world for the pipeline runner: agents, clock, journal, git and tracker, with faults
// chosen by a seed. The workflow and the runner are the real ones. Used by tests only;
// single-threaded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/pipeline_runner.h"

namespace capsule::engine::simulation {

// The process dies: thrown at a crash point, caught where a person would start Capsule again.
struct Crash {};

// Faults that a planted bug puts into the parts; each must be noticed.
enum class Bug {
  none,
  merge_without_sign_off,
  phase_recorded_twice,
  lost_append,
  adopted_merge_never_happened,
  second_merge_of_one_run,
  main_moved_without_compare,
  attempts_without_end,
  writers_needs_work_ignored,
  error_ignored,
  failed_check_ignored,
  worktree_removed_before_the_merge,
  bead_closed_without_a_merge,
};
inline constexpr int kBugCount = 13;  // with none
std::string_view name_of(Bug bug);

struct Finding {
  std::string broken;  // the invariant that does not hold; empty: all hold
  std::vector<std::string> journal;
  int crashes = 0;
  event::Outcome outcome{};
};

// One run from start to end, with crashes, lost replies, hung agents, wrong signals, moved mains
// and a person who resumes it. The same seed and bug give the same finding.
Finding simulate(std::uint64_t seed, Bug bug = Bug::none);

}  // namespace capsule::engine::simulation
