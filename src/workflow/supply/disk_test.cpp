// A disk with too little room: who begins, who is ended, and how it goes on.
#include "workflow/supply/test_support.h"

namespace capsule::supply {
namespace {

using fact::DiskStood;
using fact::Room;

constexpr std::int64_t kMega = std::int64_t{1} << 20;

DiskStands stands(Room room, std::int64_t free = 100) {
  return {room, "/project", free * kMega, 500 * kMega};
}

RunSummary summary_of(const Table& table, int agent) {
  RunSummary summary;
  AgentSummary at_work;
  at_work.number = agent;
  at_work.task = "T-1";
  at_work.running = true;
  summary.agents = {at_work};
  complete(summary, table.state);
  return summary;
}

TEST(Disk, NobodyBeginsWhileItHasTooLittleRoomAndAllDoOnceThereIsMore) {
  Table table;
  table.news(stands(Room::low));
  table.want(1);
  EXPECT_THAT(table.started(), IsEmpty());
  EXPECT_EQ(table.newest<fact::AgentHeld>().why, Hold::disk);
  table.want(2, "T-2");
  EXPECT_THAT(table.started(), IsEmpty());
  table.news(stands(Room::enough, 900));
  ASSERT_EQ(table.started().size(), 2U);
  EXPECT_EQ(table.started()[0].attempt, 2);
  EXPECT_FALSE(table.started()[0].again) << "it was never called";
}

TEST(Disk, WhoWorksGoesOnWhileThereIsSomeRoom) {
  Table table;
  table.want(1);
  table.news(stands(Room::low));
  EXPECT_THAT(table.commands, IsEmpty());
  table.end(1, Fault::none);
  ASSERT_EQ(table.ends().size(), 1U);
  EXPECT_EQ(table.ends()[0].fault, Fault::none);
}

TEST(Disk, BeforeItIsFullWhoWorksIsEndedAndGoesOnLaterInTheSameSession) {
  Table table;
  table.want(1);
  table.news(stands(Room::none, 10));
  ASSERT_EQ(table.commands.size(), 1U);
  EXPECT_EQ(std::get<EndAgent>(table.commands[0]).agent, 1);
  table.news(stands(Room::none, 9));
  EXPECT_THAT(table.commands, IsEmpty()) << "it is being ended";
  table.end(1, Fault::idle, Table::used(100));
  EXPECT_THAT(table.heard, IsEmpty()) << "it costs no attempt: no workflow hears of it";
  EXPECT_EQ(table.newest<fact::AgentFaulted>().fault, Fault::no_space);
  EXPECT_EQ(table.newest<fact::AgentHeld>().why, Hold::disk);
  table.news(stands(Room::low));
  EXPECT_THAT(table.started(), IsEmpty());
  table.news(stands(Room::enough, 900));
  const StartAgent call = table.call();
  EXPECT_TRUE(call.again);
  EXPECT_TRUE(call.resume);
  EXPECT_EQ(call.attempt, 2);
}

// The world can end no set-up; it does not start the agent after it.
TEST(Disk, WhoIsEndedWhileItsWorktreeIsSetUpComesAgainAndTheWorkflowHearsOfNothing) {
  Table table;
  table.want(1);
  const StartAgent first = table.call();
  table.news(stands(Room::none, 10));
  table.see(CommandFailed{first, Reason::failed, "it was ended before it began"});
  EXPECT_THAT(table.heard, IsEmpty()) << "it costs no attempt";
  EXPECT_EQ(table.newest<fact::AgentFaulted>().fault, Fault::no_space);
  EXPECT_THAT(table.all<fact::AgentUsed>(), IsEmpty());
  EXPECT_EQ(table.newest<fact::AgentHeld>().why, Hold::disk);
  table.see(TakeBackAsked{1});
  ASSERT_EQ(table.heard.size(), 1U);
  EXPECT_THAT(std::get<TakeBackAsked>(table.heard[0]).unbegun, IsEmpty())
      << "an answer that its prompt may hold stands";
  table.news(stands(Room::enough, 900));
  const StartAgent call = table.call();
  EXPECT_EQ(call.agent, 1);
  EXPECT_FALSE(call.again) << "it was never called";
  EXPECT_FALSE(call.resume);
  EXPECT_EQ(call.session, first.session);
  table.end(1, Fault::none);
  EXPECT_EQ(table.ends().size(), 1U);
}

TEST(Disk, OneThatWasAtWorkAndIsEndedInASetUpStillGoesOnInItsSession) {
  Table table;
  table.want(1);
  const StartAgent first = table.call();
  table.news(stands(Room::none, 10));
  table.end(1, Fault::idle, Table::used(100));
  table.news(stands(Room::enough, 900));
  const StartAgent second = table.call();
  table.news(stands(Room::none, 10));
  table.see(CommandFailed{second, Reason::failed, "it was ended before it began"});
  table.news(stands(Room::enough, 900));
  EXPECT_TRUE(table.call().resume);
  EXPECT_FALSE(table.call().anew);
  EXPECT_EQ(table.call().session, first.session);
}

TEST(Disk, ASetUpThatIsEndedSaysNothingOfTheServiceThatHadFailedBefore) {
  Table table;
  table.want(1);
  table.end(1, Fault::unreachable);
  table.wake();
  const StartAgent second = table.call();
  table.news(stands(Room::none, 10));
  table.see(CommandFailed{second, Reason::failed, "it was ended before it began"});
  table.news(stands(Room::enough, 900));
  EXPECT_EQ(table.call().agent, 1);
  EXPECT_EQ(failures_of(table.state, 1, "claude").tries, 1);
}

TEST(Disk, AStartThatFailsForAnotherReasonIsTheWorkflowsMatter) {
  Table table;
  table.want(1);
  table.see(CommandFailed{table.call(), Reason::failed, "the set-up fails"});
  EXPECT_EQ(table.heard.size(), 1U);
  table.want(2);
  const StartAgent interrupted = table.call();
  table.news(stands(Room::none, 10));
  table.see(CommandFailed{interrupted, Reason::interrupted, "interrupted"});
  EXPECT_EQ(table.heard.size(), 1U) << "a person's stop goes before";
}

TEST(Disk, WhatTheWorkflowEndsItselfDoesNotComeAgain) {
  Table table;
  table.want(1);
  table.ask(EndAgent{1});
  table.news(stands(Room::none, 10));
  EXPECT_THAT(table.commands, IsEmpty());
  table.end(1, Fault::idle);
  ASSERT_EQ(table.ends().size(), 1U);
  table.news(stands(Room::enough, 900));
  table.want(2);
  const StartAgent second = table.call();
  table.news(stands(Room::none, 10));
  table.ask(EndAgent{2});
  table.see(CommandFailed{second, Reason::failed, "it was ended before it began"});
  EXPECT_EQ(table.heard.size(), 1U);
}

TEST(Disk, EachChangeIsRecordedOnce) {
  Table table;
  table.news(stands(Room::enough, 900));
  EXPECT_THAT(table.all<DiskStood>(), IsEmpty()) << "as it was believed to be";
  table.news(stands(Room::low, 400));
  table.news(stands(Room::low, 300));
  table.news(stands(Room::none, 50));
  table.news(stands(Room::enough, 900));
  EXPECT_EQ(table.all<DiskStood>().size(), 3U);
}

TEST(Disk, AProcessThatTakesTheRunUpGoesByTheDiskAsItIsThen) {
  Table table;
  table.news(stands(Room::low));
  table.want(1);
  table.crash();
  table.news(stands(Room::enough, 900));
  table.want(1);
  EXPECT_EQ(table.call().agent, 1);
}

TEST(Disk, ItIsNoWaitForAPersonAndARunThatStopsGivesItUp) {
  Table table;
  table.news(stands(Room::low));
  table.want(1);
  EXPECT_FALSE(waits_for_person(table.state)) << "it goes on by itself";
  table.see(StopAsked{Stop::paused});
  ASSERT_EQ(table.ends().size(), 1U);
  EXPECT_EQ(table.ends()[0].fault, Fault::interrupted);
  EXPECT_TRUE(table.ends()[0].held);
}

TEST(Disk, ItIsToldWithWhereSinceWhenAndWhatToDo) {
  Table table;
  const std::string since = table.at();
  table.state.at = since;
  table.news(stands(Room::low));
  table.seconds += 60;
  table.state.at = table.at();
  table.want(1);
  table.news(stands(Room::none, 10));
  const RunSummary summary = summary_of(table, 1);
  EXPECT_EQ(summary.standing, Standing::open) << "nobody has to answer anything";
  ASSERT_EQ(summary.waits.size(), 2U) << "the run's, and the task's";
  for (const Waiting& wait : summary.waits) {
    EXPECT_EQ(wait.what, Waiting::For::disk);
    EXPECT_EQ(wait.on, "/project");
    EXPECT_EQ(wait.since, since);
    EXPECT_EQ(wait.question, 0);
    EXPECT_THAT(wait.text, HasSubstr("/project has 10 MB left, and 500 MB are to stay free"));
    EXPECT_THAT(wait.text, HasSubstr("Make room"));
  }
  table.news(stands(Room::enough, 900));
  EXPECT_THAT(summary_of(table, 1).waits, IsEmpty());
}

}  // namespace
}  // namespace capsule::supply
