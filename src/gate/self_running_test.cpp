#include "gate/self_running.h"

#include <gtest/gtest.h>

#include <map>

namespace capsule::gate {
namespace {

git::Change change(const std::string& path, char status = 'M', const std::string& mode = "100644") {
  git::Change one;
  one.status = status;
  one.path = path;
  one.new_mode = mode;
  return one;
}

// "path: by" of each that is found; texts by "commit:path".
std::vector<std::string> found(const std::vector<git::Change>& changes,
                               const std::map<std::string, std::string>& texts = {}) {
  const auto result =
      self_running(changes, "a", "b",
                   [&](const std::string& commit, const std::string& path) -> Result<std::string> {
                     const auto text = texts.find(commit + ":" + path);
                     return text == texts.end() ? "" : text->second;
                   });
  std::vector<std::string> lines;
  for (const event::SelfRunning& one : *result) lines.push_back(one.path + ": " + one.by);
  return lines;
}

using Lines = std::vector<std::string>;

TEST(SelfRunning, FilesThatSomebodyRunsUnaskedAreKnown) {
  for (const char* path : {".envrc",
                           "web/.envrc",
                           ".vscode/tasks.json",
                           "app/.vscode/settings.json",
                           ".husky/pre-push",
                           ".github/workflows/ci.yml",
                           ".gitlab-ci.yml",
                           ".circleci/config.yml",
                           "Jenkinsfile",
                           "setup.py",
                           "build.rs",
                           ".claude/settings.json",
                           "sub/.claude/hooks/x",
                           ".mcp.json",
                           "AGENTS.md",
                           ".gitmodules",
                           "x/.git/config",
                           ".npmrc",
                           ".pre-commit-config.yaml",
                           ".devcontainer/devcontainer.json",
                           "sitecustomize.py",
                           ".cargo/config.toml",
                           ".gdbinit"})
    EXPECT_FALSE(run_by(path).empty()) << path;
  for (const char* path : {"src/main.py", "README.md", "docs/envrc.md", "Makefile", "tests/a.py",
                           "vscode/tasks.json", "lib/setup_py.txt", "docs/workflows/ci.yml"})
    EXPECT_TRUE(run_by(path).empty()) << path;
}

TEST(SelfRunning, WhatIsRemovedRunsNoMore) {
  EXPECT_EQ(found({change(".envrc", 'D'), change(".husky/x", 'A')}), Lines{".husky/x: git hooks"});
}

TEST(SelfRunning, OfAPackageOnlyItsScriptsCount) {
  const auto with = [](const std::string& before, const std::string& now) {
    return found({change("package.json")}, {{"a:package.json", before}, {"b:package.json", now}});
  };
  EXPECT_EQ(with(R"({"scripts":{"test":"x"}})", R"({"scripts":{ "test": "x" },"version":"2"})"),
            Lines{});
  EXPECT_EQ(with("{}", R"({"scripts":{"postinstall":"x"}})"),
            Lines{"package.json: a package manager"});
  EXPECT_EQ(with("{}", "{"), Lines{"package.json: a package manager"});
}

TEST(SelfRunning, ARepositoryInsideIsFoundByWhateverName) {
  EXPECT_EQ(found({change("vendor/x", 'A', "160000")}), Lines{"vendor/x: git"});
  EXPECT_EQ(
      found({change("data/HEAD", 'A'), change("data/config", 'A'), change("data/refs/x", 'A')}),
      Lines{"data/HEAD: git"});
  EXPECT_EQ(found({change("HEAD", 'A'), change("config", 'A'), change("src/HEAD", 'A')}), Lines{});
}

}  // namespace
}  // namespace capsule::gate
