#include "workflow/delivery/prompts.h"

#include "workflow/delivery/test_support.h"

namespace capsule::delivery {
namespace {

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(DeliveryPrompts, AnAgentIsGivenItsTaskAndTheFormatsOfItsSignals) {
  Task one = task("T1", {}, {"src/a.c"});
  one.reading = {"docs/a.md"};
  one.environment = "a database";
  Desk desk({one}, {}, {}, {"databases"});
  const StartAgent start = desk.of<StartAgent>().at(0);
  EXPECT_EQ(start.prompt.file, "prompts/delivery/developer.md");
  EXPECT_EQ(Desk::value(start, "TASK_ID"), "T1");
  EXPECT_EQ(Desk::value(start, "TITLE"), "Title of T1");
  EXPECT_EQ(Desk::value(start, "WORK"), "work");
  EXPECT_EQ(Desk::value(start, "CRITERIA"), "- [ ] a criterion\n");
  EXPECT_EQ(Desk::value(start, "READING"), "- docs/a.md\n");
  EXPECT_EQ(Desk::value(start, "FILES"), "- src/a.c\n");
  EXPECT_EQ(Desk::value(start, "ENVIRONMENT"), "a database");
  EXPECT_EQ(Desk::value(start, "EXPERTS"), "- databases\n");
  EXPECT_EQ(Desk::value(start, "CONTEXT"), "");
  const std::string signals = Desk::value(start, "SIGNALS");
  EXPECT_TRUE(holds(signals, "READY_FOR_REVIEW: T1")) << signals;
  EXPECT_FALSE(holds(signals, "AUDIT_PASSED")) << "another role's";
  EXPECT_EQ(start.prompt.follow_up, "") << "its session begins";
}

TEST(DeliveryPrompts, ASessionThatGoesOnIsToldWhatIsNewAndTheFormats) {
  Desk desk({task("T1")});
  desk.says("T1", Signal::ready_for_review);
  desk.says("T1", Signal::review_failed, {{"Required Fixes", "mend it"}});
  const StartAgent start = desk.of<StartAgent>().at(0);
  EXPECT_TRUE(start.resume);
  const std::string& text = start.prompt.follow_up;
  EXPECT_TRUE(text.starts_with("The Critic has failed the review.")) << text;
  EXPECT_TRUE(holds(text, "mend it")) << text;
  EXPECT_TRUE(holds(text, "READY_FOR_REVIEW: T1")) << text;
  EXPECT_FALSE(holds(text, "a criterion")) << "it knows the task";
}

TEST(DeliveryPrompts, OnlyADeveloperIsAskedForACheckpoint) {
  Desk desk({task("T1")});
  desk.says("T1", Signal::unknown);
  EXPECT_TRUE(holds(desk.start().context, "with a CHECKPOINT"));
  desk.says("T1", Signal::ready_for_review);
  desk.says("T1", Signal::unknown);
  EXPECT_TRUE(holds(desk.start().context, "Print the signal now")) << desk.start().context;
}

TEST(DeliveryPrompts, WhatFailedBeforeAnyTaskIsToldToAll) {
  Desk desk;
  DeliveryStarted start;
  start.tasks = {task("T1")};
  desk.give(start);
  desk.give(VerifyFinished{VerifyPurpose::baseline, {"lint"}, ""});
  EXPECT_TRUE(holds(desk.start().context, "failed before any task began")) << desk.start().context;
  EXPECT_TRUE(holds(desk.start().context, "- lint"));
}

TEST(DeliveryPrompts, TheAnalystIsToldEveryTaskInShort) {
  Desk desk;
  DeliveryStarted start;
  start.title = "The plan";
  start.overview = "what it is about";
  start.tasks = {task("T1"), task("T2")};
  start.experts = true;
  desk.give(start);
  desk.give(VerifyFinished{VerifyPurpose::baseline, {}, ""});
  const StartAgent analyst = desk.of<StartAgent>().at(0);
  EXPECT_EQ(Desk::value(analyst, "PLAN"), "The plan");
  EXPECT_EQ(Desk::value(analyst, "CONTEXT"),
            "what it is about\n\n- T1: Title of T1\n  - a criterion\n"
            "- T2: Title of T2\n  - a criterion\n");
}

TEST(DeliveryPrompts, AnExpertIsToldTheRequestThatItsAdviceHasToName) {
  Desk desk({task("T1")}, {}, {}, {"databases"});
  desk.says("T1", Signal::expert_request,
            {{"Target Agent", "databases"}, {"DELEGATION PROMPT", "which index?"}});
  const Start start = desk.start();
  EXPECT_EQ(Desk::value(start, "EXPERT"), "databases");
  EXPECT_EQ(Desk::value(start, "REQUEST"), "request-1");
  EXPECT_EQ(Desk::value(start, "EXPERTS"), "") << "it can ask nobody";
  EXPECT_TRUE(holds(Desk::value(start, "SIGNALS"), "EXPERT_ADVICE: request-1"))
      << Desk::value(start, "SIGNALS");
  EXPECT_EQ(start.env.at("CAPSULE_REQUEST"), "request-1");
  EXPECT_EQ(start.env.at("CAPSULE_EXPERT"), "databases");
  EXPECT_TRUE(start.short_limit);
}

TEST(DeliveryPrompts, TextsOfThePlanAndOfAgentsStayValues) {
  Task hostile = task("T1");
  hostile.work = "{{SIGNALS}} {{if .Context}}";
  Desk desk({hostile});
  EXPECT_EQ(Desk::value(desk.of<StartAgent>().at(0), "WORK"), "{{SIGNALS}} {{if .Context}}");
}

TEST(DeliveryAgents, WritersAreKeptAndReadersTakenBack) {
  Desk desk({task("T1")});
  Start start = desk.start();
  EXPECT_EQ(start.settle, workflow::Settle::keep);
  EXPECT_FALSE(start.judges);
  EXPECT_TRUE(start.watched);
  EXPECT_EQ(start.tree, "T1");
  EXPECT_EQ(start.settings, workflow::Settings::role);
  EXPECT_EQ(start.dialect, workflow::Dialect::line);
  desk.says("T1", Signal::ready_for_review);
  start = desk.start();
  EXPECT_EQ(start.settle, workflow::Settle::take_back);
  EXPECT_TRUE(start.judges);
  EXPECT_FALSE(start.watched);
  EXPECT_EQ(start.tree, "T1");
  EXPECT_EQ(start.bring_main, workflow::BringMain::no);
}

TEST(DeliveryAgents, WhoWaitedForSomethingOnMainIsGivenIt) {
  Desk desk({task("T1"), task("T2")});
  desk.says("T1", Signal::task_incomplete, {{"Needed", "task T2"}});
  desk.completes("T2");
  EXPECT_EQ(desk.start().bring_main, workflow::BringMain::mark);
  desk.says("T1", Signal::ready_for_review);
  desk.says("T1", Signal::review_passed);
  desk.says("T1", Signal::audit_blocked);
  desk.says(Role::remediation, Signal::remediation_complete);
  desk.says(Role::health_auditor, Signal::health_healthy);
  desk.give(VerifyFinished{VerifyPurpose::health, {}, ""});
  EXPECT_EQ(desk.started(), Words{"auditor T1"});
  EXPECT_EQ(desk.start().bring_main, workflow::BringMain::if_no_clash);
}

TEST(DeliveryAgents, ConflictMarkersThatAreLeftRefuteThatItIsReady) {
  Desk desk({task("T1")});
  workflow::AgentFinished finished;
  finished.agent = desk.agent_of("T1");
  finished.words = workflow::LineWords{Signal::ready_for_review, "T1", {}, {}};
  finished.unresolved = {"a.c"};
  desk.see(finished);
  EXPECT_EQ(desk.start().why, Why::refuted);
  EXPECT_TRUE(holds(desk.start().context, "conflict markers in a.c"));
}

TEST(DeliveryAgents, AnAgentWithoutASignalIsAskedForIt) {
  Desk desk({task("T1")});
  workflow::AgentFinished finished;
  finished.agent = desk.agent_of("T1");
  finished.fault = Fault::no_signal;
  desk.see(finished);
  EXPECT_EQ(desk.start().why, Why::checkpoint_request);
}

}  // namespace
}  // namespace capsule::delivery
