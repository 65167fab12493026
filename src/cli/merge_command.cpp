// capsule merge: brings a signed-off worktree to main, closes its bead and cleans up.
#include "cli/commands.h"
#include "cli/detach.h"
#include "cli/project_args.h"
#include "run/bead_orders.h"

namespace capsule::cli {
namespace {

constexpr Positional kMergePositionals[] = {{"BEAD", "The bead whose worktree to merge"}};
constexpr Option kMergeOptions[] = {kProjectDir, kProvider,   kContain,   kRecheck,
                                    kDetach,     kJsonEvents, kScriptsDir};

Result<int> merge(const Args& args) {
  const std::string bead = TRY(bead_argument(args));
  if (wants_detach(args)) return run_detached(args);
  return run::merge_bead(TRY(open_checked_project(args)), bead, ui::look_for(args.flag("json")));
}

}  // namespace

constexpr Command kMergeCommand{
    .path = "merge",
    .summary = "Merge a signed-off worktree to main and close its bead",
    .details =
        "Sign-off must have passed. The merge agent commits the work in the worktree; "
        "Capsule merges it with --no-ff, archives the worklog and the logs, removes the "
        "worktree and its branch, and closes the bead.\n\n"
        "Exit codes: 0 merged; 1 refused (no sign-off, the agent needs work, conflict, "
        "nothing to merge); 2 an error.",
    .positionals = kMergePositionals,
    .options = kMergeOptions,
    .run = merge,
    .errors = Errors::two,
    .examples = "  capsule merge demo-1.1.1",
    .people_only = true,
};

}  // namespace capsule::cli
