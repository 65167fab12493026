// What trees hold, as snapshots: keeping it, taking it back, and knowing after a restart which one
// counts.
#include <algorithm>
#include <cstdlib>

#include "base/files.h"
#include "base/ids.h"
#include "base/text.h"
#include "git/command.h"
#include "git/commit.h"
#include "git/diff.h"
#include "git/paths.h"
#include "git/refs.h"
#include "git/worktree.h"
#include "workspace/archive.h"
#include "workspace/names.h"
#include "workspace/trees.h"
#include "workspace/worklog_file.h"

namespace capsule::workspace {
namespace {

// What an agent left that may only look, or was cut off: never the state that counts.
constexpr std::string_view kLook = "-look";
constexpr std::string_view kUnfinished = "-unfinished";  // the same in the subject's tree
constexpr std::size_t kMaxLabelBytes = 60;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// How many bytes "3-" has in "3-execute"; 0: it carries no number.
std::size_t number_bytes(std::string_view label) {
  const auto end = std::find_if_not(label.begin(), label.end(), is_digit);
  if (end == label.begin() || end == label.end() || *end != '-') return 0;
  return static_cast<std::size_t>(end - label.begin()) + 1;
}

std::string numbered(int number) {
  const std::string text = std::to_string(number);
  return std::string(text.size() < 4 ? 4 - text.size() : 0, '0') + text;
}

// Roles and phases may be called anything in a workflow of the user's own; refs may not. The end
// tells what kind of snapshot it is, and stays.
std::string ref_part(std::string_view label) {
  std::string_view end;
  for (const std::string_view known : {kLook, kUnfinished})
    if (label.ends_with(known)) end = known;
  label.remove_suffix(end.size());
  std::string part(label.substr(0, kMaxLabelBytes));
  for (char& c : part)
    if (!is_digit(c) && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '.' && c != '_')
      c = '-';
  return (valid_id("0-" + part) ? part : short_hash(label)) + std::string(end);
}

// Without a process; packed ones are listed in one file.
bool has_refs_below(const git::Repository& repository, const std::string& prefix) {
  if (is_folder(repository.common_dir + "/" + prefix)) return true;
  return read_file(repository.common_dir + "/packed-refs").value_or("").find(" " + prefix + "/") !=
         std::string::npos;
}

}  // namespace

// Which snapshot is the newest, for a process that took the run up.
Result<void> Trees::recall(Tree& tree) {
  if (tree.recalled) return {};
  std::string newest;
  for (const git::Ref& ref : TRY(git::list_refs(repository_, tree.snapshots))) {
    const std::string name = ref.name.substr(tree.snapshots.size() + 1);
    // Those of other trees are in folders of their own.
    if (name.find('/') != name.npos || number_bytes(name) == 0) continue;
    const int number = std::atoi(name.c_str());
    if (number < tree.number) continue;
    tree.number = number;
    const bool aside =
        name.ends_with(kLook) || (tree.kind == Kind::subject && name.ends_with(kUnfinished));
    if (!aside) newest = ref.id;
  }
  tree.recalled = true;
  return tree.kept.empty() ? count(tree, newest) : Result<void>{};
}

// A tree of that key was there before, and is gone: its snapshots stay, and none of them counts.
Result<void> Trees::number_after_earlier(Tree& tree) {
  tree.recalled = true;
  if (!has_refs_below(repository_, tree.snapshots)) return {};
  for (const git::Ref& ref : TRY(git::list_refs(repository_, tree.snapshots)))
    tree.number = std::max(tree.number, std::atoi(ref.name.c_str() + tree.snapshots.size() + 1));
  TRY_VOID(keep_as(tree, "start"));
  return {};
}

// Makes a snapshot the state that counts; an empty one: as the tree began.
Result<void> Trees::count(Tree& tree, const std::string& commit) {
  const std::string& known = commit.empty() ? tree.base : commit;
  if (known.empty()) return {};
  if (!git::is_object_id(repository_, known))
    return fail(Reason::usage, "not a commit: " + printable(known));
  const std::vector<git::Commit> commits = git::parse_commits(TRY(git::tell(
      repository_,
      {.args = {"rev-list", "--ignore-missing", "--header", "--max-count=1", known, "--"}})));
  if (commits.empty())
    return fail(Reason::damaged, "the snapshot " + known + " is not in this repository");
  tree.kept = commit;
  tree.kept_tree = commits.front().tree;
  tree.kept_head = commit.empty() ? tree.base : TRY(git::snapshot_head(repository_, commit));
  return {};
}

// The subject's snapshots carry the number of their phase, so that they are the same when they are
// taken again. All others are counted here.
Result<Trees::Taken> Trees::take(Tree& tree, std::string_view label, std::string message,
                                 std::string parent) {
  const std::size_t prefix = number_bytes(label);
  const bool given = tree.kind == Kind::subject && prefix > 0;
  if (!given || parent.empty()) TRY_VOID(recall(tree));
  const std::string name =
      (given ? std::string(label.substr(0, prefix)) : numbered(tree.number + 1) + "-") +
      ref_part(label.substr(prefix));
  if (message.empty()) message = tree.key + ": " + std::string(label.substr(prefix));
  if (parent.empty()) parent = tree.kept.empty() ? tree.base : tree.kept;
  Taken taken;
  taken.ref = tree.snapshots + "/" + name;
  taken.snapshot =
      TRY(git::take_snapshot(repository_, tree.path, taken.ref, printable(message), parent));
  tree.number = std::max(tree.number, std::atoi(name.c_str()));
  return taken;
}

// One ref a tree: earlier snapshots are its parents.
Result<void> Trees::share(const Tree& tree, const std::string& commit) const {
  if (!settings_.share || tree.kind == Kind::checkout) return {};
  return settings_.share(shared_ref(run_, tree.key), commit);
}

Result<workflow::Kept> Trees::keep(const workflow::Keep& command) {
  return keep_in(*TRY(known(command.tree)), command);
}

Result<workflow::Kept> Trees::keep_as(Tree& tree, std::string label) {
  workflow::Keep command;
  command.label = std::move(label);
  return keep_in(tree, command);
}

Result<workflow::Kept> Trees::keep_in(Tree& tree, const workflow::Keep& command) {
  for (const workflow::WorklogEntry& entry : command.notes)
    TRY_VOID(note(tree, entry, command.parent));
  const Taken taken = TRY(take(tree, command.label, command.message, command.parent));
  const git::Snapshot& now = taken.snapshot;
  workflow::Kept kept{tree.key, taken.ref, now.commit, now.tree, now.head};
  // The worklog grows with every review: two trees that differ in it alone are the same for one.
  if (!command.same_as.empty() && command.same_as != now.tree) {
    const auto changes = TRY(git::diff_trees(repository_, command.same_as, now.commit));
    if (std::all_of(changes.begin(), changes.end(),
                    [](const git::Change& change) { return change.path == kWorklogFile; }))
      kept.tree_id = command.same_as;
  }
  TRY_VOID(share(tree, now.commit));
  tree.kept = now.commit;
  tree.kept_tree = now.tree;
  tree.kept_head = now.head;
  tree.looked = true;
  tree.worklog_before.reset();
  return kept;
}

Result<workflow::TakenBack> Trees::take_back(const workflow::TakeBack& command) {
  if (kind_of(command.tree) == Kind::subject) return take_subject_back(command);
  const auto there = known(command.tree);
  if (!there) return bring_back(command);
  Tree& tree = **there;
  TRY_VOID(recall(tree));
  tree.looked = true;
  workflow::TakenBack answer{command.tree, {}};
  if (command.keep_only) {
    TRY_VOID(take(tree, command.label + std::string(kLook), "", ""));
    return answer;
  }
  if (!command.to.empty() && command.to != tree.kept) TRY_VOID(count(tree, command.to));
  answer.paths = TRY(take_back_in(tree, command.label));
  return answer;
}

Result<std::vector<std::string>> Trees::take_back_in(Tree& tree, const std::string& label) {
  TRY_VOID(recall(tree));
  std::vector<std::string> paths;
  // Nothing is known of what a person had there before.
  if (tree.kind == Kind::checkout && tree.kept.empty()) return paths;
  if (tree.kept_tree.empty()) TRY_VOID(count(tree, ""));
  const git::Snapshot now = TRY(take(tree, label + std::string(kLook), "", "")).snapshot;
  const bool head_moved = tree.kind != Kind::checkout && now.head != tree.kept_head;
  if (now.tree == tree.kept_tree && !head_moved) return paths;
  for (const git::Change& change :
       TRY(git::diff_trees(repository_, tree.kept_tree, now.commit, git::Renames::ignored)))
    paths.push_back(change.path);
  if (paths.empty() && head_moved) paths.emplace_back("(a commit)");
  if (tree.kind != Kind::checkout) TRY_VOID(put_back(tree));
  return paths;
}

// Requires: kept_tree and kept_head are known.
Result<void> Trees::put_back(const Tree& tree) {
  std::string snapshot = tree.kept;
  // As it began: a snapshot of that, so that the worktree can be put there.
  if (snapshot.empty())
    snapshot = TRY(git::write_commit(
        repository_, {.tree = tree.kept_tree, .parents = {tree.base}, .message = "as it began\n"}));
  return git::rewind_worktree(repository_, tree.path, tree.branch, snapshot);
}

// The folder of a tree is gone: it is made anew as it was.
Result<workflow::TakenBack> Trees::bring_back(const workflow::TakeBack& command) {
  const workflow::TakenBack answer{command.tree, {}};
  if (command.keep_only) return answer;
  Tree tree = blank(command.tree);
  tree.base = command.base;
  if (const auto noted = git::find_worktree(repository_, tree.path)) tree.base = noted->base;
  TRY_VOID(recall(tree));
  if (!command.to.empty() && command.to != tree.kept) TRY_VOID(count(tree, command.to));
  if (tree.kept.empty()) {
    const std::string base = tree.base.empty() ? TRY(newest_main()) : tree.base;
    TRY_VOID(make_own(command.tree, base));
    return answer;
  }
  TRY_VOID(put_back(tree));
  if (tree.base.empty()) tree.base = TRY(fork_of(tree.branch));
  tree.looked = true;
  trees_.insert_or_assign(command.tree, std::move(tree));
  return answer;
}

Result<workflow::TakenBack> Trees::take_subject_back(const workflow::TakeBack& command) {
  const workflow::TakenBack answer{command.tree, {}};
  Tree tree = blank(command.tree);
  const auto noted = git::find_worktree(repository_, tree.path);
  tree.base = noted ? noted->base : command.base;
  const bool there = git::is_plain_folder(tree.path);
  if (command.to.empty()) TRY_VOID(recall(tree));
  if (there) TRY_VOID(take(tree, command.label, command.label, command.to));
  if (command.keep_only) return answer;
  trees_.erase(command.tree);
  if (!command.to.empty() || !tree.kept.empty()) {
    TRY_VOID(git::rewind_worktree(repository_, tree.path, tree.branch,
                                  command.to.empty() ? tree.kept : command.to));
    tree.looked = true;
    tree.recalled = false;
    tree.kept.clear();
    trees_.insert_or_assign(command.tree, std::move(tree));
    return answer;
  }
  // The first phase began on a fresh worktree. Its log goes with the old one, so it is kept first.
  if (there) TRY_VOID(archive_worktree(tree.path, archive_path(repository_, tree.key), run_));
  TRY_VOID(git::remove_worktree(repository_, tree.path, tree.branch));
  TRY_VOID(open({command.tree, "", "", tree.base}));
  return answer;
}

// The state that counts as a commit on what the agent had checked out.
Result<std::string> Trees::commit_of(const Tree& tree) const {
  const std::string head = tree.kept_head.empty() ? tree.base : tree.kept_head;
  const std::string head_tree = std::string(trimmed(TRY(git::tell(
      repository_, {.args = {"rev-parse", "--verify", "--end-of-options", head + "^{tree}"}}))));
  if (head_tree == tree.kept_tree) return head;
  return git::write_commit(
      repository_, {.tree = tree.kept_tree, .parents = {head}, .message = "capsule: work\n"});
}

Result<Trees::Work> Trees::work_of(const std::string& key) {
  Tree& tree = *TRY(known(key));
  TRY_VOID(recall(tree));
  if (tree.kept.empty()) TRY_VOID(keep_as(tree, "start"));
  return Work{TRY(commit_of(tree)), tree.base};
}

}  // namespace capsule::workspace
