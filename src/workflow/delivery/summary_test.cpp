#include "workflow/delivery/test_support.h"

namespace capsule::delivery {
namespace {

using workflow::RunSummary;
using workflow::Standing;
using workflow::Waiting;

std::vector<std::string> waits(const State& state) {
  std::vector<std::string> all;
  for (const Waiting& wait : run_summary(state).waits)
    all.push_back(wait.task + " " + std::string(name_of(wait.what)) + " " + wait.on +
                  (wait.by.empty() ? "" : " by " + wait.by));
  return all;
}

TEST(DeliverySummary, ItTellsWhatEveryTaskWaitsFor) {
  Desk desk({task("A", {}, {"x"}), task("B"), task("C"), task("D", {"A"}), task("E"), task("F"),
             task("G")},
            {6, 1, 1}, {}, {"databases"});
  desk.says("B", Signal::file_conflict, {{"Can Wait", "YES"}}, "x");
  desk.says("C", Signal::task_incomplete, {{"Needed", "task A"}});
  desk.says("E", Signal::expert_request, {{"Target Agent", "databases"}});
  desk.says("F", Signal::divine_clarification, {{"Question", "red or green?"}});
  EXPECT_EQ(waits(desk.state), (Words{"F answer ", "B file x by A", "C dependency A",
                                      "D dependency A", "E expert databases"}));
  const RunSummary summary = run_summary(desk.state);
  EXPECT_EQ(summary.standing, Standing::open);
  EXPECT_EQ(summary.waits[0].question, 1);
  EXPECT_EQ(summary.waits[0].text, "red or green?");
  desk.says("A", Signal::infra_blocked);
  EXPECT_EQ(waits(desk.state)[1], "A remediation ");
}

TEST(DeliverySummary, ItTellsOfAllAgentsAndWhatTheySaid) {
  Desk desk({task("T1")}, {}, {}, {"databases"});
  AgentFinished finished = Desk::output(1, Signal::expert_request, {{"Target Agent", "databases"}});
  finished.log = "/logs/1-developer.log";
  finished.duration_ms = 5;
  finished.cost_micros = 7;
  desk.give(finished);
  const RunSummary summary = run_summary(desk.state);
  ASSERT_EQ(summary.agents.size(), 2u);
  EXPECT_EQ(summary.agents[0].number, 1);
  EXPECT_EQ(summary.agents[0].task, "T1");
  EXPECT_EQ(summary.agents[0].role, "developer");
  EXPECT_EQ(summary.agents[0].said, "EXPERT_REQUEST");
  EXPECT_EQ(summary.agents[0].log, "/logs/1-developer.log");
  EXPECT_FALSE(summary.agents[0].running);
  EXPECT_EQ(summary.agents[1].role, "expert");
  EXPECT_TRUE(summary.agents[1].running);
  EXPECT_EQ(summary.usage.agent_runs, 2);
  EXPECT_EQ(summary.usage.duration_ms, 5);
  EXPECT_EQ(summary.usage.cost_micros, 7);
  desk.crash();
  EXPECT_EQ(run_summary(desk.state).agents[1].fault, Fault::lost);
}

TEST(DeliverySummary, ItTellsHowTheDeliveryStands) {
  Desk desk({task("T1"), task("T2", {"T1"})});
  RunSummary summary = run_summary(desk.state);
  EXPECT_EQ(summary.workflow, "delivery");
  EXPECT_EQ(summary.now, "0 of 2 tasks complete, 1 agent at work");
  EXPECT_TRUE(summary.can_go_on);
  ASSERT_EQ(summary.trees.size(), 1u);
  EXPECT_EQ(summary.trees[0].task, "T1");
  EXPECT_EQ(summary.tasks[0].words, "developer (attempt 1)");
  EXPECT_EQ(summary.tasks[1].words, "blocked");
  desk.says("T1", Signal::divine_clarification);
  summary = run_summary(desk.state);
  EXPECT_EQ(summary.standing, Standing::waiting);
  EXPECT_EQ(summary.tasks[0].words, "waits for a person");
  desk.answer(1, "so");
  desk.completes("T1");
  desk.completes("T2");
  summary = run_summary(desk.state);
  EXPECT_EQ(summary.standing, Standing::succeeded);
  EXPECT_EQ(summary.outcome, "complete");
  EXPECT_EQ(summary.merged_as, "commit-of-T2");
  EXPECT_EQ(summary.tasks[0].commit, "commit-of-T1");
  EXPECT_TRUE(summary.trees.empty());
  EXPECT_TRUE(summary.waits.empty());
  EXPECT_FALSE(summary.can_go_on);
}

TEST(DeliverySummary, AFailedDeliveryTellsOfIt) {
  Desk desk({task("T1")});
  for (int i = 0; i < 3; ++i) desk.dies("T1");
  const RunSummary summary = run_summary(desk.state);
  EXPECT_EQ(summary.standing, Standing::failed);
  EXPECT_EQ(summary.detail, "1 task failed");
  EXPECT_EQ(summary.tasks[0].detail,
            "its agents failed by themselves too often (3 times); the last time the developer it "
            "died");
  EXPECT_EQ(summary.agents[2].fault, Fault::timed_out);
  EXPECT_EQ(summary.agents[2].said, "");
}

}  // namespace
}  // namespace capsule::delivery
