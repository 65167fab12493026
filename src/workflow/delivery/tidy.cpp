// Worktrees that nobody needs any more, what agents left half done in theirs, and beads of tasks
// that are complete.
#include <algorithm>
#include <utility>

#include "workflow/delivery/parts.h"

namespace capsule::delivery {
namespace {

bool in_use(const State& s, const std::string& tree) {
  return s.to_settle.contains(tree) ||
         std::any_of(s.agents.begin(), s.agents.end(),
                     [&](const auto& each) { return each.second.tree == tree; });
}

// What a writer left half done is kept and gone on with; what a reader may have written is taken
// back.
Command settle(const std::string& tree, Role role) {
  const std::string name(signal::name_of(role));
  if (!writes(role)) {
    TakeBack command;
    command.tree = tree;
    command.label = name;
    return command;
  }
  Keep command;
  command.tree = tree;
  command.label = name + "-unfinished";
  command.message = tree + ": " + command.label;
  return command;
}

}  // namespace

bool writes(Role role) { return role == Role::developer || role == Role::remediation; }

// Names that are no task ids, so that no task can have them.
std::string tree_for(const State& s, Role role, int task) {
  if (task >= 0) return s.tasks[task].task.id;
  if (role == Role::plan_analyst) return "+analysis";
  return "+remediation-" + std::to_string(s.remediation.round);
}

void left_half_done(State& s, const Agent& agent) {
  const auto [place, is_new] = s.to_settle.emplace(agent.tree, agent.role);
  if (!is_new && writes(agent.role)) place->second = agent.role;
}

void remove_tree(State& s, const std::string& tree) {
  if (s.trees.contains(tree)) s.to_remove.insert(tree);
}

void close_task(State& s, int task) {
  // What waits on a branch is not done yet for whoever tracks it.
  if (s.integrate == event::Integrate::branch) return;
  if (s.tracked && !s.tasks[task].closed) s.to_close.insert(task);
}

void tidy_again(State& s) {
  for (std::set<std::string>* trees : {&s.removing, &s.not_removed})
    s.to_remove.merge(std::exchange(*trees, {}));
  for (std::set<int>* tasks : {&s.closing, &s.not_closed})
    s.to_close.merge(std::exchange(*tasks, {}));
  s.settling.clear();
  for (int i = 0; i < s.tasks.count(); ++i)
    if (s.tasks[i].stage == Stage::complete) close_task(s, i);
}

bool tidying(const State& s) {
  return !s.closing.empty() || !s.removing.empty() || !s.settling.empty();
}

std::optional<Decision> decide_tidy(State& s) {
  for (const auto& [tree, role] : s.to_settle)
    if (s.settling.insert(tree).second) return Decision{std::nullopt, settle(tree, role)};
  if (!s.to_close.empty()) {
    const std::string& id = s.tasks[*s.to_close.begin()].task.id;
    return Decision{TaskClosing{id}, CloseTask{id, "Merged by Capsule"}};
  }
  for (const std::string& tree : s.to_remove) {
    if (in_use(s, tree)) continue;
    RemoveTree command;
    command.tree = tree;
    s.removing.insert(s.to_remove.extract(command.tree));
    return Decision{std::nullopt, command};
  }
  return std::nullopt;
}

std::vector<std::string> unclosed(const State& s) {
  std::vector<std::string> ids;
  for (const std::set<int>* tasks : {&s.to_close, &s.closing, &s.not_closed})
    for (const int task : *tasks) ids.push_back(s.tasks[task].task.id);
  return ids;
}

}  // namespace capsule::delivery
