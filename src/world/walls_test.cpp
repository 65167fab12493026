#include "world/walls.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "tests/contain/kernel.h"
#include "world/needs.h"
#include "world/providers.h"
#include "world/run_walls.h"
#include "world/test_support.h"

namespace capsule::world {
namespace {

namespace fs = std::filesystem;
using contain::Net;
using contain::Role;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using workflow::StartAgent;

// A user with a home of his own, and variables that nobody else sees.
class WallsTest : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    home_ = fs::canonical(project_).parent_path().string() + "/home-of-walls";
    fs::create_directories(home_ + "/.config/capsule");
    set("HOME", home_);
    for (const char* name :
         {"XDG_CONFIG_HOME", "CAPSULE_CONTAIN", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN",
          "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "NODE_EXTRA_CA_CERTS", "GOPATH"})
      set(name, std::nullopt);
  }
  void TearDown() override {
    for (const auto& [name, value] : before_)
      value ? ::setenv(name.c_str(), value->c_str(), 1) : ::unsetenv(name.c_str());
    fs::remove_all(home_);
    ProjectTest::TearDown();
  }

  void set(const std::string& name, std::optional<std::string> value) {
    const char* old = std::getenv(name.c_str());
    before_.emplace(name, old == nullptr ? std::nullopt : std::optional<std::string>(old));
    value ? ::setenv(name.c_str(), value->c_str(), 1) : ::unsetenv(name.c_str());
  }
  static void write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path) << text;
  }
  void user(const std::string& text) {
    write(home_ + "/.config/capsule/config.yaml", text);
    open();
  }
  void in_project(const std::string& text) {
    write(project_ + "/.capsule/config.yaml", text);
    open();
  }
  void open() {
    ProjectWords words;
    words.folder = project_;
    auto opened = open_project(words);
    ASSERT_TRUE(opened) << opened.error().message;
    project = std::make_unique<Project>(*std::move(opened));
  }
  static StartAgent phase(const std::string& name) {
    StartAgent start;
    start.role = name;
    return start;
  }
  static agent::Provider claude() {
    agent::Provider provider;
    provider.name = provider.client = "claude";
    provider.argv = {"claude", "-p"};
    return provider;
  }
  std::optional<contain::Wish> wish(const StartAgent& start,
                                    const agent::Provider& provider = claude()) {
    auto walls = walls_of_agent(*project, start, provider, project_);
    EXPECT_TRUE(walls) << walls.error().message;
    return walls ? *std::move(walls) : std::nullopt;
  }
  std::string error(const StartAgent& start, const agent::Provider& provider = claude()) {
    const auto walls = walls_of_agent(*project, start, provider, project_);
    return walls ? "" : walls.error().message;
  }

  std::string home_;
  std::map<std::string, std::optional<std::string>> before_;
};

TEST_F(WallsTest, OffMeansNone) {
  user("contain: off\n");
  EXPECT_FALSE(wish(phase("execute")));
  EXPECT_FALSE(walls_of_checks(*project, project_));
  EXPECT_FALSE(walls_of_setup(*project, project_));
}

TEST_F(WallsTest, WritersWriteReviewersLookAndChecksHaveNoNetwork) {
  user("contain: worktree\n");
  EXPECT_EQ(wish(phase("execute"))->role, Role::writer);
  EXPECT_EQ(wish(phase("execute"))->net, Net::open);
  EXPECT_EQ(wish(phase("execute"))->folder, project_);
  StartAgent judge = phase("test-review");
  judge.judges = true;
  EXPECT_EQ(wish(judge)->role, Role::reviewer);
  StartAgent looks = phase("look");
  looks.settle = workflow::Settle::take_back;
  EXPECT_EQ(wish(looks)->role, Role::reviewer);
  EXPECT_EQ(walls_of_checks(*project, project_)->role, Role::gate);
  EXPECT_EQ(walls_of_checks(*project, project_)->net, Net::off);
  EXPECT_EQ(walls_of_setup(*project, project_)->role, Role::writer);
  EXPECT_EQ(walls_of_setup(*project, project_)->net, Net::open);
}

