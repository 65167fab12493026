// Deliveries through the program: each signal of the dialect, with real processes in real
// worktrees.
#include "tests/program/deliver_project.h"

namespace capsule::test {
namespace {

using Names = std::vector<std::string>;

TEST_F(DeliveryTest, TwoTasksGoByDeveloperCriticAndAuditorToMain) {
  write_plan({{"T-1"}, {"T-2", "T-1"}});
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.list("completed"), (Names{"T-1", "T-2"}));
  EXPECT_EQ(done.list("failed"), Names{});
  EXPECT_EQ(done.list("waiting"), Names{});
  expect_delivered({"T-1", "T-2"});
  for (const char* role : {"developer", "critic", "auditor"})
    for (const char* task : {"T-1", "T-2"}) EXPECT_EQ(calls(role, task), 1) << role << task;
  DeliveryCall call = agent_call("developer", "T-1", 1);
  EXPECT_EQ(call.env["CAPSULE_ATTEMPT"], "1");
  EXPECT_EQ(call.env["CAPSULE_WORKTREE"].rfind(project() + "/.capsule/worktrees/", 0), 0U);
  EXPECT_EQ(call.env["CAPSULE_RUN"], done.events.front()["run"].get<std::string>());
  for (const char* part : {"# Developer", "**T-1: Write T-1.txt**", "- [ ] T-1.txt holds T-1",
                           "\nREADY_FOR_REVIEW: T-1\n", "\nINFRA_BLOCKED: T-1\n"})
    EXPECT_HAS(call.prompt, part);
  EXPECT_LACKS(call.prompt, "AUDIT_PASSED");
  EXPECT_LACKS(call.prompt, "{{");
  const std::string report = report_text();
  for (const char* part :
       {"## T-2: Write T-2.txt", "| auditor | 1 | fresh | AUDIT_PASSED | ", "`T-1.txt`"})
    EXPECT_HAS(report, part);
  // A second time there is nothing to do, and it says so.
  const Delivered again = deliver();
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_EQ(again.list("completed"), (Names{"T-1", "T-2"}));
  EXPECT_EQ(calls("developer", "T-1"), 1);
}

TEST_F(DeliveryTest, AFailedReviewGoesBackWithItsFindings) {
  write_plan({{"T-1"}});
  on("critic", "T-1", 1,
     "printf 'REVIEW_FAILED: T-1\\n\\nIssues Found:\\n- T-1.txt:1: no greeting\\n\\nRequired "
     "Fixes:\\n- greet\\n\\nPriority: HIGH\\n'");
  on("critic", "T-1", 2, "good");
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(calls("developer", "T-1"), 2);
  DeliveryCall rework = agent_call("developer", "T-1", 2);
  EXPECT_EQ(rework.env["CAPSULE_ATTEMPT"], "2");
  for (const char* part : {"no greeting", "greet", "HIGH"}) EXPECT_HAS(rework.prompt, part);
  EXPECT_EQ(calls("auditor", "T-1"), 1);
  const std::string report = report_text();
  EXPECT_HAS(report,
             "critic (agent 2): REVIEW_FAILED\n  > Issues Found: - T-1.txt:1: no greeting\n");
  EXPECT_HAS(report, "| .capsule/logs/" + done.events.front()["run"].get<std::string>() +
                         "/2-critic.log |");
  EXPECT_HAS(report, "Merges were checked by: nothing");
}

TEST_F(DeliveryTest, TheThirdFailedAuditEndsTheTaskAndTheRestGoesOn) {
  write_plan({{"T-1"}, {"T-2", "T-1"}, {"T-3"}});
  on("auditor", "T-1", 1, "printf 'AUDIT_FAILED: T-1\\n\\nFailed Criteria:\\n- it: FAILED\\n'");
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_EQ(done.list("completed"), Names{"T-3"});
  EXPECT_EQ(done.list("failed"), (Names{"T-1", "T-2"}));
  EXPECT_EQ(calls("auditor", "T-1"), 3);
  EXPECT_EQ(calls("developer", "T-2"), 0);
  EXPECT_EQ(main_file("T-1.txt"), "(missing)");
  EXPECT_EQ(done.of("task_failed").size(), 2U);
}

TEST_F(DeliveryTest, BlockedInfrastructureIsMendedMergedAndJudged) {
  configure("verify: {test: \"! test -e broken\"}");
  write_plan({{"T-1"}, {"T-2"}});
  on("developer", "T-1", 1,
     "printf 'INFRA_BLOCKED: T-1\\n\\nIssue: no tool\\nCommand: tool\\nOutput: gone\\n'");
  on("developer", "T-1", 2, "test -f tool.txt && good");
  on("auditor", "T-2", 1, "printf 'AUDIT_BLOCKED: T-2\\n\\nPre-existing Failures:\\n- x\\n'");
  on("auditor", "T-2", 2, "good");
  on("remediation", "", 1, "echo tool >tool.txt; good");
  on("health-auditor", "", 1, "printf 'HEALTH_AUDIT: UNHEALTHY\\n\\nFailed Checks:\\n- y\\n'");
  on("health-auditor", "", 2, "good");
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.list("completed"), (Names{"T-1", "T-2"}));
  EXPECT_EQ(main_file("tool.txt"), "tool\n");
  EXPECT_GE(calls("remediation", "none"), 2) << "UNHEALTHY repeats";
  EXPECT_HAS(agent_call("remediation", "none", 1).prompt, "no tool");
  EXPECT_FALSE(done.of("remediation_left").empty());
  const std::string report = report_text();
  for (const char* part : {"## Remediation and health audits", "| health-auditor | ", "no tool",
                           "  > Failed Checks: - y\n", "Merges were checked by: `test: "})
    EXPECT_HAS(report, part);
}

