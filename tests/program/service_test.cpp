// The model's service fails, not the agent: through the binary, with a client that says so in the
// words of the real one.
#include "tests/program/project.h"

namespace capsule::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Service : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
  }
  // The n-th call of `phase` meets a usage limit that ends in a second.
  void meets_usage_limit(const std::string& phase, int n) {
    on(phase, n,
       "echo \"API Error: Request rejected (429) · Claude AI usage limit reached|$(($(date +%s) + "
       "1))\"; exit 1");
    on(phase, n + 1, "pass");
  }
  int calls_of(const std::string& phase) {
    int count = 0;
    for (const AgentCall& call : agent_calls()) count += call.phase == phase ? 1 : 0;
    return count;
  }
};

TEST_F(Service, AUsageLimitIsWaitedOutAndCostsNoAttempt) {
  meets_usage_limit("execute", 1);
  const Outcome outcome = run_bead({"--max-retries=1"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(calls_of("execute"), 2);
  for (const AgentCall& call : agent_calls()) EXPECT_EQ(call.env.at("CAPSULE_ATTEMPT"), "1");
  EXPECT_THAT(outcome.out, HasSubstr("claude is parked until "));
  EXPECT_THAT(outcome.out, HasSubstr("a usage limit is reached"));
  EXPECT_THAT(outcome.out, HasSubstr("claude is free again"));
  EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr("No signal JSON found")));
}

TEST_F(Service, AUsageLimitOfAReviewerIsNoReview) {
  meets_usage_limit("execute-review", 1);
  const Outcome outcome = run_bead({"--max-retries=1"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(calls_of("execute-review"), 2);
  EXPECT_EQ(calls_of("execute"), 1) << "nobody is sent back by a service that failed";
}

TEST_F(Service, AParkedProviderLetsAFallbackTakeOver) {
  on("execute", 1,
     "echo \"API Error: Request rejected (429) · Claude AI usage limit reached|$(($(date +%s) + "
     "86400))\"; exit 1");
  on("execute", 2, "pass");
  configure("fallbacks: [other]\nproviders: {other: {command: [claude, -p, \"{prompt}\", --x]}}\n");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(calls_of("execute"), 2);
}

TEST_F(Service, ABadKeyIsPutToAPersonAndTheRunGoesOnOnceTheySaySo) {
  on("execute", 1, "echo 'Invalid API key · Please run /login'; exit 1");
  on("execute", 2, "pass");
  const Outcome outcome = run_bead();
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_EQ(calls_of("execute"), 1) << "nobody is called in vain again";
  EXPECT_THAT(command("status", {}).out, HasSubstr("does not accept the account or key"));
  const Outcome questions = command("questions", {});
  EXPECT_THAT(questions.out, HasSubstr("1001")) << questions.err;
  const Outcome answered = command("answer", {"1001", "go on"});
  ASSERT_EQ(answered.exit_code, 0) << answered.out << answered.err;
  const Outcome again = run_bead();
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
  EXPECT_EQ(calls_of("execute"), 2);
}

TEST_F(Service, AHardBudgetEndsAnAgentAtWorkAndAsksAPerson) {
  configure("budget: {tokens: 110, hard: true}\n");
  const std::string answer =
      R"(echo '{"type":"assistant","message":{"id":"m@","model":"x","content":[],"usage":{"input_tokens":10,"output_tokens":80}}}')";
  const auto nth = [&](const char* number) {
    std::string text = answer;
    return text.replace(text.find('@'), 1, number) + "\n";
  };
  // The second answer comes once the notice of the first is there.
  on("execute", 1,
     "echo half >half.txt\necho "
     "'{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s\"}'\n" +
         nth("1") + "while ! test -e '" + mock("noticed") + "'; do sleep 0.02; done\n" + nth("2") +
         "exec sleep 600");
  on("execute", 2, "mv half.txt '" + mock("kept") + "'; pass");
  Running running(calling("run", {kBead}));
  EXPECT_TRUE(eventually([&] {
    return running.out_so_far().find("budget: 90 tokens of 110 tokens spent") != std::string::npos;
  })) << running.out_so_far();
  write_file(mock("noticed"), "");
  const Outcome outcome = running.wait();
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("180 tokens of 110 tokens spent; nothing new starts"));
  EXPECT_THAT(outcome.out, HasSubstr("execute: ended, since the budget is spent"));
  EXPECT_EQ(read_file(worktree() + "/half.txt"), "half\n") << "its work is kept";
  EXPECT_EQ(calls_of("execute"), 1);
  EXPECT_THAT(command("status", {kBead}).out, HasSubstr("waits for a larger budget"));
  ASSERT_EQ(command("answer", {"1001", "500k"}).exit_code, 0);
  const Outcome again = run_bead();
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
  for (const AgentCall& call : agent_calls()) EXPECT_EQ(call.env.at("CAPSULE_ATTEMPT"), "1");
  EXPECT_EQ(read_file(mock("kept")), "half\n") << "it goes on with what it had done";
  std::vector<std::vector<std::string>> words;
  for (const AgentCall& call : agent_calls())
    if (call.phase == "execute") words.push_back(call.args);
  ASSERT_EQ(words.size(), 2U);
  EXPECT_THAT(words[1], ::testing::IsSupersetOf({"--resume", "s"})) << "in its session";
}

}  // namespace
}  // namespace capsule::test
