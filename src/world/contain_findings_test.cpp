#include "world/contain_findings.h"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "world/setup.h"
#include "world/test_support.h"

namespace capsule::world {
namespace {

using ::testing::HasSubstr;

class WallFindings : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    ::setenv("HOME", home().c_str(), 1);
  }
  void TearDown() override {
    if (users_home_.empty())
      ::unsetenv("HOME");
    else
      ::setenv("HOME", users_home_.c_str(), 1);
    ProjectTest::TearDown();
  }
  std::string home() const { return project_ + "/home"; }
  void configure(const std::string& yaml) {
    write(project_ + "/.capsule/config.yaml", yaml);
    ProjectWords words;
    words.folder = project_;
    project = std::make_unique<Project>(open_project(words).value());
  }

 private:
  const std::string users_home_ = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
};

contain::Kernel whole_kernel() {
  contain::Kernel kernel;
  kernel.landlock = 7;
  kernel.seccomp = true;
  return kernel;
}

TEST_F(WallFindings, TheBestPresetIsWhatTheKernelCanHold) {
  contain::Kernel kernel = whole_kernel();
  EXPECT_EQ(best_preset(kernel), "strict");
  kernel.landlock = 0;
  EXPECT_EQ(best_preset(kernel), "{preset: strict, missing: weaker}");
  kernel = whole_kernel();
  kernel.no_namespaces = Error{Reason::refused, "no", "allow them"};
  EXPECT_EQ(best_preset(kernel), "{preset: worktree, missing: weaker}");
  kernel.seccomp = false;
  EXPECT_EQ(best_preset(kernel), "off");
}

TEST_F(WallFindings, WhatIsConfiguredAndCannotBeHeldIsAProblemWithTheLineThatMendsIt) {
  configure("contain: strict\n");
  contain::Kernel kernel = whole_kernel();
  Findings found = check_walls(*project, kernel);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].health, Health::good);
  EXPECT_THAT(found[0].text, HasSubstr("agents: strict (network proxy), checks: strict (network "
                                       "off)"));
  EXPECT_THAT(found[0].text, HasSubstr(".capsule/config.yaml:1"));
  kernel.no_namespaces = Error{Reason::refused, "no namespaces here", "allow them"};
  found = check_walls(*project, kernel);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].health, Health::bad);
  EXPECT_THAT(found[0].text, HasSubstr("would be refused"));
  EXPECT_THAT(found[0].mend.back(), HasSubstr("contain: {preset: worktree, missing: weaker}"));
}

TEST_F(WallFindings, WallsOfASinglePhaseAreChosenAsARunTakesIt) {
  configure("phases: {execute: {contain: strict}}\n");
  contain::Kernel kernel = whole_kernel();
  Findings found = check_walls(*project, kernel);
  EXPECT_THAT(found.at(0).text, HasSubstr("agents: off (execute: strict (network proxy)), checks: "
                                          "strict (network off), "));
  EXPECT_THAT(found[0].text, HasSubstr(".capsule/config.yaml:1"));
  kernel.landlock = 0;
  found = check_walls(*project, kernel);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].health, Health::bad) << "a run is refused as well";
}

TEST_F(WallFindings, WithoutScratchLayersNothingCanBeHeldAsReviewersWouldBeRefused) {
  contain::Kernel kernel = whole_kernel();
  kernel.no_overlay = Error{Reason::refused, "no layers here", "modprobe overlay"};
  EXPECT_EQ(best_preset(kernel), "off");
  configure("contain: worktree\n");
  project->config.contain.weaker = true;
  const Findings found = check_walls(*project, kernel);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].health, Health::bad);
  EXPECT_THAT(found[0].text, HasSubstr("would be refused: no layers here"));
}

TEST_F(WallFindings, SettingsOfAClientThatAreNotInsideAreNamedWithTheLineThatGivesThem) {
  write(home() + "/.claude/settings.json", "{}");
  configure("contain: worktree\nprovider: claude\n");
  Findings found = check_walls(*project, whole_kernel());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].text, "claude does not see your settings inside: ~/.claude/settings.json");
  EXPECT_THAT(found[1].mend.back(), HasSubstr("contain: {read: [~/.claude/settings.json]}"));
  project->config.contain.read = {"~/.claude/settings.json"};
  EXPECT_EQ(check_walls(*project, whole_kernel()).size(), 1U);
  write(home() + "/.claude/agents/one.md", "x");
  write(home() + "/.claude.json", R"({"mcpServers":{}})");
  configure("contain: off\nprovider: claude\nphases: {execute: {contain: worktree}}\n");
  found = check_walls(*project, whole_kernel());
  ASSERT_EQ(found.size(), 2U) << "a single phase has walls";
  EXPECT_THAT(found[1].text, HasSubstr("~/.claude/settings.json, ~/.claude/agents"));
  write(home() + "/.claude.json", R"({"mcpServers":{"mine":{"command":"x"}}})");
  found = check_walls(*project, whole_kernel());
  ASSERT_EQ(found.size(), 3U);
  EXPECT_THAT(found[1].text, HasSubstr("your MCP servers inside: ~/.claude.json"));
  configure("contain: off\nprovider: claude\n");
  EXPECT_EQ(check_walls(*project, whole_kernel()).size(), 1U);
}

