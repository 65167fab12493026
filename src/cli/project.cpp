#include "cli/project.h"

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "base/files.h"
#include "base/ids.h"
#include "base/text.h"
#include "git/branch.h"
#include "git/refs.h"

namespace capsule::cli {

namespace {

// Inside the worktree of a bead, the project is the one that it belongs to.
Result<git::Repository> project_of(git::Repository here) {
  const std::size_t at = here.top.rfind("/.capsule/worktrees/");
  if (at == std::string::npos || here.git_dir == here.common_dir) return here;
  auto owner = git::open_repository(here.top.substr(0, at));
  if (!owner || owner->common_dir != here.common_dir) return here;
  return owner;
}

}  // namespace

Result<Project> open_project(const Args& args) {
  const std::string folder = absolute_path(args.option(kProjectDir.name).value_or("."));
  if (!is_folder(folder))
    return fail(Reason::not_found, "there is no folder " + printable(folder),
                "give the project with --project-dir=DIR");
  git::Repository repository = TRY(project_of(TRY(git::open_repository(folder))));
  std::vector<config::Flag> flags;
  if (const auto provider = args.option("provider"))
    flags.push_back({"provider", *provider, "--provider"});
  if (const auto retries = args.option("max-retries"))
    flags.push_back({"max_retries", *retries, "--max-retries"});
  config::Config config = TRY(
      config::load({repository.top, [](const char* name) { return std::getenv(name); }, flags}));
  Assets assets(args.option(kScriptsDir.name).value_or(""), repository.top);
  std::error_code error;
  const bool here = std::filesystem::equivalent(repository.top, ".", error);
  std::string option = here ? "" : " --project-dir=" + shell_word(repository.top);
  const auto provider = args.option("provider");
  return Project{std::move(repository), std::move(config), std::move(assets), std::move(option),
                 provider ? " --provider=" + shell_word(*provider) : ""};
}

Result<void> check_main_branch(const Project& project) {
  const std::string& configured = project.config.main_branch;
  for (const std::string_view name : {std::string_view("main"), std::string_view("master")})
    if (configured.empty() &&
        !git::read_ref(project.repository, "refs/heads/" + std::string(name)).empty())
      return {};
  TRY_VOID(git::find_tips(project.repository, configured, ""));
  return {};
}

std::string project_folder(const Args& args) {
  const std::string given(args.option(kProjectDir.name).value_or("."));
  const auto real = real_path(given);
  if (!real) return given;
  const auto has = [](const std::string& folder, const char* name) {
    return exists(folder + "/" + name);
  };
  for (std::string folder = *real; folder.size() > 1; folder.resize(folder.rfind('/'))) {
    if (has(folder, ".beads") || has(folder, ".capsule")) return folder == *real ? given : folder;
    const std::size_t at = folder.rfind("/.capsule/worktrees/");
    if (has(folder, ".git") && at == std::string::npos) return folder == *real ? given : folder;
  }
  return given;
}

task::Choice choice_of(config::Tracker tracker) {
  switch (tracker) {
    case config::Tracker::native:
      return task::Choice::native;
    case config::Tracker::bd:
      return task::Choice::bd;
    case config::Tracker::automatic:
      break;
  }
  return task::Choice::automatic;
}

Result<std::unique_ptr<engine::Tracker>> open_tracker(const Project& project) {
  return task::open_tracker(project.root(), choice_of(project.config.tracker));
}

Result<std::string> bead_argument(const Args& args) {
  const std::string_view id = args.positional(0).value_or("");
  if (valid_id(id)) return std::string(id);
  return fail(Reason::usage, "'" + printable(id.substr(0, 120)) + "' is not a bead id",
              "ids are letters, digits, '.', '_' and '-', such as demo-1.1.1");
}

}  // namespace capsule::cli