TEST_F(DeliveryTest, AHealthyVerdictThatTheChecksDenyDoesNotCount) {
  configure("verify: {test: \"! test -e bad\"}");
  write_plan({{"T-1"}});
  on("developer", "T-1", 1, "printf 'INFRA_BLOCKED: T-1\\n\\nIssue: red\\n'");
  on("developer", "T-1", 2, "good");
  on("remediation", "", 1, "echo x >bad; good");
  on("remediation", "", 2, "rm bad; echo x >fixed; good");
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(calls("health-auditor", "none"), 2);
  EXPECT_EQ(main_file("fixed"), "x\n");
  EXPECT_EQ(main_file("bad"), "(missing)");
}

TEST_F(DeliveryTest, ExpertsAreCreatedAskedAndTheirAdviceIsDelivered) {
  write_plan({{"T-1"}, {"T-2"}});
  const std::string ask =
      "printf 'EXPERT_REQUEST\\nTarget Agent: colours\\nRequest Type: decision\\nContext "
      "Snapshot: none\\n\\n---DELEGATION PROMPT START---\\nwhich blue?\\n---DELEGATION PROMPT "
      "END---\\n'";
  on("developer", "T-1", 1, ask);
  on("developer", "T-1", 2, "good");
  on("developer", "T-2", 1, ask);
  on("developer", "T-2", 2, "good");
  on("expert", "T-2", 1,
     "printf 'EXPERT_UNSUCCESSFUL: %s\\n\\nReason: no idea\\n' \"$CAPSULE_REQUEST\"");
  write_file(path("answers.txt"), "*: ask nobody\n");
  const Delivered done = deliver({"--experts", "--answers=" + path("answers.txt")});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(calls("plan-analyst", "none"), 1);
  EXPECT_HAS(agent_call("expert", "T-1", 1).prompt, "which blue?");
  EXPECT_HAS(agent_call("developer", "T-1", 2).prompt, "Use the blue one");
  EXPECT_HAS(agent_call("developer", "T-2", 2).prompt, "ask nobody");
  EXPECT_HAS(agent_call("developer", "T-1", 1).prompt, "colours");
  EXPECT_HAS(read_file(project() + "/.claude/agents/experts/colours.md"), "which colour to use");
  const std::string report = report_text();
  for (const char* part : {"## Experts", "colours, for developer", "Use the blue one", "no idea"})
    EXPECT_HAS(report, part);
}

