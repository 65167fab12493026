// capsule status: what the runs of this project did, are doing, and wait for. Reads only.
#include <unistd.h>

#include "base/files.h"
#include "base/print.h"
#include "cli/commands.h"
#include "cli/run_args.h"
#include "ui/run_json.h"
#include "ui/terminal.h"
#include "workspace/places.h"
#include "world/activities.h"

namespace capsule::cli {
namespace {

constexpr Positional kStatusPositionals[] = {
    {kRun.name, "Tell everything about this run: a bead, a plan, a run's id, or auto", false},
    kTask};

// An ended run of phases is summed up as it was at its end.
std::string page_of(const world::Project& project, const world::Found& found,
                    const ui::Style& style) {
  const world::Run& run = found.run;
  const ui::RunWords words = run_words(project, run);
  const world::RunNow now = world::run_now(project, run);
  if (!found.task.empty()) return ui::task_page(now.run, found.task, words, style, now.now_ms);
  if (!engine::is_phases(run.head) || !run.unreadable.empty() ||
      engine::state_of(run) != engine::RunState::ended || run.live())
    return ui::run_page(now.run, words, style, now.now_ms);
  ui::Surroundings around = surroundings(project, run.view);
  if (!words.description.empty()) around.notes.push_back("description: " + words.description);
  around.notes.push_back("ended " + ui::minute_of(run.head.ended_at) + " UTC");
  return ui::summary(run.view, around, style).substr(1) + "\nIts snapshots:\n  capsule snapshots " +
         words.name + words.options + "\n";
}

Result<int> tell_one(const Args& args, const world::Project& project, engine::Records* store) {
  const world::Found found = TRY(find_run(args, project, store));
  if (args.flag("json")) {
    std::string archive;
    if (engine::is_phases(found.run.head))
      archive = workspace::archive_path(project.repository, found.run.head.subject);
    world::RunNow now = world::run_now(project, found.run);
    if (!found.task.empty()) now.run = view::only(std::move(now.run), found.task);
    print(ui::run_json(now.run, is_folder(archive) ? archive : "", now.now_ms));
    return 0;
  }
  print(page_of(project, found, ui::style_for(STDOUT_FILENO)));
  return 0;
}

Result<int> tell_all(const Args& args, const world::Project& project, engine::Records* store) {
  std::vector<view::Run> runs;
  std::int64_t now_ms = 0;
  if (store != nullptr)
    for (const world::Run& run : TRY(world::newest_runs(*store))) {
      world::RunNow now = world::run_now(project, run);
      now_ms = now.now_ms;
      runs.push_back(std::move(now.run));
    }
  if (args.flag("json"))
    print(ui::runs_json(runs, now_ms));
  else if (runs.empty())
    print("No runs yet. Start one: capsule run BEAD" + project.option + "\n");
  else
    print(ui::run_lines(runs, ui::style_for(STDOUT_FILENO), now_ms));
  return 0;
}

Result<int> status(const Args& args) {
  const world::Project project = TRY(open_project(args));
  const auto store = TRY(world::journal_of(project));
  return args.positional(0) ? tell_one(args, project, store.get())
                            : tell_all(args, project, store.get());
}

}  // namespace

constexpr Command kStatusCommand{
    .path = "status",
    .summary = "Show what the runs did, are doing, and wait for",
    .details =
        "Without RUN: the newest run of each bead, plan and of auto mode on a line, with "
        "its outcome, or where it is, the process that works on it and what it waits for, "
        "and below what its agents do now. With RUN: phase by phase or task by task, with "
        "worktree, open questions and what to do next; with a plan and one of its tasks, "
        "that task and its agents. Only reads, also while a run is going on.\n\n"
        "Exit codes: 0 shown; 1 there is no such run; 2 an error.",
    .positionals = kStatusPositionals,
    .options = kProjectAndJson,
    .run = status,
    .examples =
        "  capsule status\n  capsule status demo-1.1.1\n  capsule status PLAN.md T-3\n"
        "  capsule status --json | jq '.[] | select(.state == \"waiting\")'",
};

}  // namespace capsule::cli
