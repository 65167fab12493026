// Random worlds: whatever agents, checks, reviewers, merges, crashes and people do, a run always
// waits for something that was asked for, and ends.
#include <gtest/gtest.h>

#include <random>

#include "workflow/auto/workflow.h"

namespace capsule::auto_mode {
namespace {

using namespace workflow;  // the vocabulary
using event::Fault;

struct Chance {
  std::minstd_rand engine;
  bool once_in(unsigned n) { return engine() % n == 0; }
};

AgentFinished end_of(const StartAgent& start, Phase phase, Chance& chance) {
  AgentFinished ended;
  ended.agent = start.agent;
  if (chance.once_in(20)) ended.fault = Fault::exit_status;
  if (start.dialect == Dialect::verdict) {
    ended.words = VerdictWords{chance.once_in(5) ? "VERDICT: REJECTED" : "VERDICT: APPROVED"};
    return ended;
  }
  BlockWords words;
  if (!chance.once_in(4))
    words.signals.emplace_back(signal::row(signal::expected_signal(phase)).wire);
  if (chance.once_in(30)) words.signals.emplace_back("PHASE_ERROR");
  words.recoverable = chance.once_in(2);
  ended.words = words;
  return ended;
}

Observation answer_to(const Command& command, const Run& run, Chance& chance) {
  if (chance.once_in(200)) return CommandFailed{command, Reason::io, "the disk is full"};
  if (const auto* start = std::get_if<StartAgent>(&command))
    return end_of(*start, run.phase, chance);
  if (std::holds_alternative<OpenTree>(command)) return TreeOpened{"auto", "folder", "", ""};
  if (std::holds_alternative<TakeBack>(command)) return TakenBack{};
  if (std::holds_alternative<Keep>(command)) return Kept{};
  if (std::holds_alternative<RemoveTree>(command)) return TreeRemoved{};
  if (std::holds_alternative<Check>(command)) {
    Checked checked;
    if (chance.once_in(4)) checked.feedback = "a test fails";
    return checked;
  }
  if (chance.once_in(3)) return MainMoved{};
  if (chance.once_in(8)) return MergeRefused{"auto", event::MergeRefusal::conflict, "", {}};
  return Merged{};
}

// Empty: it ended, and nothing was wrong on the way.
std::string story_of(unsigned seed) {
  Chance chance{std::minstd_rand(seed)};
  fact::Started started;
  started.task = "t";
  started.has_checks = chance.once_in(2);
  started.in_place = chance.once_in(5);
  started.parallel = chance.once_in(2);
  started.sessions = chance.once_in(2);
  started.max_iterations = 2;
  Run run;
  std::vector<fact::Fact> journal;
  std::vector<Command> asked;
  int merges = 0, resumptions = 2, crashes = 3;
  const auto take = [&](Rules::Turn turn) {
    for (fact::Fact& one : turn.facts) {
      merges += std::holds_alternative<fact::MergeDone>(one) ? 1 : 0;
      journal.push_back(std::move(one));
    }
    for (Command& one : turn.commands)
      if (!std::holds_alternative<EndAgent>(one)) asked.push_back(std::move(one));
  };
  take(Rules::advance(run, {started}, {}, "now"));
  for (int i = 0; i < 2000; ++i) {
    const bool ended = !Rules::outcome(run).empty() && !Rules::resuming(run);
    if (ended) {
      if (merges > 1) return "merged twice";
      if (!asked.empty()) return "ended with something under way";
      if (run.outcome == Outcome::complete || resumptions-- == 0) return {};
      take(Rules::advance(run, {fact::Resumed{}}, {}, "now"));
      continue;
    }
    if (asked.empty()) return "waits for nothing";
    if (crashes > 0 && chance.once_in(40)) {
      --crashes;
      asked.clear();
      run = {};
      for (const fact::Fact& one : journal) apply(run, one);
      if (Rules::outcome(run).empty()) take(Rules::advance(run, {}, {TakenUp{}}, "now"));
      continue;
    }
    if (chance.once_in(150)) {
      take(Rules::advance(run, {}, {StopAsked{static_cast<Stop>(chance.engine() % 3)}}, "now"));
      continue;
    }
    const std::size_t which = chance.engine() % asked.size();
    const Command command = asked[which];
    asked.erase(asked.begin() + static_cast<std::ptrdiff_t>(which));
    take(Rules::advance(run, {}, {answer_to(command, run, chance)}, "now"));
  }
  return "it does not end";
}

TEST(AutoAdvance, EveryRunWaitsForSomethingUntilItEnds) {
  for (unsigned seed = 1; seed <= 500; ++seed) ASSERT_EQ(story_of(seed), "") << seed;
}

}  // namespace
}  // namespace capsule::auto_mode