TEST_F(WallFindings, WhatIsNotInsideThoughItWasThereIsARowWithTheLineThatGivesIt) {
  const auto row = [&](const std::string& text) {
    for (const Finding& one : check_walls(*project, whole_kernel()))
      if (one.text.find(text) != one.text.npos) return one;
    ADD_FAILURE() << text;
    return Finding{Health::good, "", "", {""}};
  };
  const std::string user = root_ + "/user";  // beside the project
  ::setenv("HOME", user.c_str(), 1);
  write(user + "/.claude/.credentials.json", "{}");
  write(user + "/.npmrc", "token");
  write(root_ + "/tools/check.sh", "true");
  std::filesystem::permissions(root_ + "/tools", std::filesystem::perms::owner_all);
  ::unsetenv("ANTHROPIC_API_KEY");
  ::setenv("OF_SOMETHING_API_KEY", "sk-0123456789abcdef0123456789", 1);
  configure(
      "contain: worktree\nprovider: claude\nworktree: {setup: git submodule update}\n"
      "verify: {test: [sh, '" +
      root_ + "/tools/check.sh']}\n");
  EXPECT_THAT(row("claude gets its own variables alone").text, HasSubstr("OF_SOMETHING_API_KEY"));
  ASSERT_EQ(not_in_worktrees(*project).size(), 1U);
  EXPECT_THAT(not_in_worktrees(*project).front(), HasSubstr("worktree: {contain: off}"));
  EXPECT_THAT(row("how you fetch packages: ~/.npmrc").mend.back(),
              HasSubstr("contain: {read: [~/.npmrc]}"));
  EXPECT_THAT(row("verify.test names").mend.back(), HasSubstr("/tools/check.sh]}"));
  const Finding login = row("without what renews it");
  EXPECT_EQ(login.health, Health::doubtful);
  EXPECT_THAT(login.mend.front(), HasSubstr("`claude setup-token`"));
  EXPECT_THAT(login.mend.front(), HasSubstr("ANTHROPIC_API_KEY"));
  EXPECT_THAT(login.mend.back(), HasSubstr("contain: off"));
  ::unsetenv("OF_SOMETHING_API_KEY");
}

TEST_F(WallFindings, WhatLimitsAgentsAndTheDiskIsARowEach) {
  configure("contain: {preset: worktree, memory: 2GB, processes: 100}\n");
  contain::Kernel kernel = whole_kernel();
  Findings found = check_limits(*project, kernel);
  ASSERT_GE(found.size(), 2U);
  EXPECT_EQ(found[0].health, Health::good);
  EXPECT_THAT(found[0].text, HasSubstr("memory: 2 GB for all processes"));
  EXPECT_THAT(found[0].text, HasSubstr("processes: 100"));
  EXPECT_THAT(found[0].text, HasSubstr("processors: not limited"));
  project->config.contain.cpu = 150;
  EXPECT_THAT(check_limits(*project, kernel)[0].text, HasSubstr("150 % of one (contain.cpu)"));
  EXPECT_EQ(found[1].what, "disk");
  EXPECT_THAT(found[1].text, HasSubstr("(disk.reserve)"));
  kernel.counts = false;
  found = check_limits(*project, kernel);
  EXPECT_EQ(found[0].health, Health::doubtful);
  EXPECT_THAT(found[0].text, HasSubstr("CONFIG_PROC_CHILDREN"));
  configure("contain: off\n");
  found = check_limits(*project, whole_kernel());
  EXPECT_EQ(found[0].health, Health::doubtful);
  EXPECT_THAT(found[0].text, HasSubstr("nothing limits memory and processes"));
}

TEST_F(WallFindings, PlacesOfTheConfigurationThatAreMissingOrTalkAreNamed) {
  configure("contain: worktree\n");
  project->config.contain.read = {project_ + "/nothing", project_};
  project->config.contain.write = {project_ + "/.git"};
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = project_ + "/s";
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  std::string all;
  for (const Finding& finding : check_walls(*project, whole_kernel())) all += finding.text + "\n";
  ::close(listener);
  EXPECT_THAT(all, HasSubstr("nothing does not exist, and is left out"));
  EXPECT_THAT(all, HasSubstr("holds a socket (s)"));
  EXPECT_THAT(all, HasSubstr(".git can be changed, and it stays"));
}

}  // namespace
}  // namespace capsule::world
