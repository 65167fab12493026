// A pipeline inside walls, killed at points between two effects: it goes on, ends as if nothing had
// happened, and leaves no process, mount, home or private repository behind.
#include <signal.h>

#include <filesystem>

#include "tests/recovery/project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

class WallsCrash : public RecoveryTest {
 protected:
  void SetUp() override {
    RecoveryTest::SetUp();
    inside_walls_with_notes();
    fs::create_directories(path("spare"));
    env()["TMPDIR"] = path("spare");
  }
  // Nothing in the project, and nothing in the folder for what is temporary.
  void expect_nothing_left(const Place& place) const {
    EXPECT_TRUE(nothing_left_of_walls(place.folder));
    EXPECT_TRUE(fs::is_empty(path("spare")));
  }
};

TEST_F(WallsCrash, AKilledPipelineGoesOnAndLeavesNothingBehind) {
  const Place whole = make_place("uncrashed");
  Call call = calling(whole, {"run", kRetried});
  call.env["CAPSULE_TEST_POINTS"] = note("points");
  const Outcome outcome = run(call);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "walls: worktree (namespaces");
  expect_nothing_left(whole);
  const std::vector<std::string> points = lines_in(read_file(note("points")));
  const std::string expected = final_state(whole, kRetried);
  const std::size_t step = full_tests() ? 4 : 13;
  std::vector<std::size_t> crashes{points.size()};  // all is recorded, and its folders are there
  for (std::size_t k = 1 + rotation() % step; k < points.size(); k += step) crashes.push_back(k);
  for (const std::size_t k : crashes) {
    SCOPED_TRACE("killed at " + std::to_string(k) + ": " + points[k - 1]);
    const Place place = make_place("crash-" + std::to_string(k));
    Call cut = calling(place, {"run", kRetried});
    cut.env["CAPSULE_TEST_CRASH_AT"] = std::to_string(k);
    const Outcome killed = run(cut);
    ASSERT_EQ(killed.exit_code, 128 + SIGKILL) << killed.out << killed.err;
    const Outcome again = capsule_in(place, {"run", kRetried});
    EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
    EXPECT_EQ(final_state(place, kRetried), expected);
    expect_nothing_left(place);
  }
  EXPECT_GT(crashes.size(), 3U);
}

}  // namespace
}  // namespace capsule::test
