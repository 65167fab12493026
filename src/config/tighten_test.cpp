#include "config/tighten.h"

#include <gtest/gtest.h>

#include "config/test_support.h"

namespace capsule::config {
namespace {

using Texts = std::vector<std::string>;

class ConfigContain : public ConfigLayers {
 protected:
  ContainPreset preset() { return good().contain.preset; }
};

TEST_F(ConfigContain, AWordStandsForThePresetOfAGroup) {
  write(user_file(),
        "contain: strict\nverify: {contain: worktree}\nphases:\n  execute: {contain: off}\n"
        "  a.b:\n    contain: {preset: worktree, net: off}\n"
        "roles: {critic: {contain: {net: proxy}}}\n");
  const Config config = good();
  EXPECT_EQ(config.contain.preset, ContainPreset::strict);
  EXPECT_EQ(config.origin("contain.preset").where, user_file() + ":1");
  EXPECT_EQ(config.walls_of("sign-off"), (Walls{ContainPreset::strict, ContainNet::proxy}));
  EXPECT_EQ(config.walls_of("execute"), (Walls{ContainPreset::off, ContainNet::open}));
  EXPECT_EQ(config.walls_of("a.b"), (Walls{ContainPreset::worktree, ContainNet::off}));
  EXPECT_EQ(config.walls_of_role("critic"), (Walls{ContainPreset::strict, ContainNet::proxy}));
  EXPECT_EQ(config.walls_of_checks(), (Walls{ContainPreset::worktree, ContainNet::off}));
}

TEST_F(ConfigContain, EveryKeyReachesItsField) {
  write(user_file(),
        "contain:\n  preset: worktree\n  missing: weaker\n  read: [/opt/a, ~/b]\n"
        "  scratch: ~/.cache\n  write: [~/w]\n  net: proxy\n"
        "  allow: [API.example.com, '*.b.example:8443']\n  forward: [5432, 80]\n"
        "  env: [JAVA_HOME]\n  memory: 4GB\n  processes: 100\n  cpu: 150\n  broker: true\n");
  const Contain contain = good().contain;
  EXPECT_TRUE(contain.weaker);
  EXPECT_EQ(contain.read, (Texts{"/opt/a", "~/b"}));
  EXPECT_EQ(contain.scratch, Texts{"~/.cache"});
  EXPECT_EQ(contain.write, Texts{"~/w"});
  EXPECT_EQ(contain.net, ContainNet::proxy);
  EXPECT_EQ(contain.allow, (Texts{"api.example.com:443", "*.b.example:8443"}));
  EXPECT_EQ(contain.forward, (std::vector<int>{5432, 80}));
  EXPECT_EQ(contain.env, Texts{"JAVA_HOME"});
  EXPECT_EQ(contain.memory, std::int64_t{4} << 30);
  EXPECT_EQ(contain.processes, 100);
  EXPECT_EQ(contain.cpu, 150);
  EXPECT_TRUE(contain.broker);
}

TEST_F(ConfigContain, ChecksAreAsTightAsTheTightestAgentAndHaveNoNetwork) {
  EXPECT_EQ(good().walls_of_checks().net, ContainNet::off);
  write(user_file(), "contain: {preset: worktree, net: open}\n");
  EXPECT_EQ(good().walls_of_checks(), (Walls{ContainPreset::worktree, ContainNet::off}));
  write(user_file(), "contain: off\nphases: {execute: {contain: worktree}}\n");
  EXPECT_EQ(good().walls_of_checks().preset, ContainPreset::worktree);
  write(user_file(), "contain: worktree\nroles: {developer: {contain: strict}}\n");
  EXPECT_EQ(good().walls_of_checks().preset, ContainPreset::strict);
  write(user_file(), "contain: strict\nverify: {contain: {preset: off, net: open}}\n");
  EXPECT_EQ(good().walls_of_checks(), (Walls{ContainPreset::off, ContainNet::open}));
}

TEST_F(ConfigContain, TheProjectsFileTightens) {
  write(user_file(), "contain: {preset: worktree, read: [/a, /b], memory: 4GB, missing: weaker}\n");
  write(project_file(),
        "contain: {preset: strict, read: [/b], memory: 2GB, missing: refuse, net: off, "
        "broker: true, processes: 9}\n"
        "phases: {execute: {contain: {preset: strict, net: proxy}}}\n"
        "verify: {contain: {preset: strict, net: off}}\n");
  const Config config = good();
  EXPECT_EQ(config.contain.preset, ContainPreset::strict);
  EXPECT_EQ(config.contain.read, Texts{"/b"});
  EXPECT_EQ(config.contain.memory, std::int64_t{2} << 30);
  EXPECT_FALSE(config.contain.weaker);
  EXPECT_EQ(config.walls_of("execute").net, ContainNet::proxy);
}

TEST_F(ConfigContain, EveryWayToLoosenIsRefusedInTheProjectsFile) {
  write(user_file(),
        "contain: {preset: strict, read: [/a], memory: 1GB, processes: 8, cpu: 100, "
        "broker: true}\n"
        "phases: {execute: {contain: strict}}\n");
  for (const char* text : {"contain: off",
                           "contain: worktree",
                           "contain: {missing: weaker}",
                           "contain: {read: [/b]}",
                           "contain: {read: [/a, /b]}",
                           "contain: {scratch: [/b]}",
                           "contain: {write: [/a]}",
                           "contain: {net: open}",
                           "contain: {allow: [x.example]}",
                           "contain: {forward: [80]}",
                           "contain: {env: [AWS_SECRET]}",
                           "contain: {memory: 2GB}",
                           "contain: {processes: 9}",
                           "contain: {cpu: 101}",
                           "contain: {broker: false}",
                           "phases: {execute: {contain: worktree}}",
                           "phases: {sign-off: {contain: off}}",
                           "phases: {execute: {contain: {net: open}}}",
                           "roles: {critic: {contain: worktree}}",
                           "roles: {critic: {contain: {net: open}}}",
                           "verify: {contain: off}",
                           "verify: {contain: {net: open}}",
                           "verify: {contain: {net: proxy}}"}) {
    const Texts found = problems(text);
    ASSERT_EQ(found.size(), 1U) << text;
    EXPECT_TRUE(found.front().starts_with(":1: ")) << found.front();
    EXPECT_NE(found.front().find("can only tighten"), std::string::npos) << found.front();
    EXPECT_NE(found.front().find("your own file, " + user_file()), std::string::npos);
    EXPECT_EQ(all().config.contain.preset, ContainPreset::strict);
    EXPECT_EQ(all().config.contain.read, Texts{"/a"}) << text;
  }
}

TEST_F(ConfigContain, AProblemSaysWhatIsTooMuch) {
  write(user_file(), "contain: {preset: strict, read: [/a]}\n");
  EXPECT_EQ(problems("# x\ncontain: worktree\n"),
            Texts{":2: contain.preset of the project's file can only tighten: worktree is looser "
                  "than strict (put it into your own file, " +
                  user_file() + ", if you want it, or run with --contain=PRESET)"});
  EXPECT_EQ(problems("contain:\n  read: [/a, /b, /c]\n"),
            Texts{":2: contain.read of the project's file can only tighten: /b, /c would be one "
                  "more way out (put it into your own file, " +
                  user_file() + ", if you want it)"});
}

TEST_F(ConfigContain, WhatTheUserLoosenedTheProjectMayAlsoSay) {
  write(user_file(),
        "contain: {preset: worktree, net: open, write: [~/w]}\n"
        "verify: {contain: {net: open}}\nphases: {execute: {contain: off}}\n");
  write(project_file(),
        "contain: {preset: worktree, net: open, write: [~/w]}\n"
        "verify: {contain: {net: open}}\n"
        "phases: {execute: {contain: {preset: off, net: open}}}\n");
  EXPECT_EQ(good().walls_of("execute").preset, ContainPreset::off);
}

TEST_F(ConfigContain, AVariableOrAFlagHoldsForEverybody) {
  write(user_file(), "contain: worktree\nroles: {critic: {contain: strict}}\n");
  write(project_file(),
        "contain: strict\nphases: {execute: {contain: strict}}\n"
        "verify: {contain: strict}\n");
  variables_["CAPSULE_CONTAIN"] = "off";
  EXPECT_EQ(preset(), ContainPreset::off);
  EXPECT_EQ(good().walls_of("execute").preset, ContainPreset::off);
  EXPECT_EQ(good().walls_of_role("critic").preset, ContainPreset::off);
  EXPECT_EQ(good().walls_of_checks().preset, ContainPreset::off);
  EXPECT_EQ(good().origin("contain.preset").where, "CAPSULE_CONTAIN");
  flags_.push_back({"contain.preset", "worktree", "--contain"});
  EXPECT_EQ(good().walls_of("execute").preset, ContainPreset::worktree);
  EXPECT_EQ(good().walls_of_checks().preset, ContainPreset::worktree);
}

}  // namespace
}  // namespace capsule::config
