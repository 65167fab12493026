// Runs of phases, the pipeline and random definitions, in the simulated world.
#pragma once

#include <cstdint>

#include "tests/simulation/harness.h"
#include "workflow/phases/phases.h"

namespace capsule::simulation {

// Planted in the workflow; each must be noticed.
enum class PhasesBug {
  none,
  merge_without_sign_off,
  attempts_without_end,
  writers_needs_work_ignored,
  error_ignored,
  failed_check_ignored,
  worktree_removed_before_the_merge,
  bead_closed_without_a_merge,
  approval_ignored,
  cut_off_phase_forgotten,
  merge_without_approval,
  fault_costs_an_attempt,
};
inline constexpr int kPhasesBugs = 12;  // with none
std::string_view name_of(PhasesBug bug);

// The same seed, weather and bug give the same finding. `supplied`: the services of agents fail,
// and what they cost is bounded.
Finding simulate_phases(std::uint64_t seed, PhasesBug bug = PhasesBug::none,
                        WorldBug world = WorldBug::none, bool all = false, bool supplied = false);
// The pipeline, and all of its journal. `by_file`: as a user's workflow of another name, which says
// the same.
Finding simulate_pipeline(std::uint64_t seed, bool by_file);
// Scripted: nothing fails but what agents say; `crashes` and `stops` come on top.
Finding simulate_script(std::uint64_t seed, int crashes, int stops, bool supplied = false);

// The n-th random definition, always the same; phases::check has nothing against it.
struct Sample {
  event::Definition definition;
  std::vector<int> most_runs;  // by attempts, from 1
};
inline constexpr int kSampleAttempts = 3;
const Sample& sample(int n);  // 0: the pipeline

}  // namespace capsule::simulation
