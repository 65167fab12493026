// capsule prep: the worktree and worklog of a bead, without running anything in it.
#include <algorithm>

#include "base/print.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "cli/session.h"
#include "cli/worktrees.h"
#include "engine/bead_context.h"

namespace capsule::cli {
namespace {

constexpr Positional kPositionals[] = {{"BEAD", "The bead to prepare"}};
constexpr Option kOptions[] = {
    kProjectDir, {"json", "", "One event a line on stdout, nothing else"}, kScriptsDir};

Result<int> prep(const Args& args, bool json) {
  const std::string id = TRY(bead_argument(args));
  // The plain lines of a run are not shown: prep has its own.
  const auto session =
      TRY(Session::open(TRY(open_project(args)), id, json ? ui::Face::json : ui::Face::quiet));
  if (engine::is_closed(session->bead().status)) return fail(Reason::refused, id + " is closed");
  TRY_VOID(refuse_blocked(*session));
  if (session->has_worktree())
    return tl::unexpected(already_exists(*session, TRY(session->newest())));
  TRY_VOID(session->take(new_run_id()));
  TRY_VOID(session->runner().start(session->started()));
  pipeline::State state = TRY(session->runner().carry_on(pipeline::Step::run_phase));
  if (state.step != pipeline::Step::run_phase) {
    const std::size_t line = std::min(state.detail.find('\n'), state.detail.size());
    if (line == 0) return fail(Reason::failed, "the worktree was not made");
    const bool hint = line < state.detail.size();
    return fail(Reason::failed, state.detail.substr(0, line),
                hint ? state.detail.substr(line + 1) : "");
  }
  TRY_VOID(session->runner().end(event::Outcome::prepared, ""));
  if (!json)
    print("Worktree: " + state.worktree + "\nBranch: " + state.branch +
          "\nWorklog: " + state.worktree + "/worklog.md\n");
  return 0;
}

int prep_main(const Args& args) {
  const auto code = prep(args, args.flag("json"));
  return code ? *code : report(code.error(), 1);
}

}  // namespace

Command prep_command() {
  return {"prep",
          "Make a worktree and worklog for a bead",
          "The worktree is .capsule/worktrees/BEAD on the branch capsule-BEAD, from HEAD; its "
          "worklog.md is the "
          "mission briefing for every phase. Exit codes: 0 done; 1 failed.",
          kPositionals,
          kOptions,
          prep_main,
          1,
          "",
          "  capsule prep demo-1.1.1\n  capsule run demo-1.1.1 --resume",
          false,
          true};
}

}  // namespace capsule::cli
