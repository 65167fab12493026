// Who may change anything: `access` of a phase or a role, as the client's program is told of it,
// and what is refused before anybody is paid.
#include <algorithm>

#include "tests/program/deliver_project.h"
#include "tests/program/project.h"

namespace capsule::test {
namespace {

bool has_word(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class AccessOfAPhase : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
  }
  void expect_refused(const std::string& yaml, const std::string& key, const std::string& provider,
                      std::vector<std::string> more = {}) {
    SCOPED_TRACE(yaml);
    configure(yaml);
    const Outcome outcome = run_bead(std::move(more));
    EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
    EXPECT_HAS(outcome.err,
               key + " is read-only, and " + provider + " cannot be told to change nothing");
    EXPECT_HAS(outcome.err, "these can: claude, codex, gemini, opencode, qwen, copilot");
    EXPECT_TRUE(phases().empty()) << "an agent was paid";
    expect_untouched();
  }
};

TEST_F(AccessOfAPhase, AReadOnlyReviewerIsCalledInItsClientsWordsAndNobodyElseIs) {
  configure(
      "phases:\n  test-review: {access: read-only}\n  execute-review: {access: read-only}\n"
      "  sign-off: {access: read-only}\n  execute: {access: write}\n");
  const Outcome outcome = run_bead();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  for (const AgentCall& call : agent_calls()) {
    SCOPED_TRACE(call.phase);
    const bool reviews = call.phase.ends_with("-review") || call.phase == "sign-off";
    EXPECT_EQ(has_word(call.args, "dontAsk"), reviews);
    EXPECT_EQ(has_word(call.args, "--dangerously-skip-permissions"), !reviews);
  }
}

// It could not write one itself.
TEST_F(AccessOfAPhase, CapsuleWritesTheEntryOfAReadOnlyReviewer) {
  configure("phases: {execute-review: {access: read-only}}\n");
  on("execute-review", "say PASS 'nothing to mend'");
  on("sign-off", "cp worklog.md '" + mock("worklog") + "'; pass");
  ASSERT_EQ(run_bead().exit_code, 0);
  EXPECT_HAS(read_file(mock("worklog")), "nothing to mend");
}

TEST_F(AccessOfAPhase, OneRunByHandIsToldAsWell) {
  configure("phases: {execute-review: {access: read-only}}\n");
  ASSERT_EQ(command("prep", {kBead}).exit_code, 0);
  ASSERT_EQ(command("run-phase", {"execute-review", worktree()}).exit_code, 0);
  const AgentCall call = agent_calls().at(0);
  EXPECT_TRUE(has_word(call.args, "dontAsk"));
  EXPECT_FALSE(has_word(call.args, "--dangerously-skip-permissions"));
}

TEST_F(AccessOfAPhase, WhoCannotBeToldIsRefusedBeforeAnybodyIsPaid) {
  const std::string key = "phases.sign-off.access";
  expect_refused("phases: {sign-off: {access: read-only, provider: goose}}\n", key, "goose");
  expect_refused(
      "phases: {sign-off: {access: read-only, provider: mine}}\n"
      "providers: {mine: {command: [claude, -p, \"{prompt}\"]}}\n",
      key, "mine");
  expect_refused(
      "phases: {sign-off: {access: read-only}}\n"
      "providers: {claude: {command: [claude, -p, \"{prompt}\"]}}\n",
      key, "claude");
  expect_refused("phases: {sign-off: {access: read-only}}\n", key, "rehearsal",
                 {"--provider=rehearsal"});
}

TEST_F(AccessOfAPhase, AFallbackThatCannotBeToldIsRefusedAsWell) {
  expect_refused(
      "phases: {sign-off: {access: read-only}}\nfallbacks: [mine]\n"
      "providers: {mine: {command: [claude, -p, \"{prompt}\"]}}\n",
      "phases.sign-off.access", "mine");
}

class AccessOfARole : public DeliveryTest {};

TEST_F(AccessOfARole, WhoCannotBeToldIsRefusedBeforeAnybodyIsPaid) {
  write_plan({{"T-1"}});
  configure("roles: {critic: {access: read-only}}\n");
  const Outcome outcome = capsule_in({"deliver", plan_file()});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
  EXPECT_HAS(outcome.err, "roles.critic.access is read-only, and ");
  EXPECT_EQ(calls("developer", "T-1"), 0);
}

// The scripted agent stands on PATH as claude, too.
TEST_F(AccessOfARole, AReadOnlyCriticIsCalledInItsClientsWordsAndNobodyElseIs) {
  write_plan({{"T-1"}});
  configure("provider: claude\nroles: {critic: {access: read-only}}\n");
  const Delivered delivered = deliver();
  ASSERT_EQ(delivered.exit_code, 0) << delivered.err;
  EXPECT_TRUE(has_word(agent_call("critic", "T-1", 1).args, "dontAsk"));
  EXPECT_FALSE(has_word(agent_call("developer", "T-1", 1).args, "dontAsk"));
  EXPECT_FALSE(has_word(agent_call("auditor", "T-1", 1).args, "dontAsk"));
}

}  // namespace
}  // namespace capsule::test
