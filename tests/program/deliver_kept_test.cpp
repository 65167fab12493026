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

TEST_F(DeliveryKeptTest, ASecondDeliveryShowsTheWholePlanAndGoesOnFromWhatFailed) {
  configure("limits: {task_failures: 1}");
  write_plan({{"T-1"}, {"T-2"}, {"T-3", "T-2"}});
  on("developer", "T-2", 1, "echo half >half.txt; good");
  on("auditor", "T-2", 1, "printf 'AUDIT_FAILED: T-2\\n\\nFailed Criteria:\\n- it: FAILED\\n'");
  const Delivered first = deliver();
  EXPECT_EQ(first.exit_code, 1);
  EXPECT_EQ(first.list("failed"), (Names{"T-2", "T-3"}));
  on("developer", "T-2", 2, "test -f half.txt && test -f T-1.txt && good");
  on("auditor", "T-2", 2, "good");
  const Delivered second = deliver();
  EXPECT_EQ(second.exit_code, 0) << second.err;
  EXPECT_EQ(second.list("completed"), (Names{"T-1", "T-2", "T-3"}));
  EXPECT_EQ(second.events.front()["run"], first.events.front()["run"]);
  EXPECT_EQ(calls("developer", "T-1"), 1) << "what is complete stays so";
  EXPECT_EQ(calls("developer", "T-2"), 2) << "its work was there, and main's too";
  const std::string prompt = agent_call("developer", "T-2", 2).prompt;
  EXPECT_HAS(prompt, "This task has failed before");
  EXPECT_EQ(main_file("half.txt"), "half\n");
  expect_delivered({"T-1", "T-2", "T-3"});
  const std::string report = report_text();
  EXPECT_HAS(report, "- Tasks: 3, complete 3, failed 0, waiting 0\n");
  EXPECT_HAS(report,
             "## T-1: Write T-1.txt\n\n- State: complete, before the delivery was taken up");
  EXPECT_HAS(report, "## T-2: Write T-2.txt\n\n- State: complete\n");
  EXPECT_HAS(report, "to try what failed again");
  EXPECT_HAS(report, "it: FAILED");
}

TEST_F(DeliveryKeptTest, AFailedTaskThatThePlanSaysAnewIsTriedAsItSaysNow) {
  configure("limits: {task_failures: 1}");
  write_plan({{"T-1"}, {"T-2"}});
  for (const char* task : {"T-1", "T-2"}) {
    on("auditor", task, 1,
       "printf 'AUDIT_FAILED: %s\\n\\nFailed Criteria:\\n- it: FAILED\\n' \"$T\"");
    on("auditor", task, 2, "good");
  }
  EXPECT_EQ(deliver().exit_code, 1);
  // One is said in other words, the other is given up.
  write_plan({{"T-1", "none", "", "T-1.txt is one line, at last"}});
  const Outcome second = capsule_in({"deliver", plan_file()});
  EXPECT_EQ(second.exit_code, 0) << second.out << second.err;
  EXPECT_HAS(second.out, "tried again: T-1");
  EXPECT_HAS(agent_call("developer", "T-1", 2).prompt, "T-1.txt is one line, at last");
  EXPECT_EQ(calls("developer", "T-2"), 1);
  EXPECT_EQ(main_file("T-2.txt"), "(missing)");
  EXPECT_HAS(capsule_in({"deliver", plan_file()}).out, "delivered already");
}

}  // namespace
}  // namespace capsule::test
