// Drives the pure core with random signals: whatever agents say, these sentences hold.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "workflow/phases/phases.h"

namespace capsule::phases {
namespace {

using namespace event;

struct Trace {
  std::vector<std::string> lines;
  State last;
  int merges = 0;
  bool merge_without_sign_off = false;
  int most_attempts = 0;
  int phases = 0;
};

int pick(std::mt19937_64& random, int n) {
  return static_cast<int>(random() % static_cast<unsigned>(n));
}

Trace play(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Trace trace;
  State s;
  const auto tell = [&](const PipelineFact& fact) {
    trace.lines.push_back(std::string(kind_of(fact)) + body_of(fact));
    phases::apply(s, fact);
  };
  const int limit = 1 + pick(random, 5);
  const int error_rate = pick(random, 3) * 4;  // per cent
  const int pass_rate = 30 + pick(random, 60);
  bool sign_off_passed = false;
  for (int i = 0; i < 1000 && s.step != Step::ended; ++i) {
    switch (s.step) {
      case Step::start:
        tell(RunStarted{"b-1",
                        "t",
                        "p",
                        limit,
                        pick(random, 2) != 0 ? Convergence::stop : Convergence::off,
                        {},
                        ""});
        break;
      case Step::prepare:
        tell(WorktreeReady{"w", "br", "base"});
        break;
      case Step::run_phase: {
        ++trace.phases;
        trace.most_attempts = std::max(trace.most_attempts, s.attempt);
        tell(PhaseStarted{s.phase, s.number + 1, s.attempt, s.feedback, "p", "", false});
        PhaseFinished f;
        f.phase = s.phase;
        f.number = s.number;
        const int roll = pick(random, 100);
        f.status = roll < error_rate               ? Status::error
                   : roll < error_rate + pass_rate ? Status::pass
                                                   : Status::needs_work;
        f.feedback = "feedback " + std::to_string(pick(random, 3));
        tell(f);
        break;
      }
      case Step::snapshot:
        tell(SnapshotTaken{s.phase, s.number, "r", "c", "tree" + std::to_string(pick(random, 3)),
                           "h"});
        break;
      case Step::check: {
        const std::string phase = s.phase;
        const bool passed = pick(random, 10) != 0;
        if (phase == "sign-off") sign_off_passed = passed && s.last.status == Status::pass;
        tell(PhaseChecked{phase, s.number, passed, "checked", {}});
        break;
      }
      case Step::integrate:
        if (pick(random, 5) == 0) {
          tell(MergeRefused{MergeRefusal::conflict, "d"});
        } else {
          trace.merge_without_sign_off |= !sign_off_passed;
          ++trace.merges;
          tell(MergeDone{"c", false});
        }
        break;
      case Step::archive:
        tell(RunArchived{"l"});
        break;
      case Step::remove_worktree:
        tell(WorktreeRemoved{});
        break;
      case Step::close_bead:
        tell(BeadClosed{});
        break;
      case Step::end:
        tell(RunEnded{s.outcome, s.detail});
        break;
      case Step::approve:
      case Step::ended:
        break;
    }
    // A state is what its facts make it: nothing hides outside them.
    if (s.step == Step::run_phase && !judges(*find_phase(s.definition, s.phase)) &&
        s.last.status == Status::needs_work && !judges(*find_phase(s.definition, s.last.phase)) &&
        s.last.phase != "merge" && s.open.empty() && s.outcome == Outcome::none)
      trace.lines.push_back("a writer's NEEDS_WORK went on");
  }
  trace.last = s;
  return trace;
}

class PipelineProperty : public testing::Test {
 protected:
  void SetUp() override {
    const char* given = std::getenv("CAPSULE_TEST_SEED");
    seed_ = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
    RecordProperty("seed", std::to_string(seed_));
  }
  std::uint64_t seed_ = 0;
  int runs_ = std::getenv("CAPSULE_TEST_FULL") != nullptr ? 50'000 : 5'000;
};

TEST_F(PipelineProperty, EveryRandomRunEndsWithinItsAttemptsAndMergesOnlyAfterSignOff) {
  for (int i = 0; i < runs_; ++i) {
    const std::uint64_t seed = seed_ + static_cast<std::uint64_t>(i);
    const Trace trace = play(seed);
    SCOPED_TRACE("CAPSULE_TEST_SEED=" + std::to_string(seed));
    ASSERT_EQ(trace.last.step, Step::ended);
    ASSERT_LE(trace.most_attempts, trace.last.max_retries);
    ASSERT_LE(trace.phases, 6 * trace.last.max_retries + 1);
    ASSERT_FALSE(trace.merge_without_sign_off);
    ASSERT_LE(trace.merges, 1);
    ASSERT_EQ(trace.merges == 1, trace.last.outcome == Outcome::merged);
    for (const std::string& line : trace.lines) ASSERT_EQ(line.find("went on"), std::string::npos);
    if (trace.last.last.status == Status::error) {
      ASSERT_EQ(trace.last.outcome, Outcome::phase_error);
    }
  }
}

TEST_F(PipelineProperty, TheSameSeedGivesTheSameTrace) {
  for (int i = 0; i < runs_ / 10; ++i) {
    const std::uint64_t seed = seed_ + static_cast<std::uint64_t>(i);
    ASSERT_EQ(play(seed).lines, play(seed).lines) << "CAPSULE_TEST_SEED=" << seed;
  }
}

TEST_F(PipelineProperty, FactsReadBackFromTheirWireFormReplayToTheSameEnd) {
  for (int i = 0; i < runs_ / 10; ++i) {
    const std::uint64_t seed = seed_ + static_cast<std::uint64_t>(i);
    const Trace trace = play(seed);
    State s;
    for (const std::string& line : trace.lines) {
      const std::size_t brace = line.find('{');
      const auto fact = read_fact(line.substr(0, brace), line.substr(brace));
      ASSERT_TRUE(fact.has_value()) << line;
      phases::apply(s, *fact);
    }
    ASSERT_EQ(s.step, trace.last.step);
    ASSERT_EQ(s.outcome, trace.last.outcome);
    ASSERT_EQ(s.number, trace.last.number);
  }
}

}  // namespace
}  // namespace capsule::phases
