// The most agent runs that a plan can cost between two answers of a person.
//
// Counted in stints: an agent is started, or goes on, for one reason of the workflow. Within a
// stint it may be asked for its signal: a developer `signal_requests` times, since CHECKPOINTs part
// the unknowns; the others twice, since their third unknown in a row ends it. Every stint beyond
// the first pass uses up one unit of a limit, and no limit is refilled without a person; so the
// limits add up. docs/contracts/delivery.md has the table.
#include <algorithm>
#include <set>

#include "plan/plan.h"

namespace capsule::plan {
namespace {

using signal::Role;
using Roles = std::vector<Role>;

// Stints that some of these roles may have: whoever is dearest.
struct Stints {
  Roles roles;
  std::int64_t count;
};

// N-1 times it goes on.
std::int64_t before(int limit) { return std::max(limit, 1) - 1; }

std::int64_t runs_of_stint(const Limits& limits, Role role) {
  const int requests = std::max(limits.signal_requests, 0);
  return 1 + (role == Role::developer ? requests : std::min(requests, 2));
}

std::vector<Stints> stints_of(const Plan& plan, const Limits& limits, bool experts) {
  const std::int64_t failures = before(limits.task_failures);
  const std::int64_t merges = before(limits.merge_rework);
  const std::int64_t requests = experts ? std::max(limits.expert_requests, 0) : 0;
  const std::int64_t passes = 1 + failures + failures + merges;  // to the critic
  const auto tasks = static_cast<std::int64_t>(plan.tasks.size());
  const auto unclear =
      std::count_if(plan.tasks.begin(), plan.tasks.end(), [](const Task& t) { return t.unclear; });
  const std::int64_t rounds = tasks * failures;
  const Roles workers{Role::developer, Role::critic, Role::auditor, Role::business_analyst};
  const Roles menders{Role::remediation, Role::health_auditor};
  return {
      {{Role::business_analyst}, unclear},
      {{Role::developer}, tasks * passes},
      {{Role::critic}, tasks * passes * std::max(limits.critic_timeouts, 1)},
      {{Role::auditor}, tasks * (1 + failures + merges)},
      {{Role::developer}, tasks * failures},       // TASK_INCOMPLETE
      {workers, tasks * failures},                 // claims that were refuted
      {workers, tasks * failures},                 // INFRA_BLOCKED, AUDIT_BLOCKED
      {workers, tasks * before(limits.restarts)},  // died, timed out, idle
      {workers, tasks * before(limits.unknown_redispatches)},
      {workers, tasks * before(limits.file_waits)},  // FILE CONFLICT
      {workers, tasks * requests},                   // go on with advice
      {{Role::remediation}, rounds * limits.remediation_attempts},
      {{Role::health_auditor}, rounds * limits.remediation_attempts},
      {menders, rounds * requests},
      {menders, rounds * before(limits.restarts)},  // died, timed out
      {{Role::expert}, (tasks + rounds) * requests},
      {{Role::plan_analyst}, experts ? 1 : 0},
      {workers, tasks > 0 ? 1 : 0},  // whom an answer lets go on
  };
}

}  // namespace

Bound bound_of(const Plan& plan, const Limits& limits, bool experts,
               const std::map<std::string, double>& prices) {
  const auto price_of = [&](Role role) {
    auto found = prices.find(std::string(signal::name_of(role)));
    if (found == prices.end()) found = prices.find("");
    return found == prices.end() ? 0 : found->second;
  };
  const auto has_price = [&](Role role) {
    return prices.contains(std::string(signal::name_of(role))) || prices.contains("");
  };
  std::set<std::string> unpriced;
  Bound bound;
  bound.priced = !prices.empty();
  for (const Stints& stints : stints_of(plan, limits, experts)) {
    if (stints.count == 0) continue;
    std::int64_t runs = 0;
    double money = 0;
    Role most = stints.roles.front();
    for (const Role role : stints.roles) {
      const std::int64_t here = stints.count * runs_of_stint(limits, role);
      if (here > runs) most = role;
      runs = std::max(runs, here);
      money = std::max(money, static_cast<double>(here) * price_of(role));
      if (bound.priced && !has_price(role)) unpriced.emplace(signal::name_of(role));
    }
    bound.by_role[std::string(signal::name_of(most))] += runs;
    bound.runs += runs;
    bound.money += money;
  }
  bound.unpriced.assign(unpriced.begin(), unpriced.end());
  return bound;
}

}  // namespace capsule::plan
