// Deliveries that are cut off: killed at any of their events, or stopped by a person, they go on
// when they are started again, and end as if nothing had happened.
#include <signal.h>

#include <cstdlib>
#include <filesystem>

#include "tests/program/deliver_project.h"

namespace capsule::test {
namespace {

// One that is blocked while another is at work, one that waits for it and fails its review, one
// that fails its audit, and one that waits for both. The matrix takes the time of a delivery for
// each of its events: a task more shows nothing new there.
const std::vector<std::string> kTasks{"T-1", "T-2", "T-3", "T-4"};

// Agents answer by attempt alone, so one that is repeated answers the same.
class DeliveryCrashTest : public DeliveryTest {
 protected:
  void SetUp() override {
    DeliveryTest::SetUp();
    configure("verify: {test: \"! test -e broken\"}");
    write_tasks();
    on("critic", "T-2", 1,
       "[ \"$CAPSULE_ATTEMPT\" -gt 1 ] && { good; exit; }; printf 'REVIEW_FAILED: T-2\\n\\nIssues "
       "Found:\\n- x\\n'");
    on("auditor", "T-3", 1,
       "[ \"$CAPSULE_ATTEMPT\" -gt 1 ] && { good; exit; }; printf 'AUDIT_FAILED: T-3\\n\\nFailed "
       "Criteria:\\n- x\\n'");
    on("developer", "T-1", 1,
       "[ \"$CAPSULE_ATTEMPT\" -gt 1 ] && { good; exit; }; printf 'INFRA_BLOCKED: "
       "T-1\\n\\nIssue: x\\n'");
  }
  void write_tasks() const { write_plan({{"T-1"}, {"T-2", "T-1"}, {"T-3"}, {"T-4", "T-2, T-3"}}); }
};

bool full() {
  const char* value = std::getenv("CAPSULE_TEST_FULL");
  return value != nullptr && std::string_view(value) == "1";
}

// Every process that carries it on is killed after a few more events than it takes to begin, each
// time at another one, until one of them comes to the end.
TEST_F(DeliveryCrashTest, KilledAgainAndAgainItStillEndsTheSame) {
  const char* given = std::getenv("CAPSULE_TEST_SEED");
  unsigned seed = given != nullptr ? static_cast<unsigned>(std::atoi(given)) : 7;
  RecordProperty("seed", static_cast<int>(seed));
  Delivered done;
  int killed = 0;
  for (; killed < 60; ++killed) {
    seed = seed * 1103515245U + 12345U;
    env()["CAPSULE_TEST_CRASH_AT"] =
        std::to_string(14 + killed / 4 + static_cast<int>(seed >> 16) % 9);
    done = deliver();
    if (done.exit_code != 128 + SIGKILL) break;
  }
  EXPECT_GE(killed, 4);
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.list("completed"), kTasks);
  expect_delivered(kTasks);
}

constexpr int kParts = 12;  // so that they run side by side

class DeliveryCrashMatrix : public DeliveryCrashTest, public ::testing::WithParamInterface<int> {};

// One delivery for each event, killed there. The points of one run are counted first.
TEST_P(DeliveryCrashMatrix, KilledAtAnyEventItGoesOnAndEndsTheSame) {
  env()["CAPSULE_TEST_POINTS"] = path("points");
  ASSERT_EQ(deliver().exit_code, 0);
  expect_delivered(kTasks);
  const int all = points();
  ASSERT_GT(all, 60);
  // All events when all are asked for, else every fifth, and the last: then only the clearing up is
  // left.
  const char* given = std::getenv("CAPSULE_TEST_SEED");
  const int first = 1 + (given != nullptr ? std::atoi(given) : 2) % 5;
  std::printf("events %d, every fifth from the %d. (CAPSULE_TEST_SEED)\n", all, first);
  int killed = 0;
  for (int at = 1; at <= all; ++at) {
    if (at / 5 % kParts != GetParam()) continue;
    if (!full() && at != all && at % 5 != first % 5) continue;
    SCOPED_TRACE("killed at point " + std::to_string(at) + " of " + std::to_string(all));
    // The same work once more, as another plan.
    git({"rm", "-q", "--ignore-unmatch", "T-1.txt", "T-2.txt", "T-3.txt", "T-4.txt"});
    git({"commit", "-q", "-m", "Begin again"});
    use_plan("PLAN-" + std::to_string(at) + ".md");
    write_tasks();
    const std::string base = git_out({"rev-parse", "main"});
    Delivered done = deliver_killed_at(at);
    if (done.exit_code == 128 + SIGKILL) {
      ++killed;
      done = deliver();
    } else {
      // Agents that answer in another order may make for fewer events than there were before.
      EXPECT_LT(points(), at) << "it came to its point and was not killed";
    }
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_EQ(done.list("completed"), kTasks);
    const std::string log =
        git_out({"log", "--first-parent", "--topo-order", "--format=%s", base + "..main"});
    for (const std::string& task : kTasks) {
      const std::string merge = "Merge " + task + ": ";
      EXPECT_NE(log.find(merge), log.npos) << log;
      EXPECT_EQ(log.find(merge), log.rfind(merge)) << "merged twice: " << log;
      EXPECT_EQ(main_file(task + ".txt"), task + "\n");
    }
    EXPECT_EQ(git_out({"branch", "--list", "capsule-*"}), "");
    if (HasFailure()) break;
  }
  EXPECT_GT(killed, 0) << "nothing was killed";
}

INSTANTIATE_TEST_SUITE_P(Part, DeliveryCrashMatrix, ::testing::Range(0, kParts));

TEST_F(DeliveryCrashTest, HalfDoneWorkOfADeveloperIsKeptAndContinued) {
  write_plan({{"T-1"}});
  on("developer", "T-1", 1, std::string("echo half >half.txt; ") + kStay);
  on("developer", "T-1", 2, "test -f half.txt && good");
  cut_off(SIGKILL, {"--json"});
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(main_file("half.txt"), "half\n");
}

TEST_F(DeliveryCrashTest, CtrlCEndsCleanlyAndKeepsEverything) {
  write_plan({{"T-1"}, {"T-2"}});
  on("developer", "T-1", 1, std::string("echo half >half.txt; ") + kStay);
  on("developer", "T-1", 2, "test -f half.txt && good");
  const Outcome stopped = cut_off(SIGINT);
  EXPECT_EQ(stopped.exit_code, 128 + SIGINT);
  EXPECT_HAS(stopped.out, "Go on with: capsule deliver");
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(main_file("half.txt"), "half\n");
}

TEST_F(DeliveryCrashTest, TwoCoordinatorsDoNotShareAPlan) {
  write_plan({{"T-1"}});
  on("developer", "T-1", 1,
     "echo here >\"$M/here\"; while [ ! -e \"$M/go\" ]; do sleep 0.05; done; good");
  Running running(calling({"deliver", plan_file()}));
  ASSERT_TRUE(eventually([&] { return read_file(path("mock/here")) == "here\n"; }));
  const Outcome second = capsule_in({"deliver", plan_file()});
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_HAS(second.err, std::to_string(running.pid()));
  const Outcome status = capsule_in({"status", plan_file()});
  EXPECT_EQ(status.exit_code, 0);
  EXPECT_HAS(status.out, "running");
  EXPECT_HAS(status.out, "developer (attempt 1)");
  write_file(path("mock/go"), "");
  EXPECT_EQ(running.wait().exit_code, 0);
}

}  // namespace
}  // namespace capsule::test
