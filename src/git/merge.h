// The merge of a run's work into main. First everything is worked out without touching a ref or a
// checkout (plan_merge), so that the merged tree can be tested; then main moves, by compare and
// swap, with every checkout that has it (publish_merge).
#pragma once

#include <string>
#include <vector>

#include "git/branch.h"
#include "git/repository.h"
#include "git/work_commit.h"

namespace capsule::git {

struct MergePlan {
  std::string main_ref;
  std::string from;    // where main was; the swap is made from here alone
  std::string commit;  // the merge commit, with main and the work as parents
  std::string tree;
  bool main_moved = false;             // main has commits that the work was not tested with
  std::vector<Change> changes;         // from main to the merge
  std::vector<std::string> conflicts;  // not empty: there is no commit, these files need a person
};

// `message` as merge_message makes it. One process when main has not moved since the fork; three
// otherwise. Requires: state.merged_as is empty.
Result<MergePlan> plan_merge(const Repository& repository, const BranchState& state,
                             const WorkCommit& work, const std::string& message);

enum class Publishing { done, main_moved, in_the_way };

struct Published {
  Publishing outcome = Publishing::done;
  std::string checkout = {};                 // the folder where something is in the way
  std::vector<std::string> in_the_way = {};  // its files that the merge would overwrite
  std::vector<std::string> kept = {};        // files of .beads/ that were left as the user has them
};

// Requires: plan.conflicts is empty. Ensures: main is at plan.commit, synced, and every checkout of
// main shows it; or nothing was done (main_moved: plan anew; in_the_way; or an error).
Result<Published> publish_merge(const Repository& repository, const MergePlan& plan);

// Whether `older` is among what `commit` comes from. One process.
Result<bool> has_all_of(const Repository& repository, const std::string& commit,
                        const std::string& older);

// What would be in its way now; nothing is done. For a merge that main elsewhere sees first.
Result<Published> look_ahead(const Repository& repository, const MergePlan& plan);

// Main goes forward to `commit`, in the same way; done, too, when it has it already. Error refused:
// main has commits that `commit` has not.
Result<Published> forward_main(const Repository& repository, const std::string& main_ref,
                               const std::string& commit);

}  // namespace capsule::git
