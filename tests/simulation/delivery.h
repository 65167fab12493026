// Deliveries of random plans in the simulated world.
#pragma once

#include <cstdint>
#include <string_view>

#include "tests/simulation/harness.h"

namespace capsule::simulation {

// Planted in the workflow; each must be noticed.
enum class DeliveryBug {
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
  fact_lost,
  two_merges_at_once,
  expert_without_limit,
  waits_for_nobody,
  close_forgotten,
  merges_without_approval,
  fault_costs_an_attempt,
};
inline constexpr int kDeliveryBugs = 19;  // with none
std::string_view name_of(DeliveryBug bug);

struct DeliveryFinding : Finding {
  int tasks = 0, rounds = 0, delegations = 0, file_waits = 0;
};

// The same seed and bug give the same finding.
DeliveryFinding simulate_delivery(std::uint64_t seed, DeliveryBug bug = DeliveryBug::none,
                                  bool all = false, bool supplied = false);
// Scripted: nothing fails but what agents say; `crashes` and `stops` come on top.
Finding simulate_delivery_script(std::uint64_t seed, int crashes, int stops, bool supplied = false);

}  // namespace capsule::simulation
