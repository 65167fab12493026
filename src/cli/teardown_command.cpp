// capsule teardown: removes worktrees that nobody works in, after keeping what is in them.
#include <algorithm>
#include <filesystem>

#include "base/clock.h"
#include "base/files.h"
#include "base/ids.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "cli/worktrees.h"
#include "engine/auto_log.h"
#include "engine/delivery_log.h"
#include "git/command.h"
#include "git/lock.h"
#include "git/refs.h"
#include "git/remove_tree.h"
#include "git/worktree.h"
#include "ui/run_view.h"
#include "ui/view.h"

namespace capsule::cli {
namespace {

namespace fs = std::filesystem;

constexpr Option kOptions[] = {kProjectDir,
                               {"dry-run", "", "Say what would be done, and do nothing"}};
constexpr std::string_view kBranches = "refs/heads/capsule-";

// One call of the command: what there is to do, and how it went.
struct Cleaning {
  const world::Project& project;
  bool dry_run;
  std::unique_ptr<store::Store> store = nullptr;  // null: there is none, and none is needed
  int done = 0;
  int failures = 0;

  void say(std::string_view text) const { print(std::string(text) + "\n"); }
  void tell_failure(const Error& error) {
    ++failures;
    report(error, 1);
  }
  std::string would(std::string_view doing, std::string_view done_it) const {
    return std::string(dry_run ? doing : done_it);
  }
};

// Who works on the bead just now, for people; empty: nobody.
std::string worker(Cleaning& cleaning, const std::string& bead) {
  if (cleaning.store == nullptr) return {};
  const auto holder = cleaning.store->holder(bead);
  return holder && *holder ? ui::words_of(**holder) : std::string();
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

// Whether the worktree belongs to a delivery, or to auto mode, that is not over: it goes on there.
bool of_open_run(Cleaning& cleaning, const std::string& name) {
  if (cleaning.store == nullptr) return false;
  const auto runs = cleaning.store->runs();
  if (!runs) return false;
  return std::any_of(runs->begin(), runs->end(), [&](const engine::RunHead& head) {
    return (head.workflow == engine::kDeliveryWorkflow || head.workflow == engine::kAutoWorkflow) &&
           head.ended_at.empty() &&
           name.starts_with(head.run.substr(head.run.find_last_of('-') + 1) + "-");
  });
}

void clean_worktree(Cleaning& cleaning, const std::string& name) {
  const std::string path = cleaning.project.root() + "/.capsule/worktrees/" + name;
  std::error_code error;
  if (!valid_id(name) || fs::is_symlink(path, error) || !is_folder(path)) {
    cleaning.say("left alone: " + printable(path) + " is no worktree of Capsule's");
    return;
  }
  if (of_open_run(cleaning, name)) {
    cleaning.say("left alone: " + name + " belongs to a run that is not over");
    return;
  }
  if (const std::string who = worker(cleaning, name); !who.empty()) {
    cleaning.say("left alone: " + name + " is being worked on by " + who);
    return;
  }
  if (!cleaning.dry_run) {
    const auto removed = discard_worktree(cleaning.project, *cleaning.store, name);
    if (!removed && removed.error().reason == Reason::blocked) {
      cleaning.say("left alone: " + printable(removed.error().message));
      return;
    }
    if (!removed) return cleaning.tell_failure(removed.error());
  }
  ++cleaning.done;
  cleaning.say(cleaning.would("would remove", "removed") + " worktree " + name);
}

// Branches whose worktree is gone: ours alone, so the journal or git's record must know the bead.
bool is_stale(Cleaning& cleaning, const git::Ref& branch, const std::string& bead) {
  const std::string path = cleaning.project.root() + "/.capsule/worktrees/" + bead;
  if (!valid_id(bead) || exists(path) || branch.name == cleaning.project.repository.branch)
    return false;
  if (!worker(cleaning, bead).empty()) return false;
  if (git::find_worktree(cleaning.project.repository, path)) return true;
  if (cleaning.store == nullptr) return false;
  const auto runs = cleaning.store->runs_of(bead);
  return runs && !runs->empty();
}

Result<void> delete_branch(const world::Project& project, const git::Ref& branch,
                           const std::string& bead) {
  const std::string path = project.root() + "/.capsule/worktrees/" + bead;
  {
    const git::RepositoryLock lock = TRY(git::RepositoryLock::take(project.repository));
    TRY_VOID(git::write_own_ref(project.repository,
                                "refs/capsule/rescue/" + bead + "/" + utc_stamp(), branch.id));
  }
  return git::remove_worktree(project.repository, path, "capsule-" + bead);
}

Result<void> clean_branches(Cleaning& cleaning) {
  const git::Repository& repository = cleaning.project.repository;
  for (const git::Ref& branch : TRY(git::list_refs(repository, "refs/heads/"))) {
    if (!branch.name.starts_with(kBranches)) continue;
    const std::string bead = branch.name.substr(kBranches.size());
    if (!is_stale(cleaning, branch, bead)) continue;
    if (!cleaning.dry_run) TRY_VOID(delete_branch(cleaning.project, branch, bead));
    ++cleaning.done;
    cleaning.say(cleaning.would("would delete", "deleted") + " stale branch capsule-" + bead);
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
  for (const std::string& name : worktrees) clean_worktree(cleaning, name);
  if (const auto pruned = prune(cleaning); !pruned) cleaning.tell_failure(pruned.error());
  if (const auto done = clean_branches(cleaning); !done) cleaning.tell_failure(done.error());
  clean_output(cleaning);
  if (cleaning.done == 0 && cleaning.failures == 0) cleaning.say("nothing to clean");
  return cleaning.failures == 0 ? 0 : 1;
}

int teardown_main(const Args& args) {
  const auto code = teardown(args);
  return code ? *code : report(code.error(), 1);
}

}  // namespace

Command teardown_command() {
  return {.path = "teardown",
          .summary = "Remove worktrees and branches; keep logs and snapshots",
          .details =
              "For every worktree in .capsule/worktrees: a snapshot of it goes to "
              "refs/capsule/rescue/, its worklog and phase output to .capsule/logs/, then the "
              "worktree and its branch capsule-BEAD are removed. Worktrees that a living Capsule "
              "works in are left alone and named. .capsule/logs/ is never touched.\n\n"
              "Exit codes: 0 cleaned, or nothing to clean; 1 something could not be cleaned.",
          .positionals = {},
          .options = kOptions,
          .run = teardown_main,
          .usage_exit = 1,
          .examples = "  capsule teardown --dry-run\n  capsule teardown --project-dir=../shop",
          .people_only = true};
}

}  // namespace capsule::cli
