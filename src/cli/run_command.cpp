// capsule run: one bead from the tracker to main.
#include "cli/commands.h"
#include "cli/detach.h"
#include "cli/project_args.h"
#include "run/bead_orders.h"

namespace capsule::cli {
namespace {

constexpr Positional kRunPositionals[] = {{"BEAD", "The bead to run the pipeline for"}};
constexpr Option kRunOptions[] = {
    kProjectDir,
    {"max-retries", "N", "Total attempts for each review loop and for sign-off", "", "3"},
    kProvider,
    kContain,
    {"resume", "", "Go on with a run that ended, at its first unfinished phase"},
    {"clean", "", "Start over: the old worktree is kept as a snapshot and removed"},
    {"workflow", "NAME", "A workflow other than the pipeline; see: capsule workflow list"},
    {"branch", "NAME", "The branch that such a workflow looks at"},
    kIntegrate,
    kRecheck,
    kDetach,
    kJsonEvents,
    kScriptsDir,
};

Result<int> run_bead(const Args& args) {
  const std::string bead = TRY(bead_argument(args));
  run::BeadOrder order;
  order.workflow = args.option("workflow").value_or("");
  order.branch = args.option("branch").value_or("");
  order.integrate = TRY(integrate_argument(args));
  order.resume = args.flag("resume");
  order.clean = args.flag("clean");
  if (order.resume && order.clean)
    return fail(Reason::usage, "--resume goes on and --clean starts over: give one of them");
  if (wants_detach(args)) return run_detached(args);
  return run::run_bead(TRY(open_checked_project(args)), bead, order,
                       ui::look_for(args.flag("json")));
}

}  // namespace

constexpr Command kRunCommand{
    .path = "run",
    .summary = "Take one bead from the tracker to a merge on main",
    .details =
        "Five stages: prep, test-writer and test-review, execute and execute-review, "
        "sign-off, merge. Every phase ends in a signal; a review that needs work re-runs "
        "its writer with the feedback.\n\n"
        "Exit codes: 0 merged (or merged already); 1 not good enough after all attempts, "
        "or the merge was refused; 2 an error. The worktree is kept unless the work was "
        "merged.\n\n"
        "A run that was cut off goes on when it is started again, and so does one whose "
        "merge was refused: the merge is tried again with the commit that is there. One "
        "that ended otherwise goes on with --resume. It keeps what was said by --provider, "
        "--contain and --max-retries, unless that is said anew.\n\n"
        "With --integrate=ask a person approves the work before it is merged (capsule "
        "approve, capsule reject); with --integrate=branch it waits on a branch as one "
        "commit, with a description for a pull request.\n\n"
        "With --detach it goes on without this terminal: the command returns once the run "
        "is begun, and 'capsule attach' follows it.",
    .positionals = kRunPositionals,
    .options = kRunOptions,
    .run = run_bead,
    .errors = Errors::two,
    .alias = "run-pipeline",
    .examples =
        "  capsule run demo-1.1.1\n  capsule run demo-1.1.1 --provider=rehearsal\n"
        "  capsule run demo-1.1.1 --resume\n  capsule run demo-1.1.1 --workflow=spike\n"
        "  capsule run demo-1.1.1 --detach",
    .people_only = true,
};

}  // namespace capsule::cli
