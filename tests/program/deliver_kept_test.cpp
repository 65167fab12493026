// What must not be lost on the way of a delivery: conflicts that are still open, repairs, what
// others have merged meanwhile, and what a person has said.
#include <signal.h>

#include "tests/program/deliver_project.h"

namespace capsule::test {
namespace {

using Names = std::vector<std::string>;

using DeliveryKeptTest = DeliveryTest;

TEST_F(DeliveryKeptTest, ConflictMarkersAreStillSeenAfterACrash) {
  write_plan({{"T-1"}, {"T-2"}});
  on("developer", "T-1", 1,
     "while [ ! -e \"$M/calls/developer.T-2.1/stdin\" ]; do sleep 0.05; done; echo one "
     ">shared.txt; good");
  on("developer", "T-2", 1,
     "until git cat-file -e main:shared.txt 2>/dev/null; do sleep 0.05; done; echo two "
     ">shared.txt; good");
  on("developer", "T-2", 2, kStay);
  on("developer", "T-2", 3, "good");  // the markers are still there
  on("developer", "T-2", 4, "echo both >shared.txt; good");
  cut_off(SIGKILL, {"--json"});
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_HAS(agent_call("developer", "T-2", 3).prompt, "- shared.txt");
  EXPECT_HAS(agent_call("developer", "T-2", 4).prompt, "still conflict markers in shared.txt");
  EXPECT_EQ(calls("developer", "T-2"), 4);
  EXPECT_EQ(main_file("shared.txt"), "both\n");
}

TEST_F(DeliveryKeptTest, ARepairLandsAlthoughAFailureOfTheStartIsStillThere) {
  configure("verify: {baseline: red-allowed, test: \"false\", lint: \"! test -e broken\"}");
  write_plan({{"T-1"}});
  on("developer", "T-1", 1, "printf 'INFRA_BLOCKED: T-1\\n\\nIssue: no tool\\n'");
  on("developer", "T-1", 2, "test -f tool.txt && good");
  on("remediation", "", 1, "echo tool >tool.txt; good");
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(calls("remediation", "none"), 1);
  EXPECT_EQ(main_file("tool.txt"), "tool\n");
  expect_delivered({"T-1"});
}

TEST_F(DeliveryKeptTest, WhoAwaitedATaskHasItsWorkInTheDirectory) {
  write_plan({{"T-1"}, {"T-2"}});
  on("developer", "T-1", 1,
     "while [ ! -e \"$M/calls/developer.T-2.1/stdin\" ]; do sleep 0.05; done; good");
  on("developer", "T-2", 1, "printf 'TASK_INCOMPLETE: T-2\\n\\nBlocker: task T-1\\n'");
  on("developer", "T-2", 2, "test -f T-1.txt && good");
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(calls("developer", "T-2"), 2);
}

TEST_F(DeliveryKeptTest, WhatAPersonHasSaidGoesBeforeTheAnswersFile) {
  write_plan({{"T-1"}});
  on("developer", "T-1", 1, "printf 'SEEKING_DIVINE_CLARIFICATION\\n\\nQuestion: which?\\n'");
  on("developer", "T-1", 2, "good");
  EXPECT_EQ(deliver().exit_code, 1);
  ASSERT_EQ(capsule_in({"answer", "1", "blue"}).exit_code, 0);
  write_file(path("answers"), "*: red\n");
  const Delivered done = deliver({"--answers=" + path("answers")});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  const auto answers = done.of("question_answered");
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0]["text"], "blue");
  EXPECT_LACKS(agent_call("developer", "T-1", 2).prompt, "red\n");
}

}  // namespace
}  // namespace capsule::test
