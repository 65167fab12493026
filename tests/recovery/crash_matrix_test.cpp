// The real binary, killed at every point between two effects of a run with one retry, and started
// again: everything ends as if it had never been killed.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>

#include "base/text.h"
#include "tests/recovery/project.h"

namespace capsule::test {
namespace {

// Four parts, so that several processors can share the work.
constexpr int kParts = 4;

namespace fs = std::filesystem;

class CrashPoints : public RecoveryTest {
 protected:
  void SetUp() override {
    RecoveryTest::SetUp();
    uncrashed_ = make_place("uncrashed");
    points_ = uncrashed(uncrashed_);
    expected_ = final_state(uncrashed_, kRetried);
  }
  std::vector<std::string> uncrashed(const Place& place) {
    Call call = calling(place, args_);
    call.env["CAPSULE_TEST_POINTS"] = note("points-" + fs::path(place.folder).filename().string());
    const Outcome outcome = run(call);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
    return lines_in(read_file(*call.env["CAPSULE_TEST_POINTS"]));
  }
  virtual Place new_place(const std::string& name) { return make_place(name); }

  // Killed at its k-th point, counted anew in each of `times` starts; then left alone.
  void crash_at(std::size_t k, int times) {
    const std::string name = "crash-" + std::to_string(k) + "-" + std::to_string(times);
    SCOPED_TRACE(name + ": " + points_[k - 1]);
    const Place place = new_place(name);
    for (int i = 0; i < times; ++i) {
      Call call = calling(place, args_);
      call.env["CAPSULE_TEST_POINTS"] = note(name);
      call.env["CAPSULE_TEST_CRASH_AT"] = std::to_string(k);
      const Outcome killed = run(call);
      if (i > 0 && killed.exit_code == 0) break;  // it had fewer points left
      ASSERT_EQ(killed.exit_code, 128 + SIGKILL) << killed.out << killed.err;
      if (i > 0) continue;
      const std::vector<std::string> reached = lines_in(read_file(note(name)));
      EXPECT_EQ(reached, std::vector(points_.begin(), points_.begin() + static_cast<long>(k)));
    }
    const Outcome again = capsule_in(place, args_);
    EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
    EXPECT_EQ(final_state(place, kRetried), expected_);
    EXPECT_EQ(capsule_in(place, args_).exit_code, 0) << "done is done";
    ++crashes_;
  }

  std::vector<std::string> args_{"run", kRetried};
  Place uncrashed_;
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

// The pipeline as a file of another name: what is expected of it is what the built-in one came to.
class CrashPointsOfAFile : public CrashPoints {
 protected:
  void SetUp() override {
    CrashPoints::SetUp();
    args_.emplace_back("--workflow=mine");
  }
  Place new_place(const std::string& name) override {
    const Place place = make_place(name);
    write_file(place.folder + "/.capsule/workflows/mine.yaml",
               read_file(std::string(CAPSULE_SOURCE_DIR) + "/workflows/pipeline.yaml"));
    return place;
  }
};

// Where a commit's id stands, its place in the order of their first mention.
std::string without_commits(const std::string& text, std::map<std::string, int>& commits) {
  constexpr std::size_t kLength = 40;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789abcdef", at), text.size());
    const std::string word = text.substr(at, end - at);
    if (word.size() == kLength)
      out += "#" +
             std::to_string(commits.emplace(word, static_cast<int>(commits.size())).first->second);
    else
      out += word;
    if (end < text.size()) out += text[end];
    at = end + 1;
  }
  return out;
}

// One line a fact, without what differs from run to run by its nature.
std::vector<std::string> comparable(std::vector<event::PipelineFact> facts, const Place& place,
                                    const std::string& run) {
  const auto untimed = [](std::vector<event::CheckRun>& runs) {
    for (event::CheckRun& one : runs) one.duration_ms = 0;
  };
  std::map<std::string, int> commits;
  std::vector<std::string> lines;
  for (event::PipelineFact& fact : facts) {
    if (auto* f = std::get_if<event::RunStarted>(&fact)) f->definition = {};
    if (auto* f = std::get_if<event::PhaseFinished>(&fact)) f->log.clear(), f->duration_ms = 0;
    if (auto* f = std::get_if<event::BaselineChecked>(&fact)) untimed(f->runs);
    if (auto* f = std::get_if<event::PhaseChecked>(&fact)) untimed(f->runs);
    if (auto* f = std::get_if<event::MergeDone>(&fact)) untimed(f->runs);
    const std::string body =
        replace_all(replace_all(body_of(fact), place.folder, "PLACE"), run, "RUN");
    lines.push_back(std::string(kind_of(fact)) + " " + without_commits(body, commits));
  }
  return lines;
}

std::string run_of(const Place& place) {
  std::string id = read_file(place.folder + "/.capsule/logs/retried-1/run-id");
  while (id.ends_with('\n')) id.pop_back();
  EXPECT_FALSE(id.empty());
  return id;
}

TEST_F(CrashPointsOfAFile, AreThoseOfTheBuiltInOneAndItsFactsAre) {
  const Place place = new_place("mine");
  EXPECT_EQ(uncrashed(place), points_);
  EXPECT_EQ(final_state(place, kRetried), expected_);
  const std::vector<event::PipelineFact> mine = facts(place, kRetried);
  ASSERT_FALSE(mine.empty());
  const auto* started = std::get_if<event::RunStarted>(mine.data());
  ASSERT_NE(started, nullptr);
  EXPECT_EQ(started->definition.name, "mine");
  EXPECT_EQ(comparable(mine, place, run_of(place)),
            comparable(facts(uncrashed_, kRetried), uncrashed_, run_of(uncrashed_)));
}

TEST_F(CrashPointsOfAFile, EndLikeThoseOfTheBuiltInOne) {
  const std::size_t step = full_tests() ? 4 : points_.size() / 2 + 1;
  const std::size_t first = rotation() % step;
  std::printf("points %zu, every %zu. from point %zu on (CAPSULE_TEST_SEED=%u)\n", points_.size(),
              step, first + 1, rotation());
  for (std::size_t k = 1 + first; k <= points_.size(); k += step) crash_at(k, 1);
  EXPECT_GT(crashes_, 0U);
}

}  // namespace
}  // namespace capsule::test
