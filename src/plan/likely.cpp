// What a plan will probably cost: what earlier deliveries did cost, or an assumption that is said.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/text.h"
#include "plan/plan.h"

namespace capsule::plan {
namespace {

using signal::Role;

std::string role_name(Role role) { return std::string(signal::name_of(role)); }

// Without experience: every second task goes back to its Developer and Critic once.
std::map<std::string, std::int64_t> assumed(std::int64_t tasks) {
  const std::int64_t again = (tasks + 1) / 2;
  return {{role_name(Role::developer), tasks + again},
          {role_name(Role::critic), tasks + again},
          {role_name(Role::auditor), tasks}};
}

// The roles whose runs follow from the plan, not from how well the agents work.
bool told_by_plan(const std::string& role) {
  return role == role_name(Role::business_analyst) || role == role_name(Role::plan_analyst);
}

std::string one_decimal(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", number);
  return text;
}

}  // namespace

Likely likely_of(const Plan& plan, const Experience& experience, bool experts,
                 const std::map<std::string, double>& prices) {
  const auto tasks = static_cast<std::int64_t>(plan.tasks.size());
  Likely likely;
  likely.priced = !prices.empty();
  likely.measured = experience.tasks > 0;
  if (likely.measured) {
    std::int64_t runs = 0;
    for (const auto& [role, count] : experience.runs) {
      if (told_by_plan(role)) continue;
      runs += count;
      likely.by_role[role] =
          std::llround(static_cast<double>(count * tasks) / static_cast<double>(experience.tasks));
    }
    likely.because =
        "as in " +
        (experience.deliveries == 1 ? "the delivery"
                                    : std::to_string(experience.deliveries) + " deliveries") +
        " before: " + counted(experience.tasks, "task") + ", " +
        one_decimal(static_cast<double>(runs) / static_cast<double>(experience.tasks)) +
        " runs each";
  } else {
    likely.by_role = assumed(tasks);
    likely.because =
        "assumed, since nothing was delivered here yet: a Developer, a Critic and an Auditor for "
        "each task, and every second task goes back once";
  }
  const auto unclear =
      std::count_if(plan.tasks.begin(), plan.tasks.end(), [](const Task& t) { return t.unclear; });
  if (unclear > 0) likely.by_role[role_name(Role::business_analyst)] = unclear;
  if (experts && tasks > 0) likely.by_role[role_name(Role::plan_analyst)] = 1;
  std::erase_if(likely.by_role, [](const auto& row) { return row.second == 0; });
  for (const auto& [role, runs] : likely.by_role) {
    likely.runs += runs;
    auto price = prices.find(role);
    if (price == prices.end()) price = prices.find("");
    if (price != prices.end())
      likely.money += static_cast<double>(runs) * price->second;
    else if (likely.priced)
      likely.unpriced.push_back(role);
  }
  return likely;
}

}  // namespace capsule::plan
