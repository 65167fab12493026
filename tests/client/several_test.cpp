// Several real clients in one run: a plan whose roles are four of them, auto mode with one that
// works and another that reviews, and the whole pipeline by each.
#include <cstdlib>
#include <map>
#include <set>

#include "tests/client/greeting.h"

namespace capsule::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ClientSeveral : public GreetingTest {
 protected:
  // Which client each role or phase was, by the facts.
  static std::map<std::string, std::set<std::string>> clients_in(const Outcome& outcome) {
    std::map<std::string, std::set<std::string>> by_role;
    for (const Json& call : facts_of(outcome, "supply_agent_used")) {
      const std::string client = call.at("client");
      by_role[call.at("role")].insert(client.substr(0, client.find(' ')));
    }
    return by_role;
  }
  void script_the_analyst() {
    model().when("# Business Analyst\n",
                 {bash("ls"), say("EXPANDED_TASK_SPECIFICATION: T-1\nConfidence: HIGH\n\n"
                                  "Original: little\n\nExpanded Specification:\nWrite T-1.txt\n\n"
                                  "Acceptance Criteria:\n- [ ] T-1.txt holds T-1\n\n"
                                  "Target Files:\n- T-1.txt\n")});
  }
};

TEST_F(ClientSeveral, APlanIsDeliveredByAnotherClientInEachRole) {
  const std::vector<std::string> names{"claude", "codex", "gemini", "opencode"};
  if (!with_clients(names)) return;
  configure(providers_of(names) +
            "roles:\n"
            "  developer: {provider: claude}\n"
            "  critic: {provider: codex, access: read-only}\n"
            "  auditor: {provider: gemini}\n"
            "  business-analyst: {provider: opencode}\n");
  script_the_analyst();
  const Outcome outcome = deliver_a_greeting("");
  const std::map<std::string, std::set<std::string>> expected{{"developer", {"claude"}},
                                                              {"critic", {"codex"}},
                                                              {"auditor", {"gemini"}},
                                                              {"business-analyst", {"opencode"}}};
  EXPECT_EQ(clients_in(outcome), expected);
  const Tokens told = used_in(outcome), charged = model().used();
  EXPECT_EQ(told.input, charged.input);
  EXPECT_EQ(told.output, charged.output);
}

TEST_F(ClientSeveral, APlanIsDeliveredByFourOfTheOthersToo) {
  if (std::getenv("CAPSULE_TEST_FULL") == nullptr) GTEST_SKIP() << "./test --full runs it";
  const std::vector<std::string> names{"goose", "qwen", "copilot", "kimi"};
  if (!with_clients(names)) return;
  configure(providers_of(names) +
            "roles:\n"
            "  developer: {provider: goose}\n"
            "  critic: {provider: qwen}\n"
            "  auditor: {provider: copilot}\n"
            "  business-analyst: {provider: kimi}\n");
  script_the_analyst();
  const Outcome outcome = deliver_a_greeting("");
  const std::map<std::string, std::set<std::string>> expected{{"developer", {"goose"}},
                                                              {"critic", {"qwen"}},
                                                              {"auditor", {"copilot"}},
                                                              {"business-analyst", {"kimi"}}};
  EXPECT_EQ(clients_in(outcome), expected);
  for (const Json& call : facts_of(outcome, "supply_agent_used")) {
    const bool tells = call.at("role") == "developer" || call.at("role") == "critic";
    EXPECT_EQ(call.at("use").at("tokens_known"), tells) << call;
    EXPECT_EQ(call.at("fault"), "none") << call;
  }
}

TEST_F(ClientSeveral, AutoModeIsWorkedByOneClientAndReviewedByAnother) {
  if (!with_clients({"codex", "gemini"})) return;
  configure(
      "provider: codex\nphases: {review: {provider: gemini, access: read-only}}\n"
      "verify: {baseline: red-allowed, test: \"grep -q hello greeting.txt\"}\n" +
      providers_of({"codex", "gemini"}));
  const Outcome outcome = greet_in_auto_mode();
  const auto clients = clients_in(outcome);
  int reviewers = 0;
  for (const auto& [role, names] : clients) {
    SCOPED_TRACE(role);
    const bool reviews = names.contains("gemini");
    reviewers += reviews ? 1 : 0;
    EXPECT_EQ(names, std::set<std::string>{reviews ? "gemini" : "codex"});
  }
  EXPECT_GE(reviewers, 1);
  const Tokens told = used_in(outcome), charged = model().used();
  EXPECT_EQ(told.input, charged.input);
  EXPECT_EQ(told.output, charged.output);
}

// Each in the ordinary suite has the small workflow (Events), claude the pipeline (ClientPipeline).
class Whole : public AgentTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(Whole, TheSixPhasesWithAReworkInTheSameSession) {
  const std::string name = GetParam();
  if (name != "codex" && std::getenv("CAPSULE_TEST_FULL") == nullptr)
    GTEST_SKIP() << "./test --full runs it";
  if (!with_clients({name})) return;
  configure_gates("provider: " + name + "\n" + providers_of({name}));
  script_pipeline(model());
  const Outcome outcome = run(patiently("run", {kBead, "--json"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(model().keys(),
              ElementsAre("# Test-Writer Phase", "# Test-Review Phase", "name the empty case",
                          "# Test-Review Phase", "# Execute Phase", "# Execute-Review Phase",
                          "# Sign-Off Phase", "# Merge Phase"));
  for (const Turn& turn : model().turns())
    EXPECT_EQ(turn.user_texts, turn.key == "name the empty case" ? 2U : 1U) << turn.key;
  EXPECT_EQ(git_out({"log", "-1", "--format=%s", "main"}), "Merge demo-1.1.1: Make it work");
  EXPECT_THAT(git_out({"log", "-1", "--format=%B", "main"}), HasSubstr("Capsule-Client: " + name));
  EXPECT_TRUE(is_closed());
  expect_counted(outcome, name);
}

FOR_CLIENT(Whole, "claude", Claude);
FOR_CLIENT(Whole, "codex", Codex);
FOR_CLIENT(Whole, "gemini", Gemini);
FOR_CLIENT(Whole, "opencode", Opencode);
FOR_CLIENT(Whole, "goose", Goose);
FOR_CLIENT(Whole, "qwen", Qwen);
FOR_CLIENT(Whole, "copilot", Copilot);
FOR_CLIENT(Whole, "kimi", Kimi);
FOR_CLIENT(Whole, "grok", Grok);

}  // namespace
}  // namespace capsule::test
