#include "cli/run_args.h"

#include "base/files.h"
#include "workspace/places.h"
#include "world/logs.h"

namespace capsule::cli {

std::vector<std::string> words_of(const Args& args, std::size_t first) {
  std::vector<std::string> words;
  for (std::size_t i = first; args.positional(i); ++i) words.emplace_back(*args.positional(i));
  return words;
}

Result<world::Found> find_run(const Args& args, const world::Project& project,
                              engine::Records* store) {
  return world::find_run(project, store, words_of(args));
}

ui::RunWords run_words(const world::Project& project, const world::Run& run) {
  return {world::word_for(run), world::go_on_command(project, run), project.option,
          run.summary.on_branch.empty()
              ? ""
              : world::description_path(project, run.head.run, run.head.subject)};
}

ui::Surroundings surroundings(const world::Project& project, const view::Run& run) {
  ui::Surroundings around;
  around.project_option = project.option;
  around.main_branch = world::main_branch_of(project);
  const std::string worktree = workspace::worktree_path(project.repository, run.subject);
  if (const view::Attempt* const last = view::newest_ended(run))
    around.last_words = world::last_words(worktree, last->fault, last->log);
  around.worktree_gone = !exists(worktree);
  return around;
}

}  // namespace capsule::cli
