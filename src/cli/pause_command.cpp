// capsule pause and capsule abort: what a person asks of a run that goes on elsewhere.
#include "base/print.h"
#include "cli/commands.h"
#include "cli/run_args.h"
#include "world/live_runs.h"

namespace capsule::cli {
namespace {

constexpr Positional kPausePositionals[] = {kRun, kNoTask};
Result<int> pause(const Args& args) {
  const world::Project project = TRY(open_project(args));
  const auto store = TRY(world::open_journal(project));
  const world::Run run =
      TRY(world::find_live_run(project, *store, words_of(args), world::Request::pause));
  TRY_VOID(world::leave_request(project.root(), run.head.run, world::Request::pause));
  print("The run of " + world::word_for(run) +
        (engine::is_phases(run.head) ? " pauses when its phase has ended"
                                     : " pauses when the agents that work now have ended") +
        "; go on with: " + world::go_on_once_stopped(project, run) + "\n");
  return 0;
}

Result<int> abort_run(const Args& args) {
  const world::Project project = TRY(open_project(args));
  const auto store = TRY(world::open_journal(project));
  const world::Run run =
      TRY(world::find_live_run(project, *store, words_of(args), world::Request::abort));
  TRY_VOID(world::abort_run(project, *store, run));
  print("Aborted the run of " + world::word_for(run) +
        "; its work is kept, in its worktree and as a snapshot. Go on with: " +
        world::go_on_once_stopped(project, run) + "\n");
  return 0;
}

}  // namespace

constexpr Command kPauseCommand{
    .path = "pause",
    .summary = "Let a run stop where nothing is lost",
    .details =
        "Agents that work now finish; no other is started. A plan pauses as a whole, not "
        "one of its tasks. Exit codes: 0 asked; 1 no such run is going on; 2 an error.",
    .positionals = kPausePositionals,
    .options = kProjectOnly,
    .run = pause,
    .examples = "  capsule pause demo-1.1.1\n  capsule run demo-1.1.1 --resume",
    .people_only = true,
};

constexpr Command kAbortCommand{
    .path = "abort",
    .summary = "End a run now, and keep everything it has done",
    .details =
        "Its agents and all their processes are ended, what they left is kept as a "
        "snapshot, and the worktree stays. A plan is aborted as a whole, not one of its "
        "tasks. Exit codes: 0 aborted; 1 no such run is going on; 2 an error.",
    .positionals = kPausePositionals,
    .options = kProjectOnly,
    .run = abort_run,
    .examples = "  capsule abort demo-1.1.1\n  capsule abort PLAN.md\n  capsule abort auto",
    .people_only = true,
};

}  // namespace capsule::cli
