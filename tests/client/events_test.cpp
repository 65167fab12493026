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

class Events : public AgentTest, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    AgentTest::SetUp();
    if (!with_clients({GetParam()})) return;
    configure("provider: " + std::string(GetParam()) + "\n" + providers_of({GetParam()}));
    write_small_workflow();
  }
};

TEST_P(Events, AChangeGoesThroughAReworkToMain) {
  script_small_workflow();
  const std::string before = main_head();
  const Outcome outcome = run_small({"--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(model().keys(),
              ElementsAre("# Change it", "# Look at it", "Please greet", "# Look at it"));
  for (const Turn& turn : model().turns())
    EXPECT_EQ(turn.user_texts, turn.key == "Please greet" ? 2U : 1U)
        << turn.key
        << ": the rework goes on in its writer's session, and reviewers begin their own";
  const std::vector<Json> calls = facts_of(outcome, "supply_agent_used");
  ASSERT_EQ(calls.size(), 4U);
  EXPECT_EQ(calls[2].at("session"), calls[0].at("session"));
  EXPECT_NE(calls[3].at("session"), calls[1].at("session"));
  for (const Json& call : calls) {
    EXPECT_EQ(call.at("provider"), GetParam());
    EXPECT_THAT(call.at("client").get<std::string>(), ::testing::StartsWith(GetParam()));
  }
  expect_counted(outcome, GetParam());
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

// The model's answer comes in two pieces, and so do the events of some: the key is cut there.
TEST_P(Events, AKeyThatTheAgentSaysIsInNoLogHoweverItsClientTellsIt) {
  // Of many different words: gemini ends an answer that repeats itself.
  std::string key = "sk-ant-api03-";
  for (int i = 1; key.size() < 200; ++i) key += "K" + std::to_string(i * i * 7919);
  const auto holds_a_part = [&](const std::string& text) {
    for (const std::size_t at : {20U, 100U, 180U})
      if (text.find(key.substr(at, 12)) != text.npos) return true;
    return false;
  };
  model().when("# Change it",
               {bash("echo hello >feature.txt"),
                say(key + "\n\n" + signal_text("PASS", "changed", "\"feature.txt\""))});
  model().when("# Look at it", {say(signal_text("PASS", "fine"))});
  const Outcome outcome = run_small({"--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_GE(facts_of(outcome, "supply_agent_used").at(0).at("redacted").get<int>(), 1);
  EXPECT_FALSE(holds_a_part(outcome.out));
  ASSERT_FALSE(logs_in(archive()).empty());
  for (const std::string& name : logs_in(archive()))
    EXPECT_FALSE(holds_a_part(read_file(archive() + "/" + name))) << name;
}

// A service may answer by a cheaper model than the one that is paid for. These tell which it was.
class OtherModel : public AgentTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(OtherModel, ThatAnswersInPlaceOfTheOneAskedForIsARefutedClaim) {
  if (!with_clients({GetParam()})) return;
  configure("provider: " + std::string(GetParam()) + "\n" +
            providers_of({GetParam()}, "", "claude-opus-4-1"));
  write_workflow_of_one();
  model().answer_as("claude-3-5-haiku-20241022");
  model().when("# Change it", {bash("echo done >feature.txt"),
                               say(signal_text("PASS", "changed", "\"feature.txt\""))});
  const Outcome outcome = run(patiently("run", {kBead, "--workflow=one", "--json"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  // Which of the family is the client's affair.
  EXPECT_THAT(model().turns().at(0).model, HasSubstr("opus")) << "it is asked for";
  const Json call = facts_of(outcome, "supply_agent_used").at(0);
  EXPECT_EQ(call.at("asked_model"), "claude-opus-4-1");
  EXPECT_EQ(call.at("model"), "claude-3-5-haiku-20241022");
  int refuted = 0;
  for (const Json& row : Json::parse(command("ledger", {"--by=provider", "--json"}).out))
    if (row.value("claim", "") == "model") refuted += row.at("false").get<int>();
  EXPECT_EQ(refuted, 1);
  EXPECT_THAT(git_out({"log", "-1", "--format=%(trailers)", "main"}),
              HasSubstr("Capsule-Model: claude-3-5-haiku-20241022"));
}

}  // namespace

namespace {
FOR_CLIENT(OtherModel, "claude", Claude);

FOR_CLIENT(Events, "claude", Claude);
FOR_CLIENT(Events, "codex", Codex);
FOR_CLIENT(Events, "gemini", Gemini);
FOR_CLIENT(Events, "opencode", Opencode);
FOR_CLIENT(Events, "goose", Goose);
FOR_CLIENT(Events, "qwen", Qwen);
FOR_CLIENT(Events, "copilot", Copilot);
FOR_CLIENT(Events, "kimi", Kimi);
FOR_CLIENT(Events, "grok", Grok);
}  // namespace

}  // namespace capsule::test
