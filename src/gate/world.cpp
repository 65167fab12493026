// The gates' world as it is: git, and the project's commands.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
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

// What stands in the way of a file: a link or a file where a folder of its path should be, anything
// but a file in its own place. Nothing is written or removed through a link that an agent has put
// there.
Result<void> clear_the_way(const std::string& folder, const std::string& path) {
  for (std::size_t at = path.find('/');; at = path.find('/', at + 1)) {
    const std::string place = folder + "/" + path.substr(0, at);
    struct stat info {};
    if (::lstat(place.c_str(), &info) != 0) return {};
    const bool whole = at == path.npos;
    if (whole ? !S_ISREG(info.st_mode) : !S_ISDIR(info.st_mode)) return git::remove_tree(place);
    if (whole) return {};
  }
}

Result<void> put_file(const std::string& folder, const std::string& path, const git::Entry& entry) {
  const std::string place = folder + "/" + path;
  if (const std::size_t slash = path.rfind('/'); slash != path.npos)
    TRY_VOID(make_folders_beneath(folder, path.substr(0, slash)));
  if (S_ISLNK(entry.mode)) {
    if ((::unlink(place.c_str()) == 0 || errno == ENOENT) &&
        ::symlink(entry.text.c_str(), place.c_str()) == 0)
      return {};
    return tl::unexpected(io_error("make the link", place, errno));
  }
  const File file = TRY(open_beneath(folder, path, O_WRONLY | O_CREAT | O_TRUNC));
  TRY_VOID(write_all(file.fd(), entry.text, place));
  // The bit for its owner is all that git knows.
  const bool runs = (entry.mode & S_IXUSR) != 0;
  if (::fchmod(file.fd(), runs ? 0755 : 0644) != 0)
    return tl::unexpected(io_error("change the mode of", place, errno));
  return {};
}

Result<void> put_files(const git::Repository& repository, const std::string& folder,
                       const AsBefore& as_before) {
  // All that is in the way first: a link that takes the place of a folder hides what is gone.
  for (const std::string& path : as_before.paths) TRY_VOID(clear_the_way(folder, path));
  for (const std::string& path : as_before.paths) {
    const auto entry = git::read_entry(repository, as_before.commit, path);
    if (entry) {
      TRY_VOID(put_file(folder, path, *entry));
    } else if (entry.error().reason != Reason::not_found) {
      return tl::unexpected(entry.error());
    } else if (open_beneath(folder, path, O_RDONLY)) {
      ::unlink((folder + "/" + path).c_str());
    }
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

TextOf texts_of(const git::Repository& repository) {
  return [repository](const std::string& commit, const std::string& path) -> Result<std::string> {
    auto text = git::read_blob(repository, commit, path);
    if (!text && text.error().reason == Reason::not_found) return std::string();
    return text;
  };
}

World world_of(const git::Repository& repository, Checks& checks, const ProjectFiles& files,
               std::function<Result<std::string>(const std::string&)> folder_of) {
  World world;
  world.commands = checks.names();
  world.command_text = checks.text();
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
  world.text_of = texts_of(repository);
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
  world.watch = [&checks] { return checks.watch(); };
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
