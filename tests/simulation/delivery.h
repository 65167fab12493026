// A simulated world for the delivery workflow: random plans, agents that print anything, merges,
// verify commands, timers, a person, crashes that leave only the journal. The workflow is the real
// one. Used by tests only; single-threaded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workflow/delivery/delivery.h"

namespace capsule::delivery::simulation {

// What a planted bug does to the workflow or its world; each must be noticed.
enum class Bug {
  none,
  failed_audit_passes,
  failed_review_passes,
  refused_merge_counts_as_merged,
  audit_alone_completes,
  one_developer_too_many,
  begins_while_blocked,
  dispatches_in_remediation,
  failures_never_end,
  second_holder_of_a_file,
  finished_agent_forgotten,
  answer_lost,
  fact_lost_at_a_crash,
  two_merges_at_once,
  expert_without_limit,
  waits_for_nobody,
};
inline constexpr int kBugCount = 16;  // with none
std::string_view name_of(Bug bug);

struct Finding {
  std::string broken;  // the invariant that does not hold; empty: all hold
  std::vector<std::string> journal;
  Outcome outcome = Outcome::none;
  int tasks = 0, crashes = 0, answers = 0, rounds = 0, delegations = 0, file_waits = 0;
  std::int64_t most_runs = 0, bound = 0;  // between two answers
};

// One plan, from its start to its end. The same seed and bug give the same finding.
// `tell` gives the journal even when all is well.
Finding simulate(std::uint64_t seed, Bug bug = Bug::none, bool tell = false);

}  // namespace capsule::delivery::simulation
