// capsule prep: the worktree and worklog of a bead, without running anything in it.
#include "base/print.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "run/bead_orders.h"

namespace capsule::cli {
namespace {

constexpr Positional kPrepPositionals[] = {{"BEAD", "The bead to prepare"}};
constexpr Option kPrepOptions[] = {kProjectDir, kJsonEvents, kScriptsDir};

Result<int> prep(const Args& args) {
  const std::string bead = TRY(bead_argument(args));
  // The plain lines of a run are not shown: prep has its own.
  const ui::Look look = args.flag("json") ? ui::Look::json : ui::Look::quiet;
  const phases::State state = TRY(run::prepare_bead(TRY(open_project(args)), bead, look));
  if (look == ui::Look::quiet)
    print("Worktree: " + state.worktree + "\nBranch: " + state.branch +
          "\nWorklog: " + state.worktree + "/worklog.md\n");
  return 0;
}

}  // namespace

constexpr Command kPrepCommand{
    .path = "prep",
    .summary = "Make a worktree and worklog for a bead",
    .details =
        "The worktree is .capsule/worktrees/BEAD on the branch capsule-BEAD, from HEAD; "
        "its worklog.md is the mission briefing for every phase. Exit codes: 0 done; 1 "
        "failed.",
    .positionals = kPrepPositionals,
    .options = kPrepOptions,
    .run = prep,
    .errors = Errors::one,
    .examples = "  capsule prep demo-1.1.1\n  capsule run demo-1.1.1 --resume",
    .people_only = true,
};

}  // namespace capsule::cli
