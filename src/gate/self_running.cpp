#include "gate/self_running.h"

#include <algorithm>
#include <set>

#include "git/exclusion.h"
#include "json/object.h"

namespace capsule::gate {
namespace {

struct SelfRunningRow {
  std::string_view by;
  const char* pattern;
};

constexpr std::string_view kShell = "a shell that enters the folder", kEditor = "an editor",
                           kHooks = "git hooks", kCi = "CI", kPackages = "a package manager",
                           kBuild = "a build", kAgents = "coding agents", kDebugger = "a debugger",
                           kPython = "Python", kGit = "git";

constexpr SelfRunningRow kSelfRunning[] = {
    {kShell, ".envrc"},
    {kShell, "mise.toml"},
    {kShell, ".mise.toml"},
    {kShell, ".mise/"},
    {kShell, ".autoenv"},
    {kShell, ".env.zsh"},
    {kEditor, ".vscode/"},
    {kEditor, ".devcontainer/"},
    {kEditor, ".devcontainer.json"},
    {kEditor, ".idea/"},
    {kEditor, ".fleet/"},
    {kEditor, ".zed/"},
    {kEditor, ".exrc"},
    {kEditor, ".vimrc"},
    {kEditor, ".nvimrc"},
    {kEditor, ".nvim.lua"},
    {kEditor, ".dir-locals.el"},
    {kEditor, "*.code-workspace"},
    {kHooks, ".husky/"},
    {kHooks, ".githooks/"},
    {kHooks, ".git-hooks/"},
    {kHooks, ".pre-commit-config.y*ml"},
    {kHooks, "lefthook.y*ml"},
    {kHooks, ".lefthook.y*ml"},
    {kHooks, ".lintstagedrc*"},
    {kCi, ".github/workflows/"},
    {kCi, ".github/actions/"},
    {kCi, ".forgejo/workflows/"},
    {kCi, ".gitea/workflows/"},
    {kCi, ".gitlab-ci.y*ml"},
    {kCi, ".gitlab/ci/"},
    {kCi, ".circleci/"},
    {kCi, ".buildkite/"},
    {kCi, ".woodpecker/"},
    {kCi, ".woodpecker.y*ml"},
    {kCi, ".drone.y*ml"},
    {kCi, ".travis.y*ml"},
    {kCi, ".cirrus.y*ml"},
    {kCi, ".appveyor.y*ml"},
    {kCi, "appveyor.y*ml"},
    {kCi, "azure-pipelines.y*ml"},
    {kCi, "bitbucket-pipelines.y*ml"},
    {kCi, "cloudbuild.y*ml"},
    {kCi, "buildspec.y*ml"},
    {kCi, "Jenkinsfile"},
    {kPackages, "package.json"},
    {kPackages, ".npmrc"},
    {kPackages, ".yarnrc"},
    {kPackages, ".yarnrc.yml"},
    {kPackages, ".yarn/plugins/"},
    {kPackages, ".yarn/releases/"},
    {kPackages, ".pnpmfile.cjs"},
    {kPackages, "binding.gyp"},
    {kPackages, "setup.py"},
    {kPackages, "composer.json"},
    {kPackages, "Gemfile"},
    {kPackages, "*.gemspec"},
    {kPackages, "mix.exs"},
    {kBuild, "build.rs"},
    {kBuild, ".cargo/"},
    {kBuild, "build.gradle*"},
    {kBuild, "settings.gradle*"},
    {kBuild, "init.gradle*"},
    {kBuild, "gradle/wrapper/"},
    {kBuild, "gradlew"},
    {kBuild, ".mvn/"},
    {kBuild, "mvnw"},
    {kBuild, "Directory.Build.*"},
    {kBuild, ".bazelrc"},
    {kBuild, "flake.nix"},
    {kBuild, "shell.nix"},
    {kPython, "sitecustomize.py"},
    {kPython, "usercustomize.py"},
    {kPython, "*.pth"},
    {kDebugger, ".gdbinit"},
    {kDebugger, ".lldbinit"},
    {kAgents, ".claude/"},
    {kAgents, ".mcp.json"},
    {kAgents, "CLAUDE.md"},
    {kAgents, "CLAUDE.local.md"},
    {kAgents, "AGENTS.md"},
    {kAgents, "GEMINI.md"},
    {kAgents, "QWEN.md"},
    {kAgents, ".codex/"},
    {kAgents, ".gemini/"},
    {kAgents, ".qwen/"},
    {kAgents, ".opencode/"},
    {kAgents, "opencode.json*"},
    {kAgents, ".goosehints"},
    {kAgents, ".kimi-code/"},
    {kAgents, ".grok/"},
    {kAgents, ".cursor/"},
    {kAgents, ".cursorrules"},
    {kAgents, ".continue/"},
    {kAgents, ".windsurf/"},
    {kAgents, ".windsurfrules"},
    {kAgents, ".aider.conf.yml"},
    {kAgents, ".github/copilot-instructions.md"},
    {kGit, ".gitmodules"},
    {kGit, ".git/"},
    {kGit, ".git"},
};

std::string_view last_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }
std::string_view folder_in(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? std::string_view() : path.substr(0, slash);
}

// What package managers run of a file: its scripts. What cannot be read may be anything.
std::string scripts_in(const std::string& text) {
  const auto parsed = json::Object::parse(text);
  if (!parsed) return text;
  const std::string* scripts = parsed->find("scripts");
  return scripts == nullptr ? std::string() : *scripts;
}

Result<bool> scripts_differ(const git::Change& change, const std::string& from,
                            const std::string& to, const TextOf& text_of) {
  const std::string before = TRY(text_of(from, change.from.empty() ? change.path : change.from));
  const std::string now = TRY(text_of(to, change.path));
  return scripts_in(before) != scripts_in(now);
}

constexpr std::string_view kRepository = "160000";  // the mode of a repository inside another

}  // namespace

std::string_view run_by(std::string_view path) {
  for (const SelfRunningRow& row : kSelfRunning)
    if (git::matches_pattern(row.pattern, path)) return row.by;
  return {};
}

Result<std::vector<event::SelfRunning>> self_running(const std::vector<git::Change>& changes,
                                                     const std::string& from, const std::string& to,
                                                     const TextOf& text_of) {
  std::vector<event::SelfRunning> found;
  std::set<std::string_view> paths;
  for (const git::Change& change : changes)
    if (change.status != 'D') paths.insert(change.path);
  for (const git::Change& change : changes) {
    if (change.status == 'D') continue;
    const std::string_view name = last_name(change.path);
    std::string_view by = run_by(change.path);
    // A folder with these is a repository to git, settings and all, although it is called
    // otherwise.
    const std::string folder(folder_in(change.path));
    if (change.new_mode == kRepository ||
        (name == "HEAD" && !folder.empty() && paths.contains(folder + "/config")))
      by = kGit;
    if (by.empty()) continue;
    if ((name == "package.json" || name == "composer.json") &&
        !TRY(scripts_differ(change, from, to, text_of)))
      continue;
    found.push_back({change.path, std::string(by)});
  }
  return found;
}

}  // namespace capsule::gate
