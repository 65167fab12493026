// Brings the work of a tree to main: one try a call. The work is merged on the newest main, the
// project's checks run on the merged files where nobody has seen them pass, and only then main
// moves, by compare and swap. Everything before that can be thrown away. Nothing here waits for a
// check. Safe to repeat: a merge that an earlier process made is found on main by its trailer.
//
// Single-threaded, on the thread of the checks' Loop. Must outlive every merge that it began.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "gate/checks.h"
#include "gate/gates.h"
#include "gate/guard.h"
#include "gate/seen.h"
#include "git/merge.h"
#include "workflow/step.h"
#include "workspace/shared_main.h"
#include "workspace/trees.h"

namespace capsule::workspace {

class Merges {
 public:
  using Done = std::function<void(workflow::Observation)>;

  // `files`: which are tests, and which say what a check means. `intact` is asked right before main
  // or a branch moves; an error stops it. `shared`: main is the one of a remote, which moves first
  // and which main here follows; null: it is this repository's own.
  Merges(
      Trees& trees, gate::Checks& checks, gate::Seen& seen, gate::ProjectFiles files = {},
      std::function<Result<void>()> intact = [] { return Result<void>{}; },
      std::shared_ptr<SharedMain> shared = nullptr)
      : trees_(trees),
        checks_(checks),
        seen_(seen),
        files_(std::move(files)),
        intact_(std::move(intact)),
        shared_(std::move(shared)) {}
  Merges(const Merges&) = delete;
  Merges& operator=(const Merges&) = delete;

  // Merged, MergeRefused, MainMoved, or CommandFailed. `done` is called once, from within or from a
  // turn of the loop. Requires: the tree stays until then.
  void merge(const workflow::Merge& merge, const Done& done);

 private:
  // Made, and not yet on main.
  struct Planned {
    git::MergePlan plan;
    git::WorkCommit work;
    bool unseen = false;  // nobody has tested these very files
  };
  // Planned; Merged: done already, or nothing to do; or why it may not be.
  using Plan = std::variant<Planned, workflow::Merged, workflow::MergeRefused>;
  Result<Plan> plan(const workflow::Merge& merge) const;
  workflow::MergeRefused blocked_by(const workflow::Merge& merge,
                                    const git::Published& published) const;
  Result<Plan> plan_branch(const workflow::Merge& merge) const;
  Result<Plan> plan_kept(const workflow::Merge& merge) const;
  Result<Plan> accepted(const workflow::Merge& merge, const git::BranchState& branch,
                        git::WorkCommit work, const std::string& trailer) const;
  // The merge on main that really brings the work; one that only says so is somebody's forgery.
  Result<std::string> done_as(const git::BranchState& branch) const;
  Result<std::vector<std::string>> paths_between(const std::string& from,
                                                 const std::string& to) const;  // sorted
  Result<std::vector<std::string>> missing_work(const workflow::Merge& merge,
                                                const std::string& work,
                                                const std::vector<std::string>& others) const;
  // What a person changed in the tree is kept. Of::branch: returns the branch with it on top.
  Result<std::string> keep_edits(const workflow::Merge& merge, const std::string& tip) const;
  // Main is left alone: the merged files as one commit on it, under the name of the tree's branch.
  Result<workflow::Observation> put_on_branch(const workflow::Merge& merge,
                                              const Planned& planned) const;
  // Tests, and what checks mean, that were changed after sign-off, as a sentence; empty: none.
  Result<std::string> spoilt_since(const workflow::Merge& merge, const std::string& work,
                                   const std::vector<std::string>& others) const;
  gate::MeaningRules meaning_rules() const;
  workflow::Observation with_self_running(workflow::Merged merged) const;
  Result<workflow::Observation> publish(const workflow::Merge& merge, const Planned& planned) const;

  // The merged files, by what the checks said about them and about main before.
  struct Trial;
  void try_merged(const std::shared_ptr<Trial>& trial);
  void judge_merged(const std::shared_ptr<Trial>& trial);
  // Whether main fails by itself where the merged files do: then nobody here is to blame.
  bool failed_before(const workflow::Merge& merge, const std::string& name);
  void blame(const std::shared_ptr<Trial>& trial, workflow::MergeRefused refused);
  workflow::MergeRefused main_red(const Trial& trial, const std::vector<gate::Verdict>& red);
  Result<workflow::MergeRefused> unasked_changes(const workflow::Merge& merge,
                                                 const Planned& planned) const;
  Result<std::vector<event::Claim>> worth_a_look(const Trial& trial) const;

  Trees& trees_;
  gate::Checks& checks_;
  gate::Seen& seen_;
  const gate::ProjectFiles files_;
  const std::function<bool(std::string_view)> is_test_ = [this](std::string_view path) {
    return gate::is_test_file(path, files_.test_files);
  };
  const gate::TextOf text_of_ = gate::texts_of(trees_.repository());
  const std::function<Result<void>()> intact_;
  const std::shared_ptr<SharedMain> shared_;
};

}  // namespace capsule::workspace
