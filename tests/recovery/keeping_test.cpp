// What people do with a run that goes on or is over: pause, abort, snapshots, restore, gc, ledger;
// and that nothing a finished phase has done can be destroyed.
#include <signal.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/recovery/project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class Keeping : public RecoveryTest {
 protected:
  void SetUp() override {
    RecoveryTest::SetUp();
    place_ = make_place("project");
  }
  std::vector<std::string> snapshots(const std::string& bead) const {
    std::vector<std::string> names;
    const json rows =
        json::parse(capsule_in(place_, {"snapshots", bead, "--json"}).out, nullptr, false);
    EXPECT_TRUE(rows.is_array());
    for (const json& row : rows) {
      const std::string name = row.value("name", "");
      names.push_back(name.substr(name.find('/') + 1));
    }
    return names;
  }
  Place place_;
};

TEST_F(Keeping, PauseEndsAtTheNextPhaseBorderAndResumeGoesOnThere) {
  hold("execute");
  Running run(calling(place_, {"run", kPlain}));
  ASSERT_TRUE(waiting()) << run.err_so_far();
  const Outcome asked = capsule_in(place_, {"pause", kPlain});
  EXPECT_EQ(asked.exit_code, 0) << asked.err;
  EXPECT_HAS(asked.out, "--resume");
  release();
  const Outcome paused = run.wait();
  EXPECT_EQ(paused.exit_code, 1) << paused.out << paused.err;
  EXPECT_HAS(paused.out, "paused");
  EXPECT_EQ(snapshots(kPlain).back(), "3-execute") << "the phase was finished and kept";
  before("execute", "exit 9");  // it is not asked again
  EXPECT_EQ(capsule_in(place_, {"run", kPlain, "--resume"}).exit_code, 0);
}

TEST_F(Keeping, PauseAndAbortNeedARunThatGoesOn) {
  for (const char* command : {"pause", "abort"}) {
    const Outcome outcome = capsule_in(place_, {command, kPlain});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_HAS(outcome.err, "no run of plain-1 is in progress");
  }
  EXPECT_EQ(capsule_in(place_, {"run", kPlain}).exit_code, 0) << "what was asked of nobody is void";
}

