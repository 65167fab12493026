// The gates' world as it is: git, and the project's commands.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "base/files.h"

#include "gate/clean_checkout.h"
#include "gate/gates.h"
#include "gate/guard.h"
#include "git/blob.h"
#include "git/branch.h"
#include "git/diff.h"
#include "git/exclusion.h"
#include "git/remove_tree.h"
#include "git/snapshot.h"
#include "git/worktree.h"

namespace capsule::gate {
namespace {

// Nothing is written through a link that an agent has put there.
Result<void> put_files(const git::Repository& repository, const std::string& folder,
                       const AsBefore& as_before) {
  for (const std::string& path : as_before.paths) {
    const std::string place = folder + "/" + path;
    struct stat info {};
    if (::lstat(place.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
      TRY_VOID(git::remove_tree(place));
    const auto text = git::read_blob(repository, as_before.commit, path);
    if (!text && text.error().reason != Reason::not_found) return tl::unexpected(text.error());
    if (!text) {
      // Only what is beneath the folder: no part of the way there may be a link.
      if (open_beneath(folder, path, O_RDONLY)) ::unlink(place.c_str());
      continue;
    }
    if (const std::size_t slash = path.rfind('/'); slash != path.npos)
      TRY_VOID(make_folders_beneath(folder, path.substr(0, slash)));
    const File file = TRY(open_beneath(folder, path, O_WRONLY | O_CREAT | O_TRUNC));
    TRY_VOID(write_all(file.fd(), *text, place));
  }
  return {};
}

// What a command leaves in a worktree is no agent's doing, and no part of the work.
void run_in_tree(const git::Repository& repository, Checks& checks, const std::string& folder,
                 std::string commit, const Names& names, const AsBefore& as_before,
                 Checks::Done done) {
  if (folder == repository.top) return checks.run(folder, names, std::move(done));
  if (commit.empty()) commit = git::worktree_head(repository, folder);
  const auto files = git::note_files(repository, folder, commit.empty() ? repository.head : commit);
  if (!files) return done(tl::unexpected(files.error()));
  if (const auto put = put_files(repository, folder, as_before); !put)
    return done(tl::unexpected(put.error()));
  checks.run(folder, names,
             [repository, folder, files = *files,
              done = std::move(done)](const Result<std::vector<Verdict>>& verdicts) {
               const auto put_back = git::put_files_back(repository, folder, files);
               if (!put_back) return done(tl::unexpected(put_back.error()));
               done(verdicts);
             });
}

}  // namespace

World world_of(const git::Repository& repository, Checks& checks, const ProjectFiles& files,
               std::function<Result<std::string>(const std::string&)> folder_of) {
  World world;
  world.commands = checks.names();
  world.folder_of = std::move(folder_of);
  world.changes = [repository, exclude = files.exclude](
                      const std::string& from,
                      const std::string& to) -> Result<std::vector<Changed>> {
    std::vector<Changed> changes;
    for (const git::Change& change : TRY(git::diff_trees(repository, from, to)))
      if (!git::is_excluded(change.path, exclude))
        changes.push_back({change.status, change.path, change.from});
    return changes;
  };
  world.is_test_file = [patterns = files.test_files](std::string_view path) {
    return is_test_file(path, patterns);
  };
  world.is_guarded = [patterns = files.guard](std::string_view path) {
    return is_guarded(path, patterns);
  };
  world.text_of = [repository](const std::string& commit,
                               const std::string& path) -> Result<std::string> {
    auto text = git::read_blob(repository, commit, path);
    if (!text && text.error().reason == Reason::not_found) return std::string();
    return text;
  };
  world.tree_of = [repository](const std::string& commit) {
    return git::tree_of(repository, commit);
  };
  world.put_back = [repository](const std::string& folder, const AsBefore& as_before) {
    return put_files(repository, folder, as_before);
  };
  world.newest_main = [repository, main = files.main_branch]() -> Result<std::string> {
    return TRY(git::find_tips(repository, main, "")).main;
  };
  world.in_tree = [repository, &checks](const std::string& folder, const std::string& commit,
                                        const Names& names, const AsBefore& as_before,
                                        Checks::Done done) {
    run_in_tree(repository, checks, folder, commit, names, as_before, std::move(done));
  };
  world.in_clean = [repository, &checks](const std::string& commit, const Names& names,
                                         const AsBefore& as_before, Checks::Done done) {
    run_clean(repository, checks, commit, names, std::move(done),
              [repository, as_before](const std::string& folder) {
                return put_files(repository, folder, as_before);
              });
  };
  return world;
}

}  // namespace capsule::gate
