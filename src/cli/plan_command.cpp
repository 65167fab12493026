// capsule plan check: whether a plan can be delivered, and what that can cost at most.
#include <cstdio>
#include <map>

#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "json/value.h"
#include "world/delivery_plan.h"
#include "world/experts.h"

namespace capsule::cli {
namespace {

using Json = json::Value;

constexpr Positional kPlanPositionals[] = {{"PLAN", "A Markdown plan, or a feature or epic bead"}};
constexpr Option kPlanOptions[] = {
    kProjectDir, {"experts", "", "Count the experts that deliver --experts may run"}, kJson};

Json json_of(const std::vector<plan::Problem>& problems) {
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

std::string ids(const plan::Plan& plan, const std::vector<std::size_t>& tasks,
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
std::string roles_told(const plan::Likely& likely, const plan::Bound& bound) {
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> rows;
  for (const auto& [role, runs] : likely.by_role) rows[role].first = runs;
  for (const auto& [role, runs] : bound.by_role) rows[role].second = runs;
  std::string text = "    " + padded("", 18) + padded("likely", 9) + "at most\n";
  for (const auto& [role, runs] : rows)
    if (runs.first + runs.second > 0)
      text += "    " + padded(role, 18) + padded(std::to_string(runs.first), 9) +
              std::to_string(runs.second) + "\n";
  return text;
}

std::string told(const plan::Plan& plan, const plan::Schedule& schedule, const plan::Likely& likely,
                 const plan::Bound& bound) {
  std::string text = printable(plan.title) + ": " + counted(plan.tasks.size(), "task") + "\n";
  constexpr std::size_t kShownWaves = 50, kShownTasks = 20;
  for (std::size_t i = 0; i < schedule.waves.size() && i < kShownWaves; ++i) {
    std::vector<std::size_t> shown = schedule.waves[i];
    const std::size_t all = shown.size();
    if (all > kShownTasks) shown.resize(kShownTasks);
    text += "  wave " + std::to_string(i + 1) + ": " + ids(plan, shown, ", ") +
            (all > kShownTasks ? " and " + std::to_string(all - kShownTasks) + " more" : "") + "\n";
  }
  if (schedule.waves.size() > kShownWaves)
    text += "  and " + std::to_string(schedule.waves.size() - kShownWaves) + " more waves\n";
  std::vector<std::size_t> path = schedule.critical_path;
  const std::size_t length = path.size();
  if (length > kShownTasks) path.resize(kShownTasks);
  text += "  critical path (" + std::to_string(length) + "): " + ids(plan, path, " → ") +
          (length > kShownTasks ? " → …" : "") + "\n";
  text += "  likely: " + std::to_string(likely.runs) + " agent runs";
  if (likely.priced) text += ", costing " + money(likely.money);
  text += " (" + likely.because + ")\n";
  text += "  bound: at most " + std::to_string(bound.runs) +
          " agent runs between two answers of a person";
  if (bound.priced) text += ", costing at most " + money(bound.money);
  text += "\n" + roles_told(likely, bound);
  return text + "  every failure ends at a limit or at a person\n";
}

Result<int> check(const Args& args) {
  const std::string word(args.positional(0).value_or(""));
  const world::Project project = TRY(open_project(args));
  const world::PlanSource source = TRY(world::find_plan(word));
  const plan::Checked checked = TRY(world::load_plan(project, source));
  const bool json = args.flag("json");
  if (!checked.ok()) {
    if (json)
      print(Json{{"ok", false},
                 {"errors", json_of(checked.errors)},
                 {"warnings", json_of(checked.warnings)}}
                .compact() +
            "\n");
    else
      print_error(world::told_problems(source, checked));
    return 1;
  }
  const plan::Schedule schedule = plan::schedule_of(checked.plan);
  // Experts of an earlier delivery can be asked without the option too.
  const bool experts = args.flag("experts") || !world::known_experts(project.root()).empty();
  const plan::Bound bound = plan::bound_of(checked.plan, world::limits_of(project.config), experts,
                                           world::prices_of(project.config));
  const auto store = TRY(world::journal_of(project));
  const plan::Likely likely =
      plan::likely_of(checked.plan, TRY(world::experience_of(store.get())), args.flag("experts"),
                      world::prices_of(project.config));
  if (!json) {
    print_error(world::told_problems(source, checked));
    print(told(checked.plan, schedule, likely, bound));
    return 0;
  }
  Json waves = Json::array();
  for (const std::vector<std::size_t>& wave : schedule.waves)
    waves.push_back(id_list(checked.plan, wave));
  Json by_role = Json::object();
  for (const auto& [role, runs] : bound.by_role) by_role[role] = runs;
  Json likely_by_role = Json::object();
  for (const auto& [role, runs] : likely.by_role) likely_by_role[role] = runs;
  print(Json{{"ok", true},
             {"title", checked.plan.title},
             {"tasks", checked.plan.tasks.size()},
             {"errors", Json::array()},
             {"warnings", json_of(checked.warnings)},
             {"waves", waves},
             {"critical_path", id_list(checked.plan, schedule.critical_path)},
             {"likely",
              {{"agent_runs", likely.runs},
               {"by_role", likely_by_role},
               {"money", likely.priced ? Json(likely.money) : Json()},
               {"from", likely.measured ? "journal" : "assumption"},
               {"because", likely.because}}},
             {"bound",
              {{"agent_runs", bound.runs},
               {"by_role", by_role},
               {"money", bound.priced ? Json(bound.money) : Json()}}}}
            .compact() +
        "\n");
  return 0;
}

}  // namespace

Command plan_check_command() {
  return {
      .path = "plan check",
      .summary = "Check a plan, and say what it will probably cost, and at most",
      .details =
          "Tells all problems at once, with their lines: duplicate ids, unknown references, "
          "cycles; and warns of labels that are not read, tasks that the business analyst has to "
          "make clear first, criteria that nothing can verify, missing files, and tasks that touch "
          "the same file in no order. Then the waves in which tasks can run, the critical path, "
          "how many agent runs are likely, as in earlier deliveries of the project or else by an "
          "assumption that is said, and a bound: the most agent runs, and with prices the most "
          "money, "
          "that the plan can cost under the limits of the configuration, between two answers "
          "of a person.\n\nExit codes: 0 it can be delivered; 1 it cannot; 2 it could not be "
          "read.",
      .positionals = kPlanPositionals,
      .options = kPlanOptions,
      .run = check,
      .errors = Errors::two,
      .examples = "  capsule plan check PLAN.md\n  capsule plan check PLAN.md --json | jq .bound"};
}

}  // namespace capsule::cli
