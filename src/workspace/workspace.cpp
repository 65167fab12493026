#include "workspace/workspace.h"

#include <algorithm>
#include <set>

#include "base/files.h"
#include "base/text.h"
#include "git/blob.h"
#include "git/branch.h"
#include "git/diff.h"
#include "git/exclusion.h"
#include "git/paths.h"
#include "git/refs.h"
#include "git/snapshot.h"
#include "git/work_commit.h"
#include "git/worktree.h"
#include "worklog/entry.h"
#include "worklog/signoff.h"
#include "worklog/template.h"
#include "workspace/archive.h"

namespace capsule::workspace {
namespace {

using engine::State;
using event::MergeRefusal;
using event::MergeRefused;

constexpr const char* kWorklog = "worklog.md";

int times_in(std::string_view text, std::string_view part) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++count;
  return count;
}

MergeRefused nothing_to_merge(const State& state) {
  return {MergeRefusal::nothing_to_merge, "there is nothing to merge: the branch " + state.branch +
                                              " has no commit beyond main\n"
                                              "commit the work in " +
                                              state.worktree + ", then: capsule merge " +
                                              state.bead};
}

MergeRefused foreign(const State& state, const git::BranchState& branch) {
  return {MergeRefusal::foreign_commits,
          "the merge would bring " + std::to_string(branch.foreign.size()) +
              (branch.foreign.size() == 1 ? " commit" : " commits") +
              " to main that the run did not make (the worktree was made from another branch)\n"
              "merge that branch first, then: capsule merge " +
              state.bead};
}

MergeRefused conflict(const State& state, const git::MergePlan& plan) {
  const std::string main = plan.main_ref.substr(plan.main_ref.find_last_of('/') + 1);
  return {MergeRefusal::conflict, "conflict with " + main + " in " + short_list(plan.conflicts) +
                                      "\nresolve it there, and commit: cd " +
                                      shell_word(state.worktree) + " && git merge " + main +
                                      "\nthen: capsule merge " + state.bead};
}

// A crash must not leave a half-written neighbour among the files of the work.
Result<void> put_worklog(const std::string& worktree, const std::string& text) {
  TRY_VOID(make_folders_beneath(worktree, ".capsule"));
  return write_file(worktree + "/" + kWorklog, text, 0644, worktree + "/.capsule/worklog.new");
}

// An agent may have removed its folder, or put a link or a file in its place: nothing is written
// through it, and nobody works there.
Result<void> need_folder(const State& state) {
  if (git::is_plain_folder(state.worktree)) return {};
  return fail(Reason::not_found,
              "the worktree " + printable(state.worktree) + " is gone" +
                  (exists(state.worktree) ? ": something else is in its place" : ""),
              "what finished phases left is kept; put it back and go on: capsule run " +
                  state.bead + " --resume");
}

}  // namespace

std::string worktree_path(const git::Repository& repository, std::string_view bead) {
  return repository.top + "/.capsule/worktrees/" + std::string(bead);
}
std::string branch_name(std::string_view bead) { return "capsule-" + std::string(bead); }
std::string archive_path(const git::Repository& repository, std::string_view bead) {
  return repository.top + "/.capsule/logs/" + std::string(bead);
}

Result<event::WorktreeIntended> RunWorkspace::plan_worktree(const State& state) {
  const std::string path = worktree_path(repository_, state.bead);
  if (exists(path))
    return fail(Reason::exists, "worktree " + printable(path) + " already exists",
                "'capsule status " + state.bead +
                    "' says what it is; --resume goes on with it, --clean starts over");
  return event::WorktreeIntended{path, branch_name(state.bead), repository_.head};
}

Result<void> RunWorkspace::make_worktree(const event::WorktreeIntended& intent) {
  // The intent is recorded, so a worktree of that name and base is ours, left by a cut-off.
  const auto found = git::find_worktree(repository_, intent.worktree);
  const bool ours = found && found->base == intent.base && git::is_plain_folder(intent.worktree);
  if (!ours) {
    TRY_VOID(git::exclude_capsule_dir(repository_));
    TRY_VOID(make_folders(repository_.top + "/.capsule/logs"));
    TRY_VOID(make_folders(repository_.top + "/.capsule/worktrees"));
    TRY_VOID(git::create_worktree(repository_, intent.worktree, intent.branch, intent.base));
  }
  return put_worklog(intent.worktree, TRY(fresh_worklog()));
}

Result<std::string> RunWorkspace::fresh_worklog() const {
  const Briefing& b = settings_.briefing;
  const std::string now = settings_.utc_now();
  return worklog::render_worklog(
      settings_.worklog_template,
      {b.epic_id, b.epic_title, b.epic_goal, b.feature_id, b.feature_title, b.feature_goal,
       b.task_id, b.task_title, b.task_description, b.acceptance_criteria, now});
}

