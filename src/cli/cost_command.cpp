// capsule cost: what the agents of this project used, and what that cost. Reads only.
#include <algorithm>

#include "base/print.h"
#include "cli/commands.h"
#include "cli/run_args.h"
#include "ui/cost_text.h"

namespace capsule::cli {
namespace {

constexpr Positional kCostPositionals[] = {
    {kRun.name, "Only this: all runs of a bead or plan, one run by its id, or auto", false}, kTask};
constexpr Option kCostOptions[] = {
    kProjectDir, {"by", "WHAT", "Count by this", ui::kCostBy, "model"}, kJson};

Result<int> show_cost(const Args& args) {
  const world::Project project = TRY(open_project(args));
  const auto store = TRY(world::journal_of(project));
  ui::CostTable table{std::string(args.option("by").value_or("model"))};
  std::vector<engine::RunHead> heads;
  std::string task;
  if (args.positional(0)) {
    world::Found found = TRY(find_run(args, project, store.get()));
    heads = std::move(found.heads);
    task = std::move(found.task);
  } else if (store != nullptr) {
    heads = TRY(store->runs());
  }
  for (const engine::RunHead& head : heads)
    for (const world::Call& call : TRY(world::calls_of(*store, head)))
      if (task.empty() || call.used.task == task) ui::count_call(table, call);
  print(args.flag("json") ? ui::cost_json(table) : ui::cost_table(table));
  return 0;
}

}  // namespace

constexpr Command kCostCommand{
    .path = "cost",
    .summary = "Show what agents used, and what it cost",
    .details =
        "Calls, turns, tokens and cost of all agents of the project, or of one bead, plan, task "
        "or run: as their clients told them, with every call that a fault of the service cut "
        "short. Costs that a client does not tell are made from its tokens by 'prices' in the "
        "configuration, as it was when the agent ended. What nobody told is unknown, and never "
        "counted as nothing: a sum with a + is at least that. Input does not hold what was read "
        "from a cache. Amounts are in the currency of the clients and of 'prices'; in JSON they "
        "are in millionths.\n\nExit codes: 0 shown; 1 there is no such run; 2 an error.",
    .positionals = kCostPositionals,
    .options = kCostOptions,
    .run = show_cost,
    .examples =
        "  capsule cost\n  capsule cost --by=day\n  capsule cost PLAN.md --by=task\n"
        "  capsule cost demo-1.1.1 --by=role\n  capsule cost --json | jq .all.cost_micros",
};

}  // namespace capsule::cli
