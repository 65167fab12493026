// The merge, and runs that go on after their end.
#include "workflow/auto/test_support.h"

namespace capsule::auto_mode {
namespace {

TEST(AutoAdvance, AMergeIsIntendedDoneAndTheTreeRemoved) {
  Driver driver = in_merge();
  EXPECT_EQ(driver.kinds().back(), "merge_intended");
  const auto& merge = driver.only<Merge>();
  EXPECT_EQ(merge.tree, "auto");
  EXPECT_EQ(merge.task, "");
  EXPECT_EQ(merge.title, "Do it");
  EXPECT_EQ(merge.of, Merge::Of::kept);
  EXPECT_EQ(merge.test, Merge::Test::when_unseen);
  EXPECT_EQ(merge.go_on, "capsule auto continue");
  Merged merged;
  merged.commit = "c0ffee";
  merged.adopted = true;
  driver.see(merged);
  EXPECT_TRUE(driver.newest<fact::MergeDone>().adopted);
  EXPECT_EQ(driver.only<RemoveTree>().tree, "auto");
  driver.see(TreeRemoved{"auto"});
  EXPECT_EQ(Rules::outcome(driver.run), "complete");
  const RunSummary summary = Rules::summary(driver.run);
  EXPECT_EQ(summary.standing, Standing::succeeded);
  EXPECT_EQ(summary.merged_as, "c0ffee");
  EXPECT_FALSE(summary.can_go_on);
  EXPECT_THAT(summary.trees, IsEmpty());
}

TEST(AutoAdvance, AMergeIsTriedAsOftenAsTheRuleSaysAndIntendedOnce) {
  Driver driver = in_merge();
  for (int i = 1; i < kMergeTries; ++i) {
    driver.see(MainMoved{"auto"});
    driver.only<Merge>();
  }
  driver.see(MainMoved{"auto"});
  EXPECT_THAT(driver.commands, IsEmpty());
  EXPECT_EQ(Rules::outcome(driver.run), "merge_refused");
  EXPECT_THAT(driver.run.detail, HasSubstr("capsule auto continue"));
  const auto kinds = driver.kinds();
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), "merge_intended"), 1);
}

TEST(AutoAdvance, AMergeThatWasCutOffIsAskedForAgainWithoutTakingAnythingBack) {
  Driver driver = in_merge();
  driver.crash();
  driver.only<Merge>();
  EXPECT_EQ(driver.kinds().back(), "merge_intended");
}

TEST(AutoAdvance, ARefusedMergeSaysWhyAndCanGoOn) {
  Driver driver = in_merge();
  driver.see(MergeRefused{"auto", event::MergeRefusal::conflict, "conflict with main in a.c", {}});
  EXPECT_EQ(driver.newest<fact::Ended>().detail, "conflict with main in a.c");
  const RunSummary summary = Rules::summary(driver.run);
  EXPECT_EQ(summary.outcome, "merge_refused");
  EXPECT_EQ(summary.standing, Standing::failed);
  EXPECT_TRUE(summary.can_go_on);
  ASSERT_EQ(summary.trees.size(), 1U);
  EXPECT_EQ(summary.trees[0].folder, "folder");
  EXPECT_EQ(summary.trees[0].branch, "branch");
}

TEST(AutoAdvance, WhatAPersonDidIsKeptBeforeTheRunGoesOn) {
  Driver driver = in_merge();
  driver.see(MergeRefused{"auto", event::MergeRefusal::conflict, "conflict", {}});
  const std::size_t facts = driver.journal.size();
  driver.given(fact::Resumed{});
  EXPECT_EQ(driver.only<Keep>().label, "continued");
  EXPECT_EQ(driver.journal.size(), facts);
  EXPECT_EQ(Rules::outcome(driver.run), "merge_refused");
  EXPECT_TRUE(Rules::resuming(driver.run));
  driver.see(Kept{});
  EXPECT_FALSE(Rules::resuming(driver.run));
  EXPECT_EQ(driver.journal[facts], fact::Fact(fact::Resumed{kAt}));
  driver.only<Merge>();
}

TEST(AutoAdvance, WhatCannotBeKeptLeavesTheRunEndedWhereItWas) {
  Driver driver = in_merge();
  driver.see(MergeRefused{"auto", event::MergeRefusal::conflict, "conflict", {}});
  driver.given(fact::Resumed{});
  driver.see(CommandFailed{driver.commands[0], Reason::not_found, "the worktree is gone"});
  EXPECT_EQ(Rules::outcome(driver.run), "error");
  EXPECT_EQ(driver.run.detail, "the worktree is gone");
  EXPECT_FALSE(Rules::resuming(driver.run));
  EXPECT_EQ(driver.run.after, Step::merge);
}

TEST(AutoAdvance, AnInterruptedResumptionHasNotHappened) {
  Driver driver = in_merge();
  driver.see(MergeRefused{"auto", event::MergeRefusal::conflict, "conflict", {}});
  const std::size_t facts = driver.journal.size();
  driver.given(fact::Resumed{});
  driver.see(StopAsked{Stop::interrupted});
  driver.see(Kept{});
  EXPECT_FALSE(Rules::resuming(driver.run));
  EXPECT_EQ(driver.journal.size(), facts);
  EXPECT_THAT(driver.commands, IsEmpty());
}

}  // namespace
}  // namespace capsule::auto_mode
