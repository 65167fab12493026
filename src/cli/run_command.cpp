// capsule run: one bead from the tracker to main.
#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "cli/session.h"
#include "cli/worktrees.h"
#include "engine/bead_context.h"
#include "git/paths.h"

namespace capsule::cli {
namespace {

using event::Outcome;
using pipeline::Step;

constexpr Positional kPositionals[] = {{"BEAD", "The bead to run the pipeline for"}};
constexpr Option kOptions[] = {
    kProjectDir,
    {"max-retries", "N", "Attempts in all for each review loop and for sign-off", "", "3"},
    kProvider,
    {"resume", "", "Go on with a run that ended, at its first unfinished phase"},
    {"clean", "", "Start over: the old worktree is kept as a snapshot and removed"},
    {"json", "", "One event a line on stdout, nothing else"},
    kScriptsDir,
};

// Which run is to be carried on: a cut-off one by itself, and one that is on main but could not be
// cleared up; an ended one only when asked; else a new one.
Result<void> choose_run(Session& session, const Args& args) {
  const auto newest = TRY(session.newest());
  const bool cut_off = newest && newest->state.step != Step::ended;
  const std::string bead = session.bead().id;
  if (args.flag("clean")) {
    const bool failed = newest && newest->state.outcome != Outcome::merged;
    if (session.has_worktree() || cut_off || failed)
      TRY_VOID(discard_worktree(session.project(), session.store(), bead));
  } else if (cut_off) {
    return session.take(newest->run);
  } else if (newest && !newest->state.merge_commit.empty() &&
             newest->state.outcome != Outcome::merged) {
    TRY_VOID(session.take(newest->run));
    return session.runner().resume({session.project().config.max_retries, false});
  } else if (session.has_worktree()) {
    if (!args.flag("resume")) return tl::unexpected(already_exists(session, newest));
    if (newest && newest->state.outcome != Outcome::merged) {
      TRY_VOID(session.take(newest->run));
      TRY_VOID(session.preflight());
      // An agent has put something else in its place.
      if (!newest->state.worktree.empty() && !git::is_plain_folder(session.worktree()))
        TRY_VOID(session.bring_worktree_back(newest->state));
      return session.runner().resume({session.project().config.max_retries, false});
    }
    TRY_VOID(session.take(new_run_id()));
    TRY_VOID(session.preflight());
    return session.adopt_worktree();
  } else if (args.flag("resume")) {
    // The folder is gone, but the work is not.
    if (newest && !newest->state.snapshot.commit.empty() &&
        newest->state.outcome != Outcome::merged) {
      TRY_VOID(session.take(newest->run));
      TRY_VOID(session.preflight());
      TRY_VOID(session.bring_worktree_back(newest->state));
      return session.runner().resume({session.project().config.max_retries, false});
    }
    return fail(Reason::not_found, "there is nothing to resume for " + bead,
                "start it: capsule run " + bead + session.project().option);
  }
  TRY_VOID(session.take(new_run_id()));
  TRY_VOID(session.preflight());
  return session.runner().start(session.started());
}

Result<int> run(const Args& args, ui::Face face) {
  const std::string id = TRY(bead_argument(args));
  if (args.flag("resume") && args.flag("clean"))
    return fail(Reason::usage, "--resume goes on and --clean starts over: give one of them");
  const auto session = TRY(Session::open(TRY(open_project(args)), id, face));
  const auto newest = TRY(session->newest());
  const bool cut_off = newest && newest->state.step != Step::ended;
  if (engine::is_closed(session->bead().status) && !cut_off) {
    if (!newest || newest->state.outcome != Outcome::merged)
      return fail(Reason::refused, id + " is closed", "open it again in the tracker to run it");
    session->tell_merged(newest->state.merge_commit);
    return 0;
  }
  TRY_VOID(refuse_blocked(*session));
  TRY_VOID(choose_run(*session, args));
  TRY_VOID(session->preflight());
  const pipeline::State state = TRY(session->runner().carry_on());
  const std::string summary = session->summary();
  if (face != ui::Face::json) print(summary);
  return session->exit_code(state);
}

int run_command_main(const Args& args) {
  const auto code = run(args, ui::face_for(args.flag("json")));
  return code ? *code : report(code.error(), 2);
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
          kPositionals,
          kOptions,
          run_command_main,
          2,
          "run-pipeline",
          "  capsule run demo-1.1.1\n  capsule run demo-1.1.1 --provider=rehearsal\n  capsule run "
          "demo-1.1.1 --resume",
          false,
          true};
}

}  // namespace capsule::cli
