#include "git/worktree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>

#include "base/hash.h"
#include "base/ids.h"
#include "base/text.h"
#include "git/command.h"
#include "git/lock.h"
#include "git/paths.h"
#include "git/private_dir.h"
#include "git/refs.h"
#include "git/remove_tree.h"
#include "git/settings.h"

namespace capsule::git {
namespace {

// The same place has the same name however it is spelled, also when it is gone.
std::string settled(const std::string& path) {
  const std::string absolute = absolute_path(path);
  const Result<std::string> parent = real_path(parent_of(absolute));
  return parent ? *parent + "/" + name_of(absolute) : absolute;
}

std::string digest(std::string_view text) {
  char buffer[17];
  std::snprintf(buffer, sizeof buffer, "%016llx", static_cast<unsigned long long>(hash_of(text)));
  return buffer;
}

std::string records(const Repository& repository) { return repository.common_dir + "/worktrees"; }

// git's records that say they belong to the worktree at `path`.
std::vector<std::string> records_of(const Repository& repository, const std::string& path) {
  std::vector<std::string> found;
  for (const std::string& name : names_in(records(repository))) {
    const std::string record = records(repository) + "/" + name;
    const Result<std::string> back = read_file(record + "/gitdir");
    if (back && trimmed(*back) == path + "/.git") found.push_back(record);
  }
  return found;
}

// A new folder <common_dir>/worktrees/<name>, with a number when the name is taken, as git does it.
Result<std::string> make_record(const Repository& repository, const std::string& name) {
  TRY_VOID(make_folders(records(repository)));
  for (int i = 0; i < 1000; ++i) {
    const std::string record = records(repository) + "/" + name + (i == 0 ? "" : std::to_string(i));
    if (::mkdir(record.c_str(), 0777) == 0) return record;
    if (errno != EEXIST) return tl::unexpected(system_error("create", record));
  }
  return fail(Reason::exists, "too many worktrees are called " + name, "run `git worktree prune`");
}

constexpr std::string_view kPrefix = "capsule-";

// What git keeps there while a merge, rebase or the like is under way, and locks of a killed git.
constexpr std::string_view kUnderWay[] = {
    "MERGE_HEAD", "MERGE_MSG",    "MERGE_MODE",   "CHERRY_PICK_HEAD", "REVERT_HEAD", "AUTO_MERGE",
    "sequencer",  "rebase-merge", "rebase-apply", "BISECT_LOG",       "index.lock",  "HEAD.lock",
};

// The prefix is not part of the id, which may be as long as ids may be.
Result<void> check_branch(std::string_view name) {
  if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
  return check_id("branch name", name);
}

Result<void> mend_file(const std::string& path, const std::string& content) {
  if (is_plain_file_with(path, content)) return {};
  TRY_VOID(remove_tree(path));
  return create_file(path, content);
}

struct Making {
  const Repository& repository;
  std::string path;
  std::string branch;
  std::string start;
  std::string draft;   // where the folder is filled, until it is complete
  std::string record;  // empty until it exists
};

// Written before anything else and removed after the branch, so that a branch that a cut-off or a
// failing disk has left can be told from one of others. Says whether this very making was begun
// before, and did not end.
Result<bool> note_beginning(const Making& making) {
  const Repository& repository = making.repository;
  const std::string notes = own_notes(repository, making.path);
  const Result<Worktree> earlier = find_worktree(repository, making.path);
  const bool same_branch = earlier && earlier->branch == making.branch;
  if (same_branch && earlier->base == making.start) {
    TRY_VOID(remove_tree(notes + "/index"));
    TRY_VOID(remove_tree(notes + "/index.lock"));
    return true;
  }
  // Begun from another commit: a branch that is still there holds nothing of anybody's.
  if (same_branch && read_ref(repository, making.branch) == earlier->base)
    TRY_VOID(delete_refs(repository, {Ref{making.branch, earlier->base}}));
  TRY_VOID(remove_tree(notes));
  TRY_VOID(make_folders(notes));
  TRY_VOID(create_file(notes + "/start", making.start + " " + making.branch + "\n"));
  return false;
}

Result<void> make_branch(const Making& making) {
  const bool begun = TRY(note_beginning(making));
  const bool made = TRY(move_ref(making.repository, making.branch, zero_id(making.repository),
                                 making.start, "capsule: worktree made", Sync::no));
  if (made || (begun && read_ref(making.repository, making.branch) == making.start)) return {};
  TRY_VOID(remove_tree(own_notes(making.repository, making.path)));
  return fail(
      Reason::exists,
      "branch " + making.branch.substr(11) + " already exists, left over from an earlier run",
      "rename it, or delete it when you no longer need it: git branch -D " +
          making.branch.substr(11));
}

Result<void> fill(Making& making) {
  const Repository& repository = making.repository;
  const std::string notes = own_notes(repository, making.path);
  TRY_VOID(make_folders(making.draft));
  TRY_VOID(write_files(repository, making.start, making.draft, notes + "/index"));
  making.record = TRY(make_record(repository, name_of(making.path)));
  TRY_VOID(create_file(making.record + "/commondir", "../..\n"));
  TRY_VOID(create_file(making.record + "/gitdir", making.path + "/.git\n"));
  TRY_VOID(copy_file(notes + "/index", making.record + "/index"));
  TRY_VOID(create_file(making.draft + "/.git", "gitdir: " + making.record + "\n"));
  TRY_VOID(create_file(making.record + "/HEAD", "ref: " + making.branch + "\n"));
  if (::rename(making.draft.c_str(), making.path.c_str()) == 0) return {};
  return tl::unexpected(system_error("create", making.path));
}

void undo(const Making& making) {
  // Best effort, in an order that leaves a branch rather than a folder that looks complete, and the
  // notes for as long as there is a branch that only they tell from somebody else's.
  (void)remove_tree(making.draft);
  (void)remove_tree(making.path);
  if (!making.record.empty()) (void)remove_tree(making.record);
  if (delete_refs(making.repository, {Ref{making.branch, making.start}}))
    (void)remove_tree(own_notes(making.repository, making.path));
}

}  // namespace

std::string own_notes(const Repository& repository, const std::string& path) {
  const std::string place = settled(path);
  return capsule_area(repository) + "/worktrees/" + name_of(place) + "-" + digest(place);
}

std::string own_index(const Repository& repository, const std::string& path) {
  return own_notes(repository, path) + "/index";
}

Result<void> write_files(const Repository& repository, const std::string& tree,
                         const std::string& to, const std::string& index) {
  TRY_VOID(tell(repository, {.args = {"read-tree", "-m", "-u", tree},
                             .work_tree = to,
                             .index = index,
                             .settings = settings_of(repository).conversions}));
  return {};
}

Result<Worktree> create_worktree(const Repository& repository, const std::string& path,
                                 const std::string& branch, const std::string& start) {
  TRY_VOID(check_branch(branch));
  TRY_VOID(check_id("worktree name", name_of(absolute_path(path))));
  if (!is_object_id(repository, start)) return fail(Reason::usage, "not a commit id: " + start);
  const RepositoryLock lock = TRY(RepositoryLock::take(repository));
  TRY_VOID(make_folders(parent_of(absolute_path(path))));
  Making making{repository, settled(path), "refs/heads/" + branch, start, {}, {}};
  making.draft = parent_of(making.path) + "/." + name_of(making.path) + ".making";
  if (exists(making.path)) {
    return fail(Reason::exists, "worktree " + printable(making.path) + " already exists");
  }
  // What a making that was cut off has left: we have the lock, so nobody is at it.
  TRY_VOID(remove_tree(making.draft));
  for (const std::string& record : records_of(repository, making.path)) {
    TRY_VOID(remove_tree(record));
  }
  TRY_VOID(make_branch(making));
  if (const Result<void> done = fill(making); !done) {
    undo(making);
    return tl::unexpected(done.error());
  }
  return Worktree{making.path, making.branch, start};
}

Result<void> remove_worktree(const Repository& repository, const std::string& path,
                             const std::string& branch, ItsBranch its_branch) {
  TRY_VOID(check_branch(branch));
  const std::string place = settled(path);
  const RepositoryLock lock = TRY(RepositoryLock::take(repository));
  const std::vector<std::string> known = records_of(repository, place);
  // git removes what it still recognises; whatever is left is removed here.
  if (!known.empty() && is_plain_folder(place) && is_plain_file(place + "/.git")) {
    (void)ask_plainly("/",
                      {"--git-dir=" + repository.common_dir, "worktree", "remove", "--force",
                       "--force", "--", place},
                      Patience::much);
  }
  TRY_VOID(remove_tree(place));
  TRY_VOID(remove_tree(parent_of(place) + "/." + name_of(place) + ".making"));
  for (const std::string& record : known) TRY_VOID(remove_tree(record));
  ::rmdir(records(repository).c_str());  // as git does; fails while there are others
  if (its_branch == ItsBranch::goes)
    TRY_VOID(delete_refs(repository, {Ref{"refs/heads/" + branch, ""}}));
  return remove_tree(own_notes(repository, place));
}

Result<void> create_detached(const Repository& repository, const std::string& path,
                             const std::string& commit) {
  if (!is_object_id(repository, commit)) return fail(Reason::usage, "not a commit id: " + commit);
  const RepositoryLock lock = TRY(RepositoryLock::take(repository));
  const std::string place = settled(path);
  TRY_VOID(make_folders(place));
  const std::string record = TRY(make_record(repository, name_of(place)));
  TRY_VOID(create_file(record + "/gitdir", place + "/.git\n"));
  TRY_VOID(create_file(record + "/commondir", "../..\n"));
  TRY_VOID(write_files(repository, commit, place, record + "/index"));
  TRY_VOID(create_file(record + "/HEAD", commit + "\n"));
  return create_file(place + "/.git", "gitdir: " + record + "\n");
}

void forget_worktree(const Repository& repository, const std::string& path) {
  for (const std::string& record : records_of(repository, settled(path))) (void)remove_tree(record);
  ::rmdir(records(repository).c_str());  // as git does; fails while there are others
}

std::string record_of(const Repository& repository, const std::string& path) {
  const std::vector<std::string> known = records_of(repository, settled(path));
  return known.size() == 1 ? known.front() : "";
}

std::string worktree_head(const Repository& repository, const std::string& path) {
  const std::string record = record_of(repository, path);
  if (record.empty()) return {};
  const Result<std::string> head = read_file(record + "/HEAD");
  if (!head) return {};
  const std::string_view text = trimmed(*head);
  if (text.starts_with("ref:")) {
    const std::string name(trimmed(text.substr(4)));
    const bool safe = name.starts_with("refs/") && name.find("..") == name.npos;
    return safe ? read_ref(repository, name) : "";
  }
  return is_object_id(repository, text) ? std::string(text) : "";
}

Result<std::string> mend_worktree(const Repository& repository, const std::string& path,
                                  const std::string& branch) {
  TRY_VOID(check_branch(branch));
  const std::string place = settled(path);
  if (!is_plain_folder(place)) TRY_VOID(remove_tree(place));
  TRY_VOID(make_folders(place));
  const std::vector<std::string> known = records_of(repository, place);
  const std::string record =
      known.empty() ? TRY(make_record(repository, name_of(place))) : known.front();
  for (const std::string_view name : kUnderWay) {
    TRY_VOID(remove_tree(record + "/" + std::string(name)));
  }
  TRY_VOID(mend_file(record + "/commondir", "../..\n"));
  TRY_VOID(mend_file(record + "/gitdir", place + "/.git\n"));
  TRY_VOID(mend_file(record + "/HEAD", "ref: refs/heads/" + branch + "\n"));
  TRY_VOID(mend_file(place + "/.git", "gitdir: " + record + "\n"));
  return record;
}

Result<void> clear_worktree_locks(const Repository& repository, const std::string& path) {
  for (const std::string& record : records_of(repository, settled(path))) {
    const std::string head = read_file(record + "/HEAD").value_or("");
    if (!head.starts_with("ref: refs/heads/" + std::string(kPrefix))) continue;
    const std::string branch(trimmed(std::string_view(head).substr(5)));
    if (branch.find("..") != branch.npos) continue;
    for (const std::string& lock : {record + "/index.lock", record + "/HEAD.lock",
                                    repository.common_dir + "/" + branch + ".lock"})
      TRY_VOID(clear_stale_lock(lock, Owner::ours));
  }
  return {};
}

Result<Worktree> find_worktree(const Repository& repository, const std::string& path) {
  const Result<std::string> start = read_file(own_notes(repository, path) + "/start");
  if (!start) return fail(Reason::not_found, "there is no worktree at " + printable(path));
  const std::string_view line = trimmed(*start);
  const std::size_t blank = line.find(' ');
  if (blank == line.npos || !is_object_id(repository, line.substr(0, blank))) {
    return fail(Reason::damaged, "Capsule's record of " + printable(path) + " cannot be read");
  }
  return Worktree{settled(path), std::string(line.substr(blank + 1)),
                  std::string(line.substr(0, blank))};
}

}  // namespace capsule::git
