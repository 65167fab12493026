// capsule prep: the worktree and worklog of a bead, without running anything in it.
#include <algorithm>

#include "base/print.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "run/bead_run.h"

namespace capsule::cli {
namespace {

constexpr Positional kPrepPositionals[] = {{"BEAD", "The bead to prepare"}};
constexpr Option kPrepOptions[] = {
    kProjectDir, {"json", "", "One event a line on stdout, nothing else"}, kScriptsDir};

Result<int> prep(const Args& args) {
  const std::string id = TRY(bead_argument(args));
  // The plain lines of a run are not shown: prep has its own.
  const auto run = TRY(run::BeadRun::open(TRY(open_project(args)), id,
                                          args.flag("json") ? ui::Look::json : ui::Look::quiet));
  if (engine::is_closed(run->bead().status)) return fail(Reason::refused, id + " is closed");
  TRY_VOID(run::refuse_blocked(*run));
  if (run->has_worktree()) return tl::unexpected(run::already_exists(*run, TRY(run->newest())));
  phases::Present present;
  present.only_prepare = true;
  TRY_VOID(run->take(run::new_run_id(), phases::pipeline(), std::move(present)));
  TRY_VOID(run->give({run->started(phases::pipeline())}));
  TRY_VOID(run->carry_on());
  const phases::State& state = run->state();
  if (state.outcome != event::Outcome::prepared) {
    const std::size_t line = std::min(state.detail.find('\n'), state.detail.size());
    if (line == 0) return fail(Reason::failed, "the worktree was not made");
    const bool hint = line < state.detail.size();
    return fail(Reason::failed, state.detail.substr(0, line),
                hint ? state.detail.substr(line + 1) : "");
  }
  if (!args.flag("json"))
    print("Worktree: " + state.worktree + "\nBranch: " + state.branch +
          "\nWorklog: " + state.worktree + "/worklog.md\n");
  return 0;
}

}  // namespace

Command prep_command() {
  return {"prep",
          "Make a worktree and worklog for a bead",
          "The worktree is .capsule/worktrees/BEAD on the branch capsule-BEAD, from HEAD; its "
          "worklog.md is the "
          "mission briefing for every phase. Exit codes: 0 done; 1 failed.",
          kPrepPositionals,
          kPrepOptions,
          prep,
          Errors::one,
          "",
          "  capsule prep demo-1.1.1\n  capsule run demo-1.1.1 --resume",
          false,
          true};
}

}  // namespace capsule::cli
