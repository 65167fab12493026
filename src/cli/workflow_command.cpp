// capsule workflow list | check | show | init: the phases that a run goes through, as files.
#include "base/files.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "config/workflow_file.h"
#include "workflow/phases/check.h"
#include "world/providers.h"
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

// What the rules do not know of: prompts and providers.
std::vector<phases::Problem> missing(const world::Project& project,
                                     const event::Definition& definition) {
  std::vector<phases::Problem> problems;
  for (const event::PhaseRule& phase : definition.phases) {
    if (const auto found = project.assets.read(phase.prompt); !found)
      problems.push_back({phase.name, "its prompt is missing: " + phase.prompt});
    workflow::StartAgent agent;
    agent.role = phase.name;
    agent.provider = phase.provider;
    agent.model = phase.model;
    if (const auto settings = world::agent_settings(project, agent); !settings)
      problems.push_back({phase.name, settings.error().message});
  }
  return problems;
}

Result<int> check_workflow(const Args& args) {
  const world::Project project = TRY(open_project(args));
  const std::string name(*args.positional(0));
  const world::WorkflowText file = TRY(world::workflow_text(project, name));
  const event::Definition definition = TRY(config::read_workflow(file.text, name, file.where));
  std::vector<phases::Problem> problems = phases::check(definition);
  const bool sound = phases::runnable(problems);
  for (phases::Problem& problem : missing(project, definition))
    problems.push_back(std::move(problem));
  for (const phases::Problem& problem : problems)
    print_error(file.where + ": " + (problem.error ? "error: " : "warning: ") +
                (problem.phase.empty() ? "" : printable(problem.phase) + ": ") + problem.text +
                "\n");
  if (!sound) return 1;
  const int retries = project.config.max_retries;
  print((definition.summary.empty() ? "" : printable(definition.summary) + "\n\n") +
        phases::picture(definition, retries));
  print("\nAt most " + counted(phases::most_runs(definition, retries), "agent run") +
        " with max_retries: " + std::to_string(retries) + ".\n");
  return phases::runnable(problems) ? 0 : 1;
}

Result<int> init_workflow(const Args& args) {
  const world::Project project = TRY(open_project(args));
  const std::string name(*args.positional(0));
  const std::string from(args.option("from").value_or("spike"));
  const world::WorkflowText example = TRY(world::workflow_text(project, from));
  const event::Definition definition =
      TRY(config::read_workflow(example.text, from, example.where));
  // Its name becomes a file's: the same rule as for the example's.
  if (const auto taken = world::workflow_text(project, name); taken)
    return fail(Reason::exists, "there is a workflow '" + name + "' already: " + taken->where,
                "choose another name, or edit it");
  else if (taken.error().reason != Reason::not_found)
    return tl::unexpected(taken.error());
  const std::string folder = project.root() + "/.capsule/workflows";
  TRY_VOID(make_folders(folder));
  TRY_VOID(write_file(folder + "/" + name + ".yaml", example.text));
  print("made " + printable(folder) + "/" + name + ".yaml\n");
  for (const event::PhaseRule& phase : definition.phases) {
    const std::string path = project.root() + "/" + phase.prompt;
    if (exists(path)) continue;
    const auto text = project.assets.read(phase.prompt);
    if (!text) continue;
    TRY_VOID(make_folders(path.substr(0, path.rfind('/'))));
    TRY_VOID(write_file(path, *text));
    print("made " + printable(path) + "\n");
  }
  print("Edit them, then: capsule workflow check " + name + project.option +
        "\nRun it: capsule run BEAD --workflow=" + name + project.option + "\n");
  return 0;
}

constexpr Command kWorkflowRows[] = {
    {.path = "workflow list",
     .summary = "List the workflows that 'capsule run' can take",
     .details = "Those that come with Capsule, and those in .capsule/workflows/ of the project.",
     .positionals = {},
     .options = kWorkflowOptions,
     .run = list_workflows},
    {.path = "workflow check",
     .summary = "Check a workflow, draw it, and say what it can cost",
     .details =
         "Finds unknown names, phases that are never reached, loops without a limit, missing "
         "prompts and providers. Prints the phases with where each status leads, and the "
         "most agent runs that a run can cost.\n\n"
         "Exit codes: 0 it can be run; 1 it cannot, or there is none of this name; 2 an error.",
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
     .details =
         "Copies a workflow to .capsule/workflows/NAME.yaml, and the prompts that it names to "
         "the project, as far as they are not there.",
     .positionals = kName,
     .options = kWorkflowInitOptions,
     .run = init_workflow,
     .examples = "  capsule workflow init mine --from=pipeline"},
};

}  // namespace

std::span<const Command> workflow_commands() { return kWorkflowRows; }

}  // namespace capsule::cli
