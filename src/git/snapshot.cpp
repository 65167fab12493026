#include "git/snapshot.h"

#include <unistd.h>

#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "git/command.h"
#include "git/commit.h"
#include "git/lock.h"
#include "git/paths.h"
#include "git/private_dir.h"
#include "git/refs.h"
#include "git/remove_tree.h"
#include "git/settings.h"
#include "git/setup_files.h"
#include "git/worktree.h"

namespace capsule::git {
namespace {

// Nested repositories inside nested repositories are found one level at a time.
constexpr int kMaxNesting = 32;

// In the message of a snapshot: what the worktree had checked out.
constexpr std::string_view kHeadTrailer = "Capsule-Head: ";

struct Taking {
  const Repository& repository;
  std::string worktree;
  std::string index;
  std::string parent;
  std::string left_out = {};  // pathspecs of what the worktree's set-up left
  std::string warning = {};
  bool changed = false;  // since our index was last written
};

Call in_worktree(const Taking& taking, std::vector<std::string> args) {
  std::vector<std::string> settings = settings_of(taking.repository).conversions;
  settings.emplace_back("core.safecrlf=false");  // line ends are to be kept, not judged
  // Handed to the disk, not waited for: the commit that follows is synced, which waits for these
  // too.
  settings.emplace_back("core.fsyncMethod=writeout-only");
  return {.args = std::move(args),
          .work_tree = taking.worktree,
          .index = taking.index,
          .settings = std::move(settings)};
}

Result<void> start_index(const Taking& taking) {
  (void)remove_tree(taking.index);
  TRY_VOID(make_folders(parent_of(taking.index)));
  TRY_VOID(tell(taking.repository, {.args = {"read-tree", taking.parent}, .index = taking.index}));
  return {};
}

// Folders that `git add --verbose` has stored as a link to another repository's commit: the only
// names it prints with a slash at the end. (A name with line feeds in it can fake such a line; the
// look at .git settles it.)
std::vector<std::string> links_added(const Taking& taking, std::string_view out) {
  std::vector<std::string> folders;
  for (std::string_view line : split(out, '\n')) {
    if (!line.starts_with("add '") || !line.ends_with("/'")) continue;
    line.remove_prefix(5);
    line.remove_suffix(2);
    if (exists(taking.worktree + "/" + std::string(line) + "/.git")) folders.emplace_back(line);
  }
  return folders;
}

// Repositories without a commit, which `git add` cannot take, stay behind as untracked folders.
Result<std::vector<std::string>> folders_left(const Taking& taking) {
  std::vector<std::string> folders;
  const std::string out =
      TRY(tell(taking.repository,
               in_worktree(taking, {"ls-files", "--others", "--exclude-standard", "-z"})));
  for (std::string_view name : split(out, '\0')) {
    if (!name.ends_with('/')) continue;
    name.remove_suffix(1);
    if (exists(taking.worktree + "/" + std::string(name) + "/.git")) folders.emplace_back(name);
  }
  return folders;
}

// git looks for files inside a nested repository only when the index has one there already. So the
// index gets one that does not exist; the next `git add` takes the real ones and drops it.
Result<void> open_nested(const Taking& taking, const std::vector<std::string>& folders) {
  const std::string zero = zero_id(taking.repository);
  const std::string nothing(taking.repository.sha256
                                ? "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"
                                : "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");  // the empty blob
  std::string input;
  for (const std::string& folder : folders) {
    input.append("0 ").append(zero).append("\t").append(folder).push_back('\0');
    input.append("100644 ").append(nothing).append("\t");
    input.append(within(folder, ".capsule-nested")).push_back('\0');
  }
  Call call = in_worktree(taking, {"update-index", "-z", "--index-info"});
  call.input = std::move(input);
  TRY_VOID(tell(taking.repository, call));
  return {};
}

// Exit code 1: some files could not be read and were left out; more than that: nothing was done.
Result<Answer> add_all(Taking& taking) {
  Call call = in_worktree(taking, {"add", "--all", "--verbose", "--ignore-errors"});
  if (!taking.left_out.empty()) {
    call.args.insert(call.args.end(), {"--pathspec-from-file=-", "--pathspec-file-nul"});
    call.input = taking.left_out;
    call.magic = true;
  }
  Answer answer = TRY(ask(taking.repository, call));
  if (answer.code <= 1) return answer;
  // Perhaps our index is damaged or of a git that is too new: once more, from the parent.
  TRY_VOID(start_index(taking));
  answer = TRY(ask(taking.repository, call));
  if (answer.code <= 1) return answer;
  Error error = git_failed(call, answer);
  error.hint =
      "git cannot store a file of " + printable(taking.worktree) +
      " as it is; where .gitattributes names an encoding (working-tree-encoding), files have to be "
      "written in it";
  return tl::unexpected(std::move(error));
}

// git's words for a person, without the repositories that hold no file at all.
std::string complaints(std::string_view err) {
  std::string text;
  for (const std::string_view line : split(err, '\n')) {
    if (!line.starts_with("error: ") || line.ends_with("does not have a commit checked out"))
      continue;
    text += (text.empty() ? "" : "\n") + std::string(line.substr(7));
  }
  return text;
}

Result<void> add_everything(Taking& taking) {
  std::set<std::string> opened;
  for (int level = 0; level < kMaxNesting; ++level) {
    const Answer answer = TRY(add_all(taking));
    taking.changed = taking.changed || !answer.out.empty();
    std::vector<std::string> nested = links_added(taking, answer.out);
    taking.warning.clear();
    if (answer.code != 0) {
      for (std::string& folder : TRY(folders_left(taking))) nested.push_back(std::move(folder));
      taking.warning = complaints(answer.err);
    }
    // One that comes back although it was opened holds no files.
    std::erase_if(nested, [&](const std::string& folder) { return !opened.insert(folder).second; });
    if (nested.empty()) return {};
    TRY_VOID(open_nested(taking, nested));
  }
  return fail(Reason::failed, "too many nested repositories in " + printable(taking.worktree));
}

Result<bool> has_commit(const Repository& repository, const std::string& id) {
  return TRY(ask(repository, {.args = {"cat-file", "-e", id + "^{commit}"}})).code == 0;
}

Result<void> commit_snapshot(const Taking& taking, const std::string& head,
                             const std::string& message, Snapshot& snapshot) {
  NewCommit commit{.tree = snapshot.tree, .parents = {taking.parent}, .message = message + "\n"};
  const NewCommit plain = commit;
  if (!head.empty()) {
    commit.message += "\n" + std::string(kHeadTrailer) + head + "\n";
    if (head != taking.parent) commit.parents.push_back(head);
  }
  Result<std::string> id = write_commit(taking.repository, commit);
  snapshot.head = head;
  // HEAD may name a commit that does not exist: the files count for more. A disk that fails for a
  // moment is no such case: without its head the snapshot would pass for one that has none.
  if (!id && !head.empty() && !TRY(has_commit(taking.repository, head))) {
    id = write_commit(taking.repository, plain);
    snapshot.head.clear();
  }
  snapshot.commit = TRY(std::move(id));
  return {};
}

std::string head_in(const Commit& snapshot) {
  for (const std::string_view line : split(snapshot.message, '\n')) {
    if (line.starts_with(kHeadTrailer)) return std::string(line.substr(kHeadTrailer.size()));
  }
  return snapshot.parents.empty() ? "" : snapshot.parents.front();
}

// Ensures: our index holds the files as they are.
Result<Taking> take_files(const Repository& repository, const std::string& worktree,
                          const std::string& parent) {
  if (!is_plain_folder(worktree)) {
    return fail(Reason::not_found, "there is no worktree at " + printable(worktree));
  }
  Taking taking{repository, TRY(real_path(worktree)), own_index(repository, worktree), parent};
  TRY_VOID(clear_stale_lock(taking.index + ".lock", Owner::ours));
  if (!is_plain_file(taking.index)) TRY_VOID(start_index(taking));
  const SetupNotes notes = read_setup(repository, taking.worktree);
  taking.left_out = left_out_pathspecs(notes);
  TRY_VOID(pass_over_changed(repository, taking.worktree, taking.index, notes));
  TRY_VOID(add_everything(taking));
  return taking;
}

Result<std::string> tree_of(const Taking& taking) {
  const std::string out = TRY(tell(taking.repository, in_worktree(taking, {"write-tree"})));
  return std::string(trimmed(out));
}

}  // namespace

Result<Snapshot> take_snapshot(const Repository& repository, const std::string& worktree,
                               const std::string& ref, const std::string& message,
                               const std::string& parent) {
  if (!is_object_id(repository, parent)) return fail(Reason::usage, "not a commit id: " + parent);
  Taking taking = TRY(take_files(repository, worktree, parent));
  Snapshot snapshot;
  snapshot.tree = TRY(tree_of(taking));
  TRY_VOID(commit_snapshot(taking, worktree_head(repository, worktree), message, snapshot));
  snapshot.warning = std::move(taking.warning);
  const RepositoryLock lock = TRY(RepositoryLock::take(repository));
  TRY_VOID(clear_worktree_locks(repository, worktree));  // of the agent that has just ended
  TRY_VOID(write_own_ref(repository, ref, snapshot.commit));
  return snapshot;
}

Result<void> restore_snapshot(const Repository& repository, const std::string& commit,
                              const std::string& to) {
  if (!is_object_id(repository, commit)) return fail(Reason::usage, "not a commit id: " + commit);
  if (exists(to) && (!is_plain_folder(to) || !names_in(to).empty())) {
    return fail(Reason::exists, printable(to) + " already exists and is not empty",
                "name a folder that does not exist yet");
  }
  TRY_VOID(make_folders(to));
  const std::string index = TRY(spare_file(repository));
  Result<void> done = write_files(repository, commit, TRY(real_path(to)), index);
  ::unlink(index.c_str());
  return done;
}

Result<std::string> snapshot_head(const Repository& repository, const std::string& snapshot) {
  if (!is_object_id(repository, snapshot)) return fail(Reason::usage, "not a commit: " + snapshot);
  const std::vector<Commit> commits =
      parse_commits(TRY(tell(repository, {.args = {"rev-list", "--ignore-missing", "--header",
                                                   "--max-count=1", snapshot, "--"}})));
  if (commits.empty())
    return fail(Reason::damaged, "the snapshot " + snapshot + " is not in this repository");
  return head_in(commits.front());
}

Result<void> rewind_worktree(const Repository& repository, const std::string& worktree,
                             const std::string& branch, const std::string& snapshot) {
  if (!is_object_id(repository, snapshot)) return fail(Reason::usage, "not a commit: " + snapshot);
  const std::string head = TRY(snapshot_head(repository, snapshot));
  if (!is_object_id(repository, head)) {
    return fail(Reason::damaged, snapshot + " does not say what was checked out");
  }
  const RepositoryLock lock = TRY(RepositoryLock::take(repository));
  const std::string record = TRY(mend_worktree(repository, worktree, branch));
  Taking taking{repository, TRY(real_path(worktree)), own_index(repository, worktree), snapshot};
  TRY_VOID(clear_stale_lock(taking.index + ".lock", Owner::ours));
  const Call reset = in_worktree(taking, {"read-tree", "--reset", "-u", snapshot});
  if (TRY(ask(repository, reset)).code != 0) {
    TRY_VOID(start_index(taking));
    TRY_VOID(tell(repository, reset));
  }
  TRY_VOID(put_ref(repository, "refs/heads/" + branch, head, "capsule: put back"));
  // The agent's index starts anew; git looks at the files when it is next asked.
  TRY_VOID(remove_tree(record + "/index"));
  TRY_VOID(tell(repository, {.args = {"read-tree", head}, .index = record + "/index"}));
  return {};
}

Result<std::string> note_files(const Repository& repository, const std::string& worktree,
                               const std::string& parent) {
  return tree_of(TRY(take_files(repository, worktree, parent)));
}

Result<void> put_files_back(const Repository& repository, const std::string& worktree,
                            const std::string& tree) {
  const Taking taking = TRY(take_files(repository, worktree, tree));
  if (!taking.changed) return {};
  TRY_VOID(tell(repository, in_worktree(taking, {"read-tree", "--reset", "-u", tree})));
  return {};
}

}  // namespace capsule::git
