// capsule teardown: removes worktrees that nobody works in, after keeping what is in them.
#include "base/print.h"
#include "cli/commands.h"
#include "cli/run_args.h"
#include "world/teardown.h"

namespace capsule::cli {
namespace {

constexpr Positional kTeardownPositionals[] = {
    {kRun.name, "Only the worktrees of this run, also when it could go on", false}, kTask};
constexpr Option kTeardownOptions[] = {kProjectDir,
                                       {"dry-run", "", "Say what would be done, and do nothing"}};

Result<int> teardown(const Args& args) {
  world::TeardownOrder order;
  order.words = words_of(args);
  order.dry_run = args.flag("dry-run");
  order.tell = [](const std::string& line) { print(line + "\n"); };
  order.fail = report;
  return TRY(world::teardown(TRY(open_project(args)), order)) ? 0 : 1;
}

}  // namespace

constexpr Command kTeardownCommand{
    .path = "teardown",
    .summary = "Remove worktrees and branches; keep logs and snapshots",
    .details =
        "For every worktree in .capsule/worktrees: a snapshot of it goes to "
        "refs/capsule/rescue/, where 'capsule snapshots' lists it, its worklog and phase "
        "output to .capsule/logs/, then the worktree and its branch are removed. Left "
        "alone and named are worktrees that a living Capsule works in, and those of "
        "deliveries, of auto mode and of runs that wait for a person as long as they can "
        "go on; with RUN they go too, with a plan and one of its tasks that task's alone. "
        ".capsule/logs/ is never touched.\n\n"
        "Exit codes: 0 cleaned, or nothing to clean; 1 something could not be cleaned.",
    .positionals = kTeardownPositionals,
    .options = kTeardownOptions,
    .run = teardown,
    .errors = Errors::one,
    .examples =
        "  capsule teardown --dry-run\n  capsule teardown --project-dir=../shop\n"
        "  capsule teardown PLAN.md T-3",
    .people_only = true,
};

}  // namespace capsule::cli
