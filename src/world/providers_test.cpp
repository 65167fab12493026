#include "world/providers.h"

#include <gmock/gmock.h>

#include <fstream>
#include <map>

#include "json/object.h"
#include "world/test_support.h"

namespace capsule::world {
namespace {

using ::testing::HasSubstr;

class ProvidersTest : public ProjectTest {
 protected:
  void configure(const std::string& text) {
    std::ofstream(project_ + "/.capsule/config.yaml") << text;
    ProjectWords words;
    words.folder = project_;
    words.contain = "off";
    auto opened = open_project(words);
    ASSERT_TRUE(opened) << opened.error().message;
    project = std::make_unique<Project>(*std::move(opened));
  }
  // What its agent finds set beside the caller's environment, and how often.
  std::map<std::string, std::vector<std::string>> variables_of_execute() const {
    workflow::StartAgent start;
    start.role = "execute";
    const auto settings = agent_settings(*project, start);
    EXPECT_TRUE(settings) << settings.error().message;
    std::map<std::string, std::vector<std::string>> found;
    if (settings)
      for (const process::EnvChange& change : settings->provider.env)
        found[change.name].push_back(change.value.value_or(""));
    return found;
  }
};

TEST_F(ProvidersTest, WhatIsConfiguredOfOpencodesSettingsIsAddedToAndNotTakenInTheirPlace) {
  configure(
      "provider: opencode\n"
      "providers:\n  opencode:\n    model: loop/m\n"
      "    env: ['OPENCODE_CONFIG_CONTENT={\"small_model\":\"loop/s\",\"x\":1}', 'MINE=a=b']\n");
  auto found = variables_of_execute();
  ASSERT_EQ(found["OPENCODE_CONFIG_CONTENT"].size(), 1U) << "the last one would win whole";
  const auto settings = json::Object::parse(found["OPENCODE_CONFIG_CONTENT"][0]);
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->text("small_model"), "loop/s");
  EXPECT_EQ(settings->integer("x"), 1);
  EXPECT_EQ(settings->elements("enabled_providers"), std::vector<std::string>{"\"loop\""});
  EXPECT_THAT(settings->compact(), HasSubstr(R"("autoupdate":false)"));
  EXPECT_EQ(found["MINE"], std::vector<std::string>{"a=b"});
}

TEST_F(ProvidersTest, WhatIsConfiguredOutranksTheRowOfItsClientButNotThatItIsReadOnly) {
  configure("provider: claude\nproviders: {claude: {env: [CLAUDE_CODE_MAX_RETRIES=7]}}\n");
  EXPECT_EQ(variables_of_execute()["CLAUDE_CODE_MAX_RETRIES"], std::vector<std::string>{"7"});
  configure(
      "provider: opencode\nphases: {execute: {access: read-only}}\n"
      "providers: {opencode: {model: loop/m, env: ['OPENCODE_PERMISSION={}']}}\n");
  const auto told = variables_of_execute()["OPENCODE_PERMISSION"];
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told[0], "{}");
}

}  // namespace
}  // namespace capsule::world
