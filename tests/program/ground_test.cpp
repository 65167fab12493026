// The ground under the agents' feet in deliveries and in auto mode: main that was moved while an
// agent ran stops merging until a person has looked; agents that commit are served.
#include <filesystem>

#include "tests/program/deliver_project.h"
#include "tests/program/demo_project.h"

namespace capsule::test {
namespace {

class GroundInADelivery : public DeliveryTest {
 protected:
  std::string commits_to_main() const {
    return "(cd '" + project() +
           "' && echo theirs >theirs.txt && git add theirs.txt && git commit -q -m Theirs)\n";
  }
  std::string subjects() const { return git({"log", "--first-parent", "--format=%s", "main"}).out; }
};

TEST_F(GroundInADelivery, AMovedMainStopsTheQueueUntilAPersonHasLooked) {
  write_plan({{"T-1"}, {"T-2"}});
  on("developer", "T-1", 1, commits_to_main() + "good");
  const Delivered stopped = deliver();
  EXPECT_EQ(stopped.exit_code, 1) << stopped.err;
  ASSERT_EQ(stopped.of("question_asked").size(), 1U);
  EXPECT_EQ(stopped.of("question_asked").front()["kind"], "main_moved");
  ASSERT_FALSE(stopped.of("plan_ground_moved").empty());
  EXPECT_TRUE(stopped.of("task_merge_done").empty());
  EXPECT_EQ(subjects(), "Theirs\nStart\n");
  EXPECT_EQ(calls("auditor", "T-2"), 1) << "everything but merging goes on";
  EXPECT_HAS(capsule_in({"status", plan_file()}).out, "refs/heads/main moved from ");
  EXPECT_EQ(capsule_in({"answer", plan_file(), "1", "keep"}).exit_code, 0);
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  expect_delivered({"T-1", "T-2"});
  EXPECT_HAS(subjects(), "Theirs\nStart\n");
}

TEST_F(GroundInADelivery, AnAgentThatRemovesItsGitFileReachesNothingOfTheUsers) {
  write_plan({{"T-1"}});
  write_file(project() + "/README.md", "uncommitted work\n");
  on("developer", "T-1", 1,
     "rm .git; git reset --hard 2>/dev/null; git checkout -b x 2>/dev/null; "
     "git commit -am y 2>/dev/null; good");
  on("critic", "T-1", 1, "git symbolic-ref HEAD >\"$M/head\"; good");
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(read_file(project() + "/README.md"), "uncommitted work\n");
  EXPECT_EQ(git_out({"for-each-ref", "refs/heads/x"}), "");
  EXPECT_HAS(read_file(path("mock/head")), "refs/heads/capsule-");
  ASSERT_EQ(done.of("plan_ground_moved").size(), 1U);
  git({"checkout", "-q", "--", "README.md"});
  expect_delivered({"T-1"});
}

// After it one task was "merged as" another's merge, and the checkout held a staged deletion.
TEST_F(GroundInADelivery, AnUpdatedMainIsNobodysMerge) {
  write_plan({{"T-1"}, {"T-2", "T-1"}});
  on("developer", "T-2", 1,
     "good >\"$M/said\"; git add .; git commit -q -m Mine; "
     "git update-ref refs/heads/main HEAD; cat \"$M/said\"");
  const Delivered stopped = deliver();
  EXPECT_EQ(stopped.exit_code, 1) << stopped.err;
  EXPECT_EQ(stopped.of("task_merge_done").size(), 1U);
  const std::string merge = stopped.of("task_merge_done").front()["commit"];
  git({"update-ref", "refs/heads/main", merge});
  EXPECT_EQ(git({"status", "--porcelain"}).out, "");
  EXPECT_EQ(capsule_in({"answer", plan_file(), "1", "keep"}).exit_code, 0);
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  expect_delivered({"T-1", "T-2"});
  EXPECT_EQ(subjects(), "Merge T-2: Write T-2.txt\nMerge T-1: Write T-1.txt\nStart\n");
}

TEST_F(GroundInADelivery, DevelopersThatCommitThemselvesReachMainWithoutLoss) {
  write_plan({{"T-1"}});
  on("developer", "T-1", 1,
     "echo T-1 >T-1.txt; echo a >a.txt; git add .; git commit -q -m 'aider: one'; "
     "git checkout -q -b feature; echo b >>a.txt; git commit -q -am 'aider: two'; ready");
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(main_file("a.txt"), "a\nb\n");
  expect_delivered({"T-1"});
}

class GroundInAnAutoRun : public DemoProject {
 protected:
  void agent_that(const std::string& in_execution) {
    auto_agent("[ \"$CAPSULE_PHASE\" != execution ] || {\n" + in_execution + "\n}\n");
  }
  Outcome run_it() {
    return in({"auto", "run", "Say hello", "--skip-expansion", "--skip-reflect"});
  }
};

TEST_F(GroundInAnAutoRun, AMovedMainRefusesTheMergeUntilAPersonHasLooked) {
  make_project();
  agent_that("git -C '" + project() + "' commit -q --allow-empty -m Theirs");
  const Outcome refused = run_it();
  EXPECT_EQ(refused.exit_code, 1) << refused.out << refused.err;
  EXPECT_NE(refused.out.find("was moved to "), std::string::npos) << refused.out;
  EXPECT_NE(refused.out.find("git reset --keep "), std::string::npos) << refused.out;
  EXPECT_FALSE(has("greeting.txt"));
  EXPECT_NE(in({"status", "auto"}).out.find("refs/heads/main moved from "), std::string::npos);
  const Outcome merged = in({"auto", "continue"});
  EXPECT_EQ(merged.exit_code, 0) << merged.out << merged.err;
  EXPECT_TRUE(has("greeting.txt"));
}

TEST_F(GroundInAnAutoRun, AgentsThatCommitThemselvesReachMainWithoutLoss) {
  make_project();
  agent_that(
      "echo a >a.txt; git add .; git commit -q -m one; git checkout -q -b feature; "
      "echo b >>a.txt; git commit -q -am two");
  const Outcome outcome = run_it();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(git({"show", "main:a.txt"}).out, "a\nb\n");
  EXPECT_EQ(git({"status", "--porcelain"}).out, "");
}

}  // namespace
}  // namespace capsule::test
