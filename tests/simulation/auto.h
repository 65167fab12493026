// Auto mode in a simulated world: the real Stop hook's table over random sessions, and the real
// workflow and runner over random agents, checks, reviewers, crashes and faults of the journal. A
// seed repeats its run exactly.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "event/auto.h"
#include "workflow/auto/hook.h"
#include "workflow/auto/run.h"

namespace capsule::engine::auto_simulation {

// Planted in the hook's table.
enum class HookBug {
  none,
  limit_never_holds,
  steps_back,
  enters_skipped_phase,
  blocks_after_the_end,
  holds_strangers,
};
inline constexpr int kHookBugs = 6;

// Planted in the workflow.
enum class RunBug {
  none,
  limit_never_holds,
  fix_goes_to_planning,
  endless_review,
  endless_qa,
  merges_without_checks,
  rejected_is_approved,
  retries_for_ever,
  trusts_a_person,
};
inline constexpr int kRunBugs = 9;

struct Finding {
  std::string broken;  // empty: every invariant held
  std::vector<std::string> story;
  std::string end;  // exit reason, or outcome
  int crashes = 0;
};

Finding simulate_session(std::uint64_t seed, signal::Skips skips, HookBug bug = HookBug::none);
Finding simulate_run(std::uint64_t seed, signal::Skips skips, RunBug bug = RunBug::none);

}  // namespace capsule::engine::auto_simulation
