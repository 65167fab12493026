#include "cli/worktrees.h"

#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "git/lock.h"
#include "git/paths.h"
#include "git/refs.h"
#include "git/snapshot.h"
#include "git/worktree.h"
#include "ui/run_view.h"
#include "workspace/archive.h"

namespace capsule::cli {
namespace {

// A run whose worktree goes must not be taken for one that was cut off.
Result<void> end_run(store::Store& store, const std::string& bead) {
  const std::vector<engine::RunHead> heads = TRY(store.runs_of(bead));
  if (heads.empty() || !heads.back().outcome.empty()) return {};
  const event::PipelineFact ended =
      event::RunEnded{event::Outcome::aborted, "its worktree was removed"};
  const std::string now = utc_now();
  const event::NewFact fact{std::string(event::kind_of(ended)), now, event::body_of(ended)};
  TRY_VOID(store.append(heads.back().run, heads.back().last_seq, {&fact, 1},
                        engine::Ending{now, "aborted"}));
  return {};
}

}  // namespace

Result<void> discard_worktree(const world::Project& project, store::Store& store,
                              const std::string& bead) {
  const auto claim = TRY(store.claim(bead, "cleanup", utc_now()));
  const std::string path = workspace::worktree_path(project.repository, bead);
  const std::vector<engine::RunHead> heads = TRY(store.runs_of(bead));
  const std::string run = heads.empty() ? "unknown-" + utc_stamp() : heads.back().run;
  if (git::is_plain_folder(path)) {
    const auto noted = git::find_worktree(project.repository, path);
    const std::string ref = "refs/capsule/rescue/" + run + "/" + utc_stamp();
    // What is no worktree of ours (an empty folder, say) has nothing to rescue but its files.
    TRY_VOID(git::take_snapshot(project.repository, path, ref, "rescued before removal of " + bead,
                                noted ? noted->base : project.repository.head));
    TRY_VOID(
        workspace::archive_worktree(path, workspace::archive_path(project.repository, bead), run));
  } else {
    // Somebody removed the folder, or put a link or a file in its place: what was committed on its
    // branch is kept all the same.
    const std::string branch = "refs/heads/" + workspace::branch_name(bead);
    const auto tips = TRY(git::resolve_refs(project.repository, {branch}));
    if (const auto tip = tips.find(branch); tip != tips.end()) {
      const auto lock = TRY(git::RepositoryLock::take(project.repository));
      TRY_VOID(git::write_own_ref(project.repository,
                                  "refs/capsule/rescue/" + run + "/" + utc_stamp(), tip->second));
    }
  }
  TRY_VOID(git::remove_worktree(project.repository, path, workspace::branch_name(bead)));
  return end_run(store, bead);
}

Error already_exists(Session& session, const std::optional<Session::Newest>& newest) {
  const std::string what = "worktree " + printable(session.worktree()) + " already exists: ";
  const std::string bead = session.bead().id + session.project().option;
  if (const auto holder = session.store().holder(session.bead().id); holder && *holder)
    return {Reason::exists, what + ui::words_of(**holder) + " works on it",
            "wait for it, or: capsule abort " + bead};
  std::string state = "it was not made by a run of Capsule";
  if (newest) state = "its run ended: " + replace_all(name_of(newest->state.outcome), "_", " ");
  if (newest && newest->state.outcome == event::Outcome::prepared)
    state = "it was prepared, and no run has used it";
  if (newest && newest->state.step != pipeline::Step::ended) state = "its run has not ended";
  const std::string run = "capsule run " + bead + session.project().provider_option;
  return {Reason::exists, what + state,
          "go on with it: " + run + " --resume; start over: " + run + " --clean"};
}

Result<void> refuse_blocked(Session& session) {
  const std::vector<engine::BeadDependency> blockers =
      TRY(engine::open_blockers(session.tracker(), session.bead()));
  if (blockers.empty()) return {};
  std::string names;
  for (const engine::BeadDependency& blocker : blockers)
    names += (names.empty() ? "" : ", ") + blocker.id +
             (blocker.title.empty() ? "" : " (" + printable(blocker.title) + ")");
  return fail(Reason::blocked, session.bead().id + " is blocked by " + names, "finish these first");
}

}  // namespace capsule::cli
