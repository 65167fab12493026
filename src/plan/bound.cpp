// The most agent runs that a plan can cost between two answers of a person.
//
// Counted in stints: an agent is started, or goes on, for one reason of the workflow; within a
// stint it may be asked for its signal `signal_requests` times more, so a stint is that many runs
// and one. Every stint beyond the first pass uses up one unit of a limit, and no limit is ever
// refilled without a person; so the limits add up. docs/contracts/delivery.md has the table.
#include <algorithm>

#include "plan/plan.h"

namespace capsule::plan {
namespace {

using signal::Role;

struct Prices {
  const std::map<std::string, double>& table;
  double of(Role role) const {
    auto found = table.find(std::string(signal::name_of(role)));
    if (found == table.end()) found = table.find("");
    return found == table.end() ? 0 : found->second;
  }
  Role dearest(std::initializer_list<Role> roles) const {
    return *std::max_element(roles.begin(), roles.end(),
                             [this](Role a, Role b) { return of(a) < of(b); });
  }
};

// N-1 times it goes on.
std::int64_t before(int limit) { return std::max(limit, 1) - 1; }

}  // namespace

Bound bound_of(const Plan& plan, const Limits& limits, bool experts,
               const std::map<std::string, double>& prices) {
  const Prices price{prices};
  const std::int64_t failures = before(limits.task_failures);
  const std::int64_t merges = before(limits.merge_rework);
  const std::int64_t requests = experts ? std::max(limits.expert_requests, 0) : 0;
  const std::int64_t passes = 1 + failures + failures + merges;  // to the critic
  const auto tasks = static_cast<std::int64_t>(plan.tasks.size());
  const auto unclear =
      std::count_if(plan.tasks.begin(), plan.tasks.end(), [](const Task& t) { return t.unclear; });
  const Role any = price.dearest({Role::developer, Role::auditor});
  const Role mender = price.dearest({Role::remediation, Role::health_auditor});

  std::array<std::int64_t, signal::kRoleCount> stints{};
  const auto add = [&](Role role, std::int64_t count) {
    stints[static_cast<std::size_t>(role)] += count;
  };
  add(Role::business_analyst, unclear);
  add(Role::developer, tasks * (passes + failures /* incomplete */ + before(limits.file_waits)));
  add(Role::critic, tasks * passes * std::max(limits.critic_timeouts, 1));
  add(Role::auditor, tasks * (1 + failures + merges));
  add(any, tasks * (failures /* claims */ + failures /* blocked */ + before(limits.restarts) +
                    before(limits.unknown_redispatches)));
  add(price.dearest({Role::developer, Role::critic, Role::auditor, Role::business_analyst}),
      tasks * requests);
  const std::int64_t rounds = tasks * failures;
  add(Role::remediation, rounds * limits.remediation_attempts);
  add(Role::health_auditor, rounds * limits.remediation_attempts);
  add(mender, rounds * requests);
  add(Role::expert, (tasks + rounds) * requests);
  if (experts) add(Role::plan_analyst, 1);
  // An answer lets one agent go on.
  if (tasks > 0)
    add(price.dearest({Role::developer, Role::critic, Role::auditor, Role::business_analyst,
                       Role::remediation, Role::health_auditor}),
        1);

  Bound bound;
  bound.priced = !prices.empty();
  for (std::size_t i = 0; i < stints.size(); ++i) {
    if (stints[i] == 0) continue;
    const Role role = static_cast<Role>(i);
    const std::int64_t runs = stints[i] * (1 + std::max(limits.signal_requests, 0));
    bound.by_role[std::string(signal::name_of(role))] = runs;
    bound.runs += runs;
    bound.money += static_cast<double>(runs) * price.of(role);
  }
  return bound;
}

}  // namespace capsule::plan
