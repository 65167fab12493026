// Deliveries and auto mode inside walls, killed at points between two effects: they go on, merge
// once, and leave no process, mount, home or private repository behind.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "tests/program/deliver_project.h"
#include "tests/program/demo_project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

// Nothing in the project, and nothing in the folder for what is temporary.
void expect_nothing_left(const std::string& project, const std::string& spare) {
  EXPECT_TRUE(nothing_left_of_walls(project));
  EXPECT_TRUE(fs::is_empty(spare));
}

int count_lines(const std::string& text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

int step_of(int points, int rounds) {
  return std::getenv("CAPSULE_TEST_FULL") != nullptr ? 1 : points / rounds;
}

class KilledDeliveryInsideWalls : public DeliveryTest {
 protected:
  void SetUp() override {
    DeliveryTest::SetUp();
    inside_walls({"mock"});
    fs::create_directories(path("spare"));
    env()["TMPDIR"] = path("spare");
    configure("verify: {test: \"! test -e broken\"}");
  }
};

TEST_F(KilledDeliveryInsideWalls, GoesOnAndLeavesNothingBehind) {
  write_plan({{"T-0"}});
  env()["CAPSULE_TEST_POINTS"] = path("points");
  ASSERT_EQ(deliver().exit_code, 0);
  env().erase("CAPSULE_TEST_POINTS");
  expect_nothing_left(project(), path("spare"));
  const int all = points();
  ASSERT_GT(all, 15);
  int killed = 0;
  for (int at = 1 + step_of(all, 6) / 2; at <= all; at += step_of(all, 6)) {
    SCOPED_TRACE("killed at point " + std::to_string(at) + " of " + std::to_string(all));
    // The same work once more, as another plan.
    const std::string task = "T-" + std::to_string(at);
    use_plan("PLAN-" + std::to_string(at) + ".md");
    write_plan({{task}});
    Delivered done = deliver_killed_at(at);
    if (done.exit_code == 128 + SIGKILL) {
      ++killed;
      done = deliver();
    } else {
      // What comes at the same moment is one event less than before.
      EXPECT_LT(points(), at) << "it was not killed at its point";
    }
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_EQ(main_file(task + ".txt"), task + "\n");
    EXPECT_EQ(count_lines(git({"log", "--format=%H", "main", "--", task + ".txt"}).out), 1);
    expect_nothing_left(project(), path("spare"));
  }
  EXPECT_GT(killed, 3);
}

class KilledAutoInsideWalls : public DemoProject {
 protected:
  Call auto_call(const std::string& folder) const {
    Call call = in_project({"auto", "run", "Say hello"});
    call.cwd = folder;
    call.env["TMPDIR"] = path("spare");
    return call;
  }
};

TEST_F(KilledAutoInsideWalls, GoesOnAndLeavesNothingBehind) {
  make_project();
  auto_agent();
  inside_walls({});
  fs::create_directories(path("spare"));
  Call whole = auto_call(project());
  whole.env["CAPSULE_TEST_POINTS"] = path("points");
  const Outcome uncut = run(whole);
  ASSERT_EQ(uncut.exit_code, 0) << uncut.out << uncut.err;
  EXPECT_NE(uncut.out.find("walls: worktree (namespaces"), std::string::npos) << uncut.out;
  const int points = count_lines(read_file(path("points")));
  ASSERT_GT(points, 30);
  for (int at = 3; at < points - 1; at += step_of(points, 5)) {
    SCOPED_TRACE("killed at point " + std::to_string(at) + " of " + std::to_string(points));
    const std::string folder = path("p" + std::to_string(at));
    ASSERT_EQ(in({"setup-template", folder}).exit_code, 0);
    Call cut = auto_call(folder);
    cut.env["CAPSULE_TEST_CRASH_AT"] = std::to_string(at);
    ASSERT_EQ(run(cut).exit_code, 128 + SIGKILL);
    const Outcome again = run(auto_call(folder));
    EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
    EXPECT_EQ(git({"-C", folder, "log", "--merges", "--format=%s", "main"}).out,
              "Merge auto: Say hello\n");
    expect_nothing_left(folder, path("spare"));
    EXPECT_TRUE(fs::is_empty(folder + "/.capsule/worktrees"));
  }
}

}  // namespace
}  // namespace capsule::test
