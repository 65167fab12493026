#include "world/assets.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "process/test_support.h"

namespace capsule::world {
namespace {
namespace fs = std::filesystem;

class AssetsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(project() + "/prompts/more");
    std::ofstream(folder_.path + "/secret") << "a key";
  }
  std::string project() const { return folder_.path + "/project"; }
  Result<std::string> read(const char* name) const { return Assets("", project()).read(name); }
  process::testing::TemporaryFolder folder_;
};

TEST_F(AssetsTest, WhatTheProjectHasWinsAndTheProgramHasTheRest) {
  std::ofstream(project() + "/prompts/execute.md") << "mine";
  EXPECT_EQ(read("prompts/execute.md").value(), "mine");
  EXPECT_NE(read("prompts/sign-off.md").value(), "");
  EXPECT_EQ(read("prompts/nobodys.md").error().reason, Reason::not_found);
}

TEST_F(AssetsTest, ALinkOfTheProjectLeadsNobodyOutOfIt) {
  fs::create_symlink("../../secret", project() + "/prompts/execute.md");
  fs::create_directory_symlink(folder_.path, project() + "/prompts/all");
  fs::create_symlink("/dev/zero", project() + "/prompts/endless.md");
  for (const char* name : {"prompts/execute.md", "prompts/all/secret", "prompts/endless.md"}) {
    const auto text = read(name);
    ASSERT_FALSE(text) << name;
    EXPECT_EQ(text.error().reason, Reason::refused) << name;
  }
}

TEST_F(AssetsTest, ALinkWithinTheProjectIsFollowed) {
  std::ofstream(project() + "/prompts/more/shared.md") << "shared";
  fs::create_symlink("more/shared.md", project() + "/prompts/execute.md");
  EXPECT_EQ(read("prompts/execute.md").value(), "shared");
  fs::create_directory_symlink(project(), folder_.path + "/alias");
  EXPECT_EQ(Assets("", folder_.path + "/alias").read("prompts/execute.md").value(), "shared");
}

}  // namespace
}  // namespace capsule::world
