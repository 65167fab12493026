#include "workspace/merge.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "gate/self_running.h"
#include "git/branch.h"
#include "git/commit.h"
#include "git/diff.h"
#include "git/exclusion.h"
#include "git/lock.h"
#include "git/paths.h"
#include "git/refs.h"
#include "git/work_commit.h"
#include "workspace/trial.h"

namespace capsule::workspace {
namespace {

using event::MergeRefusal;
using workflow::Merge;
using workflow::Merged;
using workflow::MergeRefused;

std::string short_ref(const std::string& ref) {
  return ref.substr(std::string_view("refs/heads/").size());
}

std::string task_of(const Merge& merge) { return merge.task.empty() ? merge.tree : merge.task; }

// By which a merge is known again on main. A key may hold anything, a line of its own too.
std::string trailer_of(const Merge& merge, const std::string& run) {
  return merge.of == Merge::Of::branch ? run : run + "/" + printable(merge.tree);
}

Merged nothing_on(const Merge& merge, const std::string& main) {
  Merged merged;
  merged.tree = merge.tree;
  merged.commit = main;
  merged.nothing = true;
  return merged;
}

Merged found_done(const Merge& merge, const std::string& commit) {
  Merged merged;
  merged.tree = merge.tree;
  merged.commit = commit;
  merged.adopted = true;
  return merged;
}

}  // namespace

// Whoever made it may have ended before it was told.
workflow::Observation Merges::with_self_running(Merged merged) const {
  if (!merged.adopted) return merged;
  const std::string before = merged.commit + "^1";
  if (const auto changes = git::diff_trees(trees_.repository(), before, merged.commit))
    if (auto found = gate::self_running(*changes, before, merged.commit, text_of_))
      merged.self_running = *std::move(found);
  return merged;
}

void Merges::merge(const Merge& merge, const Done& done) {
  if (trees_.is_checkout(merge.tree)) return done(nothing_on(merge, trees_.repository().head));
  const auto planned = plan(merge);
  if (!planned) return done(workflow::failed(merge, planned.error()));
  if (const auto* merged = std::get_if<Merged>(&*planned)) return done(with_self_running(*merged));
  if (const auto* refused = std::get_if<MergeRefused>(&*planned)) return done(*refused);
  const auto& ready = std::get<Planned>(*planned);
  auto trial = std::make_shared<Trial>(Trial{merge, ready, std::move(done)});
  try_merged(trial);
}

Result<Merges::Plan> Merges::plan(const Merge& merge) const {
  if (shared_) {
    // From here on all is as if others had merged in this repository.
    const git::Tips tips =
        TRY(git::find_tips(trees_.repository(), trees_.settings().main_branch, ""));
    const git::Published followed = TRY(shared_->follow(trees_.repository(), tips.main_ref));
    if (followed.outcome == git::Publishing::in_the_way) return blocked_by(merge, followed);
  }
  return merge.of == Merge::Of::branch ? plan_branch(merge) : plan_kept(merge);
}

Result<std::string> Merges::done_as(const git::BranchState& branch) const {
  for (const git::Commit& merge : branch.merges)
    if (TRY(git::brings(trees_.repository(), merge, branch.tips.tip, trees_.settings().exclude)))
      return merge.id;
  return std::string();
}

// What the agents committed on the branch.
Result<Merges::Plan> Merges::plan_branch(const Merge& merge) const {
  const git::Repository& repository = trees_.repository();
  TreeText text = trees_.text_of(merge.tree);
  if (!merge.branch.empty()) text.branch = merge.branch;
  git::Tips tips = TRY(git::find_tips(repository, trees_.settings().main_branch, text.branch));
  text.main = short_ref(tips.main_ref);
  if (merge.edited && !tips.tip.empty()) tips.tip = TRY(keep_edits(merge, tips.tip));
  const MergeRefused nothing{
      merge.tree, MergeRefusal::nothing_to_merge, nothing_to_merge(text), {}};
  if (tips.tip.empty()) {
    const std::string merged =
        TRY(git::find_merge(repository, tips.main, merge.base, trees_.run()));
    if (!merged.empty()) return found_done(merge, merged);
    return nothing;
  }
  const git::BranchState branch =
      TRY(git::branch_state(repository, tips, merge.base, trees_.run()));
  if (const std::string done = TRY(done_as(branch)); !done.empty()) return found_done(merge, done);
  if (branch.commits.empty()) return nothing;
  if (!branch.foreign.empty())
    return MergeRefused{merge.tree,
                        MergeRefusal::foreign_commits,
                        foreign_commits(text, branch.foreign.size()),
                        {}};
  git::WorkCommit work =
      TRY(git::work_commit(repository, branch, git::work_message(task_of(merge), merge.title),
                           trees_.settings().exclude));
  return accepted(merge, branch, std::move(work), trailer_of(merge, trees_.run()));
}

// The state that counts, committed or not.
Result<Merges::Plan> Merges::plan_kept(const Merge& merge) const {
  const git::Repository& repository = trees_.repository();
  const std::string trailer = trailer_of(merge, trees_.run());
  git::Tips tips = TRY(
      git::find_tips(repository, trees_.settings().main_branch, trees_.text_of(merge.tree).branch));
  if (merge.edited)
    if (const auto edits = keep_edits(merge, "");
        !edits && edits.error().reason != Reason::not_found)
      return tl::unexpected(edits.error());
  auto kept = trees_.work_of(merge.tree);
  if (!kept && kept.error().reason == Reason::not_found && !merge.base.empty()) {
    // Its tree is gone: perhaps because all was done.
    const std::string merged = TRY(git::find_merge(repository, tips.main, merge.base, trailer));
    if (!merged.empty()) return found_done(merge, merged);
  }
  const Trees::Work state = TRY(std::move(kept));
  tips.tip = state.commit;
  const git::BranchState branch = TRY(git::branch_state(repository, tips, state.base, trailer));
  if (const std::string done = TRY(done_as(branch)); !done.empty()) return found_done(merge, done);
  if (branch.commits.empty()) return nothing_on(merge, tips.main);
  git::WorkCommit work =
      TRY(git::work_commit(repository, branch, git::work_message(task_of(merge), merge.title),
                           trees_.settings().exclude));
  if (work.changes.empty()) return nothing_on(merge, tips.main);
  return accepted(merge, branch, std::move(work), trailer);
}

// What is merged is what was signed off, and tested then: where it is not, it is tested now, before
// main moves. What the merge agent leaves behind may only be what nobody has claimed as work.
Result<Merges::Plan> Merges::accepted(const Merge& merge, const git::BranchState& branch,
                                      git::WorkCommit work, const std::string& trailer) const {
  Planned planned;
  planned.plan = TRY(
      git::plan_merge(trees_.repository(), branch, work,
                      git::merge_message(task_of(merge), merge.title, trailer, merge.trailers)));
  TreeText text = trees_.text_of(merge.tree);
  text.main = short_ref(planned.plan.main_ref);
  if (!planned.plan.conflicts.empty())
    return MergeRefused{
        merge.tree, MergeRefusal::conflict, merge_conflict(text, planned.plan.conflicts), {}};
  // What a person has seen, and changed, is as they want it.
  const bool signed_off = merge.was_signed_off && !merge.signed_off.empty() && !merge.edited;
  std::vector<std::string> others;
  if (signed_off) others = TRY(paths_between(merge.signed_off, work.commit));
  if (!others.empty()) {
    const auto missing = TRY(missing_work(merge, work.commit, others));
    if (!missing.empty())
      return MergeRefused{merge.tree, MergeRefusal::work_missing, work_missing(text, missing), {}};
  }
  if (!others.empty() && !merge.edited) {
    const std::string spoilt = TRY(spoilt_since(merge, work.commit, others));
    if (!spoilt.empty())
      return MergeRefused{merge.tree, MergeRefusal::verify_failed, spoilt, {"guard"}};
  }
  // Checks in a worktree have seen files there that do not reach main: only what was signed off in
  // a fresh checkout counts. Where nobody signs off, what stands on a branch is as it was kept.
  const bool seen = signed_off ? others.empty() : merge.into == Merge::Into::branch;
  planned.unseen = !seen || planned.plan.main_moved || merge.edited;
  planned.work = std::move(work);
  return planned;
}

Result<std::vector<std::string>> Merges::paths_between(const std::string& from,
                                                       const std::string& to) const {
  std::vector<std::string> paths;
  const std::vector<std::string>& exclude = trees_.settings().exclude;
  for (const git::Change& change : TRY(git::diff_trees(trees_.repository(), from, to))) {
    if (!git::is_excluded(change.path, exclude)) paths.push_back(change.path);
    if (!change.from.empty() && !git::is_excluded(change.from, exclude))
      paths.push_back(change.from);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Of the files that differ from what was signed off, those that were left behind and are work.
Result<std::vector<std::string>> Merges::missing_work(
    const Merge& merge, const std::string& work, const std::vector<std::string>& others) const {
  const std::string base = merge.base.empty() ? trees_.base_of(merge.tree) : merge.base;
  const std::vector<std::string> brought = TRY(paths_between(base, work));
  std::set<std::string> owed(merge.claimed.begin(), merge.claimed.end());
  if (!merge.tests.empty())
    for (std::string& path : TRY(paths_between(base, merge.tests))) owed.insert(std::move(path));
  std::vector<std::string> left, missing;
  std::set_difference(others.begin(), others.end(), brought.begin(), brought.end(),
                      std::back_inserter(left));
  std::set_intersection(left.begin(), left.end(), owed.begin(), owed.end(),
                        std::back_inserter(missing));
  return missing;
}

Result<std::string> Merges::keep_edits(const Merge& merge, const std::string& tip) const {
  workflow::Keep keep;
  keep.tree = merge.tree;
  keep.label = "approved";
  const workflow::Kept kept = TRY(trees_.keep(keep));
  if (merge.of == Merge::Of::kept || merge.shown.empty()) return tip;
  std::vector<git::Change> edits;
  for (git::Change& change :
       TRY(git::diff_trees(trees_.repository(), merge.shown, kept.commit, git::Renames::ignored)))
    if (!git::is_excluded(change.path, trees_.settings().exclude))
      edits.push_back(std::move(change));
  if (edits.empty()) return tip;
  const std::string tree = TRY(git::with_changes(trees_.repository(), tip, edits));
  return git::write_commit(
      trees_.repository(),
      {.tree = tree, .parents = {tip}, .message = "capsule: what a person changed\n"});
}

// After sign-off nobody looks any more: tests, and what checks mean, stay as they were then.
Result<std::string> Merges::spoilt_since(const Merge& merge, const std::string& work,
                                         const std::vector<std::string>& others) const {
  std::vector<std::string> tests;
  std::vector<gate::Changed> changes;
  const std::vector<std::string> brought =
      TRY(paths_between(merge.base.empty() ? trees_.base_of(merge.tree) : merge.base, work));
  for (const std::string& path : others) {
    if (!std::binary_search(brought.begin(), brought.end(), path)) continue;
    if (is_test_(path)) tests.push_back(path);
    changes.push_back({'M', path, ""});
  }
  const auto meaning = TRY(gate::meaning_changes(changes, merge.signed_off, work,
                                                 {merge.request, merge.allowed}, meaning_rules()));
  if (tests.empty() && meaning.unasked.empty()) return std::string();
  tests.insert(tests.end(), meaning.unasked.begin(), meaning.unasked.end());
  TreeText text = trees_.text_of(merge.tree);
  return spoilt_after_sign_off(text, tests);
}

gate::MeaningRules Merges::meaning_rules() const {
  return {[this](std::string_view path) { return gate::is_guarded(path, files_.guard); }, is_test_,
          checks_.text(), text_of_};
}

Result<workflow::Observation> Merges::put_on_branch(const Merge& merge,
                                                    const Planned& planned) const {
  const git::Repository& repository = trees_.repository();
  TRY_VOID(intact_());
  const git::RepositoryLock lock = TRY(git::RepositoryLock::take(repository));
  // What was tested is on the newest main, or it is tested again.
  if (const std::string now = git::read_ref(repository, planned.plan.main_ref);
      !now.empty() && now != planned.plan.from)
    return workflow::MainMoved{merge.tree};
  Merged merged;
  merged.tree = merge.tree;
  merged.commit = TRY(git::write_commit(
      repository, {.tree = planned.plan.tree,
                   .parents = {planned.plan.from},
                   .message = git::work_message(task_of(merge), merge.title) + "\n"}));
  const std::string branch =
      merge.branch.empty() ? trees_.text_of(merge.tree).branch : merge.branch;
  TRY_VOID(
      git::put_ref(repository, "refs/heads/" + branch, merged.commit, "capsule: keep the work"));
  merged.onto = planned.plan.from;
  for (const git::Change& change : planned.plan.changes) merged.files.push_back(change.path);
  merged.left_out = planned.work.excluded;
  return merged;
}

MergeRefused Merges::blocked_by(const Merge& merge, const git::Published& published) const {
  return {merge.tree,
          MergeRefusal::checkout_in_the_way,
          in_the_way(trees_.text_of(merge.tree), published.checkout, published.in_the_way),
          {}};
}

Result<workflow::Observation> Merges::publish(const Merge& merge, const Planned& planned) const {
  TRY_VOID(intact_());
  const git::Repository& repository = trees_.repository();
  git::Published published;
  if (shared_) {
    // A person's files are in the way before everybody has the merge, not after.
    published = TRY(git::look_ahead(repository, planned.plan));
    if (published.outcome == git::Publishing::in_the_way) return blocked_by(merge, published);
    if (!TRY(shared_->publish(repository, planned.plan))) return workflow::MainMoved{merge.tree};
    // Should we end before main here has followed, or should it not want to: the merge is found by
    // its trailer when it is tried again.
    published = TRY(git::forward_main(repository, planned.plan.main_ref, planned.plan.commit));
  } else {
    published = TRY(git::publish_merge(repository, planned.plan));
  }
  if (published.outcome == git::Publishing::main_moved) return workflow::MainMoved{merge.tree};
  if (published.outcome == git::Publishing::in_the_way) return blocked_by(merge, published);
  Merged merged;
  merged.tree = merge.tree;
  merged.commit = planned.plan.commit;
  merged.onto = planned.plan.from;
  for (const git::Change& change : planned.plan.changes) merged.files.push_back(change.path);
  merged.left_out = planned.work.excluded;
  return merged;
}

}  // namespace capsule::workspace
