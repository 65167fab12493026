// Plays runs by observations alone: what the world is asked for, and what is recorded.
#include "workflow/phases/test_support.h"

namespace capsule::phases {
namespace {

TEST(Advance, ThePipelineGoesFromAPlannedTreeToAClosedTask) {
  Play play;
  play.to_merge();
  EXPECT_EQ(play.command<flow::Merge>().of, flow::Merge::Of::branch);
  play.see({flow::Merged{"demo-1", "def", {}, false, false, {}, {}}});
  play.command<flow::Archive>();
  play.see({flow::TreeArchived{"demo-1", "/logs"}});
  EXPECT_FALSE(play.command<flow::RemoveTree>().keep_branch);
  play.see({flow::TreeRemoved{"demo-1"}});
  EXPECT_EQ(play.command<flow::CloseTask>().task, "demo-1");
  play.fact<BeadClosing>();
  EXPECT_FALSE(Rules::outcome(play.s) == "merged") << "a task that is not closed is not done";
  play.see({flow::TaskClosed{"demo-1"}});
  EXPECT_EQ(Rules::outcome(play.s), "merged");
  EXPECT_EQ(play.fact<RunEnded>().outcome, Outcome::merged);
  EXPECT_TRUE(play.commands.empty());
}

TEST(Advance, ATaskIsClosedAgainWhenTheRunWasLeftBetweenIntentAndOutcome) {
  Play play;
  play.to_merge();
  play.see({flow::Merged{"demo-1", "def", {}, false, false, {}, {}}});
  play.see({flow::TreeArchived{"demo-1", "/logs"}});
  play.see({flow::TreeRemoved{"demo-1"}});
  const std::size_t facts = play.facts.size();
  play.s = replayed(play.facts);
  play.see({flow::TakenUp{}});
  EXPECT_EQ(play.command<flow::CloseTask>().task, "demo-1");
  EXPECT_EQ(play.facts.size(), facts) << "the intent stands once";
  play.see({flow::TaskClosed{"demo-1"}});
  EXPECT_EQ(Rules::outcome(play.s), "merged");
}

TEST(Advance, WhatADefinitionSaysOfAnAgentIsWhatIsStarted) {
  Definition definition;
  definition.name = "mine";
  definition.phases = {rule("draft")};
  PhaseRule& draft = definition.phases[0];
  draft.provider = "another", draft.model = "large", draft.timeout_seconds = 7;
  Play play(definition);
  play.prepare();
  const auto& start = play.command<flow::StartAgent>();
  EXPECT_EQ(start.provider, "another");
  EXPECT_EQ(start.model, "large");
  EXPECT_EQ(start.timeout_seconds, 7);
}

TEST(Advance, TheLastCheckIsNotedWhereTheWorklogIsKept) {
  Play play;
  play.to_merge();
  flow::WorklogEntry last;
  last.phase = "merge";
  last.checked = "131 tests still pass";
  play.s.newest_check = last;
  play.see({flow::Merged{"demo-1", "def", {}, false, false, {}, {}}});
  EXPECT_EQ(play.command<flow::Archive>().notes, std::vector<flow::WorklogEntry>{last});
}

TEST(Advance, AFactIsRecordedBeforeTheCommandThatBuildsOnIt) {
  Play play;
  play.prepare();
  EXPECT_EQ(play.fact<PhaseStarted>().number, 1);
  EXPECT_EQ(play.command<flow::StartAgent>().agent, 1);
  EXPECT_EQ(play.command<flow::StartAgent>().prompt.file, "prompts/test-writer.md");
}

TEST(Advance, MainThatMovesIsTriedAgainAndGivenUpAtTheLimitOfAllWorkflows) {
  Play play;
  play.to_merge();
  for (int i = 1; i < flow::kMergeTries; ++i) {
    play.see({flow::MainMoved{"demo-1"}});
    play.command<flow::Merge>();
  }
  play.see({flow::MainMoved{"demo-1"}});
  EXPECT_EQ(play.fact<RunEnded>().outcome, Outcome::merge_error);
  EXPECT_NE(play.s.detail.find("20 times"), std::string::npos) << play.s.detail;
}

TEST(Advance, APauseWaitsUntilThePhaseIsKeptAndChecked) {
  Play play;
  play.prepare();
  play.see({flow::StopAsked{flow::Stop::paused}});
  EXPECT_TRUE(play.commands.empty());
  play.see({Play::said(1, Status::pass)});
  play.keep_and_check();
  EXPECT_EQ(play.fact<RunEnded>().outcome, Outcome::paused);
  EXPECT_TRUE(play.commands.empty());
}

TEST(Advance, APersonThatEndsAnAgentLeavesItsPhaseOpenAndItsWorkKept) {
  for (const auto how : {flow::Stop::interrupted, flow::Stop::aborted}) {
    Play play;
    play.prepare();
    flow::AgentFinished ended;
    ended.agent = 1;
    ended.fault = Fault::interrupted;
    play.see({ended, flow::StopAsked{how}});
    EXPECT_TRUE(play.command<flow::TakeBack>().keep_only);
    EXPECT_EQ(play.command<flow::TakeBack>().label, "1-test-writer-unfinished");
    play.see({flow::TakenBack{"demo-1", {}}});
    EXPECT_EQ(play.fact<RunEnded>().outcome,
              how == flow::Stop::aborted ? Outcome::aborted : Outcome::interrupted);
    play.s = replayed(play.facts);
    play.take(phases::advance(play.s, {RunResumed{3, false}}, {}, "t"));
    EXPECT_EQ(play.command<flow::StartAgent>().role, "test-writer");
  }
}

TEST(Advance, APhaseThatWasCutOffIsTakenBackAndStartsAgainUnderItsNumber) {
  Play play;
  play.prepare();
  play.s = replayed(play.facts);
  play.see({flow::TakenUp{}});
  EXPECT_EQ(play.command<flow::TakeBack>().to, "");
  play.see({flow::TakenBack{"demo-1", {}}});
  EXPECT_EQ(play.command<flow::StartAgent>().agent, 1);
}

TEST(Advance, ACheckThatWasCutOffIsDoneAnewOnTheSnapshot) {
  Play play;
  play.prepare();
  play.see({Play::said(1, Status::pass)});
  play.see({flow::Kept{"demo-1", "r", "c1", "t1", "h"}});
  play.command<flow::Check>();
  play.s = replayed(play.facts);
  play.see({flow::TakenUp{}});
  EXPECT_EQ(play.command<flow::TakeBack>().to, "c1");
  play.see({flow::TakenBack{"demo-1", {}}});
  play.command<flow::Check>();
}

TEST(Advance, AFailureOfOursEndsTheRunByWhereItStood) {
  Play play;
  play.see({flow::CommandFailed{play.commands.front(), Reason::exists, "already exists"}});
  EXPECT_EQ(play.fact<RunEnded>().outcome, Outcome::prep_failed);
  Play merging;
  merging.to_merge();
  merging.see({flow::CommandFailed{merging.commands.front(), Reason::io, "disk full"}});
  EXPECT_EQ(merging.fact<RunEnded>().outcome, Outcome::merge_error);
}

TEST(Advance, WhatAnAgentLeftWhoseOutputCouldNotBeKeptIsPutBackFirst) {
  Play play;
  play.prepare();
  play.see({flow::CommandFailed{play.commands.front(), Reason::io, "disk full"}});
  EXPECT_FALSE(play.command<flow::TakeBack>().keep_only);
  play.see({flow::TakenBack{"demo-1", {}}});
  EXPECT_EQ(play.fact<RunEnded>().outcome, Outcome::phase_error);
}

TEST(Advance, AWorktreeThatIsGoneComesBackBeforeAnythingGoesOn) {
  Play play;
  play.prepare();
  play.see({Play::said(1, Status::pass)});
  play.see({flow::CommandFailed{play.commands.front(), Reason::not_found, "is gone"}});
  play.s = replayed(play.facts);
  play.s.present.bring_back = true;
  play.take(phases::advance(play.s, {RunResumed{3, false}}, {}, "t"));
  play.command<flow::TakeBack>();
  play.see({flow::TakenBack{"demo-1", {}}});
  play.command<flow::Keep>();
}

TEST(Advance, WithoutSignOffNoAgentIsPaidForAMerge) {
  Play play;
  play.prepare();
  for (const char* name : {"test-writer", "test-review", "execute", "execute-review", "sign-off"})
    play.phase(name, Status::pass);
  flow::Checked gate;
  gate.feedback = "worklog.md has no sign-off";
  play.see({gate});
  EXPECT_EQ(play.s.outcome, Outcome::merge_refused);
  EXPECT_EQ(play.s.step, Step::ended);
}

TEST(Advance, ThoseWhoSendWorkBackOnlyJudgeUnlessTheyAreToEdit) {
  Play play;
  play.prepare();
  for (const char* name : {"test-writer", "test-review", "execute", "execute-review", "sign-off"}) {
    const auto& start = play.command<flow::StartAgent>();
    const bool judges = std::string_view(name) != "test-writer" && start.role != "execute";
    EXPECT_EQ(start.role, name);
    EXPECT_EQ(start.judges, judges) << name;
    play.phase(name, Status::pass);
  }
  Definition definition = play.s.definition;
  for (PhaseRule& phase : definition.phases) phase.edits = true;
  Play editing(definition);
  editing.prepare();
  editing.phase("test-writer", Status::pass);
  EXPECT_FALSE(editing.command<flow::StartAgent>().judges);
}

Definition panel() {
  Definition definition;
  definition.name = "panel";
  PhaseRule code = rule("code");
  definition.phases = {code};
  for (const char* name : {"one", "two", "three"}) {
    PhaseRule review = rule(name, 3);
    review.group = 1;
    review.writes = false;
    review.needs_work = {"code", "", 2};
    definition.phases.push_back(review);
  }
  definition.finish = Finish::nothing;
  return definition;
}

TEST(Advance, PhasesOfOneGroupRunAtOnceAndAreJoined) {
  Play play(panel());
  play.prepare();
  play.phase("code", Status::pass);
  ASSERT_EQ(play.commands.size(), 3U);
  EXPECT_EQ(play.command<flow::StartAgent>(1).settle, flow::Settle::take_back);
  EXPECT_TRUE(play.command<flow::StartAgent>(1).judges);
  play.see({Play::said(3, Status::needs_work, "add a test")});
  EXPECT_TRUE(play.commands.empty()) << "two others are still at work";
  play.see({Play::said(2, Status::pass), Play::said(4, Status::needs_work, "name it better")});
  play.keep_and_check();
  const auto& again = play.command<flow::StartAgent>();
  EXPECT_EQ(again.role, "code");
  EXPECT_EQ(again.attempt, 2);
  EXPECT_EQ(again.prompt.feedback, "## two\n\nadd a test\n\n## three\n\nname it better");
}

TEST(Advance, OnePassOfAGroupIsEnoughWhenItSaysSo) {
  Definition definition = panel();
  for (PhaseRule& phase : definition.phases) phase.any = phase.group != 0;
  Play play(definition);
  play.prepare();
  play.phase("code", Status::pass);
  play.see({Play::said(2, Status::error), Play::said(3, Status::needs_work),
            Play::said(4, Status::pass)});
  play.keep_and_check();
  play.command<flow::Archive>();
}

TEST(Advance, OnlyThoseOfAGroupThatWereCutOffStartAgain) {
  Play play(panel());
  play.prepare();
  play.phase("code", Status::pass);
  play.see({Play::said(3, Status::pass)});
  play.s = replayed(play.facts);
  play.see({flow::TakenUp{}});
  play.see({flow::TakenBack{"demo-1", {}}});
  ASSERT_EQ(play.commands.size(), 2U);
  EXPECT_EQ(play.command<flow::StartAgent>(0).role, "one");
  EXPECT_EQ(play.command<flow::StartAgent>(1).role, "three");
}

TEST(Advance, APhaseThatEndedTheRunIsDoneAgainWhenItGoesOn) {
  for (const Status status : {Status::needs_work, Status::error}) {
    Play play;
    play.prepare();
    play.phase("test-writer", status);
    ASSERT_NE(Rules::outcome(play.s), "");
    play.s = replayed(play.facts);
    play.take(phases::advance(play.s, {RunResumed{3, false}}, {}, "t"));
    EXPECT_EQ(play.command<flow::StartAgent>().role, "test-writer");
    EXPECT_EQ(play.command<flow::StartAgent>().agent, 2);
  }
}

TEST(Advance, WorkThatStaysOnABranchClosesNoTask) {
  Play play(spike());
  play.prepare();
  play.phase("plan", Status::pass);
  play.see({flow::Answered{1, "yes", "me"}});
  play.phase("code", Status::pass);
  EXPECT_TRUE(play.command<flow::Merge>().into == flow::Merge::Into::branch);
  EXPECT_EQ(play.command<flow::Merge>().of, flow::Merge::Of::kept);
  play.see({flow::Merged{"demo-1", "def", {}, false, false, {}, {}}});
  play.see({flow::TreeArchived{"demo-1", "/l"}});
  EXPECT_TRUE(play.command<flow::RemoveTree>().keep_branch);
  play.see({flow::TreeRemoved{"demo-1"}});
  EXPECT_EQ(Rules::outcome(play.s), "on_branch");
  EXPECT_TRUE(play.commands.empty());
}

TEST(Advance, AJudgeInsideALoopOfAnotherEndsAllTheSame) {
  Definition definition;
  PhaseRule review = rule("review");
  review.needs_work = {"code", "", 0};
  PhaseRule audit = rule("audit");
  audit.needs_work = {"code", "", 0};
  definition.phases = {rule("code"), review, audit};
  definition.finish = Finish::nothing;
  Play play(definition);
  play.prepare();
  for (int i = 0; i < 10 && Rules::outcome(play.s).empty(); ++i) {
    play.phase("code", Status::pass);
    play.phase("review", Status::pass);
    play.phase("audit", Status::needs_work, "again " + std::to_string(i));
  }
  EXPECT_EQ(Rules::outcome(play.s), "retries_exhausted");
}

TEST(Advance, AnAgentThatCannotBeStartedEndsTheOthersAndThenTheRun) {
  Play play(panel());
  play.prepare();
  play.phase("code", Status::pass);
  const flow::Command failed = play.commands[1];
  play.see({flow::CommandFailed{failed, Reason::missing_program, "no such program"}});
  EXPECT_EQ(play.commands.size(), 2U);
  play.command<flow::EndAgent>();
  flow::AgentFinished ended;
  ended.fault = Fault::idle;
  ended.agent = 2;
  play.see({ended});
  EXPECT_TRUE(Rules::outcome(play.s).empty());
  ended.agent = 4;
  play.see({ended});
  EXPECT_EQ(Rules::outcome(play.s), "phase_error");
}

TEST(Advance, TheSummaryNamesAgentsWithTheirLogsAndWhatTheyClaimed) {
  Play play;
  play.prepare();
  flow::AgentFinished finished = Play::said(1, Status::pass);
  finished.log = "x.log";
  play.see({finished});
  play.see({flow::Kept{"demo-1", "r", "c1", "t1", "h"}});
  flow::Checked checked;
  checked.number = 1;
  checked.claims = {{"files_changed", Verdict::differs, "left out: a"}};
  play.see({checked});
  const flow::RunSummary sum = summary(play.s);
  ASSERT_EQ(sum.agents.size(), 2U);
  EXPECT_EQ(sum.agents[0].log, "x.log");
  EXPECT_EQ(sum.agents[0].said, "PASS");
  EXPECT_TRUE(sum.agents[1].running);
  ASSERT_EQ(sum.claims.size(), 1U);
  EXPECT_EQ(sum.claims[0].role, "test-writer");
  EXPECT_EQ(sum.now, "test-review (attempt 1/3)");
  EXPECT_EQ(sum.trees.size(), 1U);
}

// ---- Before main

}  // namespace
}  // namespace capsule::phases
