#include "world/snapshots.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "base/files.h"
#include "base/ids.h"
#include "base/text.h"
#include "git/refs.h"
#include "git/snapshot.h"

namespace capsule::world {
namespace {

constexpr std::string_view kSnapshotRefs = "refs/capsule";

Snapshot snapshot_of(const git::Ref& ref) {
  Snapshot snapshot;
  snapshot.name = ref.name.substr(kSnapshotRefs.size() + 1);
  snapshot.ref = ref.name;
  snapshot.commit = ref.id;
  snapshot.subject = ref.subject;
  snapshot.time = ref.time;
  snapshot.tree = ref.tree;
  snapshot.parent = ref.parent;
  std::vector<std::string_view> parts = split(snapshot.name, '/');
  snapshot.rescued = parts.size() > 2 && parts[0] == "rescue";
  if (snapshot.rescued) parts.erase(parts.begin());
  snapshot.run = parts[0];
  if (parts.size() > 2) snapshot.task = parts[1];
  return snapshot;
}

Result<std::vector<Snapshot>> all_snapshots(const Project& project) {
  std::vector<Snapshot> all;
  for (const git::Ref& ref : TRY(git::list_refs(project.repository, std::string(kSnapshotRefs))))
    all.push_back(snapshot_of(ref));
  return all;
}

// The runs that can still go on, by their ids. Only the newest run of a subject is ever gone on
// with.
Result<std::map<std::string, Run>> unfinished_runs(engine::Records& store) {
  std::map<std::string, Run> runs;
  for (const Run& run : TRY(newest_runs(store)))
    if (run.live() || run.summary.can_go_on) runs.emplace(run.head.run, run);
  for (const engine::RunHead& head : TRY(store.runs()))
    if (head.ended_at.empty() && head.workflow != engine::kAutoSession && !runs.contains(head.run))
      runs.emplace(head.run, TRY(read_run(store, head)));
  return runs;
}

// 3 of "<run>/3-execute"; what has no number comes after what has one.
int number_in(const Snapshot& snapshot) {
  const std::string last = snapshot.name.substr(snapshot.name.rfind('/') + 1);
  int number = std::numeric_limits<int>::max();
  std::from_chars(last.data(), last.data() + last.size(), number);
  return number;
}

// What an agent that may only look left, when that is what it found: nothing to see there.
void leave_out_looks(std::vector<Snapshot>& all) {
  std::map<std::string, std::string> trees;
  for (const Snapshot& one : all) trees[one.commit] = one.tree;
  std::erase_if(all, [&](const Snapshot& one) {
    const auto before = trees.find(one.parent);
    return one.name.ends_with("-look") && before != trees.end() && before->second == one.tree;
  });
}

// The snapshots that the words mean.
struct Meant {
  std::set<std::string> runs;
  std::string task;
  bool has(const Snapshot& snapshot) const {
    return runs.contains(snapshot.run) && (task.empty() || snapshot.task == task);
  }
};
Result<Meant> meant_by(const Project& project, engine::Records* store,
                       const std::vector<std::string>& words) {
  const auto found = find_run(project, store, words);
  if (!found && (found.error().reason != Reason::not_found || words.size() > 1))
    return tl::unexpected(found.error());
  Meant meant{{words.front()}, found ? found->task : ""};
  if (found)
    for (const engine::RunHead& head : found->heads) meant.runs.insert(head.run);
  return meant;
}

}  // namespace

Result<std::vector<Snapshot>> snapshots_of(const Project& project,
                                           const std::vector<std::string>& words, Listed listed) {
  const auto store = TRY(journal_of(project));
  const Meant meant = TRY(meant_by(project, store.get(), words));
  std::vector<Snapshot> all = TRY(all_snapshots(project));
  std::erase_if(all, [&](const Snapshot& snapshot) { return !meant.has(snapshot); });
  const auto place = [](const Snapshot& one) {
    return std::tuple(one.time, number_in(one), std::string_view(one.name));
  };
  std::sort(all.begin(), all.end(),
            [&](const Snapshot& a, const Snapshot& b) { return place(a) < place(b); });
  if (listed == Listed::changed) leave_out_looks(all);
  return all;
}

Result<std::string> restore(const Project& project, const std::vector<std::string>& words,
                            const std::string& wanted, std::string to) {
  std::vector<Snapshot> found = TRY(snapshots_of(project, words));
  std::erase_if(found, [&](const Snapshot& one) {
    return one.name != wanted && !one.name.ends_with("/" + wanted) &&
           !(wanted.size() >= 7 && one.commit.starts_with(wanted));
  });
  if (found.empty())
    return fail(Reason::not_found,
                printable(words.back()) + " has no snapshot " + printable(wanted),
                "list them: capsule snapshots " + shell_word(words.front()) +
                    (words.size() > 1 ? " " + shell_word(words[1]) : "") + project.option);
  const Snapshot& newest = found.back();  // of several runs
  for (const Snapshot& other : found)
    if (other.task != newest.task)
      return fail(Reason::usage, "several tasks have a snapshot " + printable(wanted),
                  "name it in full: " + other.name + " or " + newest.name);
  if (to.empty())
    to = project.root() + "/.capsule/restored/" +
         (valid_id(words.front()) ? words.front() + "/" : "") + newest.name;
  TRY_VOID(git::restore_snapshot(project.repository, newest.commit, to));
  return to;
}

Result<Collection> old_snapshots(const Project& project, engine::Records& store, long age_seconds,
                                 const std::vector<std::string>& words) {
  std::optional<Meant> meant;
  if (!words.empty()) meant = TRY(meant_by(project, &store, words));
  const std::map<std::string, Run> unfinished = TRY(unfinished_runs(store));
  const long now = std::time(nullptr);
  Collection collection;
  std::set<std::string> names;
  for (Snapshot& snapshot : TRY(all_snapshots(project))) {
    if (now - snapshot.time < age_seconds || (meant && !meant->has(snapshot))) continue;
    const auto run = unfinished.find(snapshot.run);
    const bool wanted = meant && snapshot.rescued;  // by its name, and nobody goes on from it
    if (run == unfinished.end() || (wanted && !run->second.live())) {
      collection.old.push_back(std::move(snapshot));
      continue;
    }
    names.insert(word_for(run->second));
    collection.needed.push_back(std::move(snapshot));
  }
  collection.runs.assign(names.begin(), names.end());
  return collection;
}

Result<void> remove_snapshots(const Project& project, const std::vector<Snapshot>& snapshots) {
  std::vector<git::Ref> refs;
  for (const Snapshot& snapshot : snapshots) refs.push_back({snapshot.ref, snapshot.commit});
  return git::delete_refs(project.repository, refs);
}

Result<long> age_in(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view unit = text.substr(digits);
  const long scale = unit == "d"   ? 86'400
                     : unit == "h" ? 3'600
                     : unit == "m" ? 60
                     : unit == "s" ? 1
                                   : 0;
  if (digits == 0 || digits > 6 || scale == 0)
    return fail(Reason::usage, "'" + printable(text) + "' is not an age",
                "write it as 30d, 12h, 90m or 10s");
  return std::stol(std::string(text.substr(0, digits))) * scale;
}

}  // namespace capsule::world
