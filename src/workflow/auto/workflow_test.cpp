#include "workflow/auto/workflow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capsule::auto_mode {
namespace {

using event::Fault;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace workflow;  // the vocabulary

constexpr const char* kNow = "2026-01-01T00:00:05.000Z";

// A run, what was recorded of it, and the newest commands.
struct Driver {
  Run run;
  std::vector<fact::Fact> journal;
  std::vector<Command> commands;

  Driver() { run.id = "run-1"; }

  void take(Rules::Turn turn) {
    journal.insert(journal.end(), turn.facts.begin(), turn.facts.end());
    commands = std::move(turn.commands);
    // Where nothing else is said, the checks are green before anybody works.
    const auto* check = commands.empty() ? nullptr : std::get_if<Check>(&commands[0]);
    if (check == nullptr || check->names != std::vector<std::string>{"baseline"}) return;
    Checked green;
    green.baseline = event::Baseline::green;
    see(green);
  }
  void given(fact::Fact one) { take(Rules::advance(run, {std::move(one)}, {}, kNow)); }
  void see(const Observation& one) { take(Rules::advance(run, {}, {one}, kNow)); }

  // The process ends, and another one takes the run up.
  void crash() {
    run = {};
    run.id = "run-1";
    for (const fact::Fact& one : journal) apply(run, one);
    see(TakenUp{});
  }

  template <class C>
  const C& only() const {
    static const C none{};
    EXPECT_EQ(commands.size(), 1U);
    if (commands.empty()) return none;
    const C* typed = std::get_if<C>(&commands.front());
    EXPECT_NE(typed, nullptr) << name_of(commands.front());
    return typed == nullptr ? none : *typed;
  }
  std::vector<std::string> kinds() const {
    std::vector<std::string> names;
    for (const fact::Fact& one : journal) names.emplace_back(fact::kind_of(one).substr(5));
    return names;
  }
  template <class F>
  const F& newest() const {
    return std::get<F>(journal.back());
  }

