// capsule workflow list | check | show | init: the phases that a run goes through, as files.
#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "config/workflow_file.h"
#include "ui/workflow_text.h"
#include "workflow/phases/check.h"
#include "world/workflows.h"

namespace capsule::cli {
namespace {

constexpr Positional kName[] = {{"NAME", "The workflow's name, such as pipeline"}};
constexpr Option kWorkflowOptions[] = {kProjectDir, kScriptsDir};
constexpr Option kWorkflowInitOptions[] = {
    kProjectDir, {"from", "NAME", "The workflow to begin with", "", "spike"}, kScriptsDir};

Result<int> list_workflows(const Args& args) {
  const world::Project project = TRY(open_project(args));
  for (const std::string& name : world::workflow_names(project)) {
    const auto text = world::workflow_text(project, name);
    if (!text) {
      print(padded(name, 20) + printable(text.error().message) + "\n");
      continue;
    }
    const auto definition = config::read_workflow(text->text, name, text->where);
    print(padded(name, 20) +
          (definition ? printable(definition->summary) : printable(definition.error().message)) +
          "\n");
  }
  return 0;
}

Result<int> show_workflow(const Args& args) {
  const world::Project project = TRY(open_project(args));
  print(TRY(world::workflow_text(project, *args.positional(0))).text);
  return 0;
}

Result<int> check_workflow(const Args& args) {
  const world::Project project = TRY(open_project(args));
  const world::CheckedWorkflow checked =
      TRY(world::check_workflow(project, std::string(*args.positional(0))));
  for (const phases::Problem& problem : checked.problems)
    print_error(checked.where + ": " + (problem.error ? "error: " : "warning: ") +
                (problem.phase.empty() ? "" : printable(problem.phase) + ": ") + problem.text +
                "\n");
  if (!checked.sound) return 1;
  print(ui::workflow_page(checked.definition, project.config.max_retries));
  return phases::runnable(checked.problems) ? 0 : 1;
}

Result<int> init_workflow(const Args& args) {
  const world::Project project = TRY(open_project(args));
  const std::string name(*args.positional(0));
  const std::string from(args.option("from").value_or("spike"));
  for (const std::string& file : TRY(world::begin_workflow(project, name, from)))
    print("made " + printable(file) + "\n");
  print("Edit them, then: capsule workflow check " + name + project.option +
        "\nRun it: capsule run BEAD --workflow=" + name + project.option + "\n");
  return 0;
}

constexpr Command kWorkflowRows[] = {
    {.path = "workflow list",
     .summary = "List the workflows that 'capsule run' can use",
     .details = "Those that come with Capsule, and those in .capsule/workflows/ of the project.",
     .options = kWorkflowOptions,
     .run = list_workflows},
    {.path = "workflow check",
     .summary = "Check a workflow, draw it, and say what it can cost",
     .details =
         "Finds unknown names, phases that are never reached, loops without a limit, missing "
         "prompts and providers. Prints the phases with where each status leads, and the "
         "most agent runs that a run can cost.\n\n"
         "Exit codes: 0 it can be run; 1 it cannot, or there is no such workflow; 2 an error.",
     .positionals = kName,
     .options = kWorkflowOptions,
     .run = check_workflow,
     .examples = "  capsule workflow check spike"},
    {.path = "workflow show",
     .summary = "Print the file of a workflow",
     .details = "The pipeline itself is such a file.",
     .positionals = kName,
     .options = kWorkflowOptions,
     .run = show_workflow,
     .examples = "  capsule workflow show pipeline"},
    {.path = "workflow init",
     .summary = "Begin a workflow of your own",
     .details = "Copies a workflow to .capsule/workflows/NAME.yaml, and the prompts that it names "
                "to the project, where they are missing.",
     .positionals = kName,
     .options = kWorkflowInitOptions,
     .run = init_workflow,
     .examples = "  capsule workflow init mine --from=pipeline"},
};

}  // namespace

std::span<const Command> workflow_commands() { return kWorkflowRows; }

}  // namespace capsule::cli
