// capsule run where there is a run already, or nothing to run: done, refused, resumed, started
// over. Every test runs through the binary and through the scripts.
#include <filesystem>

#include "tests/program/project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

const std::string kAllPhases = "test-writer test-review execute execute-review sign-off merge";

class RunAgain : public ProjectTest, public ::testing::WithParamInterface<Way> {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(GetParam());
  }
};

INSTANTIATE_TEST_SUITE_P(Ways, RunAgain, ::testing::Values(Way::binary, Way::scripts),
                         [](const auto& way) {
                           return way.param == Way::binary ? "Binary" : "Scripts";
                         });

TEST_P(RunAgain, ADoneBeadIsNotDoneAgain) {
  ASSERT_EQ(run_bead().exit_code, 0);
  if (GetParam() == Way::scripts)
    set_beads({{kBead, "Make it work", "task", "closed"}});  // as bd would say now
  const std::string merged = main_head();
  const Outcome again = run_bead();
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_HAS(again.out, "already merged as " + merged);
  EXPECT_EQ(phases().size(), 6U);
  if (GetParam() != Way::binary) return;
  for (const char* name : {"run", "merge"}) {
    const Outcome told = command(name, {kBead, "--json"});
    EXPECT_EQ(told.exit_code, 0);
    const std::size_t line = told.out.find('\n') + 1;
    const Json first = Json::parse(told.out.substr(0, line), nullptr, false);
    ASSERT_TRUE(first.is_object()) << told.out;
    EXPECT_EQ(first["event"], "already_merged");
    EXPECT_EQ(first["bead"], kBead);
    EXPECT_EQ(first["commit"], merged);
    const Json last = Json::parse(told.out.substr(line), nullptr, false);
    ASSERT_TRUE(last.is_object()) << told.out;
    EXPECT_EQ(last["event"], "run_finished");
    EXPECT_EQ(last["workflow"], "pipeline");
    EXPECT_EQ(last["name"], kBead);
    EXPECT_EQ(last["outcome"], "merged");
    EXPECT_EQ(last["exit_code"], 0);
    EXPECT_EQ(last["standing"], "succeeded");
    EXPECT_EQ(last["merged_as"], merged);
    for (const char* key : {"run", "at"}) EXPECT_EQ(first[key], last[key]) << key;
  }
}

TEST_P(RunAgain, ABeadThatCouldNotBeClosedIsClosedTheNextTime) {
  if (GetParam() != Way::binary) return;
  // The tracker is gone at the very end.
  on("merge", "mv '" + project() + "/.beads' '" + path("away") + "'; work; pass");
  const Outcome first = run_bead();
  EXPECT_EQ(first.exit_code, 2) << first.out << first.err;
  EXPECT_HAS(first.out + first.err, "capsule run demo-1.1.1");
  const std::string merged = main_head();
  EXPECT_EQ(read_file(project() + "/feature.txt"), "done\n");
  fs::rename(path("away"), project() + "/.beads");
  EXPECT_FALSE(is_closed());
  const Outcome second = run_bead();
  EXPECT_EQ(second.exit_code, 0) << second.out << second.err;
  EXPECT_TRUE(is_closed());
  EXPECT_EQ(main_head(), merged);
  EXPECT_EQ(phases().size(), 6U) << "what is on main is not done again";
  EXPECT_HAS(run_bead().out, "already merged as " + merged);
}

TEST_P(RunAgain, AMergedBeadThatIsOpenAgainIsNewWork) {
  ASSERT_EQ(run_bead().exit_code, 0);
  const std::string merged = main_head();
  if (GetParam() == Way::binary) {
    const Outcome opened = command("bead", {"reopen", kBead, "--reason=not quite"});
    ASSERT_EQ(opened.exit_code, 0) << opened.err;
  }
  on("test-writer", 2,
     "echo 'grep -q better feature.txt' >tests/feature_test.sh; say PASS fine "
     "'\"tests/feature_test.sh\"'");
  on("execute", 2, "echo done, and better >feature.txt; say PASS fine '\"feature.txt\"'");
  const Outcome again = run_bead();
  ASSERT_EQ(again.exit_code, 0) << again.out << again.err;
  EXPECT_LACKS(again.out, "already merged");
  EXPECT_EQ(phases().size(), 12U);
  EXPECT_EQ(read_file(project() + "/feature.txt"), "done, and better\n");
  EXPECT_EQ(git_out({"rev-parse", "main^1"}), merged);
  EXPECT_TRUE(is_closed());
  if (GetParam() != Way::binary) return;
  EXPECT_HAS(run_bead().out, "already merged as " + main_head());
}