TEST_F(DeliveryTest, APlanAnalystThatIsAskedAgainWorksWhereAProjectIs) {
  write_plan({{"T-1"}});
  on("plan-analyst", "none", 1, "echo x");
  on("plan-analyst", "none", 2, "ls -A \"$PWD\" >\"$M/seen\"; good");
  const Delivered done = deliver({"--experts"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(calls("plan-analyst", "none"), 2);
  EXPECT_HAS(read_file(path("mock/seen")), ".git\n");
}

TEST_F(DeliveryTest, AFileConflictWaitsForTheHolder) {
  write_plan({{"T-1"}, {"T-2"}});
  // T-1 goes on only when T-2 has asked for its file.
  on("developer", "T-1", 1,
     "while [ ! -e \"$M/calls/developer.T-2.1/stdin\" ]; do sleep 0.05; done; good");
  on("developer", "T-2", 1,
     "printf 'FILE CONFLICT: T-1.txt\\n\\nAssigned To: T-1\\nI Need To: add\\nCan Wait: YES\\n'");
  on("developer", "T-2", 2, "test -f T-1.txt && good");
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(calls("developer", "T-2"), 2);
  expect_delivered({"T-1", "T-2"});
}

TEST_F(DeliveryTest, UnknownOutputIsAskedForItsSignal) {
  write_plan({{"T-1"}});
  on("developer", "T-1", 1, "echo 'all is READY_FOR_REVIEW: T-1 I think'");
  on("developer", "T-1", 2, "printf 'CHECKPOINT: T-1\\n\\nProgress: half\\n'");
  on("developer", "T-1", 3, "good");
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  const auto recovery = done.of("unknown_signal_recovery");
  ASSERT_FALSE(recovery.empty());
  EXPECT_EQ(recovery[0]["task_id"], "T-1");
  EXPECT_EQ(recovery[0]["attempt"], 1);
  EXPECT_EQ(recovery[0]["output_preview"], "all is READY_FOR_REVIEW: T-1 I think\n");
  EXPECT_EQ(done.of("checkpoint_received").size(), 1U);
  // A provider without sessions is told what it printed.
  EXPECT_HAS(agent_call("developer", "T-1", 2).prompt, "all is READY_FOR_REVIEW: T-1 I think");
}

TEST_F(DeliveryTest, ThreeUnknownOutputsStartTheTaskAgainWithTheFormats) {
  write_plan({{"T-1"}});
  on("developer", "T-1", 1, "printf 'AUDIT_PASSED: T-1\\n'");      // wrong role
  on("developer", "T-1", 2, "printf 'READY_FOR_REVIEW: T-9\\n'");  // wrong task
  on("developer", "T-1", 3, "printf 'READY_FOR_REVIEW: T-1\\nTASK_INCOMPLETE: T-1\\n'");  // both
  on("developer", "T-1", 4, "good");
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  const auto failure = done.of("agent_signal_failure");
  ASSERT_EQ(failure.size(), 1U);
  EXPECT_EQ(failure[0]["reason"], "3_consecutive_unknown_signals");
  EXPECT_EQ(done.of("unknown_signal_recovery").size(), 2U);
  EXPECT_EQ(calls("critic", "T-1"), 1) << "a contradiction never completes a task";
}

TEST_F(DeliveryTest, ATaskThatSaysTooLittleGoesToTheBusinessAnalystFirst) {
  write_plan({{"T-1", "none", "", "-"}});
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(calls("business-analyst", "T-1"), 1);
  EXPECT_HAS(agent_call("developer", "T-1", 1).prompt, "T-1.txt holds T-1");
}

TEST_F(DeliveryTest, WhatReadersWriteIsTakenBackAndReported) {
  write_plan({{"T-1"}});
  on("critic", "T-1", 1, "echo meddled >T-1.txt; echo more >extra.txt; good");
  on("auditor", "T-1", 1, "test ! -e extra.txt && git commit -q --allow-empty -m sneaked && good");
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  expect_delivered({"T-1"});
  EXPECT_EQ(main_file("extra.txt"), "(missing)");
  int wrote = 0;
  for (const auto& event : done.of("agent_finished")) wrote += event.value("wrote", false) ? 1 : 0;
  EXPECT_EQ(wrote, 2);
}

TEST_F(DeliveryTest, AMergeConflictIsReworkWithTheConflictAsContext) {
  write_plan({{"T-1"}, {"T-2"}});
  on("developer", "T-1", 1, "echo one >shared.txt; good");
  on("developer", "T-2", 1,
     "while [ ! -e \"$M/calls/developer.T-1.1/stdin\" ]; do sleep 0.05; done; echo two "
     ">shared.txt; "
     "good");
  on("developer", "T-2", 2, "grep -q '<<<<<<<' shared.txt && echo both >shared.txt; good");
  on("developer", "T-1", 2, "grep -q '<<<<<<<' shared.txt && echo both >shared.txt; good");
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  ASSERT_EQ(done.of("task_merge_refused").size(), 1U);
  EXPECT_EQ(done.of("task_merge_refused")[0]["why"], "conflict");
  EXPECT_EQ(main_file("shared.txt"), "both\n");
  expect_delivered({"T-1", "T-2"});
}

TEST_F(DeliveryTest, ARedMergeIsReworkToo) {
  configure("verify: {test: \"! grep -q bad T-1.txt\"}");
  write_plan({{"T-1"}});
  on("developer", "T-1", 1, "echo bad >T-1.txt; ready");
  on("developer", "T-1", 2, "good");
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  ASSERT_EQ(done.of("task_merge_refused").size(), 1U);
  EXPECT_EQ(done.of("task_merge_refused")[0]["why"], "verify_failed");
  EXPECT_HAS(agent_call("developer", "T-1", 2).prompt, "grep -q bad");
  expect_delivered({"T-1"});
}

TEST_F(DeliveryTest, AfterABuildThatFailsTheTestsRunAllTheSameAndNothingIsMerged) {
  configure(
      "verify: {baseline: red-allowed, build: \"! grep -q bad T-1.txt\", test: \"test ! -e "
      "T-1.txt || echo tested >>'" +
      path("ran") + "'\"}");
  write_plan({{"T-1"}});
  on("developer", "T-1", 1, "echo bad >T-1.txt; ready");
  on("developer", "T-1", 2, "good");
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  ASSERT_EQ(done.of("task_merge_refused").size(), 1U);
  EXPECT_EQ(done.of("task_merge_refused")[0]["why"], "verify_failed");
  EXPECT_HAS(agent_call("developer", "T-1", 2).prompt, "grep -q bad");
  EXPECT_EQ(read_file(path("ran")), "tested\ntested\n")
      << "of the refused files and the merged ones";
  expect_delivered({"T-1"});
}

TEST_F(DeliveryTest, AFailureThatWasThereBeforeDoesNotCountAgainstATask) {
  configure("verify: {baseline: red-allowed, test: \"false\"}");
  write_plan({{"T-1"}});
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  expect_delivered({"T-1"});
  EXPECT_HAS(agent_call("auditor", "T-1", 1).prompt, "failed before any task began");
}

TEST_F(DeliveryTest, ACriticThatTimesOutThreeTimesIsPassedOver) {
  configure("roles: {critic: {timeout: 1s}}");
  write_plan({{"T-1"}});
  on("critic", "T-1", 1, "sleep 600");
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  int slow = 0;  // by the journal: an agent that is ended early may not have got to its script
  for (const auto& event : done.of("agent_finished"))
    slow += event.value("role", "") == "critic" && event.value("fault", "") == "timed_out" ? 1 : 0;
  EXPECT_EQ(slow, 3);
  EXPECT_EQ(done.of("review_skipped").size(), 1U);
  EXPECT_HAS(report_text(), "- Not reviewed, since the critic timed out: T-1\n");
}

TEST_F(DeliveryTest, AnIdleDeveloperIsNoticedAndABusyOneLeftAlone) {
  configure("checkpoint_interval: 1s");
  write_plan({{"T-1"}, {"T-2"}});
  on("developer", "T-1", 1, "sleep 600");
  on("developer", "T-1", 2, "good");
  // Prints and writes nothing, and is at work all the same.
  on("developer", "T-2", 1, "while [ ! -e \"$M/calls/developer.T-1.2/stdin\" ]; do :; done; good");
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(calls("developer", "T-1"), 2);
  EXPECT_EQ(calls("developer", "T-2"), 1);
  EXPECT_EQ(done.of("agent_idle").size(), 1U);
}

TEST_F(DeliveryTest, AgentsThatFailAreStartedAgainUpToTheLimit) {
  configure("limits: {restarts: 2}");
  write_plan({{"T-1"}, {"T-2"}});
  on("developer", "T-1", 1, "ready; exit 3");
  on("developer", "T-2", 1, "exit 3");
  on("developer", "T-2", 2, "good");
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_EQ(done.list("failed"), Names{"T-1"});
  EXPECT_EQ(done.list("completed"), Names{"T-2"});
  EXPECT_EQ(calls("developer", "T-1"), 2);
  EXPECT_EQ(calls("critic", "T-1"), 0);
}

TEST_F(DeliveryTest, AnAgentThatFailsByItselfCostsNoAttemptAndIsToldInItsOwnWords) {
  write_plan({{"T-1"}});
  on("developer", "T-1", 1, "echo half >half.txt; echo 'boom: no such device' >&2; exit 3");
  on("developer", "T-1", 2, "kill -SEGV $$");
  on("developer", "T-1", 3, "good");
  on("auditor", "T-1", 1, "echo 'I forgot the signal'");
  on("auditor", "T-1", 2, "good");
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(calls("developer", "T-1"), 3);
  for (int call = 1; call <= 3; ++call)
    EXPECT_EQ(agent_call("developer", "T-1", call).env.at("CAPSULE_ATTEMPT"), "1") << call;
  for (int call = 1; call <= 2; ++call)
    EXPECT_EQ(agent_call("auditor", "T-1", call).env.at("CAPSULE_ATTEMPT"), "1") << call;
  EXPECT_HAS(agent_call("developer", "T-1", 2).prompt, "was cut short");
  EXPECT_TRUE(done.of("task_reworked").empty());
  Names faults;
  for (const auto& event : done.of("supply_agent_used"))
    if (event.value("fault", "none") == "exit_status") faults.push_back(event.value("words", ""));
  EXPECT_EQ(faults, (Names{"boom: no such device", ""}));
  const auto ends = done.of("agent_finished");
  EXPECT_EQ(ends.at(0).value("detail", ""), "ended with exit status 3: boom: no such device");
  EXPECT_EQ(ends.at(1).value("detail", ""), "was ended by signal 11 (SIGSEGV)");
  EXPECT_HAS(report_text(), "ended with exit status 3: boom: no such device");
}

TEST_F(DeliveryTest, HowOftenAgentsFailedIsKnownAfterAKill) {
  configure("limits: {restarts: 2}");
  write_plan({{"T-1"}});
  on("developer", "T-1", 1, "exit 3");
  on("developer", "T-1", 2, kStay);
  EXPECT_EQ(cut_off(SIGKILL).exit_code, 128 + SIGKILL);
  on("developer", "T-1", 3, "echo 'out of memory' >&2; exit 4");
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_EQ(done.list("failed"), Names{"T-1"});
  EXPECT_EQ(calls("developer", "T-1"), 3) << "the second was cut off, and began again";
  EXPECT_EQ(agent_call("developer", "T-1", 3).env.at("CAPSULE_ATTEMPT"), "1");
  EXPECT_EQ(done.of("task_failed").at(0).value("detail", ""),
            "its agents failed by themselves too often (2 times); the last time the developer "
            "ended with exit status 4: out of memory");
}

TEST_F(DeliveryTest, AClientWithSessionsContinuesThem) {
  configure("provider: claude");
  write_plan({{"T-1"}});
  on("critic", "T-1", 1, "printf 'REVIEW_FAILED: T-1\\n\\nIssues Found:\\n- bad name\\n'");
  on("critic", "T-1", 2, "good");
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  const Names first = agent_call("developer", "T-1", 1).args;
  const Names second = agent_call("developer", "T-1", 2).args;
  ASSERT_EQ(first.size(), 8U);
  ASSERT_EQ(second.size(), 8U);
  EXPECT_EQ(first[0], "-p");
  EXPECT_EQ(first[6], "--session-id");
  EXPECT_EQ(second[6], "--resume");
  EXPECT_EQ(first[7], second[7]);
  EXPECT_EQ(first[7].size(), 36U);
  EXPECT_HAS(second[1], "bad name");
}

TEST_F(DeliveryTest, NeverMoreDevelopersThanSlots) {
  std::vector<PlanTask> tasks;
  for (int i = 1; i <= 6; ++i) tasks.push_back({"T-" + std::to_string(i)});
  write_plan(tasks);
  on("developer", "", 1,
     "mkdir -p \"$M/now/$T\"; while [ \"$(ls -d \"$M\"/calls/developer.* | wc -l)\" -lt 2 ]; do "
     "sleep 0.05; done; ls \"$M/now\" | wc -l >>\"$M/most\"; sleep 0.2; rmdir \"$M/now/$T\"; "
     "good");
  const Delivered done = deliver({"--developers=2"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  const std::string most = read_file(path("mock/most"));
  EXPECT_HAS(most, "2\n");
  EXPECT_LACKS(most, "3\n");
}

TEST_F(DeliveryTest, AChangedPlanIsCompared) {
  write_plan({{"T-1"}, {"T-2"}});
  on("developer", "T-2", 1, "printf 'SEEKING_DIVINE_CLARIFICATION\\n\\nQuestion: really?\\n'");
  EXPECT_EQ(deliver().exit_code, 1);
  write_plan({{"T-1"}, {"T-3", "T-1"}});
  const Delivered done = deliver({"--answers=/dev/null"});
  EXPECT_EQ(done.exit_code, 2) << "answers are a regular file";
  write_file(path("answers"), "T-2: remove\n");
  const Delivered again = deliver({"--answers=" + path("answers")});
  EXPECT_EQ(calls("developer", "T-1"), 1) << "finished ones stay";
  EXPECT_EQ(calls("developer", "T-3"), 1) << "new ones join";
  EXPECT_EQ(main_file("T-3.txt"), "T-3\n");
  EXPECT_EQ(again.list("waiting"), Names{});
}

}  // namespace
}  // namespace capsule::test
