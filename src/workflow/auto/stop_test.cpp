// What a person stops.
#include "workflow/auto/test_support.h"

namespace capsule::auto_mode {
namespace {

TEST(AutoAdvance, AnAbortIsCalledThatAlsoWhenTheAgentsEndWasSeenFirst) {
  Driver driver = at_work();
  driver.take(Rules::advance(
      driver.run, {}, {Driver::ended(1, Fault::interrupted), StopAsked{Stop::aborted}}, kAt));
  EXPECT_EQ(Rules::outcome(driver.run), "aborted");
}

TEST(AutoAdvance, AnInterruptedTurnStaysOpenAndIsTakenBackWhenTheRunGoesOn) {
  Driver driver = at_work();
  driver.see(StopAsked{Stop::interrupted});
  EXPECT_EQ(Rules::outcome(driver.run), "");
  driver.see(Driver::ended(1, Fault::exit_status));
  EXPECT_EQ(Rules::outcome(driver.run), "interrupted");
  EXPECT_EQ(driver.kinds().back(), "ended");
  EXPECT_EQ(Rules::summary(driver.run).agents[0].fault, Fault::interrupted);
  driver.given(fact::Resumed{});
  EXPECT_EQ(driver.only<TakeBack>().label, "cut-off");
  driver.see(TakenBack{});
  EXPECT_EQ(driver.only<StartAgent>().agent, 1);
}

TEST(AutoAdvance, AnAgentThatWasDoneBeforeItCouldBeEndedCounts) {
  Driver driver = at_work();
  driver.see(StopAsked{Stop::interrupted});
  driver.see(Driver::ended(1, Fault::none, BlockWords{{"EXPANSION_COMPLETE"}, "", false, ""}));
  EXPECT_EQ(driver.run.phase, Phase::init);
  EXPECT_EQ(Rules::outcome(driver.run), "interrupted");
}

TEST(AutoAdvance, APauseEndsTheRunAtItsNextBorder) {
  Driver driver = at_work();
  driver.see(StopAsked{Stop::paused});
  EXPECT_THAT(driver.commands, IsEmpty());
  EXPECT_EQ(Rules::outcome(driver.run), "");
  driver.see(Driver::ended(1, Fault::none, BlockWords{{"EXPANSION_COMPLETE"}, "", false, ""}));
  EXPECT_EQ(Rules::outcome(driver.run), "paused");
  EXPECT_EQ(driver.run.phase, Phase::init);
  const RunSummary summary = Rules::summary(driver.run);
  EXPECT_EQ(summary.standing, Standing::stopped);
  EXPECT_TRUE(summary.can_go_on);
}

TEST(AutoAdvance, APauseLetsAllReviewersFinish) {
  Driver driver = in_review(false);
  driver.see(StopAsked{Stop::paused});
  for (int agent = 2; agent < 5; ++agent) driver.see(verdict(agent, "VERDICT: APPROVED"));
  driver.see(TakenBack{});
  EXPECT_EQ(driver.run.rounds.size(), 1U);
  EXPECT_EQ(Rules::outcome(driver.run), "paused");
}

TEST(AutoAdvance, AnAbortIsStrongerThanAPauseAndNotWeakenedByAnInterruption) {
  Driver driver = at_work();
  for (const Stop how : {Stop::paused, Stop::aborted, Stop::interrupted})
    driver.see(StopAsked{how});
  driver.see(Driver::ended(1, Fault::interrupted));
  EXPECT_EQ(Rules::outcome(driver.run), "aborted");
}

TEST(AutoAdvance, AStopThatComesTogetherWithAnEndStartsNothingMore) {
  Driver driver = at_work();
  driver.take(Rules::advance(
      driver.run, {},
      {Driver::ended(1, Fault::none, BlockWords{{"EXPANSION_COMPLETE"}, "", false, ""}),
       StopAsked{Stop::interrupted}},
      kAt));
  EXPECT_THAT(driver.commands, IsEmpty());
  EXPECT_EQ(Rules::outcome(driver.run), "interrupted");
}

TEST(AutoAdvance, WhatIsMergedIsCompleteWhateverAPersonAsksFor) {
  Driver driver = in_merge();
  driver.see(StopAsked{Stop::interrupted});
  driver.see(Merged{});
  driver.only<RemoveTree>();
  driver.see(TreeRemoved{});
  EXPECT_EQ(Rules::outcome(driver.run), "complete");
}

}  // namespace
}  // namespace capsule::auto_mode
