// A project as a command sees it: the repository, its configuration, its tracker and its files.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "engine/tracker.h"
#include "git/remote.h"
#include "git/repository.h"
#include "task/open_tracker.h"
#include "world/assets.h"
#include "world/journal.h"

namespace capsule::world {

// How the caller named the project.
struct ProjectWords {
  std::string folder = ".";             // it or one below it
  std::optional<std::string> provider;  // --provider and --max-retries, where they were given
  std::optional<std::string> max_retries;
  std::optional<std::string> contain;  // --contain, the same, and those of a delivery
  std::optional<std::string> developers, critics, auditors;
  std::string scripts_dir;  // the scripts/ folder that called; empty: none
};

// What a run keeps of them when it is taken up: "provider=codex".
std::vector<std::string> kept_words(const ProjectWords& words);
// With those of an earlier time that are not said anew.
ProjectWords with_kept(ProjectWords words, const std::vector<std::string>& earlier);

struct Project {
  git::Repository repository;
  config::Config config;
  Assets assets;
  std::string option;  // " --project-dir=…", quoted for a shell, where commands to paste need it
  // " --provider=…" and " --contain=…", the same, where they were given; for run and merge.
  std::string provider_option = {};

  ProjectWords words = {};  // by which it was opened
  bool by_script = false;   // a script of scripts/ called: agents get the specification's arguments

  const std::string& root() const { return repository.top; }
};

// Where the configuration of a project comes from: files, variables, its own workflows.
config::Sources config_sources(const std::string& project_dir, const std::string& scripts_dir = {});

// Finds the repository of the folder and reads the configuration, with the flags in force.
Result<Project> open_project(const ProjectWords& words);

// What the words say of the configuration, as flags. They hold views of `words`.
std::vector<config::Flag> flags_of(const ProjectWords& words);

task::Choice choice_of(config::Tracker tracker);
Result<std::unique_ptr<engine::Tracker>> open_tracker(const Project& project);

// Error not_found: there is no branch to merge into. Starts no process when there is one.
Result<void> check_main_branch(const Project& project);

// The name of the branch that work is merged into, for people.
std::string main_branch_of(const Project& project);

// The remote whose main is the one of all clones; nullopt: main is this clone's own, as always with
// a journal in the folder. Errors as git::find_remote.
Result<std::optional<git::Remote>> shared_remote(const Project& project);

// The journal, to write to it; made as needed. Claims are locked in the git dir, too: a run whose
// .capsule was cleared away is still not entered by a second one.
Result<std::unique_ptr<engine::Records>> open_journal(const Project& project);

// The journal, to read it; null: there is none yet.
Result<std::unique_ptr<engine::Records>> journal_of(const Project& project);

// The project's root for commands that also work without a repository: the nearest folder, from
// `given` upwards, that has beads, a configuration or a repository; inside the worktree of a bead,
// the project that it belongs to. `given` itself when there is none.
std::string project_folder(const std::string& given);

// The top of the repository that `given` is in, or that folder itself. Error usage: it is no
// folder.
Result<std::string> repository_folder(const std::string& given);

}  // namespace capsule::world
