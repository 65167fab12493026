// capsule snapshots, restore and gc: what is kept of every phase, and for how long.
#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/ids.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "config/key.h"
#include "git/refs.h"
#include "git/snapshot.h"
#include "store/store.h"
#include "ui/view.h"

namespace capsule::cli {
namespace {

constexpr std::string_view kPrefix = "refs/capsule/";
constexpr Positional kBead[] = {{"BEAD", "The bead whose snapshots are meant"}};
constexpr Positional kBeadAndSnapshot[] = {
    {"BEAD", "The bead"},
    {"SNAPSHOT", "Its name, as 'capsule snapshots' shows it, or the end of it"}};
constexpr Option kListOptions[] = {kProjectDir, kJson};
constexpr Option kRestoreOptions[] = {
    kProjectDir,
    {"to", "DIR", "Where to put the files; must be empty or not exist", "",
     ".capsule/restored/BEAD/SNAPSHOT"}};
constexpr Option kGcOptions[] = {
    kProjectDir,
    {"older-than", "AGE", "Only snapshots that are older, such as 30d or 12h", "", "30d"},
    {"dry-run", "", "Say what would go, and keep it"}};

// "<run>/<n>-<phase>" or "rescue/<run>/<time>".
std::string short_name(const git::Ref& ref) { return ref.name.substr(kPrefix.size()); }

// A ref name holds its run as its first part, or, for a rescue, as its second.
std::string run_of(const git::Ref& ref) {
  const std::string name = short_name(ref);
  const auto parts = split(name, '/');
  return std::string(parts.size() > 2 && parts[0] == "rescue" ? parts[1] : parts[0]);
}

std::string date_of(long time) {
  const std::time_t at = time;
  std::tm parts{};
  ::gmtime_r(&at, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%SZ", &parts)};
}

Result<std::vector<git::Ref>> snapshots_of(const world::Project& project, const std::string& bead) {
  const auto store = store::Store::open(project.root(), store::Access::read_only);
  if (!store && store.error().reason == Reason::not_found) return std::vector<git::Ref>{};
  if (!store) return tl::unexpected(store.error());
  const std::vector<engine::RunHead> heads = TRY((*store)->runs_of(bead));
  std::vector<git::Ref> refs =
      TRY(git::list_refs(project.repository, std::string(kPrefix.substr(0, kPrefix.size() - 1))));
  std::erase_if(refs, [&](const git::Ref& ref) {
    return std::none_of(heads.begin(), heads.end(),
                        [&](const auto& head) { return head.run == run_of(ref); });
  });
  std::stable_sort(refs.begin(), refs.end(),
                   [](const auto& a, const auto& b) { return a.time < b.time; });
  return refs;
}

Result<int> list(const Args& args) {
  const std::string bead = TRY(bead_argument(args));
  const world::Project project = TRY(open_project(args));
  const std::vector<git::Ref> refs = TRY(snapshots_of(project, bead));
  if (args.flag("json")) {
    auto rows = nlohmann::ordered_json::array();
    for (const git::Ref& ref : refs)
      rows.push_back({{"name", short_name(ref)},
                      {"ref", ref.name},
                      {"commit", ref.id},
                      {"at", date_of(ref.time)},
                      {"subject", ref.subject}});
    print(rows.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    return 0;
  }
  if (refs.empty()) print("There are no snapshots of " + bead + ".\n");
  for (const git::Ref& ref : refs)
    print(padded(short_name(ref), 44) + padded(date_of(ref.time), 22) + ref.id.substr(0, 12) +
          "  " + printable(ref.subject) + "\n");
  return 0;
}

Result<int> restore(const Args& args) {
  const std::string bead = TRY(bead_argument(args));
  const std::string wanted(*args.positional(1));
  const world::Project project = TRY(open_project(args));
  const std::vector<git::Ref> refs = TRY(snapshots_of(project, bead));
  std::vector<git::Ref> found;
  for (const git::Ref& ref : refs) {
    const std::string name = short_name(ref);
    if (name == wanted || name.ends_with("/" + wanted) ||
        (wanted.size() >= 7 && ref.id.starts_with(wanted)))
      found.push_back(ref);
  }
  if (found.empty())
    return fail(Reason::not_found, bead + " has no snapshot " + printable(wanted),
                "list them: capsule snapshots " + bead + project.option);
  const git::Ref& ref = found.back();  // of several runs, the newest
  const std::string to =
      args.option("to") ? absolute_path(*args.option("to"))
                        : project.root() + "/.capsule/restored/" + bead + "/" + short_name(ref);
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

Result<int> collect(const Args& args) {
  const long age = TRY(age_seconds(args.option("older-than").value_or("30d")));
  const world::Project project = TRY(open_project(args));
  const auto store = TRY(store::Store::open(project.root(), store::Access::read_write));
  const long now = std::time(nullptr);
  std::vector<git::Ref> old;
  for (const git::Ref& ref : TRY(git::list_refs(
           project.repository, std::string(kPrefix.substr(0, kPrefix.size() - 1))))) {
    const auto head = store->head(run_of(ref));
    // A run that is not over needs its snapshots to go on.
    if (head && head->outcome.empty()) continue;
    if (head && head->outcome != "merged" &&
        exists(project.root() + "/.capsule/worktrees/" + head->subject))
      continue;
    if (now - ref.time >= age) old.push_back(ref);
  }
  const bool dry = args.flag("dry-run");
  for (const git::Ref& ref : old)
    print(std::string(dry ? "would remove " : "removed ") + short_name(ref) + "  " +
          date_of(ref.time) + "\n");
  if (!dry) TRY_VOID(git::delete_refs(project.repository, old));
  print(std::to_string(old.size()) + (old.size() == 1 ? " snapshot" : " snapshots") +
        (dry ? " would go" : " gone") + "\n");
  return 0;
}

template <Result<int> (*command)(const Args&)>
int ended(const Args& args) {
  const auto code = command(args);
  return code ? *code : report(code.error(), code.error().reason == Reason::not_found ? 1 : 2);
}

}  // namespace

Command snapshots_command() {
  return {
      .path = "snapshots",
      .summary = "List what is kept of every phase of a bead",
      .details =
          "After each phase the whole worktree, untracked files too and ignored ones not, is kept "
          "under "
          "refs/capsule/. Nothing that an agent or a clean-up does in a worktree can destroy it.",
      .positionals = kBead,
      .options = kListOptions,
      .run = ended<list>,
      .examples = "  capsule snapshots demo-1.1.1"};
}

Command restore_command() {
  return {.path = "restore",
          .summary = "Put the files of a snapshot into a folder",
          .details = "Prints the folder. Nothing that exists is overwritten.",
          .positionals = kBeadAndSnapshot,
          .options = kRestoreOptions,
          .run = ended<restore>,
          .examples = "  capsule restore demo-1.1.1 3-execute --to=/tmp/look"};
}

Command gc_command() {
  return {.path = "gc",
          .summary = "Remove old snapshots of runs that are over",
          .details = "Says what it removes. Snapshots of runs that can still go on stay.",
          .positionals = {},
          .options = kGcOptions,
          .run = ended<collect>,
          .examples = "  capsule gc --older-than=30d --dry-run",
          .people_only = true};
}

}  // namespace capsule::cli
