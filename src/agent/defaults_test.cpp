#include "agent/defaults.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "base/files.h"
#include "json/object.h"

namespace capsule::agent {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

const char* nothing_set(const char*) { return nullptr; }

class Defaults : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/capsule-defaults-XXXXXX";
    folder_ = ::mkdtemp(name);
    system_ = folder_ + "/system-defaults.json";
    client_.name = "some";
    client_.defaults = "{\"tries\":1}";
    client_.defaults_variables = "SOME_DEFAULTS SOME_SETTINGS";
    client_.defaults_file = system_;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string folder_, system_;
  Client client_;
  std::vector<process::EnvChange> env_;
};

TEST_F(Defaults, StandInAFileThatAVariableNames) {
  ASSERT_TRUE(add_defaults(client_, folder_, nothing_set, env_));
  ASSERT_EQ(env_.size(), 1U);
  EXPECT_EQ(env_[0].name, "SOME_DEFAULTS");
  EXPECT_EQ(read_file(env_[0].value.value_or("")).value_or(""), client_.defaults);
}

TEST_F(Defaults, HideNothingThatTheSystemOrTheUserHasSaid) {
  ASSERT_TRUE(add_defaults(
      client_, folder_, [](const char*) { return "/etc/some"; }, env_));
  EXPECT_THAT(env_, IsEmpty());
  std::vector<process::EnvChange> configured{{"SOME_SETTINGS", "/srv/settings.json"}};
  ASSERT_TRUE(add_defaults(client_, folder_, nothing_set, configured));
  EXPECT_EQ(configured.size(), 1U);
  ASSERT_TRUE(write_file(system_, "{}"));
  ASSERT_TRUE(add_defaults(client_, folder_, nothing_set, env_));
  EXPECT_THAT(env_, IsEmpty());
}

TEST_F(Defaults, AreOfFewClientsAndReadAsJson) {
  for (const Client& client : clients()) {
    if (client.defaults.empty()) {
      ASSERT_TRUE(add_defaults(client, folder_, nothing_set, env_));
      EXPECT_THAT(env_, IsEmpty()) << client.name;
      continue;
    }
    EXPECT_TRUE(json::Object::parse(client.defaults)) << client.name;
    EXPECT_FALSE(client.defaults_variables.empty()) << client.name;
    EXPECT_TRUE(client.defaults_file.starts_with("/etc/")) << client.name;
  }
}

}  // namespace
}  // namespace capsule::agent
