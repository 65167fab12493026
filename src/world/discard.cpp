#include "world/discard.h"

#include "base/clock.h"
#include "base/ids.h"
#include "event/pipeline.h"
#include "git/lock.h"
#include "git/paths.h"
#include "git/refs.h"
#include "git/snapshot.h"
#include "git/worktree.h"
#include "workspace/archive.h"
#include "workspace/places.h"
#include "world/private_home.h"

namespace capsule::world {
namespace {

// refs/capsule/rescue/<run>[/<task>]/<time>; what belongs to no run stands under its own name.
std::string rescue_ref(const std::optional<TreeOwner>& owner, const std::string& name) {
  std::string ref = "refs/capsule/rescue/" + (owner ? owner->run.head.run : name) + "/";
  if (owner && valid_id(owner->task)) ref += owner->task + "/";
  return ref + utc_stamp();
}

// A run whose worktree goes must not be taken for one that was cut off.
Result<void> end_run(engine::Records& store, const engine::RunHead& head) {
  if (!head.outcome.empty()) return {};
  const event::PipelineFact ended =
      event::RunEnded{event::Outcome::aborted, "its worktree was removed"};
  const std::string now = utc_now();
  const event::NewFact fact{std::string(event::kind_of(ended)), now, event::body_of(ended)};
  TRY_VOID(store.append(head.run, head.last_seq, {&fact, 1},
                        engine::Ending{now, std::string(name_of(event::Outcome::aborted))}));
  return {};
}

}  // namespace

Result<void> discard_worktree(const Project& project, engine::Records& store,
                              const std::string& name) {
  const std::optional<TreeOwner> owner = TRY(owner_of_tree(store, project, name));
  const auto claim = TRY(store.claim(owner ? owner->run.head.subject : name, "cleanup", utc_now()));
  const std::string path = workspace::worktree_path(project.repository, name);
  const std::string ref = rescue_ref(owner, name);
  if (git::is_plain_folder(path)) {
    const auto noted = git::find_worktree(project.repository, path);
    // What is no worktree of ours (an empty folder, say) has nothing to rescue but its files.
    TRY_VOID(git::take_snapshot(project.repository, path, ref, "rescued before removal of " + name,
                                noted ? noted->base : project.repository.head));
    TRY_VOID(workspace::archive_worktree(path, workspace::archive_path(project.repository, name),
                                         owner ? owner->run.head.run : "by-hand"));
  } else {
    // Somebody removed the folder, or put a link or a file in its place: what was committed on its
    // branch is kept all the same.
    const std::string branch = "refs/heads/" + workspace::branch_name(name);
    const auto tips = TRY(git::resolve_refs(project.repository, {branch}));
    if (const auto tip = tips.find(branch); tip != tips.end()) {
      const auto lock = TRY(git::RepositoryLock::take(project.repository));
      TRY_VOID(git::write_own_ref(project.repository, ref, tip->second));
    }
  }
  TRY_VOID(git::remove_worktree(project.repository, path, workspace::branch_name(name)));
  remove_homes(project.root(), name);
  if (!owner || !engine::is_phases(owner->run.head)) return {};
  // Whoever had the claim until now may have gone on meanwhile.
  return end_run(store, TRY(store.head(owner->run.head.run)));
}

Result<void> discard_branch(const Project& project, engine::Records& store, const std::string& name,
                            const std::string& commit) {
  const std::optional<TreeOwner> owner = TRY(owner_of_tree(store, project, name));
  {
    const git::RepositoryLock lock = TRY(git::RepositoryLock::take(project.repository));
    TRY_VOID(git::write_own_ref(project.repository, rescue_ref(owner, name), commit));
  }
  return git::remove_worktree(project.repository,
                              workspace::worktree_path(project.repository, name),
                              workspace::branch_name(name));
}

}  // namespace capsule::world
