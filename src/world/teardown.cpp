#include "world/teardown.h"

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/ids.h"
#include "base/text.h"
#include "event/pipeline.h"
#include "git/command.h"
#include "git/lock.h"
#include "git/refs.h"
#include "git/remove_tree.h"
#include "git/worktree.h"
#include "world/discard.h"

namespace capsule::world {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOwnBranches = "refs/heads/capsule-";

// One call: what there is to do, and how it went.
struct Cleaning {
  const Project& project;
  const TeardownOrder& order;
  std::unique_ptr<engine::Records> store = nullptr;  // null: there is none, and none is needed
  std::string only = {};                             // the run that was named; empty: all
  std::string task = {};                             // and the one of its tasks; empty: all
  int done = 0;
  int failures = 0;

  void tell(const std::string& line) const { order.tell(line); }
  void count_failure(const Error& error) {
    ++failures;
    order.fail(error);
  }
  std::string would(std::string_view doing, std::string_view done_it) const {
    return std::string(order.dry_run ? doing : done_it);
  }
};

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

// Why the worktree stays, for people; empty: it goes. Ended runs of phases can be gone on with by
// their snapshots, so their worktrees go all the same.
std::string reason_to_stay(const Cleaning& cleaning, const std::optional<TreeOwner>& owner) {
  if (!owner) return {};
  const Run& run = owner->run;
  if (run.live()) return "is being worked on by " + words_of(*run.holder);
  if (!cleaning.only.empty()) return {};
  const std::string go_on = go_on_command(cleaning.project, run);
  if (engine::state_of(run) == engine::RunState::waiting)
    return "belongs to a run that waits for a person: " + go_on;
  if (!engine::is_phases(run.head) && run.summary.can_go_on)
    return "belongs to a run that can go on: " + go_on;
  return {};
}

// The run that a folder or branch belongs to; nothing, too, when there is no journal.
Result<std::optional<TreeOwner>> owner_of(const Cleaning& cleaning, const std::string& name) {
  if (cleaning.store == nullptr) return std::nullopt;
  return owner_of_tree(*cleaning.store, cleaning.project, name);
}
bool is_meant(const Cleaning& cleaning, const std::optional<TreeOwner>& owner) {
  if (cleaning.only.empty()) return true;
  return owner && owner->run.head.run == cleaning.only &&
         (cleaning.task.empty() || owner->task == cleaning.task);
}

Result<void> clean_worktree(Cleaning& cleaning, const std::string& name) {
  const std::string path = cleaning.project.root() + "/.capsule/worktrees/" + name;
  std::error_code error;
  if (!valid_id(name) || fs::is_symlink(path, error) || !is_folder(path)) {
    if (cleaning.only.empty())
      cleaning.tell("left alone: " + printable(path) + " is not one of Capsule's worktrees");
    return {};
  }
  const auto owner = TRY(owner_of(cleaning, name));
  if (!is_meant(cleaning, owner)) return {};
  if (const std::string why = reason_to_stay(cleaning, owner); !why.empty()) {
    cleaning.tell("left alone: " + name + " " + why);
    return {};
  }
  if (!cleaning.order.dry_run) {
    const auto removed = discard_worktree(cleaning.project, *cleaning.store, name);
    if (!removed && removed.error().reason == Reason::blocked) {
      cleaning.tell("left alone: " + printable(removed.error().message));
      return {};
    }
    if (!removed) return tl::unexpected(removed.error());
  }
  ++cleaning.done;
  cleaning.tell(cleaning.would("would remove", "removed") + " worktree " + name);
  return {};
}

// Branches whose worktree is gone: ours alone, so the journal or git's record must know the bead.
Result<bool> is_stale(Cleaning& cleaning, const git::Ref& branch, const std::string& name) {
  const std::string path = cleaning.project.root() + "/.capsule/worktrees/" + name;
  if (!valid_id(name) || exists(path) || branch.name == cleaning.project.repository.branch)
    return false;
  const auto owner = TRY(owner_of(cleaning, name));
  if (!is_meant(cleaning, owner) || !reason_to_stay(cleaning, owner).empty()) return false;
  if (owner &&
      owner->run.summary.on_branch == branch.name.substr(std::string_view("refs/heads/").size())) {
    cleaning.tell("left alone: branch capsule-" + name +
                  " holds the work of its run; delete it: git branch -D capsule-" + name);
    return false;
  }
  return owner || git::find_worktree(cleaning.project.repository, path);
}

Result<void> clean_branches(Cleaning& cleaning) {
  const git::Repository& repository = cleaning.project.repository;
  for (const git::Ref& branch : TRY(git::list_refs(repository, "refs/heads/"))) {
    if (!branch.name.starts_with(kOwnBranches)) continue;
    const std::string name = branch.name.substr(kOwnBranches.size());
    if (!TRY(is_stale(cleaning, branch, name))) continue;
    if (!cleaning.order.dry_run) {
      if (cleaning.store == nullptr) cleaning.store = TRY(open_journal(cleaning.project));
      TRY_VOID(discard_branch(cleaning.project, *cleaning.store, name, branch.id));
    }
    ++cleaning.done;
    cleaning.tell(cleaning.would("would delete", "deleted") + " stale branch capsule-" + name);
  }
  return {};
}

Result<void> prune(Cleaning& cleaning) {
  if (cleaning.order.dry_run) return {};
  const git::RepositoryLock lock = TRY(git::RepositoryLock::take(cleaning.project.repository));
  TRY_VOID(git::ask_plainly(cleaning.project.root(), {"worktree", "prune"}));
  return {};
}

void clean_output(Cleaning& cleaning) {
  const std::string folder = cleaning.project.root() + "/.capsule/output";
  const std::vector<std::string> names = names_in(folder);
  if (names.empty()) return;
  for (const std::string& name : names)
    if (!cleaning.order.dry_run)
      if (const auto removed = git::remove_tree(folder + "/" + name); !removed)
        return cleaning.count_failure(removed.error());
  ++cleaning.done;
  cleaning.tell(cleaning.would("would clean", "cleaned") + " .capsule/output");
}

}  // namespace

Result<bool> teardown(const Project& project, const TeardownOrder& order) {
  Cleaning cleaning{project, order};
  const std::vector<std::string> worktrees = names_in(project.root() + "/.capsule/worktrees");
  const bool journal = exists(project.root() + "/.capsule/journal.db");
  if (journal || (!worktrees.empty() && !order.dry_run))
    cleaning.store = TRY(order.dry_run ? journal_of(project) : open_journal(project));
  if (!order.words.empty()) {
    Found found = TRY(find_run(project, cleaning.store.get(), order.words));
    cleaning.only = std::move(found.run.head.run);
    cleaning.task = std::move(found.task);
  }
  for (const std::string& name : worktrees)
    if (const auto cleaned = clean_worktree(cleaning, name); !cleaned)
      cleaning.count_failure(cleaned.error());
  if (const auto pruned = prune(cleaning); !pruned) cleaning.count_failure(pruned.error());
  if (const auto done = clean_branches(cleaning); !done) cleaning.count_failure(done.error());
  if (cleaning.only.empty()) clean_output(cleaning);
  if (cleaning.done == 0 && cleaning.failures == 0) cleaning.tell("nothing to clean");
  return cleaning.failures == 0;
}

}  // namespace capsule::world
