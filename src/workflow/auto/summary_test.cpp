// What people are told of a run.
#include "workflow/auto/test_support.h"

namespace capsule::auto_mode {
namespace {

TEST(AutoSummary, SaysWhereAnOpenRunIsAndWhoWorkedOnIt) {
  Driver driver = at_work();
  EXPECT_EQ(Rules::summary(driver.run).now, "expansion (attempt 1)");
  EXPECT_TRUE(Rules::summary(driver.run).agents[0].running);
  driver.says({});
  RunSummary summary = Rules::summary(driver.run);
  EXPECT_EQ(summary.workflow, "auto");
  EXPECT_EQ(summary.subject, "Do it");
  EXPECT_EQ(summary.provider, "claude");
  EXPECT_EQ(summary.standing, Standing::open);
  EXPECT_EQ(summary.now, "expansion (attempt 1)");
  EXPECT_TRUE(summary.can_go_on);
  ASSERT_EQ(summary.agents.size(), 2U);
  EXPECT_EQ(summary.agents[0].log, "log-1");
  EXPECT_FALSE(summary.agents[0].running);
  EXPECT_EQ(summary.usage.agent_runs, 2);
  EXPECT_EQ(summary.usage.duration_ms, 10);
  EXPECT_EQ(summary.usage.cost_micros, 3);
}

TEST(AutoSummary, HoldsTheReviewersWithTheirLogs) {
  Driver driver = in_review();
  EXPECT_EQ(Rules::summary(driver.run).now, "review (round 1/3)");
  for (int agent = 2; agent < 5; ++agent) driver.see(verdict(agent, "VERDICT: APPROVED"));
  driver.see(TakenBack{});
  const RunSummary summary = Rules::summary(driver.run);
  ASSERT_EQ(summary.agents.size(), 5U);
  EXPECT_EQ(summary.agents[2].role, "review-security");
  EXPECT_EQ(summary.agents[2].said, "APPROVED");
  EXPECT_EQ(summary.agents[2].log, "log-3");
  EXPECT_EQ(summary.agents[4].role, "check");
  EXPECT_EQ(summary.usage.agent_runs, 5);
}

TEST(AutoSummary, SaysWhatAPersonHasToDecide) {
  Driver driver = at_work();
  driver.see(Driver::ended(1, Fault::none, BlockWords{{"PHASE_ERROR"}, "which port?", false, ""}));
  const RunSummary summary = Rules::summary(driver.run);
  EXPECT_EQ(summary.standing, Standing::waiting);
  EXPECT_TRUE(summary.can_go_on);
  EXPECT_EQ(summary.outcome, "needs_person");
  ASSERT_EQ(summary.waits.size(), 1U);
  EXPECT_EQ(summary.waits[0].what, Waiting::For::answer);
  EXPECT_EQ(summary.waits[0].text, "which port?");
  EXPECT_FALSE(Rules::waits_for_person(driver.run));
}

TEST(AutoSummary, ARunWithAnotherEndGivenByAPersonIsStopped) {
  Driver driver = at_work();
  driver.crash();
  driver.given(fact::Ended{Outcome::cancelled, "", ""});
  EXPECT_EQ(Rules::summary(driver.run).standing, Standing::stopped);
  EXPECT_EQ(Rules::summary(driver.run).agents[0].fault, Fault::lost);
}

}  // namespace
}  // namespace capsule::auto_mode
