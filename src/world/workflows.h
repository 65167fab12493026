// Workflows by their names: a user's own, in .capsule/workflows/NAME.yaml of the project, and those
// that come with Capsule.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "event/definition.h"
#include "workflow/phases/check.h"
#include "world/project.h"

namespace capsule::world {

struct WorkflowText {
  std::string name;
  std::string where;  // its file, for people: "workflows/spike.yaml" for one of ours
  std::string text;
};

// By their names; a project's own one hides one of ours.
std::vector<std::string> workflow_names(const Project& project);
// Error not_found names those that there are.
Result<WorkflowText> workflow_text(const Project& project, std::string_view name);
// Read and checked. Errors: as above, damaged (the file), refused (it cannot be run as it is).
Result<event::Definition> find_workflow(const Project& project, std::string_view name);

// The phases of all workflows, and those that have a prompt of their own: prompts/NAME.md in `root`
// or beside `scripts_dir`, which may be empty. nullopt: a workflow cannot be read, so there may be
// others.
std::optional<std::vector<std::string>> phase_names(const std::string& root,
                                                    const std::string& scripts_dir);

struct CheckedWorkflow {
  std::string where;
  event::Definition definition;
  std::vector<phases::Problem>
      problems;        // of the rules; and prompts and providers that are missing
  bool sound = false;  // by its rules alone
};
Result<CheckedWorkflow> check_workflow(const Project& project, const std::string& name);

// Copies the workflow `from` to .capsule/workflows/NAME.yaml, and the prompts that it names to the
// project, as far as they are not there. Returns the files that were made. Error exists: there is
// one of that name.
Result<std::vector<std::string>> begin_workflow(const Project& project, const std::string& name,
                                                const std::string& from);

}  // namespace capsule::world
