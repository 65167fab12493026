// capsule snapshots, restore and gc: what is kept of the work of every run, and for how long.
#include <algorithm>
#include <ctime>
#include <set>

#include "base/files.h"
#include "base/ids.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/run_args.h"
#include "git/refs.h"
#include "git/snapshot.h"
#include "json/value.h"

namespace capsule::cli {
namespace {

constexpr std::string_view kPrefix = "refs/capsule/";
constexpr Positional kListWords[] = {kRun, kTask};
constexpr Positional kRestoreWords[] = {
    kRun,
    {"SNAPSHOT", "Its name, as 'capsule snapshots' shows it, or the end of it"},
    {"NAME", "The snapshot's name, when the word before it is a task of the plan", false}};
constexpr Option kListOptions[] = {kProjectDir, kJson};
constexpr Option kRestoreOptions[] = {
    kProjectDir,
    {"to", "DIR", "Where to put the files; must be empty or not exist", "",
     ".capsule/restored/BEAD/SNAPSHOT"}};
constexpr Option kGcOptions[] = {
    kProjectDir,
    {"older-than", "AGE", "Only snapshots that are older, such as 30d or 12h", "", "30d"},
    {"dry-run", "", "Say what would go, and keep it"}};

// "<run>/<n>-<phase>", "<run>/<task>/<n>-<role>", "rescue/<run>/<time>" or
// "rescue/<run>/<task>/<time>".
std::string short_name(const git::Ref& ref) { return ref.name.substr(kPrefix.size()); }

struct Place {
  std::string run, task;  // task: empty when the name has none
};
Place place_of(const git::Ref& ref) {
  const std::string name = short_name(ref);
  std::vector<std::string_view> parts = split(name, '/');
  if (parts.size() > 2 && parts[0] == "rescue") parts.erase(parts.begin());
  return {std::string(parts[0]), parts.size() > 2 ? std::string(parts[1]) : std::string()};
}

Result<std::vector<git::Ref>> all_refs(const world::Project& project) {
  return git::list_refs(project.repository, std::string(kPrefix.substr(0, kPrefix.size() - 1)));
}

std::string date_of(long time) {
  const std::time_t at = time;
  std::tm parts{};
  ::gmtime_r(&at, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%SZ", &parts)};
}

// The snapshots of the runs that the words stand for, oldest first. A bead without a run may have
// some too: those that were rescued from a worktree that no run knew.
Result<std::vector<git::Ref>> snapshots_of(const world::Project& project,
                                           const std::vector<std::string>& words) {
  const auto store = TRY(world::journal_of(project));
  const auto found = world::find_run(project, store.get(), words);
  if (!found && (found.error().reason != Reason::not_found || words.size() > 1))
    return tl::unexpected(found.error());
  std::set<std::string> runs{words.front()};
  if (found)
    for (const engine::RunHead& head : found->heads) runs.insert(head.run);
  const std::string task = found ? found->task : "";
  std::vector<git::Ref> refs = TRY(all_refs(project));
  std::erase_if(refs, [&](const git::Ref& ref) {
    const Place place = place_of(ref);
    return !runs.contains(place.run) || (!task.empty() && place.task != task);
  });
  std::stable_sort(refs.begin(), refs.end(),
                   [](const auto& a, const auto& b) { return a.time < b.time; });
  return refs;
}

Result<int> list(const Args& args) {
  const world::Project project = TRY(open_project(args));
  const std::vector<std::string> words = words_of(args);
  const std::vector<git::Ref> refs = TRY(snapshots_of(project, words));
  if (args.flag("json")) {
    auto rows = json::Value::array();
    for (const git::Ref& ref : refs) {
      const Place place = place_of(ref);
      rows.push_back({{"name", short_name(ref)},
                      {"ref", ref.name},
                      {"commit", ref.id},
                      {"at", date_of(ref.time)},
                      {"subject", ref.subject},
                      {"run", place.run},
                      {"task", place.task.empty() ? json::Value() : json::Value(place.task)}});
    }
    print(rows.compact() + "\n");
    return 0;
  }
  if (refs.empty()) print("There are no snapshots of " + printable(words.back()) + ".\n");
  for (const git::Ref& ref : refs)
    print(padded(short_name(ref), 44) + padded(date_of(ref.time), 22) + ref.id.substr(0, 12) +
          "  " + printable(ref.subject) + "\n");
  return 0;
}

Result<int> restore(const Args& args) {
  const world::Project project = TRY(open_project(args));
  std::vector<std::string> words = words_of(args);
  const std::string wanted = words.back();
  words.pop_back();
  const std::vector<git::Ref> refs = TRY(snapshots_of(project, words));
  std::vector<git::Ref> found;
  for (const git::Ref& ref : refs) {
    const std::string name = short_name(ref);
    if (name == wanted || name.ends_with("/" + wanted) ||
        (wanted.size() >= 7 && ref.id.starts_with(wanted)))
      found.push_back(ref);
  }
  if (found.empty())
    return fail(Reason::not_found,
                printable(words.back()) + " has no snapshot " + printable(wanted),
                "list them: capsule snapshots " + shell_word(words.front()) +
                    (words.size() > 1 ? " " + shell_word(words[1]) : "") + project.option);
  const git::Ref& ref = found.back();  // of several runs, the newest
  for (const git::Ref& other : found)
    if (place_of(other).task != place_of(ref).task)
      return fail(Reason::usage, "several tasks have a snapshot " + printable(wanted),
                  "name it in full: " + short_name(other) + " or " + short_name(ref));
  const std::string place = valid_id(words.front()) ? words.front() + "/" : "";
  const std::string to = args.option("to")
                             ? absolute_path(*args.option("to"))
                             : project.root() + "/.capsule/restored/" + place + short_name(ref);
  TRY_VOID(git::restore_snapshot(project.repository, ref.id, to));
  print(to + "\n");
  return 0;
}

Result<long> age_seconds(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view unit = text.substr(digits);
  const long scale = unit == "d"   ? 86'400
                     : unit == "h" ? 3'600
                     : unit == "m" ? 60
                     : unit == "s" ? 1
                                   : 0;
  if (digits == 0 || digits > 6 || scale == 0)
    return fail(Reason::usage, "'" + printable(text) + "' is no age",
                "write it as 30d, 12h, 90m or 10s");
  return std::stol(std::string(text.substr(0, digits))) * scale;
}

// What a run needs to go on stays: whatever its workflow, and also when its facts cannot be read.
// Only the newest run of a subject is ever gone on with.
Result<std::set<std::string>> needed_runs(store::Store& store) {
  std::set<std::string> needed;
  for (const world::Run& run : TRY(world::newest_runs(store)))
    if (run.live() || run.summary.can_go_on) needed.insert(run.head.run);
  for (const engine::RunHead& head : TRY(store.runs()))
    if (head.ended_at.empty() && head.workflow != engine::kAutoSession) needed.insert(head.run);
  return needed;
}

Result<int> collect(const Args& args) {
  const long age = TRY(age_seconds(args.option("older-than").value_or("30d")));
  const world::Project project = TRY(open_project(args));
  const auto store = TRY(store::Store::open(project.root(), store::Access::read_write));
  const std::set<std::string> needed = TRY(needed_runs(*store));
  const long now = std::time(nullptr);
  std::vector<git::Ref> old;
  for (const git::Ref& ref : TRY(all_refs(project)))
    if (!needed.contains(place_of(ref).run) && now - ref.time >= age) old.push_back(ref);
  const bool dry = args.flag("dry-run");
  for (const git::Ref& ref : old)
    print(std::string(dry ? "would remove " : "removed ") + short_name(ref) + "  " +
          date_of(ref.time) + "\n");
  if (!dry) TRY_VOID(git::delete_refs(project.repository, old));
  print(counted(old.size(), "snapshot") + (dry ? " would go" : " gone") + "\n");
  return 0;
}

}  // namespace

Command snapshots_command() {
  return {
      .path = "snapshots",
      .summary = "List what is kept of the work of a run",
      .details =
          "After each phase, and after each agent of a delivery or of auto mode, the whole "
          "worktree, untracked files too and ignored ones not, is kept under refs/capsule/. "
          "Nothing that an agent or a clean-up does in a worktree can destroy it; what "
          "'teardown' and 'run --clean' removed is listed too, as rescue/…. With a plan and one "
          "of its tasks: only that task's.",
      .positionals = kListWords,
      .options = kListOptions,
      .run = list,
      .examples =
          "  capsule snapshots demo-1.1.1\n  capsule snapshots PLAN.md T-3\n"
          "  capsule snapshots auto"};
}

Command restore_command() {
  return {.path = "restore",
          .summary = "Put the files of a snapshot into a folder",
          .details = "Prints the folder. Nothing that exists is overwritten.",
          .positionals = kRestoreWords,
          .options = kRestoreOptions,
          .run = restore,
          .examples =
              "  capsule restore demo-1.1.1 3-execute --to=/tmp/look\n"
              "  capsule restore PLAN.md T-3 0001-developer"};
}

Command gc_command() {
  return {.path = "gc",
          .summary = "Remove old snapshots of runs that are over",
          .details =
              "Says what it removes. Snapshots of runs that can still go on stay: one that was cut "
              "off, stopped or failed, that waits for a person, a halted delivery.",
          .positionals = {},
          .options = kGcOptions,
          .run = collect,
          .examples = "  capsule gc --older-than=30d --dry-run",
          .people_only = true};
}

}  // namespace capsule::cli