TEST_F(WallsTest, ScriptsOutsideThatCommandsNameCanBeReadInside) {
  const std::string script = home_ + "/bin/tests.sh", secret = home_ + "/.ssh/id";
  write(script, "true\n");
  write(secret, "key\n");
  fs::permissions(fs::path(home_).parent_path(), fs::perms::others_exec, fs::perm_options::add);
  write(project_ + "/mine.sh", "true\n");
  user("contain: worktree\nworktree: {setup: [sh, " + secret + "]}\n");
  in_project("verify: {test: '. /dev/null; sh \"" + script + "\" && sh " + project_ +
             "/mine.sh', lint: [cat, " + secret + ", /etc/passwd.missing]}\n");
  for (const auto& read :
       {walls_of_checks(*project, project_)->read, walls_of_setup(*project, project_)->read,
        wish(phase("execute"))->read}) {
    EXPECT_THAT(read, Contains(script));
    EXPECT_THAT(read, Contains(secret)) << "the user's own file names it";
    EXPECT_THAT(read, Not(Contains(project_ + "/mine.sh"))) << "it is there, and can be changed";
    EXPECT_THAT(read, Not(Contains("/dev/null")));
  }
  user("contain: worktree\n");
  EXPECT_THAT(walls_of_checks(*project, project_)->read, Not(Contains(secret)))
      << "the project's file can only tighten";
  EXPECT_THAT(walls_of_checks(*project, project_)->read, Contains(script));
  user("contain: strict\n");
  EXPECT_THAT(walls_of_checks(*project, project_)->read, Not(Contains(script)));
  user("contain: worktree\n");
  const auto seen = [&] {
    return ::testing::Matches(Contains(script))(walls_of_checks(*project, project_)->read);
  };
  fs::permissions(home_, fs::perms::owner_all);
  EXPECT_FALSE(seen()) << "nobody else gets there";
  fs::permissions(home_, fs::perms::others_exec, fs::perm_options::add);
  EXPECT_TRUE(seen());
  fs::permissions(script, fs::perms::owner_all);
  EXPECT_FALSE(seen());
}

TEST_F(WallsTest, WhoeverIsConfiguredReadOnlyOnlyLooks) {
  user(
      "contain: worktree\nphases: {execute: {access: read-only}}\n"
      "roles: {developer: {access: read-only}}\n");
  EXPECT_EQ(wish(phase("execute"))->role, Role::reviewer);
  StartAgent developer = phase("developer");
  developer.settings = workflow::Settings::role;
  EXPECT_EQ(wish(developer)->role, Role::reviewer);
}

TEST_F(WallsTest, APhaseOrARoleHasItsOwnPresetAndNetwork) {
  user(
      "contain: worktree\nphases: {execute: {contain: strict}, merge: {contain: off}}\n"
      "roles: {critic: {contain: {net: off}}}\n");
  EXPECT_EQ(wish(phase("execute"))->preset, contain::Preset::strict);
  EXPECT_EQ(wish(phase("execute"))->net, Net::proxy);
  EXPECT_FALSE(wish(phase("merge")));
  StartAgent critic = phase("critic");
  critic.settings = workflow::Settings::role;
  EXPECT_EQ(wish(critic)->net, Net::off);
  StartAgent reviewer = phase("review-security");  // of auto mode: configured by another name
  reviewer.configured = "execute";
  EXPECT_EQ(wish(reviewer)->preset, contain::Preset::strict);
  EXPECT_EQ(walls_of_checks(*project, project_)->preset, contain::Preset::strict);
}

TEST_F(WallsTest, WhatIsConfiguredIsInTheWishAndWhatThisMachineLacksIsNot) {
  write(home_ + "/tools/x", "");
  user(
      "contain: {preset: worktree, missing: weaker, read: [~/tools, ~/nothing], "
      "scratch: [~/tools], write: [~/gone], allow: [a.example], forward: [5432], env: [MINE], "
      "memory: 1GB, processes: 7}\n");
  const auto found = wish(phase("execute"));
  EXPECT_THAT(found->read, Contains(home_ + "/tools"));
  EXPECT_THAT(found->read, Not(Contains(home_ + "/nothing")));
  EXPECT_THAT(found->scratch, Contains(home_ + "/tools"));
  EXPECT_TRUE(found->write.empty());
  EXPECT_THAT(found->allow, Contains("a.example:443"));
  EXPECT_EQ(found->forward, std::vector<int>{5432});
  EXPECT_THAT(found->env, Contains("MINE"));
  EXPECT_EQ(found->missing, contain::Missing::weaker);
  EXPECT_TRUE(found->namespaces_found) << "or everybody who starts something tries them";
  EXPECT_TRUE(walls_of_checks(*project, project_)->namespaces_found);
  EXPECT_EQ(found->limits.memory, 1U << 30);
  EXPECT_EQ(found->limits.together, 1U << 30);
  EXPECT_EQ(found->limits.processes, 7U);
}

