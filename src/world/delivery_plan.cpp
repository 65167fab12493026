#include "world/delivery_plan.h"

#include <algorithm>
#include <set>

#include "base/files.h"
#include "base/ids.h"
#include "base/text.h"
#include "engine/bead_context.h"
#include "world/providers.h"
#include "world/runs.h"

namespace capsule::world {
namespace {

// One more than a plan may have, so that it is the plan's reader who says that it is too large.
constexpr std::size_t kMaxReadBytes = std::size_t{512} << 20;
constexpr int kMaxDepth = 32;

std::vector<std::string> criteria_of(const engine::Bead& bead) {
  std::vector<std::string> criteria;
  const std::string text = engine::acceptance_criteria(bead);
  for (std::string_view line : split(text, '\n')) {
    line = trimmed(line);
    for (std::string_view mark : {"- [ ]", "- [x]", "* [ ]", "- ", "* "})
      if (line.starts_with(mark)) {
        line = trimmed(line.substr(mark.size()));
        break;
      }
    if (!line.empty()) criteria.emplace_back(line);
  }
  return criteria;
}

// The beads below `bead` that have nothing below them: those are the tasks.
Result<void> collect(engine::Tracker& tracker, const engine::Bead& bead, int depth,
                     std::set<std::string>& seen, std::vector<engine::Bead>& leaves) {
  if (depth > kMaxDepth || !seen.insert(bead.id).second) return {};
  const std::vector<engine::Bead> below =
      TRY(tracker.list({.parent = bead.id, .status = {}, .all = true}));
  if (below.empty() && depth > 0) {
    leaves.push_back(TRY(tracker.show(bead.id)));
    return {};
  }
  for (const engine::Bead& child : below)
    TRY_VOID(collect(tracker, child, depth + 1, seen, leaves));
  return {};
}

Result<plan::Plan> plan_of_bead(const Project& project, const std::string& id) {
  const auto tracker = TRY(open_tracker(project));
  const engine::Bead bead = TRY(tracker->show(id));
  plan::Plan result;
  result.title = bead.title;
  result.overview = bead.description;
  std::set<std::string> seen;
  std::vector<engine::Bead> leaves;
  TRY_VOID(collect(*tracker, bead, 0, seen, leaves));
  std::set<std::string> closed;
  for (const engine::Bead& leaf : leaves)
    if (engine::is_closed(leaf.status)) closed.insert(leaf.id);
  for (const engine::Bead& leaf : leaves) {
    if (closed.contains(leaf.id)) continue;
    event::delivery::Task task;
    task.id = leaf.id;
    task.title = leaf.title;
    task.phase = leaf.parent;
    task.work = leaf.description;
    if (!leaf.design.empty()) task.work += "\n\n" + leaf.design;
    task.criteria = criteria_of(leaf);
    for (const engine::BeadDependency& blocker : TRY(engine::open_blockers(*tracker, leaf)))
      task.blocked_by.push_back(blocker.id);
    result.tasks.push_back(std::move(task));
  }
  return result;
}

}  // namespace

Result<PlanSource> find_plan(const std::string& word) {
  if (exists(word) && !is_folder(word)) return PlanSource{TRY(real_path(word)), word, ""};
  if (valid_id(word) && !word.ends_with(".md")) return PlanSource{"delivery:" + word, word, word};
  return fail(Reason::not_found, "there is no plan " + printable(word),
              "name a Markdown file, or a feature or epic bead");
}

Result<plan::Checked> load_plan(const Project& project, const PlanSource& source) {
  const auto there = [&](const std::string& path) {
    return exists(path.starts_with('/') ? path : project.root() + "/" + path);
  };
  if (!source.bead.empty()) return plan::check_plan(TRY(plan_of_bead(project, source.bead)), there);
  return plan::read_plan(TRY(read_file(source.subject, kMaxReadBytes)), there);
}

namespace {

constexpr double kWholeMoney = 1e6;

void add_cost(plan::Experience::Cost& cost, const workflow::AgentSummary& agent,
              const supply::Policy& policy) {
  const event::TokenUse use = supply::priced(
      policy, agent.use, agent.answered.empty() ? agent.model : agent.answered, agent.provider);
  if (agent.running || !use.cost_known) return;
  const double money = static_cast<double>(use.cost_micros) / kWholeMoney;
  ++cost.runs;
  cost.sum += money;
  cost.most = std::max(cost.most, money);
}

}  // namespace

plan::Experience experience_of(engine::Records* store, const supply::Policy& policy) {
  constexpr std::size_t kMostDeliveries = 20;
  plan::Experience experience;
  if (store == nullptr) return experience;
  std::vector<engine::RunHead> heads = store->runs().value_or(std::vector<engine::RunHead>());
  std::erase_if(heads,
                [](const engine::RunHead& head) { return head.workflow != engine::kDelivery; });
  if (heads.size() > kMostDeliveries)
    heads.erase(heads.begin(), heads.end() - static_cast<std::ptrdiff_t>(kMostDeliveries));
  for (const engine::RunHead& head : heads) {
    const auto run = read_run(*store, head);
    if (!run) continue;
    const workflow::RunSummary& summary = run->summary;
    const auto worked_on =
        std::count_if(summary.tasks.begin(), summary.tasks.end(),
                      [](const workflow::TaskSummary& task) { return task.agent_runs > 0; });
    if (worked_on == 0) continue;
    ++experience.deliveries;
    experience.tasks += worked_on;
    for (const workflow::AgentSummary& agent : summary.agents) {
      ++experience.runs[agent.role];
      add_cost(experience.costs[agent.role], agent, policy);
    }
  }
  return experience;
}

std::vector<std::string> checks_of(const config::Config& config) {
  std::vector<std::string> checks;
  const auto add = [&](const char* name, const std::optional<config::Command>& command) {
    if (!command) return;
    const config::Value value =
        command->argv.empty() ? config::Value(command->shell) : config::Value(command->argv);
    checks.push_back(std::string(name) + ": " +
                     config::written(config::key("verify." + std::string(name)), value));
  };
  add("build", config.verify.build);
  add("lint", config.verify.lint);
  add("test", config.verify.test);
  return checks;
}

Result<std::vector<event::delivery::RoleAgent>> agents_of(const Project& project) {
  std::vector<event::delivery::RoleAgent> agents;
  for (std::size_t i = 0; i < signal::kRoleCount; ++i) {
    const auto role = static_cast<signal::Role>(i);
    const agent::Provider provider = TRY(provider_for_role(project, signal::name_of(role)));
    agents.push_back({role, provider.name, provider.model});
  }
  return agents;
}

event::delivery::Limits limits_of(const config::Config& config) {
  event::delivery::Limits limits;
  const config::Limits& from = config.limits;
  limits.task_failures = from.task_failures;
  limits.unknown_redispatches = from.unknown_redispatches;
  limits.signal_requests = from.signal_requests;
  limits.restarts = from.restarts;
  limits.critic_timeouts = from.critic_timeouts;
  limits.expert_requests = from.expert_requests;
  limits.questions = from.questions;
  limits.merge_rework = from.merge_rework;
  limits.file_waits = from.file_waits;
  limits.remediation_attempts = from.remediation_attempts;
  return limits;
}

event::delivery::Slots slots_of(const config::Config& config) {
  return {config.slots.developers, config.slots.critics, config.slots.auditors};
}

plan::RunPrices run_prices(const config::Config& config, const supply::Policy& policy,
                           const plan::Experience& experience) {
  std::map<std::string, double> configured, assumed;
  for (const auto& [name, role] : config.roles)
    if (role.price > 0) configured[name] = role.price;
  // A short task of a client that keeps its conversation in a cache.
  event::TokenUse use;
  use.tokens_known = true;
  use.input = 20'000;
  use.output = 8'000;
  use.cache_read = 400'000;
  use.cache_written = 40'000;
  for (std::size_t i = 0; i < signal::kRoleCount; ++i) {
    const std::string role(signal::name_of(static_cast<signal::Role>(i)));
    const event::TokenUse priced =
        supply::priced(policy, use, config.model_of_role(role), config.provider_of_role(role));
    if (priced.cost_known) assumed[role] = static_cast<double>(priced.cost_micros) / kWholeMoney;
  }
  return plan::prices_of(configured, experience, assumed,
                         "assumed, by prices and 20k tokens in, 8k out, 400k from a cache and 40k "
                         "into it");
}

}  // namespace capsule::world
