// capsule teardown: removes worktrees that nobody works in, after keeping what is in them.
#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/ids.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/run_args.h"
#include "git/command.h"
#include "git/lock.h"
#include "git/refs.h"
#include "git/remove_tree.h"
#include "git/worktree.h"
#include "ui/run_text.h"
#include "world/discard.h"

namespace capsule::cli {
namespace {

namespace fs = std::filesystem;

constexpr Positional kTeardownPositionals[] = {
    {kRun.name, "Only the worktrees of this run, also when it could go on", false}};
constexpr Option kTeardownOptions[] = {kProjectDir,
                                       {"dry-run", "", "Say what would be done, and do nothing"}};
constexpr std::string_view kBranches = "refs/heads/capsule-";

// One call of the command: what there is to do, and how it went.
struct Cleaning {
  const world::Project& project;
  bool dry_run;
  std::unique_ptr<store::Store> store = nullptr;  // null: there is none, and none is needed
  std::string only = {};                          // the run that was named; empty: all
  int done = 0;
  int failures = 0;

  void say(std::string_view text) const { print(std::string(text) + "\n"); }
  void tell_failure(const Error& error) {
    ++failures;
    report(error);
  }
  std::string would(std::string_view doing, std::string_view done_it) const {
    return std::string(dry_run ? doing : done_it);
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
std::string reason_to_stay(const Cleaning& cleaning, const std::optional<world::TreeOwner>& owner) {
  if (!owner) return {};
  const world::Run& run = owner->run;
  if (run.live()) return "is being worked on by " + ui::words_of(*run.holder);
  if (!cleaning.only.empty()) return {};
  const std::string go_on = world::go_on_command(cleaning.project, run);
  if (engine::state_of(run) == engine::RunState::waiting)
    return "belongs to a run that waits for a person: " + go_on;
  if (!engine::is_phases(run.head) && run.summary.can_go_on)
    return "belongs to a run that can go on: " + go_on;
  return {};
}

// The run that a folder or branch belongs to; nothing, too, when there is no journal.
Result<std::optional<world::TreeOwner>> owner_of(const Cleaning& cleaning,
                                                 const std::string& name) {
  if (cleaning.store == nullptr) return std::nullopt;
  return world::owner_of_tree(*cleaning.store, cleaning.project, name);
}
bool is_meant(const Cleaning& cleaning, const std::optional<world::TreeOwner>& owner) {
  return cleaning.only.empty() || (owner && owner->run.head.run == cleaning.only);
}

Result<void> clean_worktree(Cleaning& cleaning, const std::string& name) {
  const std::string path = cleaning.project.root() + "/.capsule/worktrees/" + name;
  std::error_code error;
  if (!valid_id(name) || fs::is_symlink(path, error) || !is_folder(path)) {
    if (cleaning.only.empty())
      cleaning.say("left alone: " + printable(path) + " is no worktree of Capsule's");
    return {};
  }
  const auto owner = TRY(owner_of(cleaning, name));
  if (!is_meant(cleaning, owner)) return {};
  if (const std::string why = reason_to_stay(cleaning, owner); !why.empty()) {
    cleaning.say("left alone: " + name + " " + why);
    return {};
  }
  if (!cleaning.dry_run) {
    const auto removed = world::discard_worktree(cleaning.project, *cleaning.store, name);
    if (!removed && removed.error().reason == Reason::blocked) {
      cleaning.say("left alone: " + printable(removed.error().message));
      return {};
    }
    if (!removed) return tl::unexpected(removed.error());
  }
  ++cleaning.done;
  cleaning.say(cleaning.would("would remove", "removed") + " worktree " + name);
  return {};
}

// Branches whose worktree is gone: ours alone, so the journal or git's record must know the bead.
Result<bool> is_stale(Cleaning& cleaning, const git::Ref& branch, const std::string& name) {
  const std::string path = cleaning.project.root() + "/.capsule/worktrees/" + name;
  if (!valid_id(name) || exists(path) || branch.name == cleaning.project.repository.branch)
    return false;
  const auto owner = TRY(owner_of(cleaning, name));
  if (!is_meant(cleaning, owner) || !reason_to_stay(cleaning, owner).empty()) return false;
  if (owner && owner->run.summary.outcome == name_of(event::Outcome::on_branch)) {
    cleaning.say("left alone: branch capsule-" + name +
                 " holds the work of its run; delete it: git branch -D capsule-" + name);
    return false;
  }
  return owner || git::find_worktree(cleaning.project.repository, path);
}

Result<void> clean_branches(Cleaning& cleaning) {
  const git::Repository& repository = cleaning.project.repository;
  for (const git::Ref& branch : TRY(git::list_refs(repository, "refs/heads/"))) {
    if (!branch.name.starts_with(kBranches)) continue;
    const std::string name = branch.name.substr(kBranches.size());
    if (!TRY(is_stale(cleaning, branch, name))) continue;
    if (!cleaning.dry_run) {
      if (cleaning.store == nullptr)
        cleaning.store =
            TRY(store::Store::open(cleaning.project.root(), store::Access::read_write));
      TRY_VOID(world::discard_branch(cleaning.project, *cleaning.store, name, branch.id));
    }
    ++cleaning.done;
    cleaning.say(cleaning.would("would delete", "deleted") + " stale branch capsule-" + name);
  }
  return {};
}

Result<void> prune(Cleaning& cleaning) {
  if (cleaning.dry_run) return {};
  const git::RepositoryLock lock = TRY(git::RepositoryLock::take(cleaning.project.repository));
  TRY_VOID(git::ask_plainly(cleaning.project.root(), {"worktree", "prune"}));
  return {};
}

void clean_output(Cleaning& cleaning) {
  const std::string folder = cleaning.project.root() + "/.capsule/output";
  const std::vector<std::string> names = names_in(folder);
  if (names.empty()) return;
  for (const std::string& name : names)
    if (!cleaning.dry_run)
      if (const auto removed = git::remove_tree(folder + "/" + name); !removed)
        return cleaning.tell_failure(removed.error());
  ++cleaning.done;
  cleaning.say(cleaning.would("would clean", "cleaned") + " .capsule/output");
}

Result<int> teardown(const Args& args) {
  const world::Project project = TRY(open_project(args));
  Cleaning cleaning{project, args.flag("dry-run")};
  const std::vector<std::string> worktrees = names_in(project.root() + "/.capsule/worktrees");
  const bool journal = exists(project.root() + "/.capsule/journal.db");
  if (journal || (!worktrees.empty() && !cleaning.dry_run))
    cleaning.store = TRY(store::Store::open(
        project.root(), cleaning.dry_run ? store::Access::read_only : store::Access::read_write));
  if (args.positional(0))
    cleaning.only = TRY(find_run(args, project, cleaning.store.get())).run.head.run;
  for (const std::string& name : worktrees)
    if (const auto cleaned = clean_worktree(cleaning, name); !cleaned)
      cleaning.tell_failure(cleaned.error());
  if (const auto pruned = prune(cleaning); !pruned) cleaning.tell_failure(pruned.error());
  if (const auto done = clean_branches(cleaning); !done) cleaning.tell_failure(done.error());
  if (cleaning.only.empty()) clean_output(cleaning);
  if (cleaning.done == 0 && cleaning.failures == 0) cleaning.say("nothing to clean");
  return cleaning.failures == 0 ? 0 : 1;
}

}  // namespace

Command teardown_command() {
  return {.path = "teardown",
          .summary = "Remove worktrees and branches; keep logs and snapshots",
          .details =
              "For every worktree in .capsule/worktrees: a snapshot of it goes to "
              "refs/capsule/rescue/, where 'capsule snapshots' lists it, its worklog and phase "
              "output to .capsule/logs/, then the worktree and its branch are removed. Left alone "
              "and named are worktrees that a living Capsule works in, and those of deliveries, of "
              "auto mode and of runs that wait for a person as long as they can go on; with RUN "
              "they go too. .capsule/logs/ is never touched.\n\n"
              "Exit codes: 0 cleaned, or nothing to clean; 1 something could not be cleaned.",
          .positionals = kTeardownPositionals,
          .options = kTeardownOptions,
          .run = teardown,
          .errors = Errors::one,
          .examples = "  capsule teardown --dry-run\n  capsule teardown --project-dir=../shop",
          .people_only = true};
}

}  // namespace capsule::cli
