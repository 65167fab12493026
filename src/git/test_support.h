// A real repository in a temporary folder, with a home of its own, for the tests of this folder.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "git/branch.h"
#include "git/command.h"
#include "git/merge.h"
#include "git/repository.h"
#include "git/snapshot.h"
#include "git/work_commit.h"
#include "git/worktree.h"
#include "process/command.h"

namespace capsule::git {

class GitTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::temp_directory_path() / "capsule git ü.XXXXXX";
    ASSERT_NE(::mkdtemp(root_.data()), nullptr);
    home_ = root_ + "/home";
    project_ = root_ + "/project";
    std::filesystem::create_directories(home_);
    write(home_ + "/.gitconfig",
          "[user]\n\tname = A User\n\temail = user@example.org\n[init]\n\tdefaultBranch = main\n");
    ::setenv("HOME", home_.c_str(), 1);
    ::setenv("GIT_CONFIG_GLOBAL", (home_ + "/.gitconfig").c_str(), 1);
    ::setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    ::unsetenv("GIT_COMMITTER_NAME");
    ::unsetenv("GIT_COMMITTER_EMAIL");
    make_project(project_);
  }

  void TearDown() override {
    if (std::filesystem::exists(project_ + "/.git")) {
      EXPECT_EQ(git_code(project_, {"fsck", "--strict", "--no-dangling"}), 0);
    }
    std::error_code error;
    std::filesystem::remove_all(root_, error);
  }

  void make_project(const std::string& path) {
    std::filesystem::create_directories(path);
    git(path, {"init", "-q", "-b", "main"});
    write(path + "/README", "hello\n");
    write(path + "/src/main.c", "int main;\n");
    git(path, {"add", "."});
    git(path, {"commit", "-q", "-m", "Start"});
  }

  static void write(const std::string& path, std::string_view text) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }

  static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  static process::Output run(const std::string& folder, std::vector<std::string> args) {
    args.insert(args.begin(), "git");
    const Result<process::Output> output = process::run({.argv = args, .cwd = folder});
    if (!output) {
      ADD_FAILURE() << output.error().message;
      return {};
    }
    return *output;
  }

  // As a person or an agent would call it, with the repository's configuration in force.
  static std::string git(const std::string& folder, const std::vector<std::string>& args) {
    const process::Output output = run(folder, args);
    EXPECT_EQ(output.exit_code, 0) << args.front() << ": " << output.err;
    return std::string(trimmed(output.out));
  }

  static int git_code(const std::string& folder, const std::vector<std::string>& args) {
    return run(folder, args).exit_code;
  }

  Repository open() {
    Result<Repository> result = open_repository(project_);
    EXPECT_TRUE(result) << (result ? "" : result.error().message);
    return result.value_or(Repository{});
  }

  std::string worktree_path(const std::string& name = "bead-1") const {
    return project_ + "/.capsule/worktrees/" + name;
  }

  Worktree make_worktree(const Repository& repository, const std::string& name = "bead-1") {
    (void)exclude_capsule_dir(repository);
    Result<Worktree> made =
        create_worktree(repository, worktree_path(name), "capsule-" + name, repository.head);
    EXPECT_TRUE(made) << (made ? "" : made.error().message);
    return made.value_or(Worktree{});
  }

  // What an agent does in its merge phase.
  static void commit(const std::string& worktree, const std::vector<std::string>& paths,
                     const std::string& message) {
    std::vector<std::string> add{"add", "-f", "--"};
    add.insert(add.end(), paths.begin(), paths.end());
    git(worktree, add);
    git(worktree, {"commit", "-q", "-m", message});
  }

  std::string root_, home_, project_;
};

#define MUST(...)                                                                 \
  ({                                                                              \
    auto must_result = (__VA_ARGS__);                                             \
    if (!must_result) {                                                           \
      FAIL() << must_result.error().message << " / " << must_result.error().hint; \
    }                                                                             \
    *std::move(must_result);                                                      \
  })
#define MUST_VOID(...)                                       \
  do {                                                       \
    auto must_result = (__VA_ARGS__);                        \
    if (!must_result) FAIL() << must_result.error().message; \
  } while (false)

}  // namespace capsule::git