TEST_F(Keeping, AbortKillsTheAgentSnapshotsAndKeepsEverything) {
  before("execute",
         "echo half >half.txt; echo $$ >\"$notes/agent\"; : >\"$notes/waiting\"; "
         "trap '' TERM; while :; do sleep 0.1; done");
  Running run(calling(place_, {"run", kPlain}));
  ASSERT_TRUE(waiting()) << run.err_so_far();
  const std::string agent = lines_in(read_file(note("agent"))).at(0);
  const Outcome asked = capsule_in(place_, {"abort", kPlain});
  EXPECT_EQ(asked.exit_code, 0) << asked.err;
  EXPECT_FALSE(fs::exists("/proc/" + agent)) << "when abort returns, the agent is gone";
  const Outcome aborted = run.wait();
  EXPECT_EQ(aborted.exit_code, 2) << aborted.out << aborted.err;
  EXPECT_HAS(aborted.out, "aborted");
  EXPECT_EQ(read_file(place_.worktree(kPlain) + "/half.txt"), "half\n");
  EXPECT_EQ(snapshots(kPlain).back(), "3-execute-unfinished");
  const Outcome restored =
      capsule_in(place_, {"restore", kPlain, "3-execute-unfinished", "--to=" + path("half")});
  EXPECT_EQ(restored.exit_code, 0) << restored.err;
  EXPECT_EQ(read_file(path("half/half.txt")), "half\n");
  before("execute", "rm half.txt");
  const Outcome resumed = capsule_in(place_, {"run", kPlain, "--resume"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.out << resumed.err;
}

TEST_F(Keeping, SnapshotsAreListedInOrderAndRestoredByTheEndOfTheirName) {
  ASSERT_EQ(capsule_in(place_, {"run", kRetried}).exit_code, 0);
  EXPECT_EQ(
      snapshots(kRetried),
      (std::vector<std::string>{"1-test-writer", "2-test-review", "3-test-writer", "4-test-review",
                                "5-execute", "6-execute-review", "7-sign-off", "8-merge"}));
  const Outcome outcome = capsule_in(place_, {"restore", kRetried, "1-test-writer"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string folder = lines_in(outcome.out).at(0);
  EXPECT_EQ(read_file(folder + "/tests/retried-1_test.sh"),
            "grep -q done retried-1.txt # attempt 1\n");
  EXPECT_FALSE(fs::exists(folder + "/retried-1.txt")) << "that came later";
  const Outcome twice = capsule_in(place_, {"restore", kRetried, "1-test-writer"});
  EXPECT_EQ(twice.exit_code, 1);
  EXPECT_HAS(twice.err, "already exists");
  const Outcome unknown = capsule_in(place_, {"restore", kRetried, "9-execute"});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_HAS(unknown.err, "capsule snapshots retried-1");
}

TEST_F(Keeping, ABeadWithoutRunsHasNoSnapshots) {
  const Outcome outcome = capsule_in(place_, {"snapshots", kPlain});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_HAS(outcome.out, "There are no snapshots of plain-1.");
}

TEST_F(Keeping, GcSaysWhatItRemovesAndLeavesWhatARunStillNeeds) {
  ASSERT_EQ(capsule_in(place_, {"run", kPlain}).exit_code, 0);
  before("execute", "say ERROR 'broken'; exit 0");
  ASSERT_EQ(capsule_in(place_, {"run", "plain-2"}).exit_code, 2);
  EXPECT_HAS(capsule_in(place_, {"gc"}).out, "0 snapshots removed");
  const Outcome would = capsule_in(place_, {"gc", "--older-than=0s", "--dry-run"});
  EXPECT_EQ(would.exit_code, 0) << would.err;
  EXPECT_HAS(would.out, "6 snapshots would be removed");
  EXPECT_EQ(snapshots(kPlain).size(), 6U);
  const Outcome done = capsule_in(place_, {"gc", "--older-than=0s"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_HAS(done.out, "1-test-writer");
  EXPECT_HAS(done.out, "6 snapshots removed");
  EXPECT_TRUE(snapshots(kPlain).empty());
  EXPECT_EQ(snapshots("plain-2").size(), 3U) << "that run can go on";
  before("execute", "");
  EXPECT_EQ(capsule_in(place_, {"run", "plain-2", "--resume"}).exit_code, 0);
  EXPECT_EQ(capsule_in(place_, {"gc", "--older-than=soon"}).exit_code, 2);
}

TEST_F(Keeping, TheLedgerCountsTrueAndFalseClaims) {
  EXPECT_HAS(capsule_in(place_, {"ledger"}).out, "No claim has been checked yet.");
  before("execute", "if [ $attempt = 1 ]; then say PASS 'all green' '\"ghost.txt\"'; exit 0; fi");
  const Outcome lied = capsule_in(place_, {"run", kPlain});
  ASSERT_EQ(lied.exit_code, 0) << lied.out << lied.err;
  const Outcome ledger = capsule_in(place_, {"ledger", "--json"});
  const json rows = json::parse(ledger.out, nullptr, false);
  ASSERT_TRUE(rows.is_array()) << ledger.out << ledger.err;
  bool found = false;
  for (const json& row : rows)
    if (row["role"] == "execute" && row["claim"] == "tests pass (GREEN)") {
      found = true;
      EXPECT_EQ(row["model"], "script (default)");
      EXPECT_EQ(row["false"], 1);
      EXPECT_EQ(row["true"], 1);
    }
  EXPECT_TRUE(found) << ledger.out;
  EXPECT_HAS(capsule_in(place_, {"ledger", "--by=provider"}).out, "script");
  EXPECT_HAS(capsule_in(place_, {"ledger", "--by=model"}).out, "(default)");
  EXPECT_EQ(capsule_in(place_, {"ledger", "--by=mood"}).exit_code, 2);
}

class Destructive : public Keeping, public ::testing::WithParamInterface<const char*> {};

// The reviewer wrecks the worktree. What execute had done is in its snapshot, and going on needs no
// more than putting it back.
TEST_P(Destructive, AnAgentCannotDestroyAFinishedPhase) {
  before("execute-review", std::string(GetParam()) + "\nsay ERROR 'oh dear'; exit 0");
  const Outcome outcome = capsule_in(place_, {"run", kPlain});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
  const Outcome restored =
      capsule_in(place_, {"restore", kPlain, "3-execute", "--to=" + path("back")});
  ASSERT_EQ(restored.exit_code, 0) << restored.err;
  EXPECT_EQ(read_file(path("back/plain-1.txt")), "done\n");
  EXPECT_EQ(read_file(path("back/tests/plain-1_test.sh")),
            "grep -q done plain-1.txt # attempt 1\n");
  EXPECT_FALSE(read_file(path("back/worklog.md")).empty());
  before("execute-review", "");
  const Outcome clean = capsule_in(place_, {"run", kPlain, "--clean"});
  EXPECT_EQ(clean.exit_code, 0) << clean.out << clean.err;
}
INSTANTIATE_TEST_SUITE_P(Wrecks, Destructive,
                         ::testing::Values("git reset -q --hard", "git clean -qfdx",
                                           "git reset -q --hard; git clean -qfdx",
                                           "rm -rf ./* ./.[!.]* ", "rm -rf \"$PWD\""));

// The writer puts something else where its worktree was; what is behind a link belongs to others.
class Replaced : public Keeping, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    Keeping::SetUp();
    write_file(path("others/worklog.md"), "theirs\n");
    // Not before its log is there: an agent that is faster stops the run for that reason.
    before("execute",
           "until ls .capsule/output/execute-*.stderr >/dev/null 2>&1; do sleep 0.01; done; cd /; "
           "rm -rf \"$CAPSULE_WORKTREE\"; " +
               std::string(GetParam()) + " '" + path("others") +
               "' \"$CAPSULE_WORKTREE\"; say PASS done; exit 0");
    const Outcome outcome = capsule_in(place_, {"run", kPlain});
    EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
    EXPECT_HAS(outcome.out, "is gone: something else is in its place");
    EXPECT_HAS(outcome.out, "capsule run plain-1 --resume");
    before("execute", "");
  }
  void expect_nothing_written() const {
    EXPECT_EQ(read_file(path("others/worklog.md")), "theirs\n");
    EXPECT_EQ(std::distance(fs::directory_iterator(path("others")), {}), 1);
  }
};

TEST_P(Replaced, AWorktreeComesBackFromItsLastSnapshotOnResume) {
  expect_nothing_written();
  const Outcome resumed = capsule_in(place_, {"run", kPlain, "--resume"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.out << resumed.err;
  EXPECT_EQ(git(place_, {"show", "main:plain-1.txt"}), "done\n");
  expect_nothing_written();
}

TEST_P(Replaced, CleanRemovesWhatIsInThePlaceAndNotWhatItLeadsTo) {
  const Outcome clean = capsule_in(place_, {"run", kPlain, "--clean"});
  EXPECT_EQ(clean.exit_code, 0) << clean.out << clean.err;
  expect_nothing_written();
}
INSTANTIATE_TEST_SUITE_P(Things, Replaced, ::testing::Values("ln -s", "echo >$CAPSULE_WORKTREE"));

TEST_F(Keeping, CleanKeepsASnapshotOfWhatItRemoves) {
  before("execute", "echo half >half.txt; say ERROR 'broken'; exit 0");
  ASSERT_EQ(capsule_in(place_, {"run", kPlain}).exit_code, 2);
  write_file(place_.worktree(kPlain) + "/by-hand.txt", "a person's\n");
  before("execute", "");
  ASSERT_EQ(capsule_in(place_, {"run", kPlain, "--clean"}).exit_code, 0);
  const std::string refs =
      git(place_, {"for-each-ref", "--format=%(refname)", "refs/capsule/rescue"});
  ASSERT_EQ(lines_in(refs).size(), 1U) << refs;
  EXPECT_EQ(git(place_, {"show", lines_in(refs)[0] + ":by-hand.txt"}), "a person's\n");
}

}  // namespace
}  // namespace capsule::test
