#include "world/project.h"

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "git/branch.h"
#include "git/private_dir.h"
#include "git/refs.h"
#include "world/workflows.h"
#ifdef CAPSULE_TEST_HOOKS
#include "world/walls.h"
#endif

namespace capsule::world {

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

config::Sources config_sources(const std::string& project_dir, const std::string& scripts_dir) {
  return {project_dir,
          [](const char* name) -> const char* { return std::getenv(name); },
          {},
          [project_dir, scripts_dir] { return phase_names(project_dir, scripts_dir); }};
}

namespace {

struct KeptWord {
  const char* option;
  const char* key;  // in the configuration
  std::optional<std::string> ProjectWords::*value;
};
constexpr KeptWord kKeptWords[] = {
    {"--provider", "provider", &ProjectWords::provider},
    {"--max-retries", "max_retries", &ProjectWords::max_retries},
    {"--contain", "contain.preset", &ProjectWords::contain},
    {"--developers", "slots.developers", &ProjectWords::developers},
    {"--critics", "slots.critics", &ProjectWords::critics},
    {"--auditors", "slots.auditors", &ProjectWords::auditors},
};

// "provider="
std::string kept_name(const KeptWord& word) { return std::string(word.option).substr(2) + "="; }

}  // namespace

std::vector<config::Flag> flags_of(const ProjectWords& words) {
  std::vector<config::Flag> flags;
  for (const KeptWord& word : kKeptWords)
    if (const auto& value = words.*word.value) flags.push_back({word.key, *value, word.option});
  return flags;
}

std::vector<std::string> kept_words(const ProjectWords& words) {
  std::vector<std::string> kept;
  for (const KeptWord& word : kKeptWords)
    if (const auto& value = words.*word.value) kept.push_back(kept_name(word) + *value);
  return kept;
}

ProjectWords with_kept(ProjectWords words, const std::vector<std::string>& earlier) {
  for (const KeptWord& word : kKeptWords)
    for (const std::string& one : earlier)
      if (const std::string name = kept_name(word); one.starts_with(name) && !(words.*word.value))
        words.*word.value = one.substr(name.size());
  return words;
}

Result<Project> open_project(const ProjectWords& words) {
  const std::string folder = absolute_path(words.folder);
  if (!is_folder(folder))
    return fail(Reason::not_found, "there is no folder " + printable(folder),
                "give the project with --project-dir=DIR");
  git::Repository repository = TRY(project_of(TRY(git::open_repository(folder))));
  const std::vector<config::Flag> flags = flags_of(words);
  config::Sources sources = config_sources(repository.top, words.scripts_dir);
  sources.flags = flags;
  config::Config config = TRY(config::load(sources));
#ifdef CAPSULE_TEST_HOOKS
  // What is told where nobody has chosen walls has its tests while the default is none.
  if (std::getenv("CAPSULE_TEST_WALLS_BY_DEFAULT") != nullptr && !walls_chosen(config))
    config.contain.preset = config::ContainPreset::worktree;
#endif
  Assets assets(words.scripts_dir, repository.top);
  std::error_code error;
  const bool here = std::filesystem::equivalent(repository.top, ".", error);
  std::string option = here ? "" : " --project-dir=" + shell_word(repository.top);
  return Project{std::move(repository),
                 std::move(config),
                 std::move(assets),
                 std::move(option),
                 (words.provider ? " --provider=" + shell_word(*words.provider) : "") +
                     (words.contain ? " --contain=" + shell_word(*words.contain) : ""),
                 words,
                 !words.scripts_dir.empty()};
}

std::string main_branch_of(const Project& project) {
  if (!project.config.main_branch.empty()) return project.config.main_branch;
  const bool master = git::read_ref(project.repository, "refs/heads/main").empty() &&
                      !git::read_ref(project.repository, "refs/heads/master").empty();
  return master ? "master" : "main";
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

std::string project_folder(const std::string& given) {
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

Result<std::string> repository_folder(const std::string& given) {
  const std::string start = TRY(real_path(given));
  if (!is_folder(start)) return fail(Reason::usage, "not a folder: " + printable(given));
  std::string folder = start;
  while (!exists(folder + "/.git")) {
    const std::size_t slash = folder.rfind('/');
    if (slash == std::string::npos || slash == 0) return start;
    folder.resize(slash);
  }
  return folder;
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

Result<std::optional<git::Remote>> shared_remote(const Project& project) {
  if (journal_address().empty()) return std::nullopt;
  return git::find_remote(project.repository, project.config.remote);
}

Result<std::unique_ptr<engine::Records>> open_journal(const Project& project) {
  return open_journal_in(project.root(), git::capsule_area(project.repository) + "/locks");
}

Result<std::unique_ptr<engine::Records>> journal_of(const Project& project) {
  return journal_in(project.root());
}

}  // namespace capsule::world