  // The agent that runs ends with these signals.
  void says(std::vector<std::string> signals, const std::string& text = "") {
    const auto& start = only<StartAgent>();
    see(ended(start.agent, Fault::none, BlockWords{std::move(signals), "", false, text}));
  }
  static AgentFinished ended(int agent, Fault fault, Words words = {}) {
    AgentFinished ended;
    ended.agent = agent;
    ended.fault = fault;
    ended.words = std::move(words);
    ended.detail = "no such program";
    ended.log = "log-" + std::to_string(agent);
    ended.duration_ms = 10;
    ended.cost_micros = 3;
    return ended;
  }
  void opened() { see(TreeOpened{"auto", "folder", "branch", "base"}); }
};

fact::Started plain() {
  fact::Started started;
  started.task = "Do it\nwell";
  started.provider = "claude";
  return started;
}

Driver at_work(const fact::Started& started = plain()) {
  Driver driver;
  driver.given(started);
  driver.opened();
  return driver;
}

const std::vector<std::string> kUpToQa{"EXPANSION_COMPLETE", "INIT_COMPLETE", "PLANNING_COMPLETE",
                                       "EXECUTION_COMPLETE"};

Driver in_review(bool parallel = true) {
  fact::Started started = plain();
  started.skip_qa = true;
  started.parallel = parallel;
  Driver driver = at_work(started);
  driver.says(kUpToQa);
  return driver;
}

Driver in_merge() {
  Driver driver = at_work();
  driver.says({"AUTO_COMPLETE"});
  return driver;
}

TEST(AutoAdvance, AStartOpensTheTreeAndAnOpenTreeStartsTheFirstTurn) {
  Driver driver;
  driver.given(plain());
  EXPECT_EQ(driver.only<OpenTree>().tree, "auto");
  driver.opened();
  EXPECT_THAT(driver.kinds(), ElementsAre("started", "place_ready", "turn_started"));
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

TEST(AutoAdvance, InPlaceItWorksInTheCheckoutAndMergesNothing) {
  fact::Started started = plain();
  started.in_place = true;
  Driver driver;
  driver.given(started);
  EXPECT_EQ(driver.only<OpenTree>().tree, "checkout");
  driver.opened();
  EXPECT_EQ(driver.only<StartAgent>().tree, "checkout");
  driver.says({"AUTO_COMPLETE"});
  EXPECT_THAT(driver.commands, IsEmpty());
  EXPECT_EQ(Rules::outcome(driver.run), "complete");
  EXPECT_THAT(Rules::summary(driver.run).trees, IsEmpty());
}

TEST(AutoAdvance, ASessionThatGoesOnIsToldSoInPlaceOfThePrompt) {
  Driver driver = at_work();
  driver.says({});
  const auto& start = driver.only<StartAgent>();
  EXPECT_EQ(start.agent, 2);
  EXPECT_EQ(start.attempt, 2);
  EXPECT_TRUE(start.resume);
  EXPECT_EQ(start.session, session_id("run-1", 1));
  EXPECT_THAT(start.prompt.follow_up, HasSubstr("Iteration: 1/20"));
  EXPECT_EQ(start.prompt.appended, "");
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

AgentFinished verdict(int agent, const std::string& text) {
  AgentFinished ended = Driver::ended(agent, Fault::none, VerdictWords{text});
  ended.began_at = "a";
  ended.ended_at = "b";
  return ended;
}

TEST(AutoAdvance, ThreeReviewersWorkAtOnceAndOneFactTellsOfThem) {
  Driver driver = in_review();
  EXPECT_EQ(driver.newest<fact::ReviewStarted>(), (fact::ReviewStarted{1, 2, kNow}));
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

TEST(AutoAdvance, AReviewerWhoseProgramFailedApprovesNothing) {
  Driver driver = in_review();
  driver.see(verdict(2, "VERDICT: APPROVED"));
  driver.see(verdict(3, "VERDICT: APPROVED"));
  driver.see(Driver::ended(4, Fault::timed_out, VerdictWords{"VERDICT: APPROVED"}));
  driver.see(TakenBack{});
  EXPECT_EQ(driver.run.phase, Phase::fix);
  EXPECT_THAT(driver.run.feedback, HasSubstr("without a verdict (timed_out)"));
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
  EXPECT_EQ(driver.journal[facts], fact::Fact(fact::Resumed{kNow}));
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

TEST(AutoAdvance, AnAbortIsCalledThatAlsoWhenTheAgentsEndWasSeenFirst) {
  Driver driver = at_work();
  driver.take(Rules::advance(
      driver.run, {}, {Driver::ended(1, Fault::interrupted), StopAsked{Stop::aborted}}, kNow));
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
      kNow));
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

TEST(AutoAdvance, AFailureOfOursEndsTheRunWithItsReason) {
  Driver driver;
  driver.given(plain());
  driver.see(CommandFailed{driver.commands[0], Reason::io, "the disk is full"});
  EXPECT_EQ(driver.newest<fact::Ended>(), (fact::Ended{Outcome::error, "the disk is full", kNow}));
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
  EXPECT_EQ(summary.now, "expansion (attempt 2)");
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
  EXPECT_EQ(summary.standing, Standing::failed);
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

// ---- Before main

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

TEST(AutoAdvance, ARefusalWithoutWordsEndsTheRunWhichAsksAgainWhenItGoesOn) {
  Driver driver = asked();
  driver.see(Answered{1, "no", "me"});
  EXPECT_EQ(Rules::outcome(driver.run), "not_approved");
  driver.given(fact::Resumed{});
  driver.see(Kept{});
  EXPECT_EQ(driver.only<Merge>().into, Merge::Into::nowhere);
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
  EXPECT_THAT(driver.only<Merge>().request, HasSubstr("Makefile"));
  refused.see(Answered{1, "not that file", "me"});
  EXPECT_EQ(refused.only<StartAgent>().role, "fix");
  EXPECT_THAT(refused.run.feedback, HasSubstr("not that file"));
}

}  // namespace
}  // namespace capsule::auto_mode
