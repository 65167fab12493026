// A delivery and auto mode by one real client in all roles, where claude has tests of its own
// (ClientDelivery, ClientAuto); the pipeline by each is in several_test.cpp. ./test --full runs
// them: there are many starts.
#include <algorithm>
#include <cstdlib>

#include "tests/client/agents.h"
#include "tests/client/client.h"

namespace capsule::test {
namespace {

class Workflows : public AgentTest, public ::testing::WithParamInterface<const char*> {
 protected:
  static std::string client() { return GetParam(); }
  bool begins(const std::string& more) {
    if (std::getenv("CAPSULE_TEST_FULL") == nullptr || !with_clients({client()})) return false;
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
  write_file(path("PLAN.md"),
             "# The plan\n\n## Overview\n\nFiles.\n\n## Phases\n\n### Phase 1: All\n\n"
             "#### Task T-1: Write T-1.txt\n\n**Work**: Write `T-1.txt`.\n\n"
             "**Acceptance Criteria**:\n- [ ] T-1.txt greets\n\n"
             "**Blocked By**: none\n\n**Files**: T-1.txt\n\n---\n\n");
  model().when("no greeting in it", {bash("echo hello >>T-1.txt"),
                                     say("READY_FOR_REVIEW: T-1\n\nSummary: it greets now")});
  model().when("# Developer\n",
               {bash("echo T-1 >T-1.txt"), say("READY_FOR_REVIEW: T-1\n\nSummary: done")});
  // Some clients put a word of theirs before what a tool prints: the signal has a line of its own.
  model().when(
      "# Critic\n",
      {bash("echo I have looked.; if grep -q hello T-1.txt; then printf 'REVIEW_PASSED: "
            "T-1\\n\\nSummary: fine\\n'; "
            "else "
            "printf 'REVIEW_FAILED: T-1\\n\\nIssues Found:\\n- T-1.txt:1: no greeting in it\\n\\n"
            "Required Fixes:\\n- greet\\n\\nPriority: HIGH\\n'; fi"),
       repeat_tool()});
  model().when("# Auditor\n", {bash("cat T-1.txt"), say("AUDIT_PASSED: T-1\n\nSummary: verified")});
  const Outcome outcome = run(patiently("deliver", {path("PLAN.md"), "--json"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(git_out({"show", "main:T-1.txt"}), "T-1\nhello");
  const std::vector<Turn> turns = model().turns();
  const auto rework = std::find_if(
      turns.begin(), turns.end(), [](const Turn& turn) { return turn.key == "no greeting in it"; });
  ASSERT_NE(rework, turns.end());
  EXPECT_EQ(rework->user_texts, 2U) << "in the developer's own session";
  expect_all_by_the_client(outcome);
}

TEST_P(Workflows, AutoModeGoesThroughItsPhasesInOneSessionAndThreeReviewersLook) {
  if (!begins("verify: {baseline: red-allowed, test: \"grep -q hello greeting.txt\"}\n")) return;
  for (const char* reviewer : {"functional", "security", "quality"})
    model().when("**" + std::string(reviewer) + "** reviewer",
                 {say("Nothing to mend.\n\nVERDICT: APPROVED")});
  model().when("phase 2 of 9: init", {say(completion("INIT_COMPLETE"))});
  model().when("phase 3 of 9: planning", {say(completion("PLANNING_COMPLETE"))});
  model().when("phase 4 of 9: execution",
               {bash("echo hello >greeting.txt"), say(completion("EXECUTION_COMPLETE"))});
  model().when("phase 8 of 9: check", {say(completion("CHECK_COMPLETE"))});
  const Outcome outcome = run(
      patiently("auto", {"run", "Add a greeting", "--skip-expansion", "--skip-reflect", "--json"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(git_out({"show", "main:greeting.txt"}), "hello");
  EXPECT_EQ(model().turns().back().key, "phase 8 of 9: check");
  EXPECT_EQ(model().turns().back().user_texts, 4U) << "it remembers all phases before";
  expect_all_by_the_client(outcome);
}

FOR_CLIENT(Workflows, "codex", Codex);
FOR_CLIENT(Workflows, "gemini", Gemini);
FOR_CLIENT(Workflows, "opencode", Opencode);

}  // namespace
}  // namespace capsule::test
