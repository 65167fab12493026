// Every loop of a delivery has its limit: beyond it a task fails, or a person is asked.
#include "tests/program/deliver_project.h"

namespace capsule::test {
namespace {

using Names = std::vector<std::string>;

class DeliveryLimitTest : public DeliveryTest {};

constexpr const char* kAsk = "printf 'SEEKING_DIVINE_CLARIFICATION\\n\\nQuestion: which?\\n'";

TEST_F(DeliveryLimitTest, TooManyQuestionsFailATask) {
  configure("limits: {questions: 1}");
  write_plan({{"T-1"}, {"T-2"}});
  on("developer", "T-1", 1, kAsk);
  write_file(path("answers"), "*: that one\n");
  const Delivered done = deliver({"--answers=" + path("answers")});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_EQ(done.list("failed"), Names{"T-1"});
  EXPECT_EQ(done.list("completed"), Names{"T-2"});
  EXPECT_EQ(done.of("question_asked").size(), 1U);
}

TEST_F(DeliveryLimitTest, TheRefusedMergeThatReachesTheLimitFailsATask) {
  configure("limits: {merge_rework: 1}\nverify: {test: \"! test -e T-1.txt\"}");
  write_plan({{"T-1"}, {"T-2"}});
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_EQ(done.list("failed"), Names{"T-1"});
  EXPECT_EQ(calls("developer", "T-1"), 1);
}

TEST_F(DeliveryLimitTest, AgentsWithoutASignalFailATaskInTheEnd) {
  configure("limits: {unknown_redispatches: 1, signal_requests: 2}");
  write_plan({{"T-1"}});
  on("developer", "T-1", 1, "echo done");
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_EQ(done.list("failed"), Names{"T-1"});
  EXPECT_LE(calls("developer", "T-1"), 3);
}

TEST_F(DeliveryLimitTest, AnUnknownExpertAndOneRequestTooManyGoToAPerson) {
  configure("limits: {expert_requests: 1}");
  write_plan({{"T-1"}, {"T-2"}});
  const auto ask = [](const std::string& who) {
    return "printf 'EXPERT_REQUEST\\nTarget Agent: " + who +
           "\\nRequest Type: decision\\n\\n---DELEGATION PROMPT START---\\nwhich?\\n---DELEGATION "
           "PROMPT END---\\n'";
  };
  on("developer", "T-1", 1, ask("colours"));
  on("developer", "T-1", 3, "good");
  on("developer", "T-2", 1, ask("nobody"));
  on("developer", "T-2", 2, "good");
  write_file(path("answers"), "*: that one\n");
  const Delivered done = deliver({"--experts", "--answers=" + path("answers")});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(calls("expert", "T-1"), 1);
  EXPECT_EQ(calls("expert", "T-2"), 0);
  EXPECT_EQ(done.of("question_asked").size(), 2U);
}

TEST_F(DeliveryLimitTest, AfterTooManyRepairsAPersonChooses) {
  configure("limits: {remediation_attempts: 1}");
  write_plan({{"T-1"}});
  on("developer", "T-1", 1, "printf 'INFRA_BLOCKED: T-1\\n\\nIssue: x\\n'");
  on("developer", "T-1", 2, "good");
  on("health-auditor", "", 1, "printf 'HEALTH_AUDIT: UNHEALTHY\\n'");
  Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_EQ(done.list("waiting"), Names{"T-1"});
  EXPECT_EQ(calls("remediation", "none"), 1);
  EXPECT_EQ(capsule_in({"answer", "1", "whatever"}).exit_code, 2) << "retry, override or halt";
  EXPECT_EQ(capsule_in({"answer", "1", "override"}).exit_code, 0);
  done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.list("completed"), Names{"T-1"});
  const std::string prompt = agent_call("developer", "T-1", 2).prompt;
  EXPECT_HAS(prompt, "although the infrastructure is not healthy");
  EXPECT_LACKS(prompt, "mended");
}

TEST_F(DeliveryLimitTest, AHaltedDeliveryGoesOnWhereItWas) {
  configure("limits: {remediation_attempts: 1}");
  write_plan({{"T-1", "T-2"}, {"T-2"}});
  on("developer", "T-1", 1, "printf 'INFRA_BLOCKED: T-1\\n\\nIssue: x\\n'");
  on("developer", "T-1", 2, "good");
  on("health-auditor", "", 1, "printf 'HEALTH_AUDIT: UNHEALTHY\\n'");
  on("health-auditor", "", 2, "good");
  write_file(path("answers"), "*: halt\n");
  Delivered done = deliver({"--answers=" + path("answers")});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_EQ(done.list("completed"), Names{"T-2"});
  const std::string run = done.events.front()["run"];
  done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.events.front()["run"], run);
  EXPECT_EQ(calls("developer", "T-1"), 2);
  EXPECT_EQ(calls("developer", "T-2"), 1);
  expect_delivered({"T-1", "T-2"});
}

TEST_F(DeliveryLimitTest, AWaitForAFileEndsAndAsksAPerson) {
  configure("limits: {file_waits: 1, file_wait: 1s}");
  write_plan({{"T-1"}, {"T-2"}});
  // T-1 holds its file until the person was asked.
  on("developer", "T-1", 1, "while [ ! -e \"$M/go\" ]; do sleep 0.05; done; good");
  on("developer", "T-2", 1, "printf 'FILE CONFLICT: T-1.txt\\n\\nCan Wait: YES\\n'");
  on("developer", "T-2", 2, "echo x >\"$M/go\"; good");
  write_file(path("answers"), "*: go on without it\n");
  const Delivered done = deliver({"--answers=" + path("answers")});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_FALSE(done.of("question_asked").empty());
}

}  // namespace
}  // namespace capsule::test
