// A project as a command sees it: the repository, its configuration, its tracker and its files.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/assets.h"
#include "cli/command.h"
#include "config/config.h"
#include "engine/tracker.h"
#include "git/repository.h"
#include "task/open_tracker.h"

namespace capsule::cli {

// Rows that most commands share.
inline constexpr Option kProjectDir{"project-dir", "DIR", "The project's folder", "", "."};
inline constexpr Option kProvider{"provider", "NAME", "Which agent to use", "", "claude"};
inline constexpr Option kJson{"json", "", "Print JSON"};
inline constexpr Option kScriptsDir{
    .name = "scripts-dir",
    .value = "DIR",
    .help = "The scripts/ folder that called; prompts/ and templates/ beside it come first",
    .hidden = true};

struct Project {
  git::Repository repository;
  config::Config config;
  Assets assets;
  std::string option;  // " --project-dir=…", quoted for a shell, where commands to paste need it
  std::string provider_option =
      {};  // " --provider=…", the same, where it was given; for run and merge

  const std::string& root() const { return repository.top; }
};

// Finds the repository of --project-dir (here by default) and reads the configuration, with the
// flags
// --provider and --max-retries in force.
Result<Project> open_project(const Args& args);

task::Choice choice_of(config::Tracker tracker);
Result<std::unique_ptr<engine::Tracker>> open_tracker(const Project& project);

// Error not_found: there is no branch to merge into. Starts no process when there is one.
Result<void> check_main_branch(const Project& project);

// The project's root for commands that also work without a repository: the nearest folder, from
// --project-dir (here by default) upwards, that has beads, a configuration or a repository; inside
// the worktree of a bead, the project that it belongs to. That folder itself when there is none.
std::string project_folder(const Args& args);

// The bead that a command names first. Error usage: it is no id.
Result<std::string> bead_argument(const Args& args);

}  // namespace capsule::cli
