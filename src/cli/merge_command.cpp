// capsule merge: brings a signed-off worktree to main, closes its bead and cleans up.
#include "base/text.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "run/bead_run.h"

namespace capsule::cli {
namespace {

constexpr Positional kMergePositionals[] = {{"BEAD", "The bead whose worktree to merge"}};
constexpr Option kMergeOptions[] = {
    kProjectDir, kProvider, {"json", "", "One event a line on stdout, nothing else"}, kScriptsDir};

Result<int> merge(const Args& args) {
  const std::string id = TRY(bead_argument(args));
  const auto run =
      TRY(run::BeadRun::open(TRY(open_project(args)), id, ui::look_for(args.flag("json"))));
  const auto newest = TRY(run->newest());
  if (newest && newest->merged() && !run->has_worktree()) {
    run->show_merged(newest->state.merge_commit);
    return 0;
  }
  const bool known = newest && !newest->merged();
  if (!run->has_worktree() && !(known && !newest->state.merge_commit.empty()))
    return fail(Reason::not_found, "there is no worktree at " + printable(run->worktree()),
                "make one and run the phases: capsule run " + id + run->project().option);
  TRY_VOID(run->take(known ? newest->run : run::new_run_id(),
                     known ? newest->state.definition : phases::pipeline()));
  TRY_VOID(run->preflight());
  if (!known) TRY_VOID(run->adopt_worktree());
  TRY_VOID(run->give({event::RunResumed{run->project().config.max_retries, true}}));
  return run->carry_on();
}

}  // namespace

Command merge_command() {
  return {"merge",
          "Merge a signed-off worktree to main and close its bead",
          "Sign-off must have passed. The merge agent commits the work in the worktree; Capsule "
          "merges it with "
          "--no-ff, archives the worklog and the logs, removes the worktree and its branch, and "
          "closes the bead.\n\n"
          "Exit codes: 0 merged; 1 refused (no sign-off, the agent needs work, conflict, nothing "
          "to merge); 2 an "
          "error.",
          kMergePositionals,
          kMergeOptions,
          merge,
          Errors::two,
          "",
          "  capsule merge demo-1.1.1",
          false,
          true};
}

}  // namespace capsule::cli
