// The worktrees of a delivery: one for each task, and their way to main. Puts git's parts together;
// decides nothing about the workflow. Every call may be repeated: a run that was cut off between an
// effect and its record does the effect again. Single-threaded.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "git/merge.h"
#include "git/repository.h"
#include "git/snapshot.h"

namespace capsule::workspace {

struct TreeSettings {
  std::string main_branch;           // empty: main, else master
  std::vector<std::string> exclude;  // patterns of files that never reach main
};

// A merge that is made but not published.
struct PlannedMerge {
  git::MergePlan plan;
  std::vector<std::string> files;  // that it changes
};
struct MergedAlready {
  std::string commit;
  bool nothing = false;  // the task changed nothing: commit is where main stands
};
struct MergeConflict {
  std::vector<std::string> files;
  std::string main;  // "main"
};
using MergeTry = std::variant<PlannedMerge, MergedAlready, MergeConflict>;

struct BroughtIn {
  bool moved = false;                  // the worktree now holds the newest main
  std::vector<std::string> conflicts;  // files with conflict markers in them
};

enum class Conflicts {
  mark,   // files that conflict get conflict markers
  leave,  // nothing is done when there are conflicts
};

class TaskTrees {
 public:
  TaskTrees(git::Repository repository, std::string run, TreeSettings settings)
      : repository_(std::move(repository)), run_(std::move(run)), settings_(std::move(settings)) {}

  // The worktree of the task; made from the newest main when there is none. Error: as
  // git::create_worktree.
  Result<std::string> open(const std::string& task);
  bool has(const std::string& task) const;
  std::string path_of(const std::string& task) const;
  // The commit that the work of the task is compared with. Requires: open().
  const std::string& base_of(const std::string& task);

  // Snapshots the worktree as the state that counts from now on. True: files differ from the state
  // before. Requires: open().
  Result<bool> keep(const std::string& task, std::string_view role);
  // For agents that may not write: what differs from the state that counts is kept in a snapshot
  // and taken back. Returns the paths. Requires: open().
  Result<std::vector<std::string>> take_back(const std::string& task, std::string_view role);
  // Merges the newest main into the worktree. Requires: open().
  Result<BroughtIn> bring_main_in(const std::string& task, Conflicts conflicts = Conflicts::mark);

  // The state that counts, merged on the newest main.
  Result<MergeTry> plan_merge(const std::string& task, const std::string& title);
  Result<git::Published> publish(const PlannedMerge& merge);
  // The worktree and its branch; the snapshots stay.
  Result<void> remove(const std::string& task);

  Result<std::string> main_commit() const;
  // "refs/capsule/<run>/<task>"
  std::string snapshots_of(const std::string& task) const;

 private:
  struct Tree {
    std::string path, branch, base;
    std::string kept, kept_tree, kept_head;  // the state that counts; empty: as it began
    int number = 0;                          // of its newest snapshot
  };
  std::string name_of(const std::string& task) const;
  Result<Tree*> tree(const std::string& task);
  Result<void> recall(const std::string& task, Tree& tree);
  Result<git::Snapshot> snapshot(const std::string& task, Tree& tree, std::string_view label);
  Result<std::string> work_of(const Tree& tree) const;

  git::Repository repository_;
  std::string run_;
  TreeSettings settings_;
  std::map<std::string, Tree> trees_;
};

}  // namespace capsule::workspace
