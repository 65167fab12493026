// capsule snapshots, restore and gc: what is kept of the work of every run, and for how long.
#include "base/files.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/run_args.h"
#include "ui/snapshot_text.h"

namespace capsule::cli {
namespace {

constexpr Positional kRestoreWords[] = {
    kRun,
    {"SNAPSHOT", "Its name, as 'capsule snapshots' shows it, or the end of it"},
    {"NAME", "The snapshot's name, when the word before it is a task of the plan", false}};
constexpr Option kRestoreOptions[] = {
    kProjectDir,
    {"to", "DIR", "Where to put the files; must be empty or not exist", "",
     ".capsule/restored/BEAD/SNAPSHOT"}};
constexpr Positional kGcWords[] = {
    {kRun.name, "Only snapshots of this run; those of clean-ups also when it could go on", false},
    kTask};
constexpr Option kGcOptions[] = {
    kProjectDir,
    {"older-than", "AGE", "Only snapshots that are older, such as 30d or 12h", "", "30d"},
    {"dry-run", "", "Say what would go, and keep it"}};

Result<int> list(const Args& args) {
  const world::Project project = TRY(open_project(args));
  const std::vector<std::string> words = words_of(args);
  const std::vector<world::Snapshot> snapshots =
      TRY(world::snapshots_of(project, words, world::Listed::changed));
  if (args.flag("json"))
    print(ui::snapshots_json(snapshots));
  else if (snapshots.empty())
    print("There are no snapshots of " + printable(words.back()) + ".\n");
  else
    print(ui::snapshot_lines(snapshots));
  return 0;
}

Result<int> restore(const Args& args) {
  const world::Project project = TRY(open_project(args));
  std::vector<std::string> words = words_of(args);
  const std::string wanted = words.back();
  words.pop_back();
  const std::string to = args.option("to") ? absolute_path(*args.option("to")) : "";
  print(TRY(world::restore(project, words, wanted, to)) + "\n");
  return 0;
}

Result<int> collect(const Args& args) {
  const long age = TRY(world::age_in(args.option("older-than").value_or("30d")));
  const world::Project project = TRY(open_project(args));
  const auto store = TRY(world::open_journal(project));
  const world::Collection collection =
      TRY(world::old_snapshots(project, *store, age, words_of(args)));
  const bool dry = args.flag("dry-run");
  if (!dry) TRY_VOID(world::remove_snapshots(project, collection.old));
  print(ui::collection_text(collection, dry, project.option));
  return 0;
}

}  // namespace

constexpr Command kSnapshotsCommand{
    .path = "snapshots",
    .summary = "List the snapshots of a run",
    .details =
        "After each phase, and after each agent of a delivery or of auto mode, the whole "
        "worktree, with untracked but not ignored files, is kept under refs/capsule/. "
        "Nothing that an agent or a clean-up does in a worktree can destroy it; what "
        "'teardown' and 'run --clean' removed is listed too, as rescue/…. With a plan and "
        "one of its tasks: only that task's.",
    .positionals = kRunAndTask,
    .options = kProjectAndJson,
    .run = list,
    .examples =
        "  capsule snapshots demo-1.1.1\n  capsule snapshots PLAN.md T-3\n"
        "  capsule snapshots auto",
};

constexpr Command kRestoreCommand{
    .path = "restore",
    .summary = "Put the files of a snapshot into a folder",
    .details = "Prints the folder. Nothing that exists is overwritten.",
    .positionals = kRestoreWords,
    .options = kRestoreOptions,
    .run = restore,
    .examples =
        "  capsule restore demo-1.1.1 3-execute --to=/tmp/look\n"
        "  capsule restore PLAN.md T-3 0001-developer",
};

constexpr Command kGcCommand{
    .path = "gc",
    .summary = "Remove old snapshots of runs that are over",
    .details =
        "Says what it removes, and what it keeps and why. Snapshots of runs that can still "
        "go on stay: one that was cut off, stopped or failed, that waits for a person, a "
        "halted delivery. No run goes on from what 'teardown' or 'run --clean' rescued: "
        "with RUN that goes too. With a plan and one of its tasks: only that task's.",
    .positionals = kGcWords,
    .options = kGcOptions,
    .run = collect,
    .examples =
        "  capsule gc --older-than=30d --dry-run\n  capsule gc PLAN.md --older-than=7d\n"
        "  capsule gc PLAN.md T-3",
    .people_only = true,
};

}  // namespace capsule::cli
