#include "world/setup.h"

#include <algorithm>
#include <iterator>

#include "base/files.h"
#include "base/text.h"
#include "world/contain_findings.h"
#include "world/walls.h"

namespace capsule::world {
namespace {

constexpr std::size_t kMaxAttributeBytes = std::size_t{1024} * 1024;

// What package managers and git itself write down about what they fetch.
constexpr const char* kLockFiles[] = {
    "package-lock.json", "npm-shrinkwrap.json", "yarn.lock",    "pnpm-lock.yaml",
    "bun.lock",          "bun.lockb",           "Cargo.lock",   "go.sum",
    "uv.lock",           "poetry.lock",         "Pipfile.lock", "requirements*.txt",
    "Gemfile.lock",      "composer.lock",       ".gitmodules",  ".gitattributes",
};

// One row a file; the first of those for one language counts.
struct ByFile {
  std::string_view file, words;
};
constexpr ByFile kByFile[] = {
    {"package-lock.json", "npm ci"},
    {"npm-shrinkwrap.json", "npm ci"},
    {"pnpm-lock.yaml", "pnpm install --frozen-lockfile"},
    {"yarn.lock", "yarn install --frozen-lockfile"},
    {"bun.lock", "bun install --frozen-lockfile"},
    {"bun.lockb", "bun install --frozen-lockfile"},
};
constexpr std::string_view kSubmodules = "git submodule update --init --recursive";
constexpr std::string_view kLfs = "git lfs pull";

// Names of filters in .gitattributes at the root, in their order.
std::vector<std::string> filters_in(const std::string& root) {
  std::vector<std::string> names;
  const std::string text =
      read_file_beneath(root, ".gitattributes", kMaxAttributeBytes).value_or("");
  for (const std::string_view line : split(text, '\n')) {
    if (trimmed(line).starts_with('#')) continue;
    const std::size_t at = line.find(" filter=");
    if (at == line.npos) continue;
    std::string_view name = line.substr(at + 8);
    name = trimmed(name.substr(0, name.find(' ')));
    const std::string known(name);
    if (!known.empty() && std::find(names.begin(), names.end(), known) == names.end())
      names.push_back(known);
  }
  return names;
}

bool uses_lfs(const std::string& root) {
  const std::vector<std::string> names = filters_in(root);
  return std::find(names.begin(), names.end(), "lfs") != names.end();
}

}  // namespace

gate::Command setup_of(const config::Config& config) {
  const auto& setup = config.worktree.setup;
  return setup ? gate::Command{setup->argv, setup->shell} : gate::Command{};
}

std::vector<std::string> setup_inputs(const config::Config& config) {
  if (!config.worktree.setup_inputs.empty()) return config.worktree.setup_inputs;
  return {std::begin(kLockFiles), std::end(kLockFiles)};
}

std::optional<SetupProposal> setup_proposal(const std::string& root) {
  std::vector<std::string_view> commands;
  SetupProposal proposal;
  const auto add = [&](std::string_view words, std::string_view because) {
    commands.push_back(words);
    proposal.because += (proposal.because.empty() ? "" : ", ") + std::string(because);
  };
  if (exists(root + "/.gitmodules")) add(kSubmodules, ".gitmodules");
  if (uses_lfs(root)) add(kLfs, ".gitattributes");
  for (const ByFile& row : kByFile) {
    if (!exists(root + "/" + std::string(row.file))) continue;
    add(row.words, row.file);
    break;
  }
  if (commands.empty()) return std::nullopt;
  if (commands.size() == 1) {
    for (const std::string_view word : split(commands.front(), ' '))
      proposal.command.argv.emplace_back(word);
    return proposal;
  }
  for (const std::string_view words : commands)
    proposal.command.shell += (proposal.command.shell.empty() ? "" : " && ") + std::string(words);
  return proposal;
}

config::Assignment assignment_of(const SetupProposal& proposal) {
  const gate::Command& command = proposal.command;
  return {"worktree.setup",
          command.argv.empty() ? config::Value(command.shell) : config::Value(command.argv)};
}

std::string yaml_of(const SetupProposal& proposal) {
  const config::Assignment wanted = assignment_of(proposal);
  return "worktree: {setup: " + config::written(config::key(wanted.path), wanted.value) + "}";
}

std::vector<std::string> not_in_worktrees(const Project& project) {
  std::vector<std::string> missing;
  if (const auto& setup = project.config.worktree.setup) {
    std::string words = setup->shell;
    for (const std::string& word : setup->argv) words += " " + word;
    const bool asks_git = words.find("submodule") != words.npos || words.find("lfs") != words.npos;
    if (asks_git && walls_of_setup(project, project.root()))
      missing.push_back(
          "worktree.setup runs inside walls, where the repository has no remotes, submodules and "
          "filters: git submodule and git lfs do not work there; " +
          in_users_file(project, std::string(kFreeSetup)));
    return missing;
  }
  const std::string& root = project.root();
  if (exists(root + "/.gitmodules"))
    missing.push_back(
        "the files of submodules are not in worktrees without worktree.setup, such as " +
        std::string(kSubmodules));
  for (const std::string& name : filters_in(root))
    missing.push_back(name == "lfs" ? "files of git-lfs are pointers in worktrees without "
                                      "worktree.setup, such as " +
                                          std::string(kLfs)
                                    : "files of the filter " + printable(name) +
                                          " are in worktrees as git stores them");
  return missing;
}

}  // namespace capsule::world
