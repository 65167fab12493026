#include "ui/plan_text.h"

#include <cstdio>
#include <map>
#include <utility>

#include "base/text.h"
#include "json/value.h"

namespace capsule::ui {
namespace {

using Json = json::Value;

Json problems_json(const std::vector<plan::Problem>& problems) {
  Json list = Json::array();
  for (const plan::Problem& problem : problems)
    list.push_back({{"kind", std::string(plan::name_of(problem.kind))},
                    {"line", problem.line},
                    {"text", problem.text},
                    {"tasks", problem.tasks}});
  return list;
}

std::string money(double amount) {
  char text[64];
  std::snprintf(text, sizeof text, "%.2f", amount);
  return text;
}

std::string task_ids(const plan::Plan& plan, const std::vector<std::size_t>& tasks,
                     std::string_view between) {
  std::string text;
  for (const std::size_t task : tasks)
    text += (text.empty() ? "" : std::string(between)) + plan.tasks[task].id;
  return text;
}

Json id_list(const plan::Plan& plan, const std::vector<std::size_t>& tasks) {
  Json list = Json::array();
  for (const std::size_t task : tasks) list.push_back(plan.tasks[task].id);
  return list;
}

// Likely and most runs by role, a line each.
std::string runs_by_role(const Costs& costs) {
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> rows;
  for (const auto& [role, runs] : costs.likely.by_role) rows[role].first = runs;
  for (const auto& [role, runs] : costs.bound.by_role) rows[role].second = runs;
  std::string text = "    " + padded("", 18) + padded("likely", 9) + "at most\n";
  for (const auto& [role, runs] : rows)
    if (runs.first + runs.second > 0)
      text += "    " + padded(role, 18) + padded(std::to_string(runs.first), 9) +
              std::to_string(runs.second) + "\n";
  return text;
}

// From what the costs were made, and what they leave out.
std::string prices_text(const Costs& costs) {
  if (!costs.bound.priced)
    return "  what that costs is unknown: no run here has told a cost, and neither "
           "roles.NAME.price nor prices are configured\n";
  std::string text;
  if (!costs.prices.because.empty())
    text += "  a run costs: " + printable(costs.prices.because) + "\n";
  if (!costs.bound.unpriced.empty())
    text += "  not counted, since no price is known: " + joined(costs.bound.unpriced) + "\n";
  return text;
}

Json prices_json(const plan::RunPrices& prices) {
  const auto by_role = [](const std::map<std::string, double>& from) {
    Json json = Json::object();
    for (const auto& [role, price] : from) json[role.empty() ? "others" : role] = price;
    return json;
  };
  return {{"from", plan::name_of(prices.from)},
          {"because", prices.because},
          {"likely", by_role(prices.likely)},
          {"most", by_role(prices.most)}};
}

}  // namespace

std::string plan_problems(const std::string& named, const plan::Checked& checked) {
  std::string text;
  const auto add = [&](const std::vector<plan::Problem>& problems, const char* what) {
    for (const plan::Problem& problem : problems)
      text += printable(named) + (problem.line > 0 ? ":" + std::to_string(problem.line) : "") +
              ": " + what + ": " + printable(problem.text) + "\n";
  };
  add(checked.errors, "error");
  add(checked.warnings, "warning");
  return text;
}

std::string plan_page(const plan::Plan& plan, const plan::Schedule& schedule, const Costs& costs) {
  const plan::Likely& likely = costs.likely;
  const plan::Bound& bound = costs.bound;
  std::string text = printable(plan.title) + ": " + counted(plan.tasks.size(), "task") + "\n";
  constexpr std::size_t kShownWaves = 50, kShownTasks = 20;
  for (std::size_t i = 0; i < schedule.waves.size() && i < kShownWaves; ++i) {
    std::vector<std::size_t> shown = schedule.waves[i];
    const std::size_t all = shown.size();
    if (all > kShownTasks) shown.resize(kShownTasks);
    text += "  wave " + std::to_string(i + 1) + ": " + task_ids(plan, shown, ", ") +
            (all > kShownTasks ? " and " + std::to_string(all - kShownTasks) + " more" : "") + "\n";
  }
  if (schedule.waves.size() > kShownWaves)
    text += "  and " + std::to_string(schedule.waves.size() - kShownWaves) + " more waves\n";
  std::vector<std::size_t> path = schedule.critical_path;
  const std::size_t length = path.size();
  if (length > kShownTasks) path.resize(kShownTasks);
  text += "  critical path (" + std::to_string(length) + "): " + task_ids(plan, path, " → ") +
          (length > kShownTasks ? " → …" : "") + "\n";
  text += "  likely: " + counted(likely.runs, "agent run");
  if (likely.priced) text += ", costing " + money(likely.money);
  text += " (" + likely.because + ")\n";
  text += "  bound: at most " + std::to_string(bound.runs) +
          " agent runs between two answers of a person";
  if (bound.priced) text += ", costing at most " + money(bound.money);
  text += "\n" + runs_by_role(costs) + prices_text(costs);
  return text + "  every failure ends at a limit or at a person\n";
}

std::string plan_json(const plan::Checked& checked, const plan::Schedule& schedule,
                      const Costs& costs) {
  const plan::Likely& likely = costs.likely;
  const plan::Bound& bound = costs.bound;
  Json all{{"ok", checked.ok()},
           {"errors", problems_json(checked.errors)},
           {"warnings", problems_json(checked.warnings)}};
  if (!checked.ok()) return all.compact() + "\n";
  Json waves = Json::array();
  for (const std::vector<std::size_t>& wave : schedule.waves)
    waves.push_back(id_list(checked.plan, wave));
  Json by_role = Json::object();
  for (const auto& [role, runs] : bound.by_role) by_role[role] = runs;
  all["title"] = checked.plan.title;
  all["tasks"] = checked.plan.tasks.size();
  all["waves"] = waves;
  all["critical_path"] = id_list(checked.plan, schedule.critical_path);
  Json likely_by_role = Json::object();
  for (const auto& [role, runs] : likely.by_role) likely_by_role[role] = runs;
  all["likely"] = {{"agent_runs", likely.runs},
                   {"by_role", likely_by_role},
                   {"money", likely.priced ? Json(likely.money) : Json()},
                   {"unpriced", likely.unpriced},
                   {"from", likely.measured ? "journal" : "assumption"},
                   {"because", likely.because}};
  all["bound"] = {{"agent_runs", bound.runs},
                  {"by_role", by_role},
                  {"money", bound.priced ? Json(bound.money) : Json()},
                  {"unpriced", bound.unpriced}};
  all["prices"] = prices_json(costs.prices);
  return all.compact() + "\n";
}

}  // namespace capsule::ui