// Inside, the namespaces of its own sandbox are refused.
TEST_F(WallsTest, ASandboxOfTheClientsOwnIsSwitchedOffInsideAndNotWithoutWalls) {
  const std::string codex = "provider: codex\nphases: {execute: {access: read-only}}\n";
  const auto argv = [&] {
    const auto settings = agent_settings(*project, phase("execute"));
    EXPECT_TRUE(settings) << settings.error().message;
    return settings ? settings->provider.argv : std::vector<std::string>();
  };
  user(codex);
  EXPECT_THAT(argv(), Contains("read-only"));
  user(codex + "contain: worktree\n");
  EXPECT_THAT(argv(), Not(Contains("read-only")));
  EXPECT_THAT(argv(), Contains("--dangerously-bypass-approvals-and-sandbox"));
  EXPECT_EQ(wish(phase("execute"))->role, Role::reviewer)
      << "what it changes vanishes all the same";
  user("provider: gemini\nphases: {execute: {access: read-only}}\ncontain: worktree\n");
  EXPECT_THAT(argv(), Contains("plan")) << "that is no sandbox";
}

// Nothing of what it changes stays, so that nobody needs its word.
TEST_F(WallsTest, WhoCannotBeToldToChangeNothingIsRefusedAsReadOnlyOnlyWithoutWalls) {
  const std::string mine = "providers: {mine: {command: [mine, '{prompt}']}}\n";
  for (const std::string name : {"goose", "kimi", "grok", "mine"}) {
    SCOPED_TRACE(name);
    const std::string text =
        mine + "provider: " + name + "\nphases: {execute: {access: read-only}}\n";
    event::PhaseRule execute;
    execute.name = "execute";
    user(text + "contain: off\n");
    const auto refused = agent_settings(*project, phase("execute"));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("cannot be told to change nothing"));
    EXPECT_THAT(refused.error().hint, HasSubstr("contain: worktree"));
    user(text);
    EXPECT_FALSE(settings_of(*project, execute, "")) << "by hand nobody has chosen walls";
    user(text + "contain: worktree\n");
    const auto taken = agent_settings(*project, phase("execute"));
    ASSERT_TRUE(taken) << taken.error().message;
    EXPECT_TRUE(settings_of(*project, execute, ""));
    EXPECT_EQ(wish(phase("execute"))->role, Role::reviewer);
  }
}

TEST_F(WallsTest, ARoleThatCannotBeToldIsAcceptedInsideToo) {
  const std::string text = "roles: {critic: {provider: goose, access: read-only}}\n";
  user(text + "contain: off\n");
  EXPECT_FALSE(provider_for_role(*project, "critic"));
  user(text + "contain: worktree\n");
  EXPECT_TRUE(provider_for_role(*project, "critic"));
}

TEST_F(WallsTest, ByHandItIsSwitchedOffInsideToo) {
  const auto argv = [&] {
    event::PhaseRule execute;
    execute.name = "execute";
    const auto settings = settings_of(*project, execute, "");
    EXPECT_TRUE(settings) << settings.error().message;
    return settings ? settings->provider.argv : std::vector<std::string>();
  };
  const std::string codex = "provider: codex\nphases: {execute: {access: read-only}}\n";
  user(codex + "contain: off\n");
  EXPECT_THAT(argv(), Contains("read-only"));
  user(codex);
  EXPECT_THAT(argv(), Contains("read-only")) << "nobody has chosen walls";
  user(codex + "contain: worktree\n");
  EXPECT_THAT(argv(), Not(Contains("read-only")));
}

