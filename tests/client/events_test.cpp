// Each real client by its own name, as `capsule run --provider=NAME` calls it: its events are read,
// its tools work in the worktree, and the log is its stream.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/client/agents.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// What makes each talk to our model, beside its variables and files.
std::string client_settings(const std::string& name, const Room& room) {
  nlohmann::json settings = nlohmann::json::object();
  if (name == "gemini" || name == "qwen" || name == "grok") settings["model"] = "m";
  if (name == "opencode") settings["model"] = "loop/m";
  if (name == "qwen") settings["args"] = {"--auth-type", "openai"};
  if (name == "codex") {
    const std::vector<std::string> words = client_row(name).events(room);
    settings["args"] =
        std::vector<std::string>(std::find(words.begin(), words.end(), "-c"), words.end());
  }
  return "provider: " + name + "\nproviders: " + nlohmann::json{{name, settings}}.dump() + "\n";
}

class Events : public AgentTest, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    AgentTest::SetUp();
    if (!with_clients({GetParam()})) return;
    configure(client_settings(GetParam(), room()));
    write_small_workflow();
  }
};

TEST_P(Events, AChangeGoesThroughAReworkToMain) {
  script_small_workflow();
  const std::string before = main_head();
  const Outcome outcome = run_small();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(model().keys(),
              ElementsAre("# Change it", "# Look at it", "Please greet", "# Look at it"));
  EXPECT_THAT(outcome.out, HasSubstr("review: NEEDS_WORK"));
  EXPECT_EQ(git_out({"show", "main:feature.txt"}), "done\nhello");
  EXPECT_EQ(git_out({"diff", "--name-only", before, "main"}), "feature.txt");
  EXPECT_TRUE(is_closed());
  for (const std::string& name : logs_in(archive())) {
    if (name.ends_with(".stderr")) continue;
    EXPECT_THAT(read_file(archive() + "/" + name), HasSubstr("{\"")) << "the log is the stream";
  }
  for (const auto& entry : fs::directory_iterator(path("tmp")))
    EXPECT_FALSE(entry.path().filename().string().starts_with("capsule-agent-"))
        << "temporary folders are gone";
}

}  // namespace

#define EACH_CLIENT_OF_EVENTS(name, Name)                                 \
  INSTANTIATE_TEST_SUITE_P(Client##Name, Events, ::testing::Values(name), \
                           [](const auto&) { return name; })
namespace {
EACH_CLIENT_OF_EVENTS("claude", Claude);
EACH_CLIENT_OF_EVENTS("codex", Codex);
EACH_CLIENT_OF_EVENTS("gemini", Gemini);
EACH_CLIENT_OF_EVENTS("opencode", Opencode);
EACH_CLIENT_OF_EVENTS("goose", Goose);
EACH_CLIENT_OF_EVENTS("qwen", Qwen);
EACH_CLIENT_OF_EVENTS("copilot", Copilot);
EACH_CLIENT_OF_EVENTS("kimi", Kimi);
EACH_CLIENT_OF_EVENTS("grok", Grok);
}  // namespace

}  // namespace capsule::test
