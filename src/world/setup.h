// From configuration to the command that readies worktrees, and what a project needs of one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/write.h"
#include "gate/verify.h"
#include "world/project.h"

namespace capsule::world {

gate::Command setup_of(const config::Config& config);
// Patterns of the files that it depends on.
std::vector<std::string> setup_inputs(const config::Config& config);

// What the project's files ask for: package-lock.json, .gitmodules, git-lfs. Reads a few files of
// its root; runs nothing.
struct SetupProposal {
  gate::Command command;
  std::string because;  // the files that tell
};
std::optional<SetupProposal> setup_proposal(const std::string& root);
config::Assignment assignment_of(const SetupProposal& proposal);
std::string yaml_of(const SetupProposal& proposal);  // "worktree: {setup: [npm, ci]}"

// What is not there in worktrees as the project is configured, a sentence each: submodules, and
// contents that a filter makes. Nothing with a set-up: it is taken to see to them, unless it would
// by git inside walls.
std::vector<std::string> not_in_worktrees(const Project& project);

}  // namespace capsule::world
