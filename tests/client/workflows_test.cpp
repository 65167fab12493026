// A delivery and auto mode by one real client in all roles, where claude has tests of its own
// (ClientDelivery, ClientAuto); the pipeline by each is in several_test.cpp. ./test --full runs
// them: there are many starts.
#include <cstdlib>

#include "tests/client/greeting.h"

namespace capsule::test {
namespace {

class Workflows : public GreetingTest, public ::testing::WithParamInterface<const char*> {
 protected:
  static std::string client() { return GetParam(); }
  bool begins(const std::string& more) {
    if (std::getenv("CAPSULE_TEST_FULL") == nullptr) {
      [] { GTEST_SKIP() << "./test --full runs it"; }();
      return false;
    }
    if (!with_clients({client()})) return false;
    configure("provider: " + client() + "\n" + more + providers_of({client()}));
    return true;
  }
  // No call failed, and each told what it used.
  void expect_all_by_the_client(const Outcome& outcome) {
    for (const Json& call : facts_of(outcome, "supply_agent_used")) {
      EXPECT_EQ(call.at("provider"), client());
      EXPECT_EQ(call.at("fault"), "none") << call;
    }
    expect_counted(outcome, client());
  }
};

TEST_P(Workflows, APlanIsDeliveredAndADeveloperGoesOnInItsSession) {
  if (!begins("")) return;
  const Outcome outcome = deliver_a_greeting("**Acceptance Criteria**:\n- [ ] T-1.txt greets\n\n");
  expect_all_by_the_client(outcome);
}

TEST_P(Workflows, AutoModeGoesThroughItsPhasesInOneSessionAndThreeReviewersLook) {
  if (!begins("verify: {baseline: red-allowed, test: \"grep -q hello greeting.txt\"}\n")) return;
  const Outcome outcome = greet_in_auto_mode();
  expect_all_by_the_client(outcome);
}

FOR_CLIENT(Workflows, "codex", Codex);
FOR_CLIENT(Workflows, "gemini", Gemini);
FOR_CLIENT(Workflows, "opencode", Opencode);
FOR_CLIENT(Workflows, "goose", Goose);
FOR_CLIENT(Workflows, "qwen", Qwen);
FOR_CLIENT(Workflows, "copilot", Copilot);
FOR_CLIENT(Workflows, "kimi", Kimi);
FOR_CLIENT(Workflows, "grok", Grok);

}  // namespace
}  // namespace capsule::test
