#include "world/workflows.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "assets/embedded.h"
#include "base/files.h"
#include "base/ids.h"
#include "base/text.h"
#include "config/workflow_file.h"
#include "config/yaml.h"
#include "world/providers.h"

namespace capsule::world {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWorkflowFolder = "workflows";
constexpr std::string_view kEnding = ".yaml";

std::string folder_of(const std::string& root) { return root + "/.capsule/workflows"; }
std::string folder_of(const Project& project) { return folder_of(project.root()); }

// The names in a folder that end so, without that end.
std::vector<std::string> names_in(const std::string& folder, std::string_view ending) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    std::string name = entry.path().filename().string();
    if (!name.ends_with(ending)) continue;
    name.resize(name.size() - ending.size());
    if (valid_id(name)) names.push_back(std::move(name));
  }
  return names;
}

// What the rules do not know of: prompts and providers.
std::vector<phases::Problem> missing(const Project& project, const event::Definition& definition) {
  std::vector<phases::Problem> problems;
  for (const event::PhaseRule& phase : definition.phases) {
    if (const auto found = project.assets.read(phase.prompt); !found)
      problems.push_back({phase.name, found.error().reason == Reason::not_found
                                          ? "its prompt is missing: " + phase.prompt
                                          : found.error().message});
    workflow::StartAgent agent;
    agent.role = phase.name;
    agent.provider = phase.provider;
    agent.model = phase.model;
    if (const auto settings = agent_settings(project, agent); !settings)
      problems.push_back({phase.name, settings.error().message});
  }
  return problems;
}

}  // namespace

std::vector<std::string> workflow_names(const Project& project) {
  std::set<std::string> names;
  const auto add = [&](std::string_view file) {
    if (!file.ends_with(kEnding)) return;
    const std::string_view name = file.substr(0, file.size() - kEnding.size());
    if (valid_id(name)) names.emplace(name);
  };
  for (const assets::Embedded& file : assets::embedded_below(kWorkflowFolder))
    add(file.name.substr(kWorkflowFolder.size() + 1));
  for (std::string& name : names_in(folder_of(project), kEnding)) names.insert(std::move(name));
  return {names.begin(), names.end()};
}

Result<WorkflowText> workflow_text(const Project& project, std::string_view name) {
  if (!valid_id(name))
    return fail(Reason::usage,
                "'" + printable(name.substr(0, 120)) + "' cannot be the name of a workflow",
                "names are letters, digits, '.', '_' and '-'");
  const std::string file = std::string(name) + std::string(kEnding);
  const auto own = read_file_beneath(folder_of(project), file, config::kMaxFileBytes);
  if (own) return WorkflowText{std::string(name), folder_of(project) + "/" + file, *own};
  if (own.error().reason != Reason::not_found) return tl::unexpected(own.error());
  if (auto text = project.assets.read("workflows/" + file))
    return WorkflowText{std::string(name), "workflows/" + file, *std::move(text)};
  return fail(Reason::not_found, "there is no workflow '" + std::string(name) + "'",
              "valid: " + short_list(workflow_names(project)) +
                  "; make one: capsule workflow "
                  "init " +
                  std::string(name));
}

std::optional<std::vector<std::string>> phase_names(const std::string& root,
                                                    const std::string& scripts_dir) {
  std::vector<std::string> names = names_in(root + "/prompts", ".md");
  if (!scripts_dir.empty())
    for (std::string& name : names_in(scripts_dir + "/../prompts", ".md"))
      names.push_back(std::move(name));
  const auto add = [&](std::string_view text, std::string_view name) {
    const auto definition = config::read_workflow(text, name, std::string(name));
    if (!definition) return false;
    for (const event::PhaseRule& phase : definition->phases) names.push_back(phase.name);
    return true;
  };
  for (const assets::Embedded& file : assets::embedded_below(kWorkflowFolder))
    if (!add(file.bytes, file.name)) return std::nullopt;
  for (const std::string& name : names_in(folder_of(root), kEnding)) {
    const auto text =
        read_file_beneath(folder_of(root), name + std::string(kEnding), config::kMaxFileBytes);
    if (!text || !add(*text, name)) return std::nullopt;
  }
  return names;
}

Result<event::Definition> find_workflow(const Project& project, std::string_view name) {
  const WorkflowText file = TRY(workflow_text(project, name));
  event::Definition definition = TRY(config::read_workflow(file.text, name, file.where));
  for (const phases::Problem& problem : phases::check(definition))
    if (problem.error)
      return fail(Reason::refused,
                  file.where + (problem.phase.empty() ? "" : ": " + printable(problem.phase)) +
                      ": " + problem.text,
                  "see all of it: capsule workflow check " + std::string(name));
  return definition;
}

Result<CheckedWorkflow> check_workflow(const Project& project, const std::string& name) {
  const WorkflowText file = TRY(workflow_text(project, name));
  CheckedWorkflow checked;
  checked.where = file.where;
  checked.definition = TRY(config::read_workflow(file.text, name, file.where));
  checked.problems = phases::check(checked.definition);
  checked.sound = phases::runnable(checked.problems);
  for (phases::Problem& problem : missing(project, checked.definition))
    checked.problems.push_back(std::move(problem));
  return checked;
}

Result<std::vector<std::string>> begin_workflow(const Project& project, const std::string& name,
                                                const std::string& from) {
  const WorkflowText example = TRY(workflow_text(project, from));
  const event::Definition definition =
      TRY(config::read_workflow(example.text, from, example.where));
  // Its name becomes a file's: the same rule as for the example's.
  if (const auto taken = workflow_text(project, name); taken)
    return fail(Reason::exists, "the workflow '" + name + "' already exists: " + taken->where,
                "choose another name, or edit it");
  else if (taken.error().reason != Reason::not_found)
    return tl::unexpected(taken.error());
  TRY_VOID(make_folders(folder_of(project)));
  TRY_VOID(write_file(folder_of(project) + "/" + name + ".yaml", example.text));
  std::vector<std::string> made{folder_of(project) + "/" + name + ".yaml"};
  for (const event::PhaseRule& phase : definition.phases) {
    const std::string path = project.root() + "/" + phase.prompt;
    if (exists(path)) continue;
    const auto text = project.assets.read(phase.prompt);
    if (!text) continue;
    TRY_VOID(make_folders(path.substr(0, path.rfind('/'))));
    TRY_VOID(write_file(path, *text));
    made.push_back(path);
  }
  return made;
}

}  // namespace capsule::world
