// Each real client inside the walls of `worktree`: it works there, goes on with its session, and
// its commits are taken over.
#include <cstdlib>
#include <filesystem>

#include "tests/client/agents.h"
#include "tests/client/client.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Inside : public AgentTest, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    AgentTest::SetUp();
    if (std::getenv("CAPSULE_TEST_FULL") == nullptr) GTEST_SKIP() << "./test --full runs it";
    const std::string name = GetParam();
    if (!with_clients({name})) return;
    configure("provider: " + name + "\n" + providers_of({name}));
    write_small_workflow();
    env()["CAPSULE_CONTAIN"] = std::nullopt;
    // What makes them talk to a model of ours, where that is no variable that they bring along.
    std::string read;
    for (const auto& [file, text] : client_row(name).files(room()))
      read += (read.empty() ? "~/" : ", ~/") + file;
    // install-clients calls some by a node that lies elsewhere, which no variable names.
    const fs::path runtime = fs::canonical(path("bin/" + name)).parent_path() / "runtime";
    if (fs::exists(runtime))
      read += (read.empty() ? "" : ", ") + fs::canonical(runtime).parent_path().string();
    write_file(path("home/.config/capsule/config.yaml"),
               "contain: {preset: worktree, env: [LOOP_KEY], read: [" + read + "]}\n");
  }
};

TEST_P(Inside, AChangeGoesThroughAReworkToMain) {
  script_small_workflow();
  const Outcome outcome = run_small({"--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(model().keys(),
              ElementsAre("# Change it", "# Look at it", "Please greet", "# Look at it"));
  for (const Turn& turn : model().turns())
    EXPECT_EQ(turn.user_texts, turn.key == "Please greet" ? 2U : 1U)
        << turn.key << ": sessions are kept in the home of the tree, and reviewers begin their own";
  EXPECT_EQ(git_out({"show", "main:feature.txt"}), "done\nhello");
  const std::string status = command("status", {kBead}).out;
  EXPECT_THAT(status, HasSubstr("walls: worktree (namespaces, Landlock "));
  EXPECT_THAT(status, HasSubstr("for writer, reviewer"));
}

// Gemini's key stays outside of `strict`, as claude's does (ClientContained).
class KeyOutside : public AgentTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(KeyOutside, TheServiceIsToldTheRealOneAndTheAgentNever) {
  if (std::getenv("CAPSULE_TEST_FULL") == nullptr) GTEST_SKIP() << "./test --full runs it";
  if (!with_clients({GetParam()})) return;
  env()["GEMINI_API_KEY"] = "the-real-one";
  env()["CAPSULE_CONTAIN"] = std::nullopt;
  configure("provider: " + std::string(GetParam()) + "\n" + providers_of({GetParam()}));
  write_file(
      path("home/.config/capsule/config.yaml"),
      "contain: {preset: strict, net: proxy, broker: true, read: [~/.gemini/settings.json]}\n");
  write_workflow_of_one();
  model().when("# Change it", {bash("env; echo done >feature.txt"),
                               say(signal_text("PASS", "changed", "\"feature.txt\""))});
  const Outcome outcome = run(patiently("run", {kBead, "--workflow=one", "--json"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  ASSERT_GE(model().turns().size(), 2U);
  for (const Turn& turn : model().turns()) {
    EXPECT_EQ(turn.credential, "the-real-one");
    EXPECT_THAT(turn.tool, ::testing::Not(HasSubstr("the-real-one")));
  }
}

}  // namespace

namespace {
FOR_CLIENT(KeyOutside, "gemini", Gemini);

FOR_CLIENT(Inside, "claude", Claude);
FOR_CLIENT(Inside, "codex", Codex);
FOR_CLIENT(Inside, "gemini", Gemini);
FOR_CLIENT(Inside, "opencode", Opencode);
FOR_CLIENT(Inside, "goose", Goose);
FOR_CLIENT(Inside, "qwen", Qwen);
FOR_CLIENT(Inside, "copilot", Copilot);
FOR_CLIENT(Inside, "kimi", Kimi);
FOR_CLIENT(Inside, "grok", Grok);
}  // namespace

}  // namespace capsule::test
