#include "workspace/task_trees.h"

#include <cstdlib>

#include "base/files.h"
#include "base/ids.h"
#include "base/text.h"
#include "git/branch.h"
#include "git/command.h"
#include "git/commit.h"
#include "git/diff.h"
#include "git/exclusion.h"
#include "git/refs.h"
#include "git/work_commit.h"
#include "git/worktree.h"

namespace capsule::workspace {
namespace {

// What an agent left that may only look: never the state that counts.
constexpr std::string_view kLook = "-look";

// Where names are too long to be put together.
std::string short_hash(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  constexpr char kHex[] = "0123456789abcdef";
  std::string word;
  for (int i = 0; i < 16; ++i, hash >>= 4) word += kHex[hash & 15];
  return word;
}

std::string numbered(int number) {
  std::string text = std::to_string(number);
  return std::string(text.size() < 4 ? 4 - text.size() : 0, '0') + text;
}

}  // namespace

std::string TaskTrees::name_of(const std::string& task) const {
  // The end of a run's name tells runs apart; two plans may use the same task ids.
  const std::string prefix = run_.substr(run_.find_last_of('-') + 1);
  const std::string name = prefix + "-" + task;
  return valid_id(name) ? name : prefix + "-" + short_hash(task);
}

std::string TaskTrees::path_of(const std::string& task) const {
  return repository_.top + "/.capsule/worktrees/" + name_of(task);
}

bool TaskTrees::has(const std::string& task) const { return is_folder(path_of(task)); }

std::string TaskTrees::snapshots_of(const std::string& task) const {
  return "refs/capsule/" + run_ + "/" + (valid_id(task) ? task : short_hash(task));
}

Result<std::string> TaskTrees::main_commit() const {
  return TRY(git::find_tips(repository_, settings_.main_branch, "")).main;
}

Result<std::string> TaskTrees::open(const std::string& task) {
  Tree fresh;
  fresh.path = path_of(task);
  fresh.branch = "capsule-" + name_of(task);
  if (const auto known = trees_.find(task); known != trees_.end() && is_folder(fresh.path))
    return known->second.path;
  const auto noted = git::find_worktree(repository_, fresh.path);
  if (noted && is_folder(fresh.path)) {
    fresh.base = noted->base;
    TRY_VOID(recall(task, fresh));
  } else {
    TRY_VOID(git::exclude_capsule_dir(repository_));
    TRY_VOID(make_folders(repository_.top + "/.capsule/worktrees"));
    // Left half made, or half removed, by a run that was cut off.
    if (noted) TRY_VOID(git::remove_worktree(repository_, fresh.path, fresh.branch));
    fresh.base = TRY(main_commit());
    TRY_VOID(git::create_worktree(repository_, fresh.path, fresh.branch, fresh.base));
  }
  return trees_.insert_or_assign(task, std::move(fresh)).first->second.path;
}

// What the newest snapshot of the task says, for a process that took the run up.
Result<void> TaskTrees::recall(const std::string& task, Tree& tree) {
  for (const git::Ref& ref : TRY(git::list_refs(repository_, snapshots_of(task)))) {
    const std::string name = ref.name.substr(ref.name.find_last_of('/') + 1);
    const int number = std::atoi(name.c_str());
    if (number < tree.number) continue;
    tree.number = number;
    if (!name.ends_with(kLook)) tree.kept = ref.id;
  }
  if (tree.kept.empty()) return {};
  const std::vector<git::Commit> commits = git::parse_commits(TRY(git::tell(
      repository_, {.args = {"rev-list", "--header", "--max-count=1", tree.kept, "--"}})));
  if (commits.empty()) return fail(Reason::damaged, "the snapshot " + tree.kept + " is missing");
  tree.kept_tree = commits.front().tree;
  tree.kept_head = TRY(git::snapshot_head(repository_, tree.kept));
  return {};
}

Result<TaskTrees::Tree*> TaskTrees::tree(const std::string& task) {
  if (const auto known = trees_.find(task); known != trees_.end()) return &known->second;
  TRY_VOID(open(task));
  return &trees_.at(task);
}

const std::string& TaskTrees::base_of(const std::string& task) { return trees_.at(task).base; }

Result<git::Snapshot> TaskTrees::snapshot(const std::string& task, Tree& tree,
                                          std::string_view label) {
  const std::string name = numbered(tree.number + 1) + "-" + std::string(label);
  const git::Snapshot taken = TRY(git::take_snapshot(
      repository_, tree.path, snapshots_of(task) + "/" + name, task + ": " + std::string(label),
      tree.kept.empty() ? tree.base : tree.kept));
  ++tree.number;
  return taken;
}

Result<bool> TaskTrees::keep(const std::string& task, std::string_view role) {
  Tree& tree = *TRY(this->tree(task));
  const git::Snapshot taken = TRY(snapshot(task, tree, role));
  const bool differs = taken.tree != tree.kept_tree;
  tree.kept = taken.commit;
  tree.kept_tree = taken.tree;
  tree.kept_head = taken.head;
  return differs;
}

Result<std::vector<std::string>> TaskTrees::take_back(const std::string& task,
                                                      std::string_view role) {
  Tree& tree = *TRY(this->tree(task));
  // Before anything was kept, what there is was made by nobody but us.
  if (tree.kept.empty()) TRY_VOID(keep(task, "start"));
  const git::Snapshot taken = TRY(snapshot(task, tree, std::string(role) + std::string(kLook)));
  std::vector<std::string> paths;
  const bool head_moved = taken.head != tree.kept_head;
  if (taken.tree == tree.kept_tree && !head_moved) return paths;
  for (const git::Change& change :
       TRY(git::diff_trees(repository_, tree.kept, taken.commit, git::Renames::ignored)))
    paths.push_back(change.path);
  if (paths.empty() && head_moved) paths.emplace_back("(a commit)");
  TRY_VOID(git::rewind_worktree(repository_, tree.path, tree.branch, tree.kept));
  return paths;
}

// The state that counts as a commit on what the agent had checked out.
Result<std::string> TaskTrees::work_of(const Tree& tree) const {
  const std::string head = tree.kept_head.empty() ? tree.base : tree.kept_head;
  const std::string head_tree = std::string(trimmed(TRY(git::tell(
      repository_, {.args = {"rev-parse", "--verify", "--end-of-options", head + "^{tree}"}}))));
  if (head_tree == tree.kept_tree) return head;
  return git::write_commit(
      repository_, {.tree = tree.kept_tree, .parents = {head}, .message = "capsule: work\n"});
}

Result<BroughtIn> TaskTrees::bring_main_in(const std::string& task, Conflicts conflicts) {
  Tree& tree = *TRY(this->tree(task));
  TRY_VOID(keep(task, "before-main"));
  const std::string main = TRY(main_commit());
  const std::string work = TRY(work_of(tree));
  BroughtIn result;
  if (TRY(git::ask(repository_, {.args = {"merge-base", "--is-ancestor", main, work}})).code == 0)
    return result;
  const git::Call call{
      .args = {"merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", work, main}};
  const git::Answer answer = TRY(git::ask(repository_, call));
  if (answer.code > 1) return tl::unexpected(git::git_failed(call, answer));
  const std::vector<std::string_view> parts = split(answer.out, '\0');
  const std::string merged(trimmed(parts.front()));
  for (std::size_t i = 1; i < parts.size(); ++i)
    if (!parts[i].empty()) result.conflicts.emplace_back(parts[i]);
  if (conflicts == Conflicts::leave && !result.conflicts.empty()) return result;
  const std::string commit =
      TRY(git::write_commit(repository_, {.tree = merged,
                                          .parents = {work, main},
                                          .message = "Merge the main branch into " + task + "\n"}));
  // A snapshot of the state that is to come, so that the worktree can be put there.
  const std::string wanted = TRY(git::write_commit(
      repository_,
      {.tree = merged, .parents = {commit}, .message = task + ": with the newest main\n"}));
  TRY_VOID(git::rewind_worktree(repository_, tree.path, tree.branch, wanted));
  TRY_VOID(keep(task, "with-main"));
  result.moved = true;
  return result;
}

Result<MergeTry> TaskTrees::plan_merge(const std::string& task, const std::string& title) {
  const std::string trailer = run_ + "/" + task;
  git::Tips tips =
      TRY(git::find_tips(repository_, settings_.main_branch, "capsule-" + name_of(task)));
  if (!has(task))
    return fail(Reason::not_found, "the worktree of " + task + " is gone: " + path_of(task));
  Tree& tree = *TRY(this->tree(task));
  if (tree.kept.empty()) TRY_VOID(keep(task, "start"));
  tips.tip = TRY(work_of(tree));
  const git::BranchState branch = TRY(git::branch_state(repository_, tips, tree.base, trailer));
  if (!branch.merged_as.empty()) return MergedAlready{branch.merged_as};
  if (branch.commits.empty()) return MergedAlready{tips.main, true};
  const git::WorkCommit work =
      TRY(git::work_commit(repository_, branch, git::work_message(task, title), settings_.exclude));
  if (work.changes.empty()) return MergedAlready{tips.main, true};
  PlannedMerge merge;
  merge.plan =
      TRY(git::plan_merge(repository_, branch, work, git::merge_message(task, title, trailer)));
  if (!merge.plan.conflicts.empty())
    return MergeConflict{merge.plan.conflicts,
                         merge.plan.main_ref.substr(std::string_view("refs/heads/").size())};
  for (const git::Change& change : merge.plan.changes) merge.files.push_back(change.path);
  return merge;
}

Result<git::Published> TaskTrees::publish(const PlannedMerge& merge) {
  return git::publish_merge(repository_, merge.plan);
}

Result<void> TaskTrees::remove(const std::string& task) {
  trees_.erase(task);
  return git::remove_worktree(repository_, path_of(task), "capsule-" + name_of(task));
}

}  // namespace capsule::workspace
