// capsule merge: brings a signed-off worktree to main, closes its bead and cleans up.
#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "cli/session.h"

namespace capsule::cli {
namespace {

constexpr Positional kPositionals[] = {{"BEAD", "The bead whose worktree to merge"}};
constexpr Option kOptions[] = {
    kProjectDir, kProvider, {"json", "", "One event a line on stdout, nothing else"}, kScriptsDir};

Result<int> merge(const Args& args, ui::Face face) {
  const std::string id = TRY(bead_argument(args));
  const auto session = TRY(Session::open(TRY(open_project(args)), id, face));
  const auto newest = TRY(session->newest());
  if (newest && newest->state.outcome == event::Outcome::merged && !session->has_worktree()) {
    session->tell_merged(newest->state.merge_commit);
    return 0;
  }
  const bool known = newest && newest->state.outcome != event::Outcome::merged;
  if (!session->has_worktree() && !(known && !newest->state.merge_commit.empty()))
    return fail(Reason::not_found, "there is no worktree at " + printable(session->worktree()),
                "make one and run the phases: capsule run " + id + session->project().option);
  TRY_VOID(session->take(known ? newest->run : new_run_id()));
  TRY_VOID(session->preflight());
  if (!known) TRY_VOID(session->adopt_worktree());
  TRY_VOID(session->runner().resume({session->project().config.max_retries, true}));
  const pipeline::State state = TRY(session->runner().carry_on());
  const std::string summary = session->summary();
  if (face != ui::Face::json) print(summary);
  return session->exit_code(state);
}

int merge_main(const Args& args) {
  const auto code = merge(args, ui::face_for(args.flag("json")));
  return code ? *code : report(code.error(), 2);
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
          kPositionals,
          kOptions,
          merge_main,
          2,
          "",
          "  capsule merge demo-1.1.1",
          false,
          true};
}

}  // namespace capsule::cli
