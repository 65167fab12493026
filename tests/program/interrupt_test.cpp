// Ctrl-C, termination and sudden death during a run: the whole tree of the agent goes, the work
// stays, and the run goes on.
#include <signal.h>
#include <unistd.h>

#include <filesystem>

#include "tests/program/project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

class Interrupted : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
    // Leaves half of its work, tells us, and waits with children that are hard to find.
    hang_ =
        "echo half >half.txt; (setsid sh -c 'trap \"\" TERM INT; sleep 300' &); sleep 300 & "
        "echo ready >'" +
        mock("ready") + "'; wait; sleep 300";
  }
  bool hangs() {
    return eventually([&] { return fs::exists(mock("ready")); });
  }
  std::string hang_;
};

TEST_F(Interrupted, CtrlCEndsTheTreeKeepsTheWorkAndSaysHowToGoOn) {
  on("execute", 1, hang_);
  on("execute", 2, "pass");
  Running running(calling("run", {kBead}));
  ASSERT_TRUE(hangs());
  running.send(SIGINT);
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.exit_code, 130) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "interrupted");
  EXPECT_HAS(outcome.out, "capsule run demo-1.1.1 --resume");
  EXPECT_HAS(outcome.out, "worktree kept: " + worktree());
  EXPECT_TRUE(fs::exists(worktree() + "/half.txt"));
  EXPECT_FALSE(is_closed());
  const Outcome resumed = run_bead({"--resume"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.out << resumed.err;
  EXPECT_EQ(join(phases()),
            "test-writer test-review execute execute execute-review sign-off merge");
}

TEST_F(Interrupted, ASecondCtrlCDoesNotWaitForAStubbornAgent) {
  on("execute", "trap 'echo told >\"" + mock("told") + "\"' TERM; echo ready >'" + mock("ready") +
                    "'; while :; do sleep 0.1; done");
  env()["CAPSULE_TEST_GRACE_SECONDS"] = "3600";  // of the first request; nothing waits for its end
  Running running(calling("run", {kBead}));
  ASSERT_TRUE(hangs());
  running.send(SIGINT);
  ASSERT_TRUE(eventually([&] { return fs::exists(mock("told")); })) << running.err_so_far();
  running.send(SIGINT);
  EXPECT_EQ(running.wait().exit_code, 130);
}

TEST_F(Interrupted, TerminationIsAnInterruptionToo) {
  on("test-writer", 1, hang_);
  on("test-writer", 2, "rm half.txt; pass");  // an interrupted phase goes on with what is there
  Running running(calling("run", {kBead}));
  ASSERT_TRUE(hangs());
  running.send(SIGTERM);
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.exit_code, 143) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "--resume");
  EXPECT_EQ(run_bead({"--resume"}).exit_code, 0);
}

