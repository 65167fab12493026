#include "cli/run_args.h"

#include "base/files.h"
#include "base/text.h"
#include "git/branch.h"
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

Result<void> refuse_one_task(const world::Project& project, const world::Found& found,
                             std::string_view doing, const std::string& instead) {
  if (found.task.empty()) return {};
  const std::string plan = world::word_for(found.run);
  return fail(Reason::usage,
              "one task of a plan cannot be " + std::string(doing) +
                  " alone: " + printable(found.task) + " of " + plan,
              instead + " " + plan + project.option);
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
  const auto tips = git::find_tips(project.repository, project.config.main_branch, "");
  around.main_branch =
      tips ? tips->main_ref.substr(std::string_view("refs/heads/").size()) : "main";
  const std::string worktree = workspace::worktree_path(project.repository, run.subject);
  if (const view::Attempt* const last = view::newest_ended(run))
    around.last_words = world::last_words(worktree, last->fault, last->log);
  around.worktree_gone = !exists(worktree);
  return around;
}

}  // namespace capsule::cli
