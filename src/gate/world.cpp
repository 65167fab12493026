// The gates' world as it is: git, and the project's commands.
#include <utility>

#include "gate/clean_checkout.h"
#include "gate/gates.h"
#include "git/branch.h"
#include "git/diff.h"
#include "git/exclusion.h"
#include "git/snapshot.h"
#include "git/worktree.h"

namespace capsule::gate {
namespace {

// What a command leaves in a worktree is no agent's doing, and no part of the work.
void run_in_tree(const git::Repository& repository, Checks& checks, const std::string& folder,
                 std::string commit, const Names& names, Checks::Done done) {
  if (folder == repository.top) return checks.run(folder, names, std::move(done));
  if (commit.empty()) commit = git::worktree_head(repository, folder);
  const auto files = git::note_files(repository, folder, commit.empty() ? repository.head : commit);
  if (!files) return done(tl::unexpected(files.error()));
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
  world.newest_main = [repository, main = files.main_branch]() -> Result<std::string> {
    return TRY(git::find_tips(repository, main, "")).main;
  };
  world.in_tree = [repository, &checks](const std::string& folder, const std::string& commit,
                                        const Names& names, Checks::Done done) {
    run_in_tree(repository, checks, folder, commit, names, std::move(done));
  };
  world.in_clean = [repository, &checks](const std::string& commit, const Names& names,
                                         Checks::Done done) {
    run_clean(repository, checks, commit, names, std::move(done));
  };
  return world;
}

}  // namespace capsule::gate
