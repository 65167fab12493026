// The real binary, killed at every point between two effects of a run with one retry, and started
// again: everything ends as if it had never been killed.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "tests/recovery/project.h"

namespace capsule::test {
namespace {

// Four parts, so that several processors can share the work.
constexpr int kParts = 4;

class CrashPoints : public RecoveryTest {
 protected:
  void SetUp() override {
    RecoveryTest::SetUp();
    const Place place = make_place("uncrashed");
    Call call = calling(place, {"run", kRetried});
    call.env["CAPSULE_TEST_POINTS"] = note("points");
    const Outcome outcome = run(call);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
    points_ = lines_in(read_file(note("points")));
    expected_ = final_state(place, kRetried);
  }

  // Killed at its k-th point, counted anew in each of `times` starts; then left alone.
  void crash_at(std::size_t k, int times) {
    const std::string name = "crash-" + std::to_string(k) + "-" + std::to_string(times);
    SCOPED_TRACE(name + ": " + points_[k - 1]);
    const Place place = make_place(name);
    for (int i = 0; i < times; ++i) {
      Call call = calling(place, {"run", kRetried});
      call.env["CAPSULE_TEST_POINTS"] = note(name);
      call.env["CAPSULE_TEST_CRASH_AT"] = std::to_string(k);
      const Outcome killed = run(call);
      if (i > 0 && killed.exit_code == 0) break;  // it had fewer points left
      ASSERT_EQ(killed.exit_code, 128 + SIGKILL) << killed.out << killed.err;
      if (i > 0) continue;
      const std::vector<std::string> reached = lines_in(read_file(note(name)));
      EXPECT_EQ(reached, std::vector(points_.begin(), points_.begin() + static_cast<long>(k)));
    }
    const Outcome again = capsule_in(place, {"run", kRetried});
    EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
    EXPECT_EQ(final_state(place, kRetried), expected_);
    EXPECT_EQ(capsule_in(place, {"run", kRetried}).exit_code, 0) << "done is done";
    ++crashes_;
  }

  std::vector<std::string> points_;
  std::string expected_;
  std::size_t crashes_ = 0;
};

class CrashMatrix : public CrashPoints, public ::testing::WithParamInterface<int> {};

TEST_P(CrashMatrix, EndsAsIfNothingHadHappened) {
  // By default every third point; which ones rotates.
  const std::size_t step = full_tests() ? 1 : 3;
  const std::size_t first = rotation() % step;
  std::printf("points %zu, every %zu. from point %zu on (CAPSULE_TEST_SEED=%u)\n", points_.size(),
              step, first + 1, rotation());
  std::size_t turn = 0;
  for (std::size_t k = 1 + first; k <= points_.size(); k += step)
    if (turn++ % kParts == static_cast<std::size_t>(GetParam())) crash_at(k, 1);
  EXPECT_GT(crashes_, 0U);
}

TEST_P(CrashMatrix, SurvivesASecondCrashOnTheWay) {
  const std::size_t step = full_tests() ? 1 : 12;
  const std::size_t first = rotation() % step;
  std::printf("points %zu, every %zu. from point %zu on (CAPSULE_TEST_SEED=%u)\n", points_.size(),
              step, first + 1, rotation());
  std::size_t turn = 0;
  for (std::size_t k = 1 + first; k <= points_.size(); k += step)
    if (turn++ % kParts == static_cast<std::size_t>(GetParam())) crash_at(k, 2);
}

INSTANTIATE_TEST_SUITE_P(Part, CrashMatrix, ::testing::Range(0, kParts));

// The matrix is as good as its list: every kind of fact a merged run records, and every effect.
TEST_F(CrashPoints, AreAllFactsAndAllEffectsOfARunWithOneRetry) {
  for (const char* point :
       {"recorded run_started",    "recorded worktree_intended", "observed tree_opened",
        "recorded worktree_ready", "recorded phase_started",     "observed agent_finished",
        "recorded phase_finished", "done start_agent",           "observed kept",
        "recorded snapshot_taken", "recorded phase_checked",     "recorded merge_intended",
        "observed merged",         "recorded merge_done",        "observed tree_archived",
        "recorded run_archived",   "observed tree_removed",      "recorded worktree_removed",
        "recorded bead_closing",   "observed task_closed",       "recorded bead_closed",
        "recorded run_ended"})
    EXPECT_NE(std::find(points_.begin(), points_.end(), point), points_.end()) << point;
  const auto started = std::count(points_.begin(), points_.end(), "recorded phase_started");
  EXPECT_EQ(started, 8) << "six phases, and test-writer and test-review once more";
}

// In the middle of effects, too: three kills in each round, whenever they come.
TEST_F(CrashPoints, AreNotTheOnlyMomentsThatDoNoHarm) {
  std::printf("CAPSULE_TEST_SEED=%u\n", rotation());
  std::mt19937 random(rotation());
  for (int round = 0; round < (full_tests() ? 60 : 4); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const Place place = make_place("random-" + std::to_string(round));
    for (int kill = 0; kill < 3; ++kill) {
      Running run(calling(place, {"run", kRetried}));
      usleep(static_cast<useconds_t>(random() % 600'000));
      run.send(SIGKILL);
      (void)run.wait();
    }
    const Outcome again = capsule_in(place, {"run", kRetried});
    EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
    EXPECT_EQ(final_state(place, kRetried), expected_);
  }
}

}  // namespace
}  // namespace capsule::test
