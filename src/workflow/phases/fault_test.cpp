// Agents that fail by themselves: they die, take too long, or say nothing that counts.
#include <gmock/gmock.h>

#include "workflow/phases/test_support.h"

namespace capsule::phases {
namespace {

using ::testing::HasSubstr;

flow::AgentFinished fails(int agent, Fault fault) {
  flow::AgentFinished finished = Play::said(agent, Status::error, "");
  finished.fault = fault;
  finished.detail = "ended with exit status 3";
  finished.facts.words = "boom: no such device";
  return finished;
}

// `code`, whose ERROR has it begin again, and a review.
Definition with_route() {
  Definition definition;
  PhaseRule code = rule("code");
  code.error = {"code", "", 2};
  PhaseRule review = rule("review");
  review.writes = false;
  review.needs_work = {"code", "", 0};
  review.error = {"code", "", 2};
  definition.phases = {code, review};
  definition.finish = Finish::nothing;
  return definition;
}

void fail(Play& play, Fault fault) {
  play.see({fails(play.command<flow::StartAgent>().agent, fault)});
  play.keep_and_check();
}

TEST(PhaseFault, APhaseThatFailsByItselfIsRepeatedAsTheSameAttemptAndNotSentWhereErrorLeads) {
  for (const Fault fault :
       {Fault::exit_status, Fault::timed_out, Fault::no_signal, Fault::policy, Fault::no_words}) {
    Play play(with_route());
    play.prepare();
    play.phase("code", Status::pass);
    fail(play, fault);
    EXPECT_EQ(play.command<flow::StartAgent>().role, "review") << event::name_of(fault);
    EXPECT_EQ(play.command<flow::StartAgent>().attempt, 1);
    EXPECT_TRUE(play.command<flow::StartAgent>().resume) << "in its own session";
    play.phase("review", Status::pass);
    play.command<flow::Archive>();
  }
}

TEST(PhaseFault, TheThirdTimeEndsTheRunInWordsThatNameIt) {
  Play play(with_route());
  play.prepare();
  fail(play, Fault::exit_status);
  fail(play, Fault::timed_out);
  EXPECT_EQ(play.command<flow::StartAgent>().attempt, 1);
  // What is recorded is enough: another process goes on with the same count.
  play.s = replayed(play.facts);
  play.see({flow::TakenUp{}});
  play.see({flow::TakenBack{"demo-1", {}}});
  fail(play, Fault::exit_status);
  EXPECT_EQ(Rules::outcome(play.s), "phase_error");
  EXPECT_EQ(play.fact<RunEnded>().detail,
            "code: the agent ended with exit status 3: boom: no such device");
  play.take(phases::advance(play.s, {RunResumed{3, false}}, {}, "t"));
  EXPECT_EQ(play.command<flow::StartAgent>().attempt, 1);
  fail(play, Fault::exit_status);
  EXPECT_EQ(Rules::outcome(play.s), "") << "a person took it up: it may fail again";
}

TEST(PhaseFault, AnErrorThatAnAgentSaysTakesItsRouteAndCosts) {
  Play play(with_route());
  play.prepare();
  play.phase("code", Status::pass);
  play.phase("review", Status::error, "cannot be reviewed");
  EXPECT_EQ(play.command<flow::StartAgent>().role, "code");
  EXPECT_EQ(play.command<flow::StartAgent>().attempt, 2);
}

TEST(PhaseFault, AProgramThatIsNotThereIsNotCalledAgain) {
  Play play(with_route());
  play.prepare();
  fail(play, Fault::not_started);
  EXPECT_EQ(Rules::outcome(play.s), "phase_error");
}

TEST(PhaseFault, AJournalOfBeforeMeansWhatItMeant) {
  Play play(with_route());
  play.prepare();
  std::vector<PipelineFact> facts = play.facts;
  PhaseFinished finished;
  finished.phase = "code";
  finished.number = 1;
  finished.status = Status::error;
  finished.fault = Fault::exit_status;
  facts.emplace_back(finished);
  facts.emplace_back(SnapshotTaken{"code", 1, "ref", "c", "t", "h"});
  const State s = replayed(facts);
  EXPECT_EQ(s.attempt, 2) << "the route was taken";
  EXPECT_EQ(s.faults, 0);
}

TEST(PhaseFault, InThePipelineItEndsTheRunAndWhoGoesOnIsAtTheSameAttempt) {
  for (const Fault fault : {Fault::exit_status, Fault::timed_out, Fault::no_signal}) {
    Play play;
    play.prepare();
    play.phase("test-writer", Status::pass);
    play.phase("test-review", Status::needs_work, "cover empty input");
    const std::string session = play.command<flow::StartAgent>().session;
    fail(play, fault);
    EXPECT_EQ(Rules::outcome(play.s), "phase_error");
    play.s = replayed(play.facts);
    play.take(phases::advance(play.s, {RunResumed{3, false}}, {}, "t"));
    const auto& again = play.command<flow::StartAgent>();
    EXPECT_EQ(again.role, "test-writer");
    EXPECT_EQ(again.attempt, 2);
    EXPECT_EQ(again.session, session);
    EXPECT_TRUE(again.resume);
    EXPECT_THAT(again.prompt.follow_up,
                HasSubstr(fault == Fault::no_signal ? "no signal that counts" : "was cut short"));
  }
}

TEST(PhaseFault, WhoFailedByItselfFindsNothingForAWriterToMend) {
  Definition definition;
  definition.phases = {rule("code"), rule("one"), rule("two")};
  definition.finish = Finish::nothing;
  for (std::size_t i : {1U, 2U}) {
    definition.phases[i].group = 1;
    definition.phases[i].any = true;
    definition.phases[i].writes = false;
    definition.phases[i].needs_work = {"code", "", 0};
  }
  Play play(definition);
  play.prepare();
  play.phase("code", Status::pass);
  play.see({fails(2, Fault::exit_status), Play::said(3, Status::needs_work, "add a test")});
  play.keep_and_check();
  EXPECT_EQ(play.command<flow::StartAgent>().prompt.feedback, "## two\n\nadd a test");
}

TEST(PhaseFault, OnlyWhoFailedByItselfOfThoseThatRunAtOnceIsCalledAgain) {
  Definition definition = with_route();
  PhaseRule other = definition.phases[1];
  other.name = "other";
  definition.phases.push_back(other);
  definition.phases[1].group = definition.phases[2].group = 1;
  Play play(definition);
  play.prepare();
  play.phase("code", Status::pass);
  play.see({fails(2, Fault::timed_out), Play::said(3, Status::pass)});
  play.keep_and_check();
  ASSERT_EQ(play.commands.size(), 1U);
  EXPECT_EQ(play.command<flow::StartAgent>().role, "review");
  play.phase("review", Status::pass);
  play.command<flow::Archive>();
}

}  // namespace
}  // namespace capsule::phases