TEST_P(RunAgain, AMergeThatCameTooEarlyDoesNotKeepTheRunFromGoingOn) {
  ASSERT_EQ(command("prep", {kBead}).exit_code, 0);
  const Outcome early = command("merge", {kBead});
  EXPECT_EQ(early.exit_code, 1) << early.out << early.err;
  if (GetParam() == Way::binary) {
    EXPECT_HAS(early.out, "capsule run demo-1.1.1 --resume");
  }
  const Outcome outcome = run_bead({"--resume"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(phases().size(), 6U);
}

TEST_P(RunAgain, InsideItsWorktreeCommandsFindTheProject) {
  on("execute", "say ERROR no");
  ASSERT_EQ(run_bead().exit_code, 2);
  on("execute", "work; say PASS green");
  Call call = calling("run", {kBead, "--resume"});
  call.cwd = worktree();
  const Outcome outcome = run(call);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_FALSE(fs::exists(worktree()));
}

TEST_P(RunAgain, ResumeAndCleanExcludeEachOther) {
  const Outcome outcome = run_bead({"--resume", "--clean"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_HAS(outcome.err, "give one of them");
}

TEST_P(RunAgain, ABeadClosedByOthersIsRefused) {
  set_beads({{kBead, "Make it work", "task", "closed"}});
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_HAS(outcome.err, "demo-1.1.1 is closed");
  EXPECT_TRUE(phases().empty());
}

TEST_P(RunAgain, ABlockedBeadIsRefusedWithTheNamesOfItsBlockers) {
  set_beads({{"demo-7", "Comes first"},
             {"demo-8", "Done", "task", "closed"},
             {kBead, "Make it work", "task", "open", "", "", "", {"demo-7", "demo-8"}}});
  for (const auto& [name, code] : {std::pair("run", 2), std::pair("prep", 1)}) {
    const Outcome outcome = command(name, {kBead});
    EXPECT_EQ(outcome.exit_code, code);
    EXPECT_HAS(outcome.err, "demo-7 (Comes first)");
    EXPECT_LACKS(outcome.err, "demo-8");
  }
  expect_untouched();
}

TEST_P(RunAgain, RunningAgainAfterAFailureIsRefusedUntilAskedForMore) {
  on("execute", 1, "say ERROR 'no space'");
  on("execute", 2, "pass");
  ASSERT_EQ(run_bead().exit_code, 2);
  const Outcome refused = run_bead();
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_HAS(refused.err, "already exists");
  EXPECT_HAS(refused.err, "aborted by an error");
  const Outcome resumed = run_bead({"--resume"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.out << resumed.err;
  EXPECT_EQ(join(phases()),
            "test-writer test-review execute execute execute-review sign-off merge");
  EXPECT_TRUE(is_closed());
}

TEST_P(RunAgain, ResumingAfterTheWorktreeWasDeletedBringsItsNewestSnapshotBack) {
  on("execute", 1, "say ERROR 'no space'");
  on("execute", 2, "pass");
  ASSERT_EQ(run_bead().exit_code, 2);
  fs::remove_all(worktree());
  const Outcome resumed = run_bead({"--resume"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.out << resumed.err;
  EXPECT_EQ(join(phases()),
            "test-writer test-review execute execute execute-review sign-off merge");
  EXPECT_TRUE(is_closed());
}

TEST_P(RunAgain, ResumingAfterTeardownBringsItsNewestSnapshotBack) {
  on("execute", 1, "say ERROR 'no space'");
  on("execute", 2, "pass");
  ASSERT_EQ(run_bead().exit_code, 2);
  ASSERT_EQ(command("teardown", {}).exit_code, 0);
  const Outcome resumed = run_bead({"--resume"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.out << resumed.err;
  EXPECT_EQ(join(phases()),
            "test-writer test-review execute execute execute-review sign-off merge");
}

TEST_P(RunAgain, CleanStartsOverAndKeepsWhatWasThere) {
  on("execute", 1, "echo precious >notes.txt; say ERROR stuck");
  on("execute", 2, "pass");
  ASSERT_EQ(run_bead().exit_code, 2);
  const Outcome again = run_bead({"--clean"});
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
  EXPECT_EQ(join(phases()), "test-writer test-review execute " + kAllPhases);
  const auto rescued =
      lines_of(git_out({"for-each-ref", "--format=%(refname)", "refs/capsule/rescue"}));
  ASSERT_EQ(rescued.size(), 1U);
  EXPECT_EQ(git_out({"show", rescued.front() + ":notes.txt"}), "precious");
  // The logs of both runs are in the archive, the earlier ones in a folder of their own.
  EXPECT_EQ(logs_in(archive()).size(), 12U);
  int folders = 0;
  for (const auto& entry : fs::directory_iterator(archive()))
    if (entry.is_directory()) {
      ++folders;
      EXPECT_EQ(logs_in(entry.path()).size(), 6U);
    }
  EXPECT_EQ(folders, 1);
}

TEST_P(RunAgain, ThereIsNothingToResumeBeforeTheFirstRun) {
  const Outcome outcome = run_bead({"--resume"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_HAS(outcome.err, "nothing to resume");
  expect_untouched();
}

}  // namespace
}  // namespace capsule::test
