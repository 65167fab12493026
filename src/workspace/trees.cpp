#include "workspace/trees.h"

#include <utility>

#include "base/files.h"
#include "base/ids.h"
#include "base/text.h"
#include "git/branch.h"
#include "git/lock.h"
#include "git/paths.h"
#include "git/refs.h"
#include "git/worktree.h"
#include "workspace/archive.h"
#include "workspace/names.h"
#include "workspace/worklog_file.h"

namespace capsule::workspace {
namespace {

constexpr std::size_t kMaxNoteBytes = std::size_t{4} << 20;

}  // namespace

Trees::Kind Trees::kind_of(const std::string& tree) const {
  if (tree.empty()) return Kind::own;
  if (tree == settings_.checkout) return Kind::checkout;
  return tree == settings_.subject ? Kind::subject : Kind::own;
}

bool Trees::is_checkout(const std::string& tree) const { return kind_of(tree) == Kind::checkout; }

// A tree by its key alone, as it is called wherever it is.
Trees::Tree Trees::blank(const std::string& key) const {
  Tree tree;
  tree.key = key;
  tree.kind = kind_of(key);
  tree.snapshots = "refs/capsule/" + run_;
  switch (tree.kind) {
    case Kind::subject:
      tree.path = worktree_path(repository_, key);
      tree.branch = branch_name(key);
      break;
    case Kind::own: {
      const std::string name = own_name(run_, key);
      tree.path = worktree_path(repository_, name);
      tree.branch = branch_name(name);
      tree.snapshots += "/" + (valid_id(key) ? key : short_hash(key));
      break;
    }
    case Kind::checkout:
      tree.path = repository_.top;
      tree.base = repository_.head;
      break;
  }
  return tree;
}

TreeText Trees::text_of(const std::string& tree) const {
  const Tree named = blank(tree);
  return {settings_.advice, tree, named.path, named.branch, named.snapshots, repository_.top,
          "the main branch"};
}

Result<std::string> Trees::newest_main() const {
  return TRY(git::find_tips(repository_, settings_.main_branch, "")).main;
}

// Something else may be in its place: nothing is written through it, and nobody works there.
Result<std::string> Trees::folder_of(const std::string& tree) const {
  const std::string path = blank(tree).path;
  if (git::is_plain_folder(path)) return path;
  return tl::unexpected(tree_gone(text_of(tree)));
}

bool Trees::vanished(const std::string& tree) const {
  const auto found = trees_.find(tree);
  return found != trees_.end() && found->second.kind != Kind::checkout &&
         !exists(found->second.path);
}

std::string Trees::base_of(const std::string& tree) const {
  const auto found = trees_.find(tree);
  return found == trees_.end() ? "" : found->second.base;
}

Result<workflow::TreePlanned> Trees::plan(const workflow::PlanTree& command) {
  const Tree tree = blank(command.tree);
  if (tree.kind == Kind::checkout)
    return workflow::TreePlanned{tree.key, tree.path, "", repository_.head};
  if (exists(tree.path)) return tl::unexpected(tree_exists(text_of(command.tree)));
  if (command.from.empty())
    return workflow::TreePlanned{tree.key, tree.path, tree.branch, repository_.head};
  const std::string ref = "refs/heads/" + command.from;
  const auto found = TRY(git::resolve_refs(repository_, {ref}));
  if (const auto tip = found.find(ref); tip != found.end())
    return workflow::TreePlanned{tree.key, tree.path, tree.branch, tip->second};
  return fail(Reason::not_found, "there is no branch called " + printable(command.from));
}

Result<workflow::TreeOpened> Trees::open(const workflow::OpenTree& command) {
  Tree* tree = nullptr;
  if (kind_of(command.tree) == Kind::subject)
    tree = TRY(open_subject(command));
  else if (auto there = known(command.tree); !there && !command.base.empty())
    tree = TRY(make_own(command.tree, command.base));
  else if (there && kind_of(command.tree) == Kind::own && !command.base.empty() &&
           (*there)->base != command.base)
    return tl::unexpected(tree_exists(text_of(command.tree)));
  else
    tree = TRY(opened(command.tree));
  return workflow::TreeOpened{tree->key, tree->path, tree->branch, tree->base};
}

Result<Trees::Tree*> Trees::open_subject(const workflow::OpenTree& command) {
  Tree tree = blank(command.tree);
  const auto noted = git::find_worktree(repository_, tree.path);
  const bool there = noted && git::is_plain_folder(tree.path);
  tree.base = command.base;
  if (tree.base.empty()) tree.base = there ? noted->base : TRY(newest_main());
  // What was planned is recorded, so a worktree of that name and base is ours, left by a cut-off.
  if (!there || noted->base != tree.base) {
    TRY_VOID(git::exclude_capsule_dir(repository_));
    TRY_VOID(make_folders(repository_.top + "/.capsule/logs"));
    TRY_VOID(make_folders(repository_.top + "/.capsule/worktrees"));
    TRY_VOID(git::create_worktree(repository_, tree.path, tree.branch, tree.base));
  }
  if (settings_.worklog) TRY_VOID(put_worklog(tree.path, TRY(fresh_worklog())));
  TRY_VOID(make_notes(tree));
  tree.looked = tree.searched = true;
  return &trees_.insert_or_assign(command.tree, std::move(tree)).first->second;
}

Result<void> Trees::arrive(const std::string& base, const std::string& ref,
                           const std::string& commit) {
  Tree tree = blank(settings_.subject);
  const bool noted = git::find_worktree(repository_, tree.path).has_value();
  if (noted && git::is_plain_folder(tree.path)) {
    tree.base = base;
    TRY_VOID(take(tree, "arrived" + std::string("-unfinished"), "", base));
  } else {
    TRY_VOID(git::exclude_capsule_dir(repository_));
    TRY_VOID(make_folders(repository_.top + "/.capsule/logs"));
    TRY_VOID(make_folders(repository_.top + "/.capsule/worktrees"));
    TRY_VOID(git::create_worktree(repository_, tree.path, tree.branch, base));
  }
  TRY_VOID(git::rewind_worktree(repository_, tree.path, tree.branch, commit));
  const git::RepositoryLock lock = TRY(git::RepositoryLock::take(repository_));
  return git::write_own_ref(repository_, ref, commit);
}

Result<std::string> Trees::fork_of(const std::string& branch) const {
  const git::Tips tips = TRY(git::find_tips(repository_, settings_.main_branch, branch));
  if (tips.tip.empty()) return fail(Reason::refused, "there is no branch " + printable(branch));
  return TRY(git::branch_state(repository_, tips, "", run_)).fork;
}

Result<workflow::TreeOpened> Trees::adopt(const std::string& tree) {
  Tree adopted = *TRY(known(tree));
  if (adopted.base.empty()) {
    auto fork = fork_of(adopted.branch);
    if (!fork && fork.error().reason == Reason::refused)
      return fail(Reason::refused,
                  printable(adopted.path) + " is no worktree: " + fork.error().message,
                  "move it away, or start over: capsule run " + tree + " --clean");
    adopted.base = TRY(std::move(fork));
    trees_.at(tree).base = adopted.base;
  }
  return workflow::TreeOpened{tree, adopted.path, adopted.branch, adopted.base};
}

Result<Trees::Tree*> Trees::known(const std::string& tree) {
  TRY_VOID(folder_of(tree));
  if (const auto found = trees_.find(tree); found != trees_.end()) return &found->second;
  Tree found = blank(tree);
  const auto noted = git::find_worktree(repository_, found.path);
  if (noted) found.base = noted->base;
  // A folder that git knows nothing of is none of ours.
  if (!noted && found.kind == Kind::own) return tl::unexpected(tree_gone(text_of(tree)));
  return &trees_.insert_or_assign(tree, std::move(found)).first->second;
}

Result<Trees::Tree*> Trees::opened(const std::string& tree) {
  if (tree.empty()) return fail(Reason::usage, "no tree is named");
  if (auto there = known(tree); there || kind_of(tree) != Kind::own) return there;
  return make_own(tree, TRY(newest_main()));
}

Result<Trees::Tree*> Trees::make_own(const std::string& key, const std::string& base) {
  Tree tree = blank(key);
  TRY_VOID(git::exclude_capsule_dir(repository_));
  TRY_VOID(make_folders(repository_.top + "/.capsule/worktrees"));
  // Left half made, or half removed, by a run that was cut off.
  if (git::find_worktree(repository_, tree.path))
    TRY_VOID(git::remove_worktree(repository_, tree.path, tree.branch));
  tree.base = base;
  TRY_VOID(git::create_worktree(repository_, tree.path, tree.branch, tree.base));
  tree.looked = tree.searched = true;
  TRY_VOID(make_notes(tree));
  TRY_VOID(number_after_earlier(tree));
  return &trees_.insert_or_assign(key, std::move(tree)).first->second;
}

Result<void> Trees::make_notes(const Tree& tree) const {
  for (const std::string& note : settings_.notes)
    if (const std::size_t slash = note.find_last_of('/'); slash != note.npos)
      TRY_VOID(make_folders_beneath(tree.path, note.substr(0, slash)));
  return {};
}

Result<workflow::TreeArchived> Trees::archive(const workflow::Archive& command) {
  const std::string& task = command.task.empty() ? command.tree : command.task;
  const std::string folder = archive_path(repository_, valid_id(task) ? task : short_hash(task));
  const std::string from = blank(command.tree).path;
  TRY_VOID(add_notes(command.tree, command.notes));
  if (git::is_plain_folder(from) && !is_checkout(command.tree))
    TRY_VOID(archive_worktree(from, folder, run_));
  return workflow::TreeArchived{command.tree, folder};
}

Result<workflow::TreeRemoved> Trees::remove(const workflow::RemoveTree& command) {
  const workflow::TreeRemoved answer{command.tree};
  if (is_checkout(command.tree)) return answer;
  const Tree tree = blank(command.tree);
  for (const std::string& note : settings_.notes) {
    const auto text = read_file_beneath(tree.path, note, kMaxNoteBytes);
    if (!text) continue;
    TRY_VOID(make_folders(git::parent_of(repository_.top + "/" + note)));
    TRY_VOID(write_file(repository_.top + "/" + note, *text));
  }
  trees_.erase(command.tree);
  TRY_VOID(share(tree, ""));
  TRY_VOID(
      git::remove_worktree(repository_, tree.path, tree.branch,
                           command.keep_branch ? git::ItsBranch::stays : git::ItsBranch::goes));
  return answer;
}

}  // namespace capsule::workspace
