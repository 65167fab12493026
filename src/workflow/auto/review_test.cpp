// Three reviewers.
#include "workflow/auto/test_support.h"

namespace capsule::auto_mode {
namespace {

TEST(AutoAdvance, ThreeReviewersWorkAtOnceAndOneFactTellsOfThem) {
  Driver driver = in_review();
  EXPECT_EQ(driver.newest<fact::ReviewStarted>(), (fact::ReviewStarted{1, 2, kAt, "", ""}));
  ASSERT_EQ(driver.commands.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& start = std::get<StartAgent>(driver.commands[i]);
    EXPECT_EQ(start.agent, static_cast<int>(i) + 2);
    EXPECT_EQ(start.role, "review-" + std::string(fact::kReviewers[i]));
    EXPECT_EQ(start.configured, "review");
    EXPECT_EQ(start.dialect, Dialect::verdict);
    EXPECT_EQ(start.session, "");
    EXPECT_EQ(start.prompt.file, "prompts/auto/review.md");
    EXPECT_THAT(start.prompt.values,
                ::testing::Contains(Variable{"REVIEWER", std::string(fact::kReviewers[i])}));
  }
  driver.see(verdict(3, "VERDICT: APPROVED"));
  driver.see(verdict(2, "VERDICT: APPROVED"));
  EXPECT_EQ(driver.kinds().back(), "review_started");
  driver.see(verdict(4, "- a.c:1 leaks\nVERDICT: NEEDS_FIX"));
  EXPECT_EQ(driver.only<TakeBack>().label, "review");
  driver.see(TakenBack{"auto", {"a.c"}});
  ASSERT_EQ(driver.run.rounds.size(), 1U);
  const fact::Reviewed& round = driver.run.rounds.front();
  EXPECT_THAT(round.note, HasSubstr("taken back: a.c"));
  EXPECT_EQ(round.verdicts[2].agent, 4);
  EXPECT_EQ(round.verdicts[2].started_at, "a");
  EXPECT_THAT(round.verdicts[2].issues, ElementsAre("a.c:1 leaks"));
  EXPECT_EQ(driver.only<StartAgent>().role, "fix");
  EXPECT_EQ(driver.only<StartAgent>().agent, 5);
}

TEST(AutoAdvance, WhatAReviewerTriedToChangeIsAClaimThatDiffers) {
  Driver driver = in_review();
  AgentFinished writes = verdict(3, "VERDICT: APPROVED");
  writes.took_back = {"a.c", "b.c"};
  driver.see(verdict(2, "VERDICT: APPROVED"));
  driver.see(writes);
  driver.see(verdict(4, "VERDICT: APPROVED"));
  driver.see(TakenBack{});
  EXPECT_THAT(driver.run.rounds.front().verdicts[1].tried, ElementsAre("a.c", "b.c"));
  const auto summary = Rules::summary(driver.run);
  const auto& claim = summary.claims.back();
  EXPECT_EQ(claim.agent, 3);
  EXPECT_EQ(claim.claim.what, "it only looked");
  EXPECT_EQ(claim.claim.verdict, event::Verdict::differs);
  EXPECT_EQ(claim.claim.detail, "tried to change a.c, b.c; nothing of that was kept");
}

TEST(AutoAdvance, ReviewersWorkOneAfterTheOtherWhenAskedTo) {
  Driver driver = in_review(false);
  for (int agent = 2; agent < 5; ++agent) {
    EXPECT_EQ(driver.only<StartAgent>().agent, agent);
    driver.see(verdict(agent, "VERDICT: APPROVED"));
  }
  driver.only<TakeBack>();
  driver.see(TakenBack{});
  EXPECT_EQ(driver.run.phase, Phase::check);
  EXPECT_EQ(driver.run.rounds.front().note, "");
}

TEST(AutoAdvance, AReviewerWhoseProgramFailedIsCalledOnceMoreAndCostsNoRound) {
  for (const bool parallel : {true, false}) {
    Driver driver = in_review(parallel);
    const auto approves = [&](int agent) { driver.see(verdict(agent, "VERDICT: APPROVED")); };
    approves(2);
    driver.see(Driver::ended(3, Fault::timed_out, VerdictWords{"VERDICT: APPROVED"}));
    EXPECT_EQ(driver.only<StartAgent>().agent, 3);
    EXPECT_EQ(driver.only<StartAgent>().role, "review-security");
    approves(3);
    approves(4);
    driver.only<TakeBack>();
    driver.see(TakenBack{});
    EXPECT_EQ(driver.run.phase, Phase::check) << "nobody has to mend anything";
    ASSERT_EQ(driver.run.rounds.size(), 1U);
    EXPECT_EQ(driver.run.rounds[0].verdicts[1].fault, Fault::none);
  }
}

TEST(AutoAdvance, AReviewerThatFailsAgainEndsTheRunAndNobodyIsToldToMend) {
  Driver driver = in_review();
  driver.see(Driver::ended(4, Fault::exit_status));
  driver.see(verdict(2, "VERDICT: APPROVED"));
  driver.see(verdict(3, "- a.c:1 leaks\nVERDICT: NEEDS_FIX"));
  AgentFinished crashed = Driver::ended(4, Fault::exit_status);
  crashed.detail = "was ended by signal 9 (SIGKILL)";
  driver.see(crashed);
  driver.only<TakeBack>();
  driver.see(TakenBack{});
  EXPECT_EQ(Rules::outcome(driver.run), "error");
  EXPECT_EQ(driver.run.detail,
            "the quality reviewer has failed 2 times without a verdict: it was ended by signal 9 "
            "(SIGKILL)");
  EXPECT_THAT(driver.run.rounds, IsEmpty());
  // Once a person has seen to it, all three look.
  driver.given(fact::Resumed{});
  driver.see(Kept{});
  ASSERT_EQ(driver.commands.size(), 3U);
  EXPECT_EQ(std::get<StartAgent>(driver.commands[0]).role, "review-functional");
}

TEST(AutoAdvance, AReviewerWithoutAVerdictIsAskedAgainAndIsNoFinding) {
  Driver driver = in_review();
  driver.see(verdict(2, "VERDICT: APPROVED"));
  driver.see(verdict(4, "VERDICT: APPROVED"));
  driver.see(verdict(3, "- a.c:1 looks odd\nAll in all this is fine."));
  EXPECT_EQ(driver.only<StartAgent>().agent, 3);
  EXPECT_EQ(driver.only<StartAgent>().attempt, 1);
  EXPECT_THAT(driver.only<StartAgent>().prompt.appended, HasSubstr("no verdict that counts"));
  driver.see(verdict(3, "VERDICT: APPROVED"));
  driver.only<TakeBack>();
  driver.see(TakenBack{});
  EXPECT_EQ(driver.run.phase, Phase::check) << "nobody has to mend anything";
  ASSERT_EQ(driver.run.rounds.size(), 1U);
  EXPECT_THAT(driver.run.rounds[0].verdicts[1].issues, IsEmpty());
}

TEST(AutoAdvance, AReviewerThatNeverGivesOneVerdictEndsTheRunAsWhatItIs) {
  Driver driver = in_review();
  driver.see(verdict(2, "VERDICT: APPROVED"));
  driver.see(verdict(3, "VERDICT: APPROVED"));
  driver.see(verdict(4, "fine"));
  driver.see(verdict(4, "VERDICT: APPROVED\nVERDICT: NEEDS_FIX"));
  driver.only<TakeBack>();
  driver.see(TakenBack{});
  EXPECT_EQ(Rules::outcome(driver.run), "error");
  EXPECT_EQ(driver.run.detail,
            "the quality reviewer has failed 2 times without a verdict: there are two different "
            "verdicts");
  EXPECT_THAT(driver.run.rounds, IsEmpty());
}

TEST(AutoAdvance, AReviewThatWasCutOffIsTakenBackAndHeldAgain) {
  Driver driver = in_review();
  driver.see(verdict(2, "VERDICT: APPROVED"));
  driver.crash();
  EXPECT_EQ(driver.only<TakeBack>().label, "cut-off");
  driver.see(TakenBack{});
  ASSERT_EQ(driver.commands.size(), 3U);
  EXPECT_EQ(std::get<StartAgent>(driver.commands[0]).agent, 2);
  EXPECT_EQ(driver.kinds().back(), "review_started");
}

TEST(AutoAdvance, AReviewerThatCannotBeStartedEndsTheOthersAndTheRun) {
  Driver driver = in_review();
  const Command start = driver.commands[1];
  driver.see(CommandFailed{start, Reason::io, "no prompt"});
  ASSERT_EQ(driver.commands.size(), 2U);
  EXPECT_EQ(std::get<EndAgent>(driver.commands[0]).agent, 2);
  driver.see(Driver::ended(2, Fault::idle));
  driver.see(Driver::ended(4, Fault::idle));
  driver.only<TakeBack>();
  driver.see(TakenBack{});
  EXPECT_EQ(Rules::outcome(driver.run), "error");
  EXPECT_EQ(driver.run.detail, "no prompt");
}

TEST(AutoAdvance, ReviewersWhomAPersonEndedAreTakenBackAndLeaveNoRound) {
  Driver driver = in_review();
  driver.see(StopAsked{Stop::interrupted});
  EXPECT_THAT(driver.commands, IsEmpty());
  for (int agent = 2; agent < 5; ++agent) driver.see(Driver::ended(agent, Fault::interrupted));
  driver.only<TakeBack>();
  driver.see(TakenBack{});
  EXPECT_EQ(Rules::outcome(driver.run), "interrupted");
  EXPECT_THAT(driver.run.rounds, IsEmpty());
}

}  // namespace
}  // namespace capsule::auto_mode
