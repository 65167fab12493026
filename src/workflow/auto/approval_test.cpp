// What a person is asked before main.
#include "workflow/auto/test_support.h"

namespace capsule::auto_mode {
namespace {

Driver asked(bool skip_review = false) {
  fact::Started started = plain();
  started.integrate = event::Integrate::ask;
  started.skip_review = skip_review;
  Driver driver = at_work(started);
  driver.says({"AUTO_COMPLETE"});
  EXPECT_EQ(driver.only<Merge>().into, Merge::Into::nowhere);
  driver.see(MergeTried{"auto", "folder", "abc", {"a.c"}, {}});
  return driver;
}

TEST(AutoAdvance, WorkIsTriedBeforeAPersonIsAskedAndMergedOnceTheyApprove) {
  Driver driver = asked();
  EXPECT_THAT(driver.only<Ask>().text, HasSubstr("folder"));
  EXPECT_THAT(driver.only<Ask>().context, HasSubstr("a.c"));
  EXPECT_TRUE(Rules::waits_for_person(driver.run));
  EXPECT_EQ(Rules::summary(driver.run).standing, Standing::waiting);
  driver.crash();
  EXPECT_EQ(driver.only<Ask>().question, 1) << "the same question";
  driver.see(Answered{1, "approve", "me"});
  EXPECT_EQ(driver.only<Merge>().into, Merge::Into::main);
  EXPECT_TRUE(driver.only<Merge>().edited);
  EXPECT_FALSE(driver.only<Merge>().guarded) << "a person has seen it";
}

TEST(AutoAdvance, WhatAPersonDoesNotApproveIsMendedWithTheirWords) {
  for (const bool skip_review : {false, true}) {
    Driver driver = asked(skip_review);
    driver.see(Answered{1, "use UTC", "me"});
    const auto& start = driver.only<StartAgent>();
    EXPECT_EQ(start.role, skip_review ? "execution" : "fix");
    EXPECT_THAT(driver.run.feedback, HasSubstr("use UTC"));
    EXPECT_TRUE(driver.run.file.active);
  }
}

TEST(AutoAdvance, AnAnswerThatAnAgentWasCalledWithOrThatIsMergedStays) {
  for (const char* text : {"use UTC", "approve"}) {
    Driver driver = asked();
    driver.see(Answered{1, text, "me"});
    EXPECT_EQ(driver.commands.size(), 1u);
    const std::size_t before = driver.journal.size();
    driver.see(TakeBackAsked{1});
    EXPECT_THAT(driver.commands, IsEmpty());
    EXPECT_EQ(driver.journal.size(), before);
  }
}

TEST(AutoAdvance, AnAnswerIsTakenBackFromAnAgentThatIsHeld) {
  Driver driver = asked();
  const std::string phase = driver.run.file.phase;
  driver.see(Answered{1, "use UTC", "me"});
  const int held = driver.only<StartAgent>().agent;
  EXPECT_TRUE(driver.run.file.active);
  driver.see(TakeBackAsked{1, {held}});
  EXPECT_EQ(driver.only<EndAgent>().agent, held);
  AgentFinished ended = Driver::ended(held, Fault::idle, BlockWords{});
  ended.held = true;
  driver.see(ended);
  EXPECT_EQ(driver.only<Ask>().question, 1);
  EXPECT_EQ(driver.run.file.phase, phase);
  EXPECT_EQ(driver.run.feedback, "");
  ASSERT_EQ(Rules::summary(driver.run).agents.size(), 2u) << "nothing moves under who looks at it";
  EXPECT_FALSE(Rules::summary(driver.run).agents.back().running);
  driver.crash();
  EXPECT_EQ(driver.only<Ask>().question, 1);
  Driver other = driver;
  driver.see(Answered{1, "use TAI", "me"});
  EXPECT_EQ(driver.only<StartAgent>().role, "fix");
  EXPECT_GT(driver.only<StartAgent>().agent, held);
  EXPECT_THAT(driver.run.feedback, HasSubstr("use TAI"));
  other.see(Answered{1, "approve", "me"});
  EXPECT_EQ(other.only<Merge>().into, Merge::Into::main);
}

// Whoever was started by a process that is gone may have been called.
TEST(AutoAdvance, AnAnswerStaysAfterARestart) {
  Driver driver = asked();
  driver.see(Answered{1, "use UTC", "me"});
  const int held = driver.only<StartAgent>().agent;
  driver.crash();
  driver.see(TakenBack{});
  EXPECT_EQ(driver.only<StartAgent>().agent, held);
  driver.see(TakeBackAsked{1, {held}});
  EXPECT_THAT(driver.commands, IsEmpty());
}

TEST(AutoAdvance, ARefusalWithoutWordsEndsTheRunWhichAsksAgainWhenItGoesOn) {
  Driver driver = asked();
  driver.see(Answered{1, "no", "me"});
  EXPECT_EQ(Rules::outcome(driver.run), "not_approved");
  driver.given(fact::Resumed{});
  driver.see(Kept{});
  EXPECT_EQ(driver.only<Merge>().into, Merge::Into::nowhere);
}

TEST(AutoAdvance, WhatIsOnlyInTheWayVoidsNoApproval) {
  using enum event::MergeRefusal;
  for (const auto why : {checkout_in_the_way, refused, error, main_moved}) {
    Driver driver = asked();
    driver.see(Answered{1, "approve", "me"});
    driver.see(MergeRefused{"auto", why, "a.c is in the way", {}, {}, ""});
    driver.crash();
    driver.given(fact::Resumed{});
    driver.see(Kept{});
    EXPECT_EQ(driver.only<Merge>().into, Merge::Into::main) << "nobody is asked twice";
    EXPECT_TRUE(driver.only<Merge>().edited);
  }
}

TEST(AutoAdvance, AMergeThatIsNotCleanVoidsTheApproval) {
  Driver driver = asked();
  driver.see(Answered{1, "approve", "me"});
  driver.see(MergeRefused{"auto", event::MergeRefusal::conflict, "conflict in a.c", {}, {}, ""});
  driver.given(fact::Resumed{});
  driver.see(Kept{});
  EXPECT_EQ(driver.only<Merge>().into, Merge::Into::nowhere);
}

TEST(AutoAdvance, AStopBetweenApprovalAndMergeVoidsNothingUnlessItIsAnAbort) {
  for (const Stop how : {Stop::interrupted, Stop::paused, Stop::aborted}) {
    Driver driver = asked();
    driver.see(Answered{1, "approve", "me"});
    const Command merge = driver.commands.at(0);
    driver.see(StopAsked{how});
    driver.see(CommandFailed{merge, Reason::interrupted, "interrupted"});
    ASSERT_TRUE(driver.run.step == Step::ended);
    driver.given(fact::Resumed{});
    driver.see(Kept{});
    EXPECT_EQ(driver.only<Merge>().into,
              how == Stop::aborted ? Merge::Into::nowhere : Merge::Into::main);
  }
}

TEST(AutoAdvance, AStopLeavesTheQuestionOpen) {
  Driver driver = asked();
  driver.see(StopAsked{Stop::interrupted});
  EXPECT_TRUE(Rules::stopped(driver.run));
  EXPECT_EQ(Rules::outcome(driver.run), "");
}

TEST(AutoAdvance, WhatGoesToABranchLeavesItBehind) {
  fact::Started started = plain();
  started.integrate = event::Integrate::branch;
  Driver driver = at_work(started);
  driver.says({"AUTO_COMPLETE"});
  EXPECT_EQ(driver.only<Merge>().into, Merge::Into::branch);
  Merged merged;
  merged.tree = "auto";
  merged.commit = "c0ffee";
  driver.see(merged);
  EXPECT_TRUE(driver.only<RemoveTree>().keep_branch);
  driver.see(TreeRemoved{"auto"});
  EXPECT_EQ(Rules::summary(driver.run).on_branch, "branch");
  EXPECT_EQ(Rules::summary(driver.run).merged_as, "");
}

TEST(AutoAdvance, AGuardedChangeIsPutToAPersonWhoIsThere) {
  const MergeRefused guarded{"auto",        event::MergeRefusal::verify_failed,
                             "put it back", {"guard"},
                             {"Makefile"},  "Makefile: 1 line added, 0 removed\n"};
  Driver alone = in_merge();
  alone.see(guarded);
  EXPECT_EQ(Rules::outcome(alone.run), "merge_refused") << "nobody is there";
  Driver driver = in_merge();
  driver.run.attended = true;
  driver.see(guarded);
  EXPECT_THAT(driver.only<Ask>().text, HasSubstr("Makefile"));
  Driver refused = driver;
  driver.see(Answered{1, "yes", "me"});
  EXPECT_THAT(driver.only<Merge>().allowed, ElementsAre("Makefile"));
  refused.see(Answered{1, "not that file", "me"});
  EXPECT_EQ(refused.only<StartAgent>().role, "fix");
  EXPECT_THAT(refused.run.feedback, HasSubstr("not that file"));
}

}  // namespace
}  // namespace capsule::auto_mode
