#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"
#include "plan/graph.h"
#include "plan/parts.h"
#include "plan/words.h"

namespace capsule::plan {
namespace {

std::unordered_map<std::string, std::size_t> index_of(const std::vector<Task>& tasks) {
  std::unordered_map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < tasks.size(); ++i) index.emplace(tasks[i].id, i);
  return index;
}

// One item of Blocked By: an id, or several words of which the ids are taken.
void take_ids(std::string_view item, const std::unordered_map<std::string, std::size_t>& index,
              std::vector<std::string>& to) {
  constexpr std::string_view kAround = "`'\"*_[](){},;.";
  const auto stripped = [&](std::string_view word) {
    while (!word.empty() && kAround.find(word.front()) != std::string_view::npos)
      word.remove_prefix(1);
    while (!word.empty() && kAround.find(word.back()) != std::string_view::npos)
      word.remove_suffix(1);
    return word;
  };
  const std::string_view whole = stripped(trimmed(item));
  if (whole.empty()) return;
  if (index.contains(std::string(whole))) return void(to.emplace_back(whole));
  // A remark after the id: "T1 (the schema)", "T1 - the schema", "T1: the schema".
  const std::size_t remark = std::min(
      {item.find('('), item.find(" - "), item.find(": "), item.find(" — "), item.find(" – ")});
  for (const std::string_view part : split(item.substr(0, remark), ' ')) {
    std::string_view word = stripped(trimmed(part));
    if (word.ends_with(':')) word.remove_suffix(1);
    const std::string text = lowered(word);
    if (word.empty() || ((text == "task" || text == "tasks" || text == "and" || text == "&") &&
                         !index.contains(std::string(word))))
      continue;
    to.emplace_back(word);
  }
}

}  // namespace

void read_references(Plan& plan, std::vector<Lines>& lines) {
  const auto index = index_of(plan.tasks);
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    std::unordered_set<std::string> seen;
    for (const auto& [text, line] : lines[i].references) {
      std::vector<std::string> ids;
      bool item = false;
      for (const std::string_view part : split(without_bullet(text, item), ','))
        for (const std::string_view piece : split(part, ';'))
          if (!says_none(piece)) take_ids(piece, index, ids);
      for (std::string& id : ids) {
        if (!seen.insert(id).second) continue;
        plan.tasks[i].blocked_by.push_back(std::move(id));
        lines[i].blocked_by.push_back(line);
      }
    }
  }
}

Schedule schedule_of(const Plan& plan) {
  const Graph graph = graph_of(plan.tasks, index_of(plan.tasks));
  const Order order = order_of(graph);
  Schedule schedule;
  if (order.nodes.empty()) return schedule;
  std::size_t last = order.nodes.front();
  for (const std::size_t node : order.nodes) {
    const std::size_t level = order.level[node];
    if (schedule.waves.size() == level) schedule.waves.emplace_back();
    schedule.waves[level].push_back(node);
    if (level > order.level[last]) last = node;
  }
  schedule.critical_path.push_back(last);
  while (order.level[last] > 0) {
    const auto& blockers = graph.blockers[last];
    last = *std::find_if(blockers.begin(), blockers.end(), [&](std::size_t blocker) {
      return order.level[blocker] + 1 == order.level[last];
    });
    schedule.critical_path.push_back(last);
  }
  std::reverse(schedule.critical_path.begin(), schedule.critical_path.end());
  return schedule;
}

Changes compare(const std::vector<Task>& before, const std::vector<Task>& after) {
  const auto old_index = index_of(before);
  const auto new_index = index_of(after);
  Changes changes;
  for (const Task& task : after) {
    const auto found = old_index.find(task.id);
    if (found == old_index.end()) {
      changes.added.push_back(task);
      continue;
    }
    Task old = before[found->second];
    old.line = task.line;  // where it stands is no change
    if (!(old == task)) changes.changed.push_back(task);
  }
  for (const Task& task : before)
    if (!new_index.contains(task.id)) changes.removed.push_back(task.id);
  return changes;
}

}  // namespace capsule::plan