TEST_F(Interrupted, CtrlCDuringACheckIsNoVerdictAboutTheWork) {
  configure("verify: {test: \"test -e tests || exit 0; test -e '" + mock("go") +
            "' || { echo x >'" + mock("ready") + "'; sleep 300; }; sh tests/feature_test.sh\"}\n");
  Running running(calling("run", {kBead}));
  ASSERT_TRUE(hangs());
  running.send(SIGINT);
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.exit_code, 130) << outcome.out << outcome.err;
  EXPECT_LACKS(outcome.out, "not true");
  write_file(mock("go"), "");
  const Outcome resumed = run_bead({"--resume"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.out << resumed.err;
  EXPECT_EQ(join(phases()), "test-writer test-review execute execute-review sign-off merge")
      << "no phase was paid twice";
}

TEST_F(Interrupted, ARunWhoseCapsuleWasKilledGoesOnWhenStartedAgain) {
  for (const char* phase : {"test-writer", "execute", "merge"}) {
    SCOPED_TRACE(phase);
    fs::remove_all(mock("on"));
    for (const auto& entry : fs::directory_iterator(mock("")))
      if (!entry.is_directory()) fs::remove(entry);
    fs::remove_all(project());
    make_project(Way::binary);
    on(phase, 1, hang_);
    on(phase, 2, "pass");
    {
      Running running(calling("run", {kBead}));
      ASSERT_TRUE(hangs());
      running.send(SIGKILL);
      EXPECT_EQ(running.wait().exit_code, 137);
    }
    const Outcome again = run_bead();
    EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
    EXPECT_EQ(phases().size(), 7U) << join(phases());
    EXPECT_TRUE(is_closed());
    EXPECT_EQ(git_out({"diff", "--name-only", "main^1", "main"}),
              "feature.txt\ntests/feature_test.sh");
    // What the cut-off phase left is kept, and was not what the next agent started from.
    bool kept = false;
    for (const std::string& ref :
         lines_of(git_out({"for-each-ref", "--format=%(refname)", "refs/capsule"}))) {
      const bool has = git({"cat-file", "-e", ref + ":half.txt"}).exit_code == 0;
      EXPECT_EQ(has, ref.ends_with("-unfinished")) << ref;
      kept |= has;
    }
    EXPECT_TRUE(kept);
  }
}

TEST_F(Interrupted, WhatAPersonMendedBetweenCtrlCAndResumeStays) {
  on("execute", 1, hang_);
  on("execute", 2, "test -e mended.txt || say ERROR gone; pass");
  Running running(calling("run", {kBead}));
  ASSERT_TRUE(hangs());
  running.send(SIGINT);
  EXPECT_EQ(running.wait().exit_code, 130);
  write_file(worktree() + "/mended.txt", "by hand\n");
  EXPECT_EQ(run_bead({"--resume"}).exit_code, 0);
}

TEST_F(Interrupted, TheSecondCapsuleOnABeadIsRefusedWithPidAndHostOfTheFirst) {
  on("test-writer", hang_);
  Running running(calling("run", {kBead}));
  ASSERT_TRUE(hangs());
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  for (const auto& [name, code] :
       {std::pair("run", 2), std::pair("prep", 1), std::pair("merge", 2)}) {
    SCOPED_TRACE(name);
    const Outcome second = command(name, {kBead});
    EXPECT_EQ(second.exit_code, code) << second.out << second.err;
    if (std::string(name) == "prep") continue;  // the worktree is there: that is refusal enough
    EXPECT_HAS(second.err, std::to_string(running.pid()));
    EXPECT_HAS(second.err, std::string(host));
  }
  const Outcome clean = run_bead({"--clean"});
  EXPECT_EQ(clean.exit_code, 2);
  EXPECT_HAS(clean.err, std::to_string(running.pid()));
  EXPECT_TRUE(fs::exists(worktree() + "/half.txt"));
  EXPECT_EQ(phases().size(), 1U);
  running.send(SIGINT);
  EXPECT_EQ(running.wait().exit_code, 130);
}

TEST_F(Interrupted, AnotherBeadMayRunMeanwhile) {
  set_beads({{kBead, "Make it work"}, {"demo-2", "Something else"}});
  on("test-writer", 1, hang_);
  on("test-writer", 2, "pass");
  Running running(calling("run", {kBead}));
  ASSERT_TRUE(hangs());
  const Outcome other = command("run", {"demo-2"});
  EXPECT_EQ(other.exit_code, 0) << other.out << other.err;
  EXPECT_TRUE(is_closed("demo-2"));
  running.send(SIGINT);
  EXPECT_EQ(running.wait().exit_code, 130);
}

TEST_F(Interrupted, APhaseByHandIsInterruptedToo) {
  on("execute", hang_);
  Call call = calling("run-phase", {"execute", "."});
  Running running(call);
  ASSERT_TRUE(hangs());
  running.send(SIGINT);
  EXPECT_EQ(running.wait().exit_code, 130);
  fs::remove(project() + "/half.txt");
  fs::remove_all(project() + "/.capsule");
}

}  // namespace
}  // namespace capsule::test
