// capsule plan check: whether a plan can be delivered, and what that can cost at most.
#include "base/print.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "ui/plan_text.h"
#include "world/delivery_plan.h"
#include "world/experts.h"
#include "world/supply_policy.h"

namespace capsule::cli {
namespace {

constexpr Positional kPlanPositionals[] = {{"PLAN", "A Markdown plan, or a feature or epic bead"}};
constexpr Option kPlanOptions[] = {
    kProjectDir, {"experts", "", "Count the experts that deliver --experts may run"}, kJson};

Result<int> check(const Args& args) {
  const std::string word(args.positional(0).value_or(""));
  const world::Project project = TRY(open_project(args));
  const world::PlanSource source = TRY(world::find_plan(word));
  const plan::Checked checked = TRY(world::load_plan(project, source));
  const bool json = args.flag("json");
  if (!json) print_error(ui::plan_problems(source.named, checked));
  if (!checked.ok()) {
    if (json) print(ui::plan_json(checked, {}, {}));
    return 1;
  }
  const plan::Schedule schedule = plan::schedule_of(checked.plan);
  // Experts of an earlier delivery can be asked without the option too.
  const bool experts = args.flag("experts") || !world::known_experts(project.root()).empty();
  const auto store = TRY(world::journal_of(project));
  const supply::Policy policy = world::policy_of(project.config);
  const plan::Experience experience = world::experience_of(store.get(), policy);
  const plan::RunPrices prices = world::run_prices(project.config, policy, experience);
  const ui::Costs costs{
      plan::likely_of(checked.plan, experience, args.flag("experts"), prices.likely),
      plan::bound_of(checked.plan, world::limits_of(project.config), experts, prices.most), prices};
  print(json ? ui::plan_json(checked, schedule, costs)
             : ui::plan_page(checked.plan, schedule, costs));
  return 0;
}

}  // namespace

constexpr Command kPlanCheckCommand{
    .path = "plan check",
    .summary = "Check a plan, and say what it will cost",
    .details =
        "Reports all problems at once, with their lines: duplicate ids, unknown "
        "references, cycles; and warns of labels that are not read, tasks that the "
        "business analyst has to make clear first, criteria that cannot be verified, "
        "missing files, and tasks that touch the same file in no order. Then the waves in "
        "which tasks can run, the critical path, how many agent runs are likely, as in "
        "earlier deliveries of the project or else by an assumption that is said, and a "
        "bound: the most agent runs that the plan can take under the limits of the "
        "configuration, between two answers of a person. Both also in money: by "
        "roles.NAME.price of the configuration, else by what runs of the role cost here "
        "before (the bound takes the dearest), else by prices of tokens and an assumption "
        "that is said; otherwise the cost is unknown.\n\n"
        "Exit codes: 0 it can be delivered; 1 it cannot; 2 it could not be read.",
    .positionals = kPlanPositionals,
    .options = kPlanOptions,
    .run = check,
    .errors = Errors::two,
    .examples = "  capsule plan check PLAN.md\n  capsule plan check PLAN.md --json | jq .bound",
};

}  // namespace capsule::cli
