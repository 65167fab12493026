// The rows of the tree of beads, and what is done about them.
#include <algorithm>
#include <set>

#include "engine/run.h"
#include "ui/tui/parts.h"
#include "ui/tui/rows.h"

namespace capsule::tui {
namespace {

void add_below(const Focus& focus, const Shown& shown,
               const std::multimap<std::string_view, const Bead*>& children,
               std::string_view parent, int depth, std::set<std::string_view>& seen,
               std::vector<TreeRow>& rows) {
  constexpr int kMaxDepth = 40;
  const auto [begin, end] = children.equal_range(parent);
  for (auto it = begin; it != end; ++it) {
    const Bead& bead = *it->second;
    if (depth > kMaxDepth || !seen.insert(bead.id).second) continue;
    const std::size_t place = rows.size();
    const bool unfolded = !focus.closed.contains(bead.id) || !focus.filter.empty();
    rows.push_back({&bead, depth, 0, 0, unfolded});
    const auto [first, last] = children.equal_range(bead.id);
    for (auto child = first; child != last; ++child) {
      ++rows[place].children;
      if (child->second->status != "closed") ++rows[place].open;
    }
    const std::size_t before = rows.size();
    if (unfolded) add_below(focus, shown, children, bead.id, depth + 1, seen, rows);
    // What is above something that passes the filter stays, so that one sees where it is.
    if (!focus.filter.empty() && rows.size() == before &&
        !passes(bead.id + " " + bead.title, focus.filter))
      rows.pop_back();
  }
}

// Below the parent that it names. One whose parents are not there, or form a circle, is a root.
std::multimap<std::string_view, const Bead*> by_parent(const Shown& shown) {
  constexpr int kMaxParents = 40;
  std::map<std::string_view, std::string_view> parent_of;
  for (const Bead& bead : shown.beads) parent_of[bead.id] = bead.parent;
  const auto leads_up = [&](const Bead& bead) {
    auto at = parent_of.find(bead.parent);
    for (int i = 0; i < kMaxParents && at != parent_of.end(); ++i) {
      if (at->second.empty() || !parent_of.contains(at->second)) return true;
      at = parent_of.find(at->second);
    }
    return false;
  };
  std::multimap<std::string_view, const Bead*> children;
  for (const Bead& bead : shown.beads)
    children.emplace(leads_up(bead) ? std::string_view(bead.parent) : std::string_view(), &bead);
  return children;
}

bool is_below(const Shown& shown, std::string_view id, std::string_view above) {
  constexpr int kMaxParents = 40;
  for (int i = 0; i < kMaxParents && !id.empty(); ++i) {
    if (id == above) return true;
    const auto found = std::find_if(shown.beads.begin(), shown.beads.end(),
                                    [&](const Bead& bead) { return bead.id == id; });
    id = found == shown.beads.end() ? std::string_view() : std::string_view(found->parent);
  }
  return false;
}

}  // namespace

bool goes_on(const view::Run& run) {
  return run.life == view::Life::working || run.life == view::Life::waiting;
}

std::map<std::string_view, BeadWork> work_on_beads(const view::Project& project) {
  std::map<std::string_view, BeadWork> works;
  // The newest counts, but what goes on counts for more.
  const auto note = [&](std::string_view bead, const BeadWork& work) {
    const auto [place, added] = works.try_emplace(bead, work);
    if (!added && (goes_on(*work.run) || !goes_on(*place->second.run))) place->second = work;
  };
  for (const view::Run& run : project.runs) {
    if (run.superseded) continue;
    const bool delivered = run.workflow == engine::kDelivery;
    if (delivered && run.subject == run.name) continue;  // a plan's tasks are no beads
    for (const view::Task& task : run.tasks) note(task.id, {&run, &task});
    note(run.name, {&run, nullptr});
  }
  return works;
}

BeadWork work_on(const Shown& shown, const Bead& bead) {
  const auto works = work_on_beads(*shown.project);
  const auto found = works.find(bead.id);
  return found == works.end() ? BeadWork{} : found->second;
}

std::string_view busy_bead(const Shown& shown, const Focus& focus,
                           const std::vector<std::string_view>& keys) {
  const auto works = work_on_beads(*shown.project);
  std::string_view busy;
  for (const std::string_view key : keys) {
    const auto found = works.find(key);
    if (found == works.end() || !goes_on(*found->second.run)) continue;
    if (!focus.started.empty() && !is_below(shown, key, focus.started)) continue;
    const auto& [run, task] = found->second;
    if (task == nullptr && !run->tasks.empty()) continue;  // the tasks below it say more
    const Mark mark = task != nullptr ? sign_of(*task).is : sign_of(*run).is;
    if (mark == Mark::asks) return key;
    if (busy.empty() && mark == Mark::working) busy = key;
  }
  return busy.empty() ? std::string_view(focus.started) : busy;
}

bool is_group(const Bead& bead) { return bead.type == "epic" || bead.type == "feature"; }

std::vector<TreeRow> bead_rows(const Focus& focus, const Shown& shown) {
  std::vector<TreeRow> rows;
  std::set<std::string_view> seen;
  add_below(focus, shown, by_parent(shown), {}, 0, seen, rows);
  return rows;
}

int open_tasks(const Shown& shown, const Bead& bead) {
  if (!is_group(bead)) return bead.status == "closed" ? 0 : 1;
  const auto children = by_parent(shown);
  std::set<std::string_view> seen{bead.id};
  std::vector<std::string_view> below{bead.id};
  int count = 0;
  while (!below.empty()) {
    const std::string_view id = below.back();
    below.pop_back();
    const auto [begin, end] = children.equal_range(id);
    for (auto it = begin; it != end; ++it) {
      if (!seen.insert(it->second->id).second) continue;
      below.push_back(it->second->id);
      if (!is_group(*it->second) && it->second->status != "closed") ++count;
    }
  }
  return count;
}

}  // namespace capsule::tui
