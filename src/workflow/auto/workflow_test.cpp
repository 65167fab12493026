// Turns, checks, and what none of them expects.
#include "workflow/auto/test_support.h"

namespace capsule::auto_mode {
namespace {

TEST(AutoAdvance, AStartOpensTheTreeAndAnOpenTreeStartsTheFirstTurn) {
  Driver driver;
  driver.given(plain());
  EXPECT_EQ(driver.only<OpenTree>().tree, "auto");
  EXPECT_THAT(driver.kinds(), ElementsAre("started", "place_intended"));
  driver.opened();
  EXPECT_THAT(driver.kinds(),
              ElementsAre("started", "place_intended", "place_ready", "turn_started"));
  const auto& start = driver.only<StartAgent>();
  EXPECT_EQ(start.agent, 1);
  EXPECT_EQ(start.role, "expansion");
  EXPECT_EQ(start.configured, "");
  EXPECT_EQ(start.settings, Settings::phase);
  EXPECT_EQ(start.tree, "auto");
  EXPECT_EQ(start.dialect, Dialect::block);
  EXPECT_EQ(start.settle, Settle::keep);
  EXPECT_EQ(start.session, session_id("run-1", 1));
  EXPECT_FALSE(start.resume);
  EXPECT_EQ(start.prompt.file, "prompts/auto/expansion.md");
  EXPECT_EQ(start.prompt.follow_up + start.prompt.appended, "");
  std::map<std::string, std::string> values;
  for (const Variable& value : start.prompt.values) values[value.name] = value.text;
  EXPECT_EQ(values["PHASE"], "expansion");
  EXPECT_EQ(values["NUMBER"], "1");
  EXPECT_EQ(values["TASK"], "Do it\nwell");
  EXPECT_THAT(values["SIGNAL"], HasSubstr("SIGNAL: EXPANSION_COMPLETE"));
  EXPECT_THAT(values["ERROR_SIGNAL"], HasSubstr("PHASE_ERROR"));
  EXPECT_EQ(values["NEXT"], "init");
  EXPECT_EQ(values["HEADLESS"], "yes");
  EXPECT_EQ(values.size(), 10U);
}

TEST(AutoAdvance, ATreeIsOpenedAgainWhenTheRunWasLeftBetweenIntentAndOutcome) {
  Driver driver;
  driver.given(plain());
  driver.crash();
  EXPECT_EQ(driver.only<OpenTree>().tree, "auto");
  EXPECT_THAT(driver.kinds(), ElementsAre("started", "place_intended")) << "the intent stands once";
  driver.opened();
  EXPECT_EQ(driver.only<StartAgent>().agent, 1);
  driver.crash();
  EXPECT_EQ(driver.only<TakeBack>().tree, "auto") << "what is there is not intended again";
}

TEST(AutoAdvance, InPlaceItWorksInTheCheckoutAndMergesNothing) {
  fact::Started started = plain();
  started.in_place = true;
  Driver driver;
  driver.given(started);
  EXPECT_EQ(driver.only<OpenTree>().tree, "checkout");
  EXPECT_THAT(driver.kinds(), ElementsAre("started")) << "no tree is made";
  driver.opened();
  EXPECT_EQ(driver.only<StartAgent>().tree, "checkout");
  driver.says({"AUTO_COMPLETE"});
  EXPECT_THAT(driver.commands, IsEmpty());
  EXPECT_EQ(Rules::outcome(driver.run), "complete");
  EXPECT_THAT(Rules::summary(driver.run).trees, IsEmpty());
}

TEST(AutoAdvance, AnAgentThatFailedByItselfGoesOnInItsSessionAtTheSameAttempt) {
  for (const Fault fault : {Fault::exit_status, Fault::timed_out, Fault::policy, Fault::no_words}) {
    Driver driver = at_work();
    AgentFinished ended = Driver::ended(1, fault, BlockWords{});
    ended.detail = "ended with exit status 3";
    ended.facts.words = "boom";
    driver.see(ended);
    const StartAgent start = driver.only<StartAgent>();
    EXPECT_EQ(start.agent, 2);
    EXPECT_EQ(start.attempt, 1);
    EXPECT_TRUE(start.resume);
    EXPECT_EQ(start.session, session_id("run-1", 1));
    EXPECT_THAT(start.prompt.follow_up, HasSubstr("was cut short"));
    EXPECT_EQ(driver.run.last.detail, "ended with exit status 3: boom");
    EXPECT_EQ(driver.run.file.iteration, 0);
    driver.crash();
    driver.see(TakenBack{"auto", {}});
    EXPECT_EQ(driver.only<StartAgent>().attempt, 1);
    EXPECT_EQ(driver.run.failed, 1) << "the bound is counted over the crash";
  }
}

TEST(AutoAdvance, ASessionThatGoesOnIsToldSoInPlaceOfThePrompt) {
  Driver driver = at_work();
  driver.says({});
  const auto& start = driver.only<StartAgent>();
  EXPECT_EQ(start.agent, 2);
  EXPECT_EQ(start.attempt, 1) << "an iteration is no attempt";
  EXPECT_TRUE(start.resume);
  EXPECT_EQ(start.session, session_id("run-1", 1));
  EXPECT_THAT(start.prompt.follow_up, HasSubstr("Iteration: 1/20"));
  EXPECT_EQ(start.prompt.appended, "");
}

TEST(AutoAdvance, APhaseThatIsToBeginAnewGetsASessionOfItsOwnAndTheWholePrompt) {
  Driver driver = at_work();
  driver.run.workers["init"].session = event::Session::fresh;
  driver.says({"EXPANSION_COMPLETE"});
  const StartAgent init = driver.only<StartAgent>();
  EXPECT_FALSE(init.resume);
  EXPECT_EQ(init.session, session_id("run-1", 2));
  driver.says({"INIT_COMPLETE"});
  EXPECT_TRUE(driver.only<StartAgent>().resume) << "planning goes on";
  EXPECT_EQ(driver.only<StartAgent>().session, init.session);
}

TEST(AutoAdvance, ATurnSaysWhoWorksOnItAsThePhaseHasIt) {
  Driver driver = in_review();
  driver.run.workers["fix"] = {"codex", "gpt-5", {}};
  EXPECT_EQ(Rules::summary(driver.run).agents.back().provider, "claude");
  for (int agent = 2; agent < 5; ++agent)
    driver.see(verdict(agent, "- it leaks\nVERDICT: NEEDS_FIX"));
  driver.see(TakenBack{});
  EXPECT_EQ(driver.newest<fact::TurnStarted>().provider, "codex");
  EXPECT_EQ(Rules::summary(driver.run).agents.back().provider, "codex");
  EXPECT_EQ(Rules::summary(driver.run).agents.back().model, "gpt-5");
  driver.run.workers["review"] = {"gemini", "", {}};
  driver.says({"FIX_COMPLETE"});
  EXPECT_EQ(driver.newest<fact::ReviewStarted>().provider, "gemini");
  EXPECT_EQ(Rules::summary(driver.run).agents.back().provider, "gemini");
}

TEST(AutoAdvance, WhoGoesOnIsToldWhyItsSignalDidNotCount) {
  Driver driver = at_work();
  AgentFinished ended = Driver::ended(1, Fault::none, BlockWords{{}, "", false, "text"});
  ended.missed = {signal::Miss::not_complete, "SIGNAL: EXPANSION_COMPLETE"};
  driver.see(ended);
  EXPECT_THAT(driver.only<StartAgent>().prompt.follow_up,
              HasSubstr("the STATUS of the signal is not complete: SIGNAL: EXPANSION_COMPLETE"));
  EXPECT_THAT(Rules::summary(driver.run).agents[0].why, HasSubstr("is not complete"));
}

TEST(AutoAdvance, ASignalOfAnotherPhaseIsToldAsThat) {
  Driver driver = at_work();
  driver.says({"QA_COMPLETE"});
  EXPECT_EQ(driver.run.last.miss, signal::Miss::wrong_phase);
}

TEST(AutoAdvance, WithoutSessionsTheContinuationFollowsThePrompt) {
  fact::Started started = plain();
  started.sessions = false;
  Driver driver = at_work(started);
  EXPECT_EQ(driver.only<StartAgent>().session, "");
  driver.says({});
  EXPECT_FALSE(driver.only<StartAgent>().resume);
  EXPECT_EQ(driver.only<StartAgent>().prompt.follow_up, "");
  EXPECT_THAT(driver.only<StartAgent>().prompt.appended, HasSubstr("Iteration: 1/20"));
}

TEST(AutoAdvance, AnAgentWithoutASignalHasNotFailed) {
  Driver driver = at_work();
  driver.see(Driver::ended(1, Fault::no_signal, BlockWords{}));
  EXPECT_EQ(driver.run.last.fault, Fault::none);
  EXPECT_TRUE(driver.only<StartAgent>().resume);
}

TEST(AutoAdvance, ATurnThatWasCutOffIsTakenBackAndDoneAgainUnderItsNumberInANewSession) {
  Driver driver = at_work();
  driver.crash();
  EXPECT_EQ(driver.only<TakeBack>().tree, "auto");
  EXPECT_EQ(driver.only<TakeBack>().label, "cut-off");
  driver.see(TakenBack{"auto", {"half.c"}});
  const auto& start = driver.only<StartAgent>();
  EXPECT_EQ(start.agent, 1);
  EXPECT_EQ(start.attempt, 1);
  EXPECT_NE(start.session, session_id("run-1", 1));
  EXPECT_EQ(driver.newest<fact::TurnStarted>().number, 1);
}

// It was not at work: what it had done is all there, and its client has its session.
TEST(AutoAdvance, ATurnThatWaitedToBeCalledOnceMoreGoesOnInItsSessionWithItsWork) {
  Driver driver = at_work();
  const StartAgent waits = driver.only<StartAgent>();
  driver.crash({{waits.agent}, {}});
  const StartAgent again = driver.only<StartAgent>();
  EXPECT_EQ(again.agent, waits.agent);
  EXPECT_EQ(again.attempt, waits.attempt);
  EXPECT_TRUE(again.resume);
  EXPECT_EQ(again.session, waits.session);
  EXPECT_THAT(again.prompt.follow_up, HasSubstr("cut short"));
  EXPECT_TRUE(driver.newest<fact::TurnStarted>().resumes);
  driver.says({"EXPANSION_COMPLETE"});
  EXPECT_EQ(driver.run.phase, Phase::init);
  driver.crash();
  EXPECT_EQ(driver.only<TakeBack>().label, "cut-off") << "it waited once, and then worked";
}

TEST(AutoAdvance, ATurnThatWaitedDoesSoAlsoWhenTheRunHadEndedWithIt) {
  Driver driver = at_work();
  const StartAgent waits = driver.only<StartAgent>();
  driver.see(StopAsked{Stop::paused});
  AgentFinished given_up = Driver::ended(waits.agent, Fault::interrupted);
  given_up.held = true;
  driver.see(given_up);
  EXPECT_EQ(Rules::outcome(driver.run), "paused");
  driver.take(Rules::advance(driver.run, {fact::Resumed{}}, {TakenUp{{waits.agent}, {}}}, kAt));
  EXPECT_TRUE(driver.only<StartAgent>().resume);
  EXPECT_EQ(driver.only<StartAgent>().session, waits.session);
}

TEST(AutoAdvance, ATurnThatWaitedToBeCalledForTheFirstTimeIsCalledAsItWouldHaveBeen) {
  Driver driver = at_work();
  const StartAgent first = driver.only<StartAgent>();
  driver.crash({{}, {first.agent}});
  EXPECT_FALSE(driver.only<StartAgent>().resume);
  EXPECT_EQ(driver.only<StartAgent>().session, first.session);
  EXPECT_EQ(driver.only<StartAgent>().prompt.follow_up, "");
  driver.says({});
  const StartAgent second = driver.only<StartAgent>();
  ASSERT_TRUE(second.resume);
  driver.crash({{}, {second.agent}});
  EXPECT_TRUE(driver.only<StartAgent>().resume);
  EXPECT_EQ(driver.only<StartAgent>().session, first.session);
  EXPECT_EQ(driver.only<StartAgent>().prompt.follow_up, second.prompt.follow_up);
}

TEST(AutoAdvance, ATurnWithoutASessionThatWaitedKeepsItsWorkAndIsToldOfIt) {
  fact::Started started = plain();
  started.sessions = false;
  Driver driver = at_work(started);
  driver.crash({{1}, {}});
  EXPECT_FALSE(driver.only<StartAgent>().resume);
  EXPECT_THAT(driver.only<StartAgent>().prompt.appended, HasSubstr("cut short"));
}

TEST(AutoAdvance, ATurnThatWasAtWorkIsCutOffThoughAnotherWaited) {
  Driver driver = at_work();
  driver.crash({{2}, {3}});
  EXPECT_EQ(driver.only<TakeBack>().label, "cut-off");
}

TEST(AutoAdvance, WhatWasSaidIsRecordedAndTheLearningsKept) {
  fact::Started started = plain();
  started.skip_qa = started.skip_review = true;
  Driver driver = at_work(started);
  driver.says({"EXPANSION_COMPLETE", "INIT_COMPLETE", "PLANNING_COMPLETE", "EXECUTION_COMPLETE",
               "CHECK_COMPLETE"},
              "## Learnings\n- of no reflection\n");
  EXPECT_EQ(driver.run.learnings, "");
  EXPECT_EQ(driver.only<StartAgent>().role, "reflect");
  driver.says({"REFLECT_COMPLETE"}, "## Learnings\n- a\n");
  EXPECT_EQ(driver.run.learnings, "- a\n");
  EXPECT_EQ(driver.run.step, Step::merge);
}

TEST(AutoAdvance, AnErrorWithoutAReasonSaysSo) {
  Driver driver = at_work();
  driver.says({"PHASE_ERROR"});
  EXPECT_EQ(Rules::outcome(driver.run), "needs_person");
  EXPECT_EQ(driver.run.detail, "the agent gave no reason");
}

TEST(AutoAdvance, ChecksAreAnnouncedRunInTheTreeAndDecide) {
  fact::Started started = plain();
  started.has_checks = true;
  Driver driver = at_work(started);
  driver.says(kUpToQa);
  EXPECT_EQ(driver.kinds().back(), "checks_started");
  EXPECT_THAT(driver.only<Check>().names, ElementsAre("all"));
  EXPECT_EQ(driver.only<Check>().tree, "auto");
  EXPECT_FALSE(driver.only<Check>().clean);
  Checked red;
  red.feedback = "make: *** no rule";
  driver.see(red);
  EXPECT_EQ(driver.only<StartAgent>().role, "qa");
  EXPECT_THAT(driver.kinds(), ::testing::Contains("checked"));
  driver.says({"QA_COMPLETE"});
  driver.see(Checked{});
  EXPECT_EQ(driver.run.phase, Phase::review);
}

TEST(AutoAdvance, ChecksThatWereCutOffStartOverInTheStateThatCounts) {
  fact::Started started = plain();
  started.has_checks = true;
  Driver driver = at_work(started);
  driver.says(kUpToQa);
  driver.crash();
  EXPECT_EQ(driver.only<TakeBack>().label, "cut-off");
  driver.see(TakenBack{});
  EXPECT_EQ(driver.only<Check>().tree, "auto");
  EXPECT_EQ(driver.kinds().back(), "checks_started");
}

TEST(AutoAdvance, AFailureOfOursEndsTheRunWithItsReason) {
  Driver driver;
  driver.given(plain());
  driver.see(CommandFailed{driver.commands[0], Reason::io, "the disk is full"});
  EXPECT_EQ(driver.newest<fact::Ended>(), (fact::Ended{Outcome::error, "the disk is full", kAt}));
  driver.given(fact::Resumed{});
  driver.only<OpenTree>();
}

TEST(AutoAdvance, ChecksThatAPersonEndedEndTheRunAsInterrupted) {
  fact::Started started = plain();
  started.has_checks = true;
  Driver driver = at_work(started);
  driver.says(kUpToQa);
  driver.see(CommandFailed{driver.commands[0], Reason::interrupted, "interrupted"});
  EXPECT_EQ(Rules::outcome(driver.run), "interrupted");
  driver.given(fact::Resumed{});
  driver.only<Keep>();
}

TEST(AutoAdvance, AProgramThatCannotBeStartedEndsTheRunWithAHint) {
  Driver driver = at_work();
  driver.see(Driver::ended(1, Fault::not_started));
  EXPECT_EQ(Rules::outcome(driver.run), "error");
  EXPECT_EQ(driver.run.detail, "no such program\ncapsule doctor says what is missing");
}

TEST(AutoAdvance, WhatNobodyAskedForChangesNothing) {
  Driver driver = at_work();
  const std::size_t facts = driver.journal.size();
  for (const Observation& one :
       {Observation(Driver::ended(9, Fault::none)), Observation(Kept{}), Observation(Merged{}),
        Observation(TakenBack{}), Observation(Checked{}), Observation(AgentIdle{1})})
    driver.see(one);
  EXPECT_EQ(driver.journal.size(), facts);
  EXPECT_THAT(driver.commands, IsEmpty());
}

TEST(AutoAdvance, ARunOfVersionOneThatWasCutOffInItsReviewIsCarriedOn) {
  Driver driver;
  fact::Started started = plain();
  started.skip_expansion = started.skip_qa = true;
  fact::TurnFinished turn;
  turn.number = 1;
  turn.signals = {"INIT_COMPLETE", "PLANNING_COMPLETE", "EXECUTION_COMPLETE"};
  fact::TurnStarted began;
  began.number = 1;
  driver.journal = {started, fact::PlaceReady{"f", "", ""}, began, turn};
  driver.crash();
  EXPECT_EQ(driver.commands.size(), 3U);
  EXPECT_EQ(driver.newest<fact::ReviewStarted>().agent, 2);
}

}  // namespace
}  // namespace capsule::auto_mode
