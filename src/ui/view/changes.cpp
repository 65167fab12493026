// Which rows of a view differ from those of an earlier one.
#include <map>
#include <set>

#include "ui/view/view.h"

namespace capsule::view {
namespace {

using Row = Change::Row;

// Tells rows of one sort by their keys: those of `after` that are new or differ, in their order,
// then those that are gone.
template <class T, class KeyOf>
void compare(Row row, const std::string& prefix, const std::string& run,
             const std::vector<T>& before, const std::vector<T>& after, KeyOf key_of,
             std::vector<Change>& to) {
  // Rows seldom go and never move, so that most are where they were.
  std::map<std::string, const T*> old;
  bool aligned = before.size() <= after.size();
  for (std::size_t i = 0; aligned && i < before.size(); ++i)
    aligned = key_of(before[i]) == key_of(after[i]);
  if (!aligned)
    for (const T& one : before) old.emplace(key_of(one), &one);
  std::set<std::string> still;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const std::string key = key_of(after[i]);
    const T* was = aligned && i < before.size() ? &before[i] : nullptr;
    if (!aligned) {
      const auto found = old.find(key);
      was = found == old.end() ? nullptr : found->second;
      still.insert(key);
    }
    if (was == nullptr || !(*was == after[i])) to.push_back({row, prefix + key, run, false});
  }
  for (const auto& [key, one] : old)
    if (!still.contains(key)) to.push_back({row, prefix + key, run, true});
}

// A run without the rows that have keys of their own.
Run alone(const Run& run) {
  Run bare = run;
  bare.tasks.clear();
  bare.phases.clear();
  bare.attempts.clear();
  return bare;
}

void compare_runs(const Run& before, const Run& after, std::vector<Change>& to) {
  if (before == after) return;
  const std::string prefix = "run/" + after.run;
  if (!(alone(before) == alone(after))) to.push_back({Row::run, prefix, after.run, false});
  compare(
      Row::task, prefix + "/task/", after.run, before.tasks, after.tasks,
      [](const Task& one) { return one.id; }, to);
  compare(
      Row::phase, prefix + "/phase/", after.run, before.phases, after.phases,
      [](const Phase& one) { return one.name; }, to);
  compare(
      Row::attempt, prefix + "/agent/", after.run, before.attempts, after.attempts,
      [](const Attempt& one) { return std::to_string(one.agent); }, to);
}

}  // namespace

std::vector<Change> changes(const Project& before, const Project& after) {
  std::vector<Change> list;
  if (!(before.newest == after.newest) || before.days != after.days ||
      !(before.usage == after.usage))
    list.push_back({Row::project, "project", "", false});
  compare(
      Row::item, "inbox/", "", before.inbox, after.inbox, [](const Item& one) { return one.key; },
      list);
  static const Run kNone;
  std::map<std::string, const Run*> old;
  for (const Run& run : before.runs) old.emplace(run.run, &run);
  for (const Run& run : after.runs) {
    const auto found = old.find(run.run);
    compare_runs(found == old.end() ? kNone : *found->second, run, list);
    if (found != old.end()) old.erase(found);
  }
  for (const auto& [id, run] : old) list.push_back({Row::run, "run/" + id, id, true});
  return list;
}

}  // namespace capsule::view
