// Auto mode: the real Stop hook's table over random sessions, and headless runs in the simulated
// world. A seed repeats its run exactly.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/simulation/harness.h"
#include "workflow/auto/hook.h"
#include "workflow/auto/workflow.h"

namespace capsule::simulation {

// Planted in the hook's table.
enum class HookBug {
  none,
  limit_never_holds,
  steps_back,
  enters_skipped_phase,
  blocks_after_the_end,
  holds_strangers,
  counts_while_waiting,
  answers_twice,
};
inline constexpr int kHookBugs = 8;

// Planted in the workflow.
enum class AutoBug {
  none,
  limit_never_holds,
  fix_goes_to_planning,
  endless_review,
  endless_qa,
  merges_without_checks,
  rejected_is_approved,
  retries_for_ever,
  trusts_a_person,
  cut_off_turn_forgotten,
  merges_without_approval,
  fault_costs_an_attempt,
};
inline constexpr int kAutoBugs = 12;

struct Session {
  std::string broken;  // empty: every invariant held
  std::vector<std::string> story;
  std::string end;  // the exit reason
};
Session simulate_session(std::uint64_t seed, signal::Skips skips, HookBug bug = HookBug::none);

Finding simulate_auto(std::uint64_t seed, AutoBug bug = AutoBug::none, bool all = false,
                      bool supplied = false);
// Scripted: nothing fails but what agents say; `crashes` and `stops` come on top.
Finding simulate_auto_script(std::uint64_t seed, int crashes, int stops, bool supplied = false);

}  // namespace capsule::simulation