Result<void> RunWorkspace::before_phase(const State& state) {
  TRY_VOID(need_folder(state));
  // An agent may have removed it, or put something else in its place: then there is nothing to
  // compare.
  worklog_before_ = read_file_beneath(state.worktree, kWorklog).value_or("");
  return {};
}

Result<void> RunWorkspace::note_in_worklog(const State& state) {
  TRY_VOID(need_folder(state));
  const std::string phase(name_of(state.last.phase));
  const std::string after = read_file_beneath(state.worktree, kWorklog).value_or("");
  // Taken up by another process: what the last snapshot holds is what the phase began with.
  if (!worklog_before_)
    worklog_before_ =
        state.snapshot.commit.empty()
            ? TRY(fresh_worklog())
            : git::read_blob(repository_, state.snapshot.commit, kWorklog).value_or("");
  if (worklog::has_new_entry(*worklog_before_, after, phase)) return {};
  const std::string entry =
      worklog::entry_from({phase, state.last.attempt, signal::name_of(state.last.status),
                           state.last.summary, state.last.feedback});
  // Noted already, by a process that was cut off before its snapshot.
  if (times_in(after, entry) > times_in(*worklog_before_, entry)) return {};
  const std::string path = state.worktree + "/" + kWorklog;
  if (is_folder(path)) return {};  // not ours to mend; sign-off will not be found there
  return put_worklog(state.worktree,
                     worklog::with_entry(after.empty() ? *worklog_before_ : after, phase, entry));
}

Result<std::string> RunWorkspace::tree_for_review(const State& state, const std::string& commit,
                                                  const std::string& tree) const {
  // The worklog grows with every review. Two trees that differ in it alone are the same for a
  // review; only a review that repeats its words makes us look.
  if (!pipeline::is_review(state.phase) || state.last.status != signal::Status::needs_work ||
      state.reviewed_by != state.phase || state.reviewed_feedback != state.last.feedback ||
      state.reviewed_tree.empty())
    return tree;
  for (const git::Change& change : TRY(git::diff_trees(repository_, state.reviewed_tree, commit)))
    if (change.path != kWorklog) return tree;
  return state.reviewed_tree;
}

Result<event::SnapshotTaken> RunWorkspace::snapshot(const std::string& run, const State& state) {
  const std::string phase(name_of(state.last.phase));
  const std::string ref = "refs/capsule/" + run + "/" + std::to_string(state.number) + "-" + phase;
  const std::string message = phase + ": " + printable(state.last.summary);
  const std::string parent = state.snapshot.commit.empty() ? state.base : state.snapshot.commit;
  const git::Snapshot taken =
      TRY(git::take_snapshot(repository_, state.worktree, ref, message, parent));
  const std::string tree = TRY(tree_for_review(state, taken.commit, taken.tree));
  return event::SnapshotTaken{state.last.phase, state.number, ref, taken.commit, tree, taken.head};
}

Result<void> RunWorkspace::keep_unfinished(const std::string& run, const State& state) {
  if (!git::is_plain_folder(state.worktree)) return {};
  const std::string ref = "refs/capsule/" + run + "/" + std::to_string(state.number) + "-" +
                          std::string(name_of(state.phase)) + "-unfinished";
  const std::string parent = state.snapshot.commit.empty() ? state.base : state.snapshot.commit;
  TRY_VOID(git::take_snapshot(repository_, state.worktree, ref,
                              "unfinished " + std::string(name_of(state.phase)), parent));
  return {};
}

Result<void> RunWorkspace::rewind(const std::string& run, const State& state) {
  TRY_VOID(keep_unfinished(run, state));
  if (!state.snapshot.commit.empty())
    return git::rewind_worktree(repository_, state.worktree, state.branch, state.snapshot.commit);
  // The first phase began on a fresh worktree. Its log goes with the old one, so it is kept first.
  if (git::is_plain_folder(state.worktree))
    TRY_VOID(archive_worktree(state.worktree, archive_path(repository_, state.bead), run));
  TRY_VOID(git::remove_worktree(repository_, state.worktree, state.branch));
  return make_worktree({state.worktree, state.branch, state.base});
}

Result<std::optional<MergeRefused>> RunWorkspace::sign_off_gate(const State& state) {
  if (!git::is_plain_folder(state.worktree))
    return fail(Reason::not_found,
                "there is no worktree for " + state.bead + " at " + printable(state.worktree),
                "start with: capsule run " + state.bead);
  if (state.asked_sign_off && !state.signed_off)
    return MergeRefused{MergeRefusal::no_sign_off, "sign-off did not pass"};
  const auto result =
      worklog::sign_off_of(read_file_beneath(state.worktree, kWorklog).value_or(""));
  if (result == worklog::SignOff::passed) return std::nullopt;
  return MergeRefused{MergeRefusal::no_sign_off,
                      "worklog.md has no sign-off: " + std::string(worklog::describe(result))};
}

