// What agents find in their trees and what they leave there: the newest main where they were told
// of it, conflicts that are still open, and writes of those who may only look.
#include <utility>

#include "base/files.h"
#include "base/text.h"
#include "git/command.h"
#include "git/commit.h"
#include "git/paths.h"
#include "git/pin.h"
#include "workspace/trees.h"
#include "workspace/worklog_file.h"

namespace capsule::workspace {
namespace {

using workflow::BringMain;
using workflow::Settle;

// Files with conflict markers as a merge of main leaves them: with the ids of its two sides.
Result<std::vector<std::string>> marked_files(const git::Repository& repository,
                                              const std::string& folder) {
  const git::Call call{.args = {"grep", "--no-index", "--exclude-standard", "-l", "-z", "-I", "-E",
                                "-e", "^<<<<<<< [0-9a-f]{40}", "--", "."},
                       .work_tree = folder};
  const git::Answer answer = TRY(git::ask(repository, call));
  if (answer.code > 1) return tl::unexpected(git::git_failed(call, answer));
  std::vector<std::string> files;
  for (const std::string_view name : split(answer.out, '\0'))
    if (!name.empty()) files.emplace_back(name);
  return files;
}

}  // namespace

Result<std::vector<std::string>> Trees::pin(const std::string& key) {
  if (key.empty() || is_checkout(key) || !folder_of(key)) return std::vector<std::string>{};
  const auto found = trees_.find(key);
  const Tree tree = found == trees_.end() ? blank(key) : found->second;
  return git::pin_worktree(repository_, tree.path, tree.branch,
                           tree.kept_head.empty() ? tree.base : tree.kept_head);
}

Result<std::string> Trees::prepare(const workflow::StartAgent& start) {
  const bool was_there = git::is_plain_folder(blank(start.tree).path);
  Tree& tree = *TRY(opened(start.tree));
  TRY_VOID(first_look(tree, start));
  TRY_VOID(find_conflicts(tree));
  if (was_there && start.bring_main != BringMain::no)
    TRY_VOID(bring_main_in(tree, start.bring_main));
  // An agent may have removed it, or put something else in its place: then there is nothing to
  // compare.
  if (tree.kind == Kind::subject && !tree.worklog_before)
    tree.worklog_before = read_file_beneath(tree.path, kWorklogFile).value_or("");
  return tree.path;
}

// Of this process on a tree that an earlier one worked in: what a writer left half done is kept
// and gone on with; what a reader may have written is taken back.
Result<void> Trees::first_look(Tree& tree, const workflow::StartAgent& start) {
  if (start.settle == Settle::leave || tree.kind == Kind::checkout) return {};
  if (tree.kind == Kind::subject && start.settle == Settle::take_back) {
    // The worklog that we put there is no reader's doing.
    TRY_VOID(recall(tree));
    if (tree.kept.empty()) TRY_VOID(keep_as(tree, "start"));
  }
  if (tree.looked) return {};
  tree.looked = true;
  if (start.settle == Settle::keep)
    TRY_VOID(keep_as(tree, start.role + "-unfinished"));
  else
    TRY_VOID(take_back_in(tree, start.role));
  return {};
}

// Conflicts that an earlier process brought in are told by their markers alone.
Result<void> Trees::find_conflicts(Tree& tree) {
  if (tree.kind != Kind::own || std::exchange(tree.searched, true)) return {};
  for (std::string& file : TRY(marked_files(repository_, tree.path)))
    tree.conflicts.insert(std::move(file));
  return {};
}

Result<void> Trees::bring_main_in(Tree& tree, BringMain how) {
  if (tree.kind == Kind::checkout) return {};
  TRY_VOID(keep_as(tree, "before-main"));
  const std::string main = TRY(newest_main());
  const std::string work = TRY(commit_of(tree));
  if (TRY(git::ask(repository_, {.args = {"merge-base", "--is-ancestor", main, work}})).code == 0)
    return {};
  const git::Call call{
      .args = {"merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", work, main}};
  const git::Answer answer = TRY(git::ask(repository_, call));
  if (answer.code > 1) return tl::unexpected(git::git_failed(call, answer));
  const std::vector<std::string_view> parts = split(answer.out, '\0');
  const std::string merged(trimmed(parts.front()));
  std::vector<std::string> conflicts;
  for (std::size_t i = 1; i < parts.size(); ++i)
    if (!parts[i].empty()) conflicts.emplace_back(parts[i]);
  if (how == BringMain::if_no_clash && !conflicts.empty()) return {};
  const std::string commit = TRY(git::write_commit(
      repository_, {.tree = merged,
                    .parents = {work, main},
                    .message = "Merge the main branch into " + printable(tree.key) + "\n"}));
  // A snapshot of the state that is to come, so that the worktree can be put there.
  const std::string wanted = TRY(git::write_commit(
      repository_, {.tree = merged,
                    .parents = {commit},
                    .message = printable(tree.key) + ": with the newest main\n"}));
  TRY_VOID(git::rewind_worktree(repository_, tree.path, tree.branch, wanted));
  TRY_VOID(keep_as(tree, "with-main"));
  tree.conflicts.insert(conflicts.begin(), conflicts.end());
  return {};
}

Result<Settled> Trees::settle(const workflow::StartAgent& start) {
  Settled settled;
  if (start.settle == Settle::leave) return settled;
  Tree& tree = *TRY(known(start.tree));
  if (start.settle == Settle::keep)
    settled.snapshot = TRY(keep_as(tree, start.role)).ref;
  else
    settled.took_back = TRY(take_back_in(tree, start.role));
  return settled;
}

std::vector<std::string> Trees::unresolved(const std::string& tree) const {
  std::vector<std::string> left;
  const auto found = trees_.find(tree);
  if (found == trees_.end()) return left;
  for (const std::string& path : found->second.conflicts) {
    const std::string text = "\n" + read_file_beneath(found->second.path, path).value_or("");
    if (text.find("\n<<<<<<< ") != text.npos && text.find("\n>>>>>>> ") != text.npos)
      left.push_back(path);
  }
  return left;
}

}  // namespace capsule::workspace