TEST_F(WallsTest, ASetUpIsNoLooserThanAnybodyWhoWorksInItsTree) {
  const auto net = [&](const std::string& text) {
    user(text);
    const auto found = walls_of_setup(*project, project_);
    return found ? found->net : std::nullopt;
  };
  EXPECT_EQ(net("contain: worktree\n"), Net::open);
  EXPECT_EQ(net("contain: worktree\nphases: {execute: {contain: {net: proxy}}}\n"), Net::proxy);
  EXPECT_EQ(net("contain: worktree\nroles: {critic: {contain: {net: off}}}\n"), Net::off);
  EXPECT_EQ(net("contain: worktree\nphases: {execute: {contain: strict}}\n"), Net::proxy);
  EXPECT_EQ(net("contain: strict\nworktree: {contain: {net: open}}\n"), Net::open);
  EXPECT_EQ(net("contain: strict\nworktree: {contain: off}\n"), std::nullopt);
  EXPECT_TRUE(walls_of_checks(*project, project_));
  user("contain: worktree\n");
  write(project_ + "/.capsule/config.yaml", "worktree: {contain: off}\n");
  ProjectWords words;
  words.folder = project_;
  EXPECT_FALSE(open_project(words)) << "the project's file can only tighten";
}

// In a process of its own: what the kernel has is found out once.
TEST_F(WallsTest, WhatWouldBeRefusedLaterIsRefusedBeforeAnythingIsMade) {
  user("contain: {preset: strict, missing: weaker}\n");
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        test::without_user_namespaces();
        const auto strict = can_contain(wish(phase("execute")));
        user("contain: {preset: worktree, missing: weaker}\n");
        const auto weaker = can_contain(wish(phase("execute")));
        std::_Exit(!strict && weaker ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

// In a process of its own: what the kernel has is found out once.
TEST_F(WallsTest, ASandboxOfTheClientsOwnStaysOnWhereThereAreNoNamespaces) {
  user(
      "provider: codex\nphases: {execute: {access: read-only}}\n"
      "contain: {preset: worktree, missing: weaker}\n");
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        test::without_user_namespaces();
        const auto settings = agent_settings(*project, phase("execute"));
        const bool kept =
            settings && !std::count(settings->provider.argv.begin(), settings->provider.argv.end(),
                                    "--dangerously-bypass-approvals-and-sandbox");
        std::_Exit(kept ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(WallsTest, WhoHasChosenForOneRoleAloneGetsThoseOrNothing) {
  user("");
  EXPECT_FALSE(walls_chosen(project->config));
  for (const char* choice : {"contain: worktree\n", "phases: {execute: {contain: worktree}}\n"}) {
    user(choice);
    EXPECT_TRUE(walls_chosen(project->config)) << choice;
    EXPECT_EQ(wish(phase("execute"))->missing, contain::Missing::refuse) << choice;
  }
  user("contain: {missing: refuse}\n");
  EXPECT_TRUE(walls_chosen(project->config));
  user("contain: {missing: weaker}\n");
  EXPECT_FALSE(walls_chosen(project->config)) << "who takes what there is has chosen nothing";
}

TEST_F(WallsTest, WhereNobodySaysAllProcessesTogetherHaveMostOfTheMemoryAndNoneALimitOfItsOwn) {
  for (const char* preset : {"contain: worktree\n", "contain: strict\n"}) {
    user(preset);
    const auto found = wish(phase("execute"));
    EXPECT_GT(found->limits.together, 0U) << preset;
    EXPECT_EQ(found->limits.memory, 0U) << preset << "a sanitizer reserves more than there is";
  }
}

TEST_F(WallsTest, AClientBringsItsHostsAndVariables) {
  user("contain: strict\n");
  set("ANTHROPIC_API_KEY", "k");
  set("ANTHROPIC_BASE_URL", "https://gateway.example:8443/x");
  set("OPENAI_API_KEY", "other");
  const auto found = wish(phase("execute"));
  EXPECT_THAT(found->env, Contains("ANTHROPIC_API_KEY"));
  EXPECT_THAT(found->env, Not(Contains("OPENAI_API_KEY")));
  EXPECT_THAT(found->allow, Contains("api.anthropic.com:443"));
  EXPECT_THAT(found->allow, Contains("gateway.example:8443"));
  EXPECT_THAT(walls_of_checks(*project, project_)->env, Not(Contains("ANTHROPIC_API_KEY")));
  EXPECT_TRUE(walls_of_checks(*project, project_)->allow.empty());
}

TEST_F(WallsTest, AServiceOnThisMachineIsAPortThatExistsInside) {
  user("contain: strict\n");
  set("ANTHROPIC_BASE_URL", "http://127.0.0.1:8080");
  EXPECT_EQ(wish(phase("execute"))->forward, std::vector<int>{8080});
}

TEST_F(WallsTest, CertificatesOfTheUserAreReadAndHandedOver) {
  user("contain: strict\n");
  write(home_ + "/own-ca.pem", "x");
  set("NODE_EXTRA_CA_CERTS", home_ + "/own-ca.pem");
  const auto found = wish(phase("execute"));
  EXPECT_THAT(found->env, Contains("NODE_EXTRA_CA_CERTS"));
  EXPECT_THAT(found->read, Contains(home_ + "/own-ca.pem"));
}

TEST_F(WallsTest, WaysOutOfTheMachineAreHandedToWhoHasItsNetwork) {
  set("https_proxy", "http://proxy.example:3128");
  set("NO_PROXY", "localhost");
  set("GOPRIVATE", "git.example.com");
  user("contain: worktree\n");
  for (const auto& found : {wish(phase("execute")), walls_of_setup(*project, project_)})
    for (const char* name : {"https_proxy", "NO_PROXY", "GOPRIVATE"})
      EXPECT_THAT(found->env, Contains(name));
  for (const char* name : {"https_proxy", "GOPRIVATE"})
    EXPECT_THAT(walls_of_checks(*project, project_)->env, Not(Contains(name)));
  user("contain: {preset: worktree, net: proxy}\n");
  EXPECT_THAT(wish(phase("execute"))->env, Not(Contains("https_proxy"))) << "it has ours";
  EXPECT_THAT(wish(phase("execute"))->env, Contains("GOPRIVATE"));
}

TEST_F(WallsTest, ACloudsVariablesAndFilesAreForTheClientThatUsesIt) {
  set("AWS_PROFILE", "work");
  set("AWS_SECRET_ACCESS_KEY", "secret");
  set("CLAUDE_CODE_USE_BEDROCK", std::nullopt);
  write(home_ + "/.aws/config", "[profile work]\n");
  user("contain: worktree\n");
  EXPECT_THAT(wish(phase("execute"))->env, Not(Contains("AWS_PROFILE")));
  EXPECT_THAT(wish(phase("execute"))->scratch, Not(Contains(home_ + "/.aws")));
  set("CLAUDE_CODE_USE_BEDROCK", "1");
  EXPECT_THAT(wish(phase("execute"))->env, Contains("AWS_PROFILE"));
  EXPECT_THAT(wish(phase("execute"))->env, Contains("AWS_SECRET_ACCESS_KEY"));
  EXPECT_THAT(wish(phase("execute"))->scratch, Contains(home_ + "/.aws"));
  agent::Provider codex;
  codex.name = codex.client = "codex";
  codex.argv = {"codex"};
  EXPECT_THAT(wish(phase("execute"), codex)->env, Not(Contains("AWS_SECRET_ACCESS_KEY")));
  EXPECT_THAT(walls_of_checks(*project, project_)->scratch, Not(Contains(home_ + "/.aws")));
  set("CLAUDE_CODE_USE_BEDROCK", "0");
  EXPECT_THAT(wish(phase("execute"))->env, Not(Contains("AWS_PROFILE")));
}

TEST_F(WallsTest, FilesThatTheProjectNamesAndThatAreNotInsideAreKnown) {
  write(home_ + "/tools/check.sh", "true\n");
  fs::permissions(home_, fs::perms::owner_all);
  user("contain: worktree\n");
  in_project("verify: {test: [sh, '" + home_ + "/tools/check.sh'], lint: /usr/bin/env}\n");
  const auto unseen = named_and_unseen(*project);
  ASSERT_EQ(unseen.size(), 1U);
  EXPECT_EQ(unseen[0].key, "verify.test");
  EXPECT_EQ(unseen[0].path, home_ + "/tools/check.sh");
  user("contain: {preset: worktree, read: [~/tools]}\n");
  EXPECT_TRUE(named_and_unseen(*project).empty());
}

TEST_F(WallsTest, AKnownClientBehindACommandIsKnown) {
  agent::Provider mine;
  mine.name = "mine";
  mine.argv = {"/opt/x/claude"};
  EXPECT_EQ(client_behind(mine)->name, "claude");
  mine.argv = {"wrapper"};
  EXPECT_EQ(client_behind(mine), nullptr);
  mine.output = dialect::Output::codex_events;
  EXPECT_EQ(client_behind(mine)->name, "codex");
}

TEST_F(WallsTest, WhatTheProjectSaysOfAProviderOpensNothing) {
  write(home_ + "/key", "secret");
  agent::Provider mine;
  mine.name = "mine";
  mine.argv = {home_ + "/agent.sh", home_ + "/key"};
  mine.env = {{"WHERE", "https://evil.example"}, {"FILE", home_ + "/key"}};
  write(home_ + "/agent.sh", "");
  fs::permissions(home_ + "/agent.sh", fs::perms::owner_all);
  const std::string row = "providers: {mine: {command: [x], env: [A=b]}}\n";
  user("contain: strict\n" + row);
  EXPECT_THAT(wish(phase("execute"), mine)->read, Contains(home_ + "/key"));
  EXPECT_THAT(wish(phase("execute"), mine)->allow, Contains("evil.example:443"));
  user("contain: strict\n");
  in_project(row);
  const auto found = wish(phase("execute"), mine);
  EXPECT_THAT(found->read, Contains(home_ + "/agent.sh"));
  EXPECT_THAT(found->read, Not(Contains(home_ + "/key")));
  EXPECT_THAT(found->allow, Not(Contains("evil.example:443")));
}

TEST_F(WallsTest, AKeyThatStaysOutsideIsNowhereInside) {
  user("contain: {preset: strict, broker: true}\n");
  EXPECT_THAT(error(phase("execute")), HasSubstr("there is no key for claude"));
  set("ANTHROPIC_API_KEY", "k-1");
  set("CLAUDE_CODE_OAUTH_TOKEN", "of-the-same-person-1234");
  set("ANTHROPIC_CUSTOM_HEADERS", "x-key: 1");
  set("ANTHROPIC_MODEL", "m");
  set("SSL_CERT_FILE", "/own/authorities.pem");
  auto found = wish(phase("execute"));
  ASSERT_TRUE(found->broker);
  EXPECT_EQ(found->broker->authorities, std::vector<std::string>{"/own/authorities.pem"});
  EXPECT_THAT(found->env, Not(Contains("CLAUDE_CODE_OAUTH_TOKEN")));
  EXPECT_THAT(found->env, Not(Contains("ANTHROPIC_CUSTOM_HEADERS")));
  EXPECT_THAT(found->env, Contains("ANTHROPIC_MODEL"));
  EXPECT_THAT(found->allow, ::testing::IsEmpty());
  EXPECT_EQ(found->broker->upstream, "https://api.anthropic.com");
  EXPECT_EQ(found->broker->url_variable, "ANTHROPIC_BASE_URL");
  ASSERT_EQ(found->broker->keys.size(), 1U);
  EXPECT_EQ(found->broker->keys[0].header, "x-api-key");
  EXPECT_EQ(found->broker->keys[0].value, "k-1");
  EXPECT_THAT(found->env, Not(Contains("ANTHROPIC_API_KEY")));
  EXPECT_THAT(found->allow, Not(Contains("api.anthropic.com:443")));
  set("ANTHROPIC_BASE_URL", "http://localhost:99/v");
  set("ANTHROPIC_AUTH_TOKEN", "t");
  found = wish(phase("execute"));
  EXPECT_EQ(found->broker->upstream, "http://localhost:99/v");
  EXPECT_EQ(found->broker->keys[1].before, "Bearer ");
  EXPECT_TRUE(found->forward.empty());
  EXPECT_FALSE(walls_of_checks(*project, project_)->broker);
}

TEST_F(WallsTest, TheKeyOfGeminiStaysOutsideToo) {
  user("contain: {preset: strict, broker: true}\n");
  set("GEMINI_API_KEY", "k-1");
  set("GOOGLE_API_KEY", "another-key-of-the-user-1234");
  set("GOOGLE_GEMINI_BASE_URL", std::nullopt);
  agent::Provider gemini;
  gemini.name = gemini.client = "gemini";
  const auto found = wish(phase("execute"), gemini);
  ASSERT_TRUE(found->broker);
  EXPECT_EQ(found->broker->upstream, "https://generativelanguage.googleapis.com");
  EXPECT_EQ(found->broker->url_variable, "GOOGLE_GEMINI_BASE_URL");
  ASSERT_EQ(found->broker->keys.size(), 1U);
  EXPECT_EQ(found->broker->keys[0].header, "x-goog-api-key");
  EXPECT_EQ(found->broker->keys[0].before, "");
  EXPECT_THAT(found->env, Not(Contains("GOOGLE_API_KEY"))) << "another key is not handed over";
}

TEST_F(WallsTest, WhereAKeyCannotStayOutsideNothingIsStarted) {
  user("contain: {preset: worktree, broker: true}\n");
  set("ANTHROPIC_API_KEY", "k");
  EXPECT_THAT(error(phase("execute")), HasSubstr("the network is open"));
  user("contain: {preset: strict, broker: true}\n");
  agent::Provider codex;
  codex.name = codex.client = "codex";
  EXPECT_THAT(error(phase("execute"), codex), HasSubstr("codex cannot do without its key"));
  // They would take the key that is kept for another service's, and say so in words of their own.
  set("OPENAI_API_KEY", "k");
  agent::Provider goose;
  goose.name = goose.client = "goose";
  goose.argv = {"goose", "run"};
  EXPECT_TRUE(wish(phase("execute"), goose)->broker);
  set("GOOSE_PROVIDER", "anthropic");
  EXPECT_THAT(error(phase("execute"), goose), HasSubstr("goose asks anthropic, whose key cannot"));
  goose.argv = {"goose", "run", "--provider", "openai"};
  EXPECT_TRUE(wish(phase("execute"), goose)->broker) << "the option counts";
  agent::Provider qwen;
  qwen.name = qwen.client = "qwen";
  qwen.argv = {"qwen", "--auth-type=qwen-oauth"};
  EXPECT_THAT(error(phase("execute"), qwen), HasSubstr("qwen asks qwen-oauth, whose key cannot"));
}

TEST_F(WallsTest, CachesOfTheHomeAreScratchAndItsSecretsAreNot) {
  user("contain: worktree\n");
  for (const char* name : {"/.cargo/registry", "/.cache/go-build", "/.ssh", "/elsewhere/pkg/mod"})
    fs::create_directories(home_ + name);
  set("GOPATH", home_ + "/elsewhere");
  const auto found = walls_of_checks(*project, project_);
  EXPECT_THAT(found->scratch, Contains(home_ + "/.cargo/registry"));
  EXPECT_THAT(found->scratch, Contains(home_ + "/.cache/go-build"));
  EXPECT_THAT(found->scratch, Contains(home_ + "/elsewhere/pkg/mod"));
  EXPECT_THAT(found->env, Contains("GOPATH"));
  for (const std::string& place : found->scratch) EXPECT_THAT(place, Not(HasSubstr(".ssh")));
}

TEST_F(WallsTest, AnAddressLeadsToAHostOrToThisMachine) {
  EXPECT_EQ(reach_of("https://Api.Example.com/v1?x"), (Reach{"api.example.com:443", 443}));
  EXPECT_EQ(reach_of("http://u:p@h.example"), (Reach{"h.example:80", 80}));
  EXPECT_EQ(reach_of("http://[::1]:8080/x"), (Reach{"", 8080}));
  EXPECT_EQ(reach_of("http://127.0.0.1:1"), (Reach{"", 1}));
  for (const char* text : {"", "x", "ftp://a", "https://", "https://a:0", "https://a:x",
                           "https://a:99999", "http://[fe80::1]", "http://[::1", "http://[::1]x"})
    EXPECT_FALSE(reach_of(text)) << text;
}

TEST_F(WallsTest, AProgramIsSeenWithWhatItWasInstalledWith) {
  const auto program = [&](const std::string& path) {
    write(home_ + path, "#!/bin/sh\n");
    fs::permissions(home_ + path, fs::perms::owner_all);
    return home_ + path;
  };
  const std::string module = program("/npm/lib/node_modules/@a/b/cli.js");
  fs::create_directories(home_ + "/npm/bin");
  fs::create_symlink(module, home_ + "/npm/bin/tool");
  const std::string real = fs::canonical(home_).string();
  EXPECT_EQ(place_of_program("tool", home_ + "/npm/bin:/bin", home_),
            real + "/npm/lib/node_modules");
  write(home_ + "/venv/pyvenv.cfg", "");
  EXPECT_EQ(place_of_program(program("/venv/bin/x"), "", home_), real + "/venv");
  EXPECT_EQ(place_of_program(program("/bin/x"), "", home_), real + "/bin");
  EXPECT_EQ(place_of_program(program("/x"), "", real), real + "/x");
  EXPECT_EQ(place_of_program("./x", "", home_), "");
  EXPECT_EQ(place_of_program("no-such-program", "/bin", home_), "");
}

}  // namespace
}  // namespace capsule::world
