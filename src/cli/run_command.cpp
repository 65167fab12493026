// capsule run: one bead from the tracker to main.
#include "base/print.h"
#include "base/text.h"
#include "cli/bead_run.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "git/paths.h"
#include "world/discard.h"
#include "world/workflows.h"

namespace capsule::cli {
namespace {

constexpr Positional kRunPositionals[] = {{"BEAD", "The bead to run the pipeline for"}};
constexpr Option kRunOptions[] = {
    kProjectDir,
    {"max-retries", "N", "Attempts in all for each review loop and for sign-off", "", "3"},
    kProvider,
    {"resume", "", "Go on with a run that ended, at its first unfinished phase"},
    {"clean", "", "Start over: the old worktree is kept as a snapshot and removed"},
    {"workflow", "NAME", "Another workflow than the pipeline; see: capsule workflow list"},
    {"branch", "NAME", "The branch that such a workflow looks at"},
    {"json", "", "One event a line on stdout, nothing else"},
    kScriptsDir,
};

// Goes on with an ended run at its first unfinished phase.
Result<void> resume(BeadRun& run, const BeadRun::Newest& newest, bool bring_back) {
  phases::Present present;
  present.bring_back = bring_back;
  TRY_VOID(run.take(newest.run, newest.state.definition, std::move(present)));
  TRY_VOID(run.preflight());
  return run.give({event::RunResumed{run.project().config.max_retries, false}});
}

Result<void> start(BeadRun& run, const Args& args) {
  const event::Definition definition =
      TRY(world::find_workflow(run.project(), args.option("workflow").value_or(phases::kPipeline)));
  const std::string branch(args.option("branch").value_or(""));
  if (definition.on_branch && branch.empty())
    return fail(Reason::usage, definition.name + " looks at a branch: which one?",
                "name it with --branch=NAME");
  if (!definition.on_branch && !branch.empty())
    return fail(Reason::usage, definition.name + " starts from HEAD: it takes no --branch");
  TRY_VOID(run.take(new_run_id(), definition));
  TRY_VOID(run.preflight(definition.on_branch ? BeadRun::Begins::with_what_there_is
                                              : BeadRun::Begins::at_head));
  return run.give({run.started(definition, branch)});
}

// Which run is to be carried on: a cut-off one by itself, and one that is on main but could not be
// cleared up; an ended one only when asked; else a new one.
Result<void> choose_run(BeadRun& run, const Args& args) {
  const auto newest = TRY(run.newest());
  const bool cut_off = newest && !newest->ended();
  const std::string bead = run.bead().id;
  if (args.flag("clean")) {
    if (run.has_worktree() || cut_off || (newest && !newest->merged()))
      TRY_VOID(world::discard_worktree(run.project(), run.conductor().store(), bead));
    return start(run, args);
  }
  if (cut_off) {
    TRY_VOID(run.take(newest->run, newest->state.definition));
    TRY_VOID(run.preflight());
    return run.conductor().runner().take_up();
  }
  const bool resumable = newest && phases::summary(newest->state).can_go_on;
  if (resumable && !newest->state.merge_commit.empty()) return resume(run, *newest, false);
  if (run.has_worktree()) {
    if (!args.flag("resume")) return tl::unexpected(already_exists(run, newest));
    // An agent may have put something else in its place.
    if (resumable)
      return resume(run, *newest,
                    !newest->state.worktree.empty() && !git::is_plain_folder(run.worktree()));
    TRY_VOID(run.take(new_run_id(), phases::pipeline()));
    TRY_VOID(run.preflight());
    return run.adopt_worktree();
  }
  if (!args.flag("resume")) return start(run, args);
  // The folder is gone, but the work is not.
  if (resumable && !newest->state.snapshot.commit.empty()) return resume(run, *newest, true);
  return fail(Reason::not_found, "there is nothing to resume for " + bead,
              "start it: capsule run " + bead + run.project().option);
}

Result<int> run_bead(const Args& args) {
  const std::string id = TRY(bead_argument(args));
  if (args.flag("resume") && args.flag("clean"))
    return fail(Reason::usage, "--resume goes on and --clean starts over: give one of them");
  const auto run = TRY(BeadRun::open(TRY(open_project(args)), id, ui::look_for(args.flag("json"))));
  const auto newest = TRY(run->newest());
  const bool cut_off = newest && !newest->ended();
  if (engine::is_closed(run->bead().status) && !cut_off) {
    if (!newest || newest->state.outcome != event::Outcome::merged)
      return fail(Reason::refused, id + " is closed", "open it again in the tracker to run it");
    run->show_merged(newest->state.merge_commit);
    return 0;
  }
  TRY_VOID(refuse_blocked(*run));
  TRY_VOID(choose_run(*run, args));
  return run->carry_on();
}

}  // namespace

Command run_command() {
  return {"run",
          "Take one bead from the tracker to a merge on main",
          "Five stages: prep, test-writer and test-review, execute and execute-review, sign-off, "
          "merge. Every phase "
          "ends in a signal; a review that needs work re-runs its writer with the feedback.\n\n"
          "Exit codes: 0 merged (or merged already); 1 not good enough after all attempts, or the "
          "merge was "
          "refused; 2 an error. The worktree is kept unless the work was merged.\n\n"
          "A run that was cut off goes on when it is started again; one that ended goes on with "
          "--resume.",
          kRunPositionals,
          kRunOptions,
          run_bead,
          Errors::two,
          "run-pipeline",
          "  capsule run demo-1.1.1\n  capsule run demo-1.1.1 --provider=rehearsal\n  capsule run "
          "demo-1.1.1 --resume\n  capsule run demo-1.1.1 --workflow=spike",
          false,
          true};
}

}  // namespace capsule::cli
