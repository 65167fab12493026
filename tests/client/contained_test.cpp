// The real client inside the walls of `strict`: through the proxy, and without its key.
#include <cstdlib>
#include <filesystem>

#include "tests/client/agents.h"
#include "tests/client/client.h"
#include "tests/contain/lab.h"

namespace capsule::test {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class ClientContained : public ClientTest {
 protected:
  void SetUp() override {
    ClientTest::SetUp();
    if (IsSkipped()) return;
    env()["ANTHROPIC_API_KEY"] = "the-real-one";
    env()["XDG_CONFIG_HOME"] = path("config");
    env()["CAPSULE_CONTAIN"] = std::nullopt;
    write_file(path("config/capsule/config.yaml"),
               "contain: {preset: strict, net: proxy, broker: true}\n");
  }
};

TEST_F(ClientContained, SixPhasesWithARetryReachMainAndNoAgentHasTheKey) {
  configure_gates();
  // Rules that come first win.
  model().when("# Execute Phase",
               {bash("env; cat /proc/self/environ; curl -s http://elsewhere.example/; exit 0"),
                bash("echo done >feature.txt"), bash("sh tests/feature_test.sh && echo GREEN"),
                bash("printf '\\n### Attempt 1\\n\\n- Status: PASS\\n' >>worklog.md"),
                say(signal_text("PASS", "green", "\"feature.txt\""))});
  script_pipeline(model());
  const Outcome outcome = run_bead();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("test-review: NEEDS_WORK (attempt 1/3)"));
  EXPECT_THAT(outcome.out, HasSubstr("test-review: PASS (attempt 2/3)"));
  EXPECT_TRUE(is_closed());
  EXPECT_EQ(git_out({"show", "main:feature.txt"}), "done");
  const std::vector<Turn> turns = model().turns();
  EXPECT_GE(turns.size(), 20U);
  EXPECT_THAT(turns, Each(Field(&Turn::credential, "the-real-one")));
  EXPECT_THAT(turns, Each(Field(&Turn::tool, Not(HasSubstr("the-real-one")))));
  EXPECT_THAT(turns, Contains(Field(&Turn::tool, HasSubstr("ANTHROPIC_API_KEY=kept-outside"))));
  EXPECT_THAT(turns, Contains(Field(&Turn::tool, HasSubstr("elsewhere.example:80 was refused"))));
}

// A login as the client writes it, that lasts for a while yet.
TEST_F(ClientContained, ALoginWithoutWhatRenewsItIsEnoughWhileItLasts) {
  env()["ANTHROPIC_API_KEY"] = std::nullopt;
  write_file(path("config/capsule/config.yaml"), "contain: worktree\n");
  write_file(path("home/.claude/.credentials.json"),
             R"({"claudeAiOauth": {"accessToken": "sk-ant-oat01-short", "refreshToken": "renews",
                 "expiresAt": 4102444800000, "scopes": ["user:inference", "user:profile"],
                 "subscriptionType": "max"}})");
  configure_gates();
  model().when("# Execute Phase",
               {bash("cat ~/.claude/.credentials.json"), bash("echo done >feature.txt"),
                bash("sh tests/feature_test.sh && echo GREEN"),
                say(signal_text("PASS", "green", "\"feature.txt\""))});
  script_pipeline(model());
  const Outcome outcome = run_bead();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("walls: worktree"));
  const std::vector<Turn> turns = model().turns();
  EXPECT_THAT(turns, Each(Field(&Turn::credential, "Bearer sk-ant-oat01-short")));
  EXPECT_THAT(turns, Contains(Field(&Turn::tool, HasSubstr("subscriptionType"))));
  EXPECT_THAT(turns, Each(Field(&Turn::tool, Not(HasSubstr("renews")))));
}

// A writer and a reviewer, whose model has their tools try everything in the lab of tests/contain.
contain::RunReport try_all(const std::string& program, const std::string& preset) {
  contain::Through run{.roles = {contain::Role::writer, contain::Role::reviewer},
                       .preset = preset,
                       .client = program};
  run.service = [](const std::string& attempts) {
    // Until the lab ends, and this process with it.
    auto* const script = new Script;
    script->when("# Execute-Review Phase", {bash(attempts + " >>/home/ada/said/reviewer 2>&1"),
                                            say(signal_text("PASS", "fine"))});
    script->when("# Execute Phase",
                 {bash(attempts + " >>/home/ada/said/writer 2>&1"), bash("echo done >feature.txt"),
                  say(signal_text("PASS", "green", "\"feature.txt\""))});
    return (new Model(*script))->url();
  };
  std::vector<std::string> ids = contain::ids_of("RWGPN");
  // These end whoever makes them, so that the run cannot come to its end.
  std::erase_if(ids, [](const auto& id) { return id == "P14" || id == "P15" || id == "P20"; });
  const bool root = contain::why_no_lab(contain::As::root).empty();
  return contain::attempt_through(root ? contain::As::root : contain::As::user, run, ids);
}

std::string story(const contain::RunReport& report) {
  std::string text = "ended with " + std::to_string(report.code) + "\n" + report.printed;
  for (const std::string& id : report.out()) text += "\n" + id + ":\n" + report.seen.at(id).said;
  return text;
}

TEST_F(ClientContained, NothingGetsOutThatItsToolsTry) {
  if (const std::string why = contain::why_no_lab(contain::As::user); !why.empty())
    GTEST_SKIP() << why;
  const auto report = try_all(std::filesystem::canonical(path("bin/claude")), "strict");
  ASSERT_EQ(report.trouble, "");
  EXPECT_EQ(report.code, 0) << story(report);
  EXPECT_THAT(report.finished, ElementsAre("writer", "reviewer")) << story(report);
  EXPECT_GE(report.seen.size(), 105U);
  EXPECT_THAT(report.out(), IsEmpty()) << story(report);
}

TEST_F(ClientContained, WithoutWallsMostOfItDoes) {
  if (std::getenv("CAPSULE_TEST_FULL") == nullptr) GTEST_SKIP() << "with CAPSULE_TEST_FULL=1";
  if (const std::string why = contain::why_no_lab(contain::As::user); !why.empty())
    GTEST_SKIP() << why;
  const auto report = try_all(std::filesystem::canonical(path("bin/claude")), "off");
  ASSERT_EQ(report.trouble, "");
  EXPECT_GE(report.out().size(), 80U) << story(report);
}

}  // namespace
}  // namespace capsule::test