Result<std::vector<std::string>> RunWorkspace::paths_between(const std::string& from,
                                                             const std::string& to) const {
  std::vector<std::string> paths;
  for (const git::Change& change : TRY(git::diff_trees(repository_, from, to))) {
    if (!git::is_excluded(change.path, settings_.exclude)) paths.push_back(change.path);
    if (!change.from.empty() && !git::is_excluded(change.from, settings_.exclude))
      paths.push_back(change.from);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// What is merged is what was signed off, and tested then: where it is not, it is tested now, before
// main moves. What the merge agent leaves behind may only be what nobody has claimed as work.
Result<std::optional<MergeRefused>> RunWorkspace::accept(const State& state,
                                                         const std::string& work) const {
  const bool signed_off = state.signed_off && !state.signed_commit.empty();
  std::vector<std::string> others;
  if (signed_off) others = TRY(paths_between(state.signed_commit, work));
  if (!others.empty()) {
    const std::vector<std::string> brought = TRY(paths_between(state.base, work));
    std::set<std::string> owed = state.claimed;
    if (!state.tests_commit.empty())
      for (std::string& path : TRY(paths_between(state.base, state.tests_commit)))
        owed.insert(std::move(path));
    std::vector<std::string> left, missing;
    std::set_difference(others.begin(), others.end(), brought.begin(), brought.end(),
                        std::back_inserter(left));
    std::set_intersection(left.begin(), left.end(), owed.begin(), owed.end(),
                          std::back_inserter(missing));
    if (!missing.empty())
      return MergeRefused{MergeRefusal::work_missing,
                          "the commit lacks what was signed off: " + short_list(missing) +
                              "\ncommit it in " + shell_word(state.worktree) +
                              ", or have the work signed off as it is, then: capsule merge " +
                              state.bead};
  }
  if (!settings_.verify_merged || (signed_off && others.empty() && !merge_->main_moved))
    return std::nullopt;
  const std::string failure = TRY(settings_.verify_merged(merge_->commit));
  if (failure.empty()) return std::nullopt;
  return MergeRefused{
      MergeRefusal::verify_failed,
      "the checks fail on the merged files, which nobody has tested yet\n" + failure};
}

Result<engine::MergeAnswer> RunWorkspace::plan_merge(const std::string& run, const State& state) {
  const git::Tips tips = TRY(git::find_tips(repository_, settings_.main_branch, state.branch));
  if (tips.tip.empty()) {
    const std::string merged = TRY(git::find_merge(repository_, tips.main, state.base, run));
    if (!merged.empty()) return event::MergeDone{merged, true};
    return nothing_to_merge(state);
  }
  const git::BranchState branch = TRY(git::branch_state(repository_, tips, state.base, run));
  if (!branch.merged_as.empty()) return event::MergeDone{branch.merged_as, true};
  if (branch.commits.empty()) return nothing_to_merge(state);
  if (!branch.foreign.empty()) return foreign(state, branch);
  const git::WorkCommit work = TRY(git::work_commit(
      repository_, branch, git::work_message(state.bead, state.title), settings_.exclude));
  left_out_ = work.excluded;
  merge_ = TRY(
      git::plan_merge(repository_, branch, work, git::merge_message(state.bead, state.title, run)));
  if (!merge_->conflicts.empty()) return conflict(state, *merge_);
  if (auto refused = TRY(accept(state, work.commit))) return std::move(*refused);
  return engine::MergePlan{merge_->main_ref.substr(std::string_view("refs/heads/").size()),
                           merge_->from, merge_->commit};
}

Result<engine::PublishAnswer> RunWorkspace::publish_merge(const engine::MergePlan& plan) {
  const git::Published published = TRY(git::publish_merge(repository_, *merge_));
  switch (published.outcome) {
    case git::Publishing::done:
      return event::MergeDone{plan.commit, false};
    case git::Publishing::main_moved:
      return engine::MainMoved{};
    case git::Publishing::in_the_way:
      break;
  }
  return MergeRefused{MergeRefusal::checkout_in_the_way,
                      "the merge would overwrite files in " + printable(published.checkout) + ": " +
                          short_list(published.in_the_way) +
                          "\ncommit or move them, then merge again"};
}

Result<std::string> RunWorkspace::archive(const std::string& run, const State& state) {
  const std::string folder = archive_path(repository_, state.bead);
  if (git::is_plain_folder(state.worktree)) TRY_VOID(archive_worktree(state.worktree, folder, run));
  return folder;
}

Result<void> RunWorkspace::remove_worktree(const State& state) {
  return git::remove_worktree(repository_, state.worktree, state.branch);
}

}  // namespace capsule::workspace
