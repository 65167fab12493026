// A person approves: what a phase left, what is merged, what says what the checks mean.
#include "workflow/phases/test_support.h"

namespace capsule::phases {
namespace {

TEST(Approval, AnApprovalWaitsForAPersonAndTheirWordsGoBackToThePhase) {
  Play play(spike());
  play.prepare();
  play.phase("plan", Status::pass);
  EXPECT_EQ(play.command<flow::Ask>().question, 1);
  EXPECT_TRUE(Rules::waits_for_person(play.s));
  EXPECT_EQ(summary(play.s).standing, flow::Standing::waiting);
  play.see({flow::Answered{1, "use UTC", "me"}});
  EXPECT_EQ(play.command<flow::StartAgent>().prompt.feedback, "use UTC");
  play.phase("plan", Status::pass);
  EXPECT_EQ(play.command<flow::Ask>().question, 2);
  play.see({flow::Answered{2, "Approve", "me"}});
  EXPECT_EQ(play.command<flow::StartAgent>().role, "code");
}

// As workflow/supply tells it, of an agent that was never called.
flow::AgentFinished not_begun(int agent) {
  flow::AgentFinished ended = Play::said(agent, Status::error);
  ended.fault = Fault::idle;
  ended.held = true;
  return ended;
}

TEST(Approval, AnAnswerThatAnAgentWasCalledWithStays) {
  for (const char* text : {"approve", "use UTC"}) {
    Play play(spike());
    play.prepare();
    play.phase("plan", Status::pass);
    play.see({flow::Answered{1, text, "me"}});
    EXPECT_NE(play.command<flow::StartAgent>().agent, 0);
    const std::size_t before = play.facts.size();
    for (const int question : {0, 1, 2}) play.see({flow::TakeBackAsked{question}});
    EXPECT_EQ(play.facts.size(), before);
    EXPECT_TRUE(play.commands.empty());
  }
}

TEST(Approval, AnAnswerIsTakenBackFromAnAgentThatIsHeld) {
  for (const char* text : {"approve", "use UTC"}) {
    Play play(spike());
    play.prepare();
    play.phase("plan", Status::pass);
    play.see({flow::Answered{1, text, "me"}});
    const int held = play.command<flow::StartAgent>().agent;
    const std::string session = play.command<flow::StartAgent>().session;
    play.see({flow::TakeBackAsked{2, {held}}});
    EXPECT_TRUE(play.commands.empty()) << "that question is not asked yet";
    play.see({flow::TakeBackAsked{1, {held}}});
    EXPECT_EQ(play.fact<AnswerTakenBack>().question, 1);
    EXPECT_EQ(play.command<flow::EndAgent>().agent, held);
    play.see({not_begun(held)});
    EXPECT_EQ(play.command<flow::Ask>().question, 1) << "the same question";
    EXPECT_TRUE(Rules::waits_for_person(play.s));
    ASSERT_EQ(summary(play.s).agents.size(), 2u) << "nothing moves under who looks at it";
    EXPECT_FALSE(summary(play.s).agents.back().running) << "who was never called has not begun";
    EXPECT_EQ(replayed(play.facts).question, 1);
    // Another answer leads where it would have led at once.
    play.see({flow::Answered{1, "use TAI", "me"}});
    const auto& start = play.command<flow::StartAgent>();
    EXPECT_EQ(start.role, "plan");
    EXPECT_EQ(start.prompt.feedback, "use TAI");
    EXPECT_EQ(start.attempt, 2) << "what was taken back has cost no attempt";
    EXPECT_NE(start.agent, held);
    EXPECT_NE(start.resume ? "" : start.session, session);
  }
}

TEST(Approval, AnAnswerStaysWhenOneOfThoseThatStartTogetherWasCalled) {
  Definition definition = spike();
  PhaseRule first = rule("one", 3), second = rule("two", 3);
  first.group = second.group = 1;
  definition.phases = {definition.phases.front(), first, second};
  Play play(definition);
  play.prepare();
  play.phase("plan", Status::pass);
  play.see({flow::Answered{1, "approve", "me"}});
  ASSERT_EQ(play.commands.size(), 2u);
  play.see({flow::TakeBackAsked{1, {2}}});
  EXPECT_TRUE(play.commands.empty());
  Play both = play;
  both.see({flow::TakeBackAsked{1, {2, 3}}});
  EXPECT_EQ(both.commands.size(), 2u);
  both.see({not_begun(2)});
  EXPECT_TRUE(both.commands.empty()) << "nobody is asked before both have ended";
  both.see({not_begun(3)});
  EXPECT_EQ(both.command<flow::Ask>().question, 1);
  // The other has ended meanwhile: it was told.
  play.see({Play::said(3, Status::pass)});
  play.see({flow::TakeBackAsked{1, {2}}});
  EXPECT_TRUE(play.commands.empty());
}

// Whoever was started by a process that is gone may have been called.
TEST(Approval, AnAnswerStaysAfterARestart) {
  Play play(spike());
  play.prepare();
  play.phase("plan", Status::pass);
  play.see({flow::Answered{1, "approve", "me"}});
  const int held = play.command<flow::StartAgent>().agent;
  play.s = replayed(play.facts);
  play.see({flow::TakenUp{}, flow::TakeBackAsked{1}});
  play.command<flow::TakeBack>();
  play.see({flow::TakenBack{}});
  EXPECT_EQ(play.command<flow::StartAgent>().agent, held);
  play.see({flow::TakeBackAsked{1, {held}}});
  EXPECT_TRUE(play.commands.empty());
}

TEST(Approval, AnAnswerIsTakenBackAlthoughThePersonStopsTheRun) {
  Play play(spike());
  play.prepare();
  play.phase("plan", Status::pass);
  play.see({flow::Answered{1, "approve", "me"}});
  flow::AgentFinished ended = not_begun(2);
  ended.fault = Fault::interrupted;
  play.see({flow::TakeBackAsked{1, {2}}, ended, flow::StopAsked{flow::Stop::paused}});
  EXPECT_TRUE(Rules::stopped(play.s));
  EXPECT_EQ(Rules::outcome(play.s), "") << "the question is open";
}

TEST(Approval, AnApprovalThatIsRefusedEndsTheRun) {
  Play play(spike());
  play.prepare();
  play.phase("plan", Status::pass);
  play.see({flow::Answered{1, "no", "me"}});
  EXPECT_EQ(Rules::outcome(play.s), "rejected");
  EXPECT_EQ(exit_code(play.s.outcome), 1);
}

TEST(Approval, AnOpenApprovalIsAskedAgainByWhoTakesTheRunUp) {
  Play play(spike());
  play.prepare();
  play.phase("plan", Status::pass);
  play.s = replayed(play.facts);
  const std::size_t before = play.facts.size();
  play.see({flow::TakenUp{}});
  EXPECT_EQ(play.command<flow::Ask>().question, 1);
  EXPECT_EQ(play.facts.size(), before) << "it was asked before";
}

TEST(Approval, ASignOffThatAPersonDoesNotApproveIsNone) {
  PhaseRule code = rule("code"), sign = rule("sign"), merge = rule("merge");
  sign.signs_off = sign.approval = true;
  sign.needs_work = {"code", "merge", 0};
  merge.commits = true;
  merge.needs = {"signed-off"};
  Definition definition;
  definition.name = "own";
  definition.phases = {code, sign, merge};
  Play play(definition);
  play.prepare();
  play.phase("code", Status::pass);
  play.phase("sign", Status::pass);
  play.see({flow::Answered{play.command<flow::Ask>().question, "do it otherwise", "somebody"}});
  play.phase("code", Status::pass);
  EXPECT_EQ(play.command<flow::Check>().names, std::vector<std::string>{"signed-off"});
  play.see({flow::Checked{}});
  EXPECT_EQ(Rules::outcome(play.s), "merge_refused");
  EXPECT_TRUE(play.commands.empty()) << "no agent is paid for a merge that may not be";
}

struct AskPlay : Play {
  AskPlay() {
    RunStarted started{"demo-1", "Title", "claude", 3, Convergence::stop, {}, ""};
    started.integrate = Integrate::ask;
    s = {};
    facts.clear();
    take(phases::advance(s, {started}, {}, "t"));
    prepare();
    for (const char* phase :
         {"test-writer", "test-review", "execute", "execute-review", "sign-off"})
      this->phase(phase, Status::pass);
    flow::Checked gate;
    see({gate});
    this->phase("merge", Status::pass);
  }
  void tried() { see({flow::MergeTried{"demo-1", "/w", "abc", {"a.c", "b.c"}, {}}}); }
};

TEST(Approval, WorkIsTriedBeforeAPersonIsAskedAndMergedOnceTheyApprove) {
  AskPlay play;
  EXPECT_EQ(play.command<flow::Merge>().into, flow::Merge::Into::nowhere);
  play.tried();
  const auto ask = play.command<flow::Ask>();
  EXPECT_NE(ask.text.find("/w"), std::string::npos) << "where a person may change files";
  EXPECT_NE(ask.context.find("a.c"), std::string::npos);
  EXPECT_EQ(summary(play.s).standing, flow::Standing::waiting);
  EXPECT_EQ(summary(play.s).waits.at(0).kind, "merge");
  play.s = replayed(play.facts);
  play.see({flow::TakenUp{}});
  EXPECT_EQ(play.command<flow::Ask>().question, ask.question) << "the same question";
  play.see({flow::Answered{ask.question, "yes", "me"}});
  const auto merge = play.command<flow::Merge>();
  EXPECT_EQ(merge.into, flow::Merge::Into::main);
  EXPECT_TRUE(merge.edited);
  play.see({flow::MainMoved{"demo-1"}});
  EXPECT_EQ(play.command<flow::Merge>().into, flow::Merge::Into::main) << "approved is approved";
}

TEST(Approval, WhatAPersonDoesNotApproveGoesBackToWhoWrites) {
  AskPlay play;
  play.tried();
  play.see({flow::Answered{1, "reject: ok", "me"}});
  EXPECT_EQ(play.command<flow::StartAgent>().role, "execute");
  EXPECT_EQ(play.command<flow::StartAgent>().prompt.feedback, "ok");
  EXPECT_FALSE(play.s.signed_off);
  play.phase("execute", Status::pass);
  EXPECT_EQ(play.command<flow::StartAgent>().role, "sign-off");
}

TEST(Approval, ARejectedMergeIsAskedAboutAgainWhileWhoMendsItIsHeldAndAnApprovedOneStays) {
  AskPlay play;
  play.tried();
  Play approved = play;
  play.see({flow::Answered{1, "reject: ok", "me"}});
  const int held = play.command<flow::StartAgent>().agent;
  play.see({flow::TakeBackAsked{1, {held}}});
  play.see({not_begun(held)});
  EXPECT_EQ(play.command<flow::Ask>().question, 1);
  EXPECT_TRUE(play.s.signed_off) << "as it was";
  play.see({flow::Answered{1, "approve", "me"}});
  EXPECT_EQ(play.command<flow::Merge>().into, flow::Merge::Into::main);
  approved.see({flow::Answered{1, "approve", "me"}});
  approved.command<flow::Merge>();
  approved.see({flow::TakeBackAsked{1}});
  EXPECT_TRUE(approved.commands.empty()) << "the merge may be done";
  EXPECT_TRUE(approved.s.approved);
}

TEST(Approval, ARefusalWithoutWordsEndsTheRunWhichAsksAgainWhenItGoesOn) {
  AskPlay play;
  play.tried();
  play.see({flow::Answered{1, "no", "me"}});
  EXPECT_EQ(Rules::outcome(play.s), "rejected");
  play.take(phases::advance(play.s, {RunResumed{3, false}}, {}, "t"));
  EXPECT_EQ(play.command<flow::Merge>().into, flow::Merge::Into::nowhere);
}

TEST(Approval, AnApprovalEndsWithARefusedMerge) {
  AskPlay play;
  play.tried();
  play.see({flow::Answered{1, "approve", "me"}});
  play.see({flow::MergeRefused{"demo-1", MergeRefusal::conflict, "a.c", {}}});
  EXPECT_EQ(Rules::outcome(play.s), "merge_refused");
  play.take(phases::advance(play.s, {RunResumed{3, false}}, {}, "t"));
  EXPECT_EQ(play.command<flow::Merge>().into, flow::Merge::Into::nowhere);
}

TEST(Approval, WhoNoLongerWantsToBeAskedHasTheWorkMerged) {
  AskPlay play;
  play.tried();
  play.take(phases::advance(play.s, {IntegrationChosen{Integrate::merge}}, {}, "t"));
  // The question is still being put: nothing else is asked for in this process.
  play.s = replayed(play.facts);
  play.see({flow::TakenUp{}});
  EXPECT_EQ(play.command<flow::Merge>().into, flow::Merge::Into::main);
}

TEST(Approval, TheWorklogGetsTheNewestCheckAndWhatAPersonIsAsked) {
  Play play;
  play.s.present.attended = true;
  play.prepare();
  play.see({Play::said(1, Status::pass)});
  play.see({flow::Kept{"demo-1", "ref", "commit", "tree", "head"}});
  flow::Checked checked;
  checked.number = play.command<flow::Check>().number;
  checked.feedback = "put it back";
  checked.guarded = {"Makefile"};
  play.see({checked});
  const flow::Ask& asked = play.command<flow::Ask>();
  EXPECT_EQ(asked.tree, "demo-1");
  ASSERT_FALSE(asked.notes.empty());
  EXPECT_TRUE(asked.notes.back().waits);
  EXPECT_EQ(asked.notes.back().summary, asked.text);
}

TEST(Approval, AGuardedChangeIsPutToAPersonWhoIsThere) {
  Play play;
  play.s.present.attended = true;
  play.prepare();
  play.see({Play::said(1, Status::pass)});
  play.see({flow::Kept{"demo-1", "ref", "commit", "tree", "head"}});
  flow::Checked checked;
  checked.number = play.command<flow::Check>().number;
  checked.feedback = "put it back";
  checked.guarded = {"Makefile"};
  State alone = play.s;
  alone.present.attended = false;
  play.see({checked});
  EXPECT_EQ(play.fact<ApprovalAsked>().about, Approval::guard);
  EXPECT_NE(play.command<flow::Ask>().text.find("Makefile"), std::string::npos);
  Play refused = play;
  play.see({flow::Answered{1, "approve", "me"}});
  EXPECT_EQ(play.command<flow::Check>().allowed, std::vector<std::string>{"Makefile"});
  Play regretted = play;  // while the checks run
  regretted.see({flow::TakeBackAsked{1}});
  EXPECT_TRUE(regretted.commands.empty()) << "the checks come to their end";
  regretted.see({checked});
  EXPECT_EQ(regretted.command<flow::Ask>().question, 1);
  EXPECT_TRUE(regretted.s.allowed.empty());
  refused.see({flow::Answered{1, "keep it as it was", "me"}});
  refused.see({checked});
  EXPECT_NE(refused.command<flow::StartAgent>().prompt.feedback.find("keep it as it was"),
            std::string::npos);
  const Turn turn = phases::advance(alone, {}, {checked}, "t");
  EXPECT_TRUE(std::holds_alternative<PhaseChecked>(turn.facts.front())) << "nobody is there";
}
}  // namespace
}  // namespace capsule::phases
