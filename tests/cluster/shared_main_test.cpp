// The real binary in clones of one project, as on many machines: they merge to the main of the
// repository that they share.
#include <signal.h>

#include <algorithm>
#include <filesystem>

#include "tests/cluster/project.h"
#include "tests/program/demo_project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOther = "demo-1.1.2";

class SharedMain : public ClusterProgram {
 protected:
  void SetUp() override {
    ClusterProgram::SetUp();
    if (IsSkipped()) return;
    shared_ = path("shared.git");
    git_out({"clone", "-q", "--bare", project(), shared_});
    git_out({"remote", "add", "origin", shared_});
    before_ = main_head();
    set_beads({{kBead, "Make it work"}, {kOther, "Make it better"}});
    // Each bead has files of its own.
    on("test-writer",
       "mkdir -p tests; echo \"grep -q done $CAPSULE_BEAD.txt\" >tests/$CAPSULE_BEAD.sh; say PASS "
       "fine \"\\\"tests/$CAPSULE_BEAD.sh\\\"\"");
    on("execute", kExecute);
    on("merge", kMerge);
  }

  static constexpr const char* kExecute =
      "echo done >$CAPSULE_BEAD.txt; say PASS fine \"\\\"$CAPSULE_BEAD.txt\\\"\"";
  static constexpr const char* kMerge =
      "git add tests \"$CAPSULE_BEAD.txt\" && git commit -q -m \"$CAPSULE_COMMIT_MSG\" >&2; say "
      "PASS fine \"\\\"$CAPSULE_BEAD.txt\\\"\"";

  std::string elsewhere() {
    const std::string folder = path("elsewhere");
    git_out({"clone", "-q", shared_, folder});
    fs::copy(project() + "/.beads", folder + "/.beads", fs::copy_options::recursive);
    return folder;
  }
  std::string shared_main() const { return git_out({"rev-parse", "main"}, shared_); }
  // What main of the remote had merged, newest first.
  std::vector<std::string> merges() const {
    return lines_of(
        git_out({"log", "--first-parent", "--format=%s", "main", "^" + before_}, shared_));
  }
  // Each move of main is named by the fence, in its order.
  void expect_fenced() const {
    std::string named;
    for (const std::string& line :
         lines_of(git_out({"log", "--format=%s", "refs/capsule/fence/main"}, shared_)))
      if (const std::size_t at = line.find(" merge "); at != line.npos)
        named += line.substr(at + 7) + "\n";
    std::string moves;
    for (const std::string& line : lines_of(git_out(
             {"log", "--first-parent", "--merges", "--format=%H", "main", "^" + before_}, shared_)))
      moves += line + "\n";
    EXPECT_EQ(named, moves);
  }
  // Two beads at once, one of them in that clone.
  void both_merge(const std::string& folder) {
    // Both are about to merge when both are about to merge.
    on("merge", "touch '" + path("at-") + "'$CAPSULE_BEAD; while [ ! -e '" + path("at-") + kBead +
                    "' ] || [ ! -e '" + path("at-") + kOther + "' ]; do sleep 0.02; done; " +
                    kMerge);
    Call there = calling("run", {kOther});
    there.cwd = folder;
    Running here_runs(calling("run", {kBead})), there_runs(there);
    const Outcome here_done = here_runs.wait(), there_done = there_runs.wait();
    ASSERT_EQ(here_done.exit_code, 0) << here_done.out << here_done.err;
    ASSERT_EQ(there_done.exit_code, 0) << there_done.out << there_done.err;
    std::vector<std::string> merged = merges();
    std::sort(merged.begin(), merged.end());
    EXPECT_EQ(join(merged, ", "),
              "Merge demo-1.1.1: Make it work, Merge demo-1.1.2: Make it better");
    expect_fenced();
    for (const char* bead : {kBead, kOther})
      EXPECT_EQ(git_out({"show", "main:" + std::string(bead) + ".txt"}, shared_), "done");
    EXPECT_EQ(query("SELECT string_agg(outcome, ' ') FROM capsule.runs"), "merged merged");
    const std::string one = main_head(), two = git_out({"rev-parse", "main"}, folder);
    EXPECT_TRUE(one == shared_main() || two == shared_main());
  }
  void hook(const std::string& name, const std::string& script) const {
    write_file(shared_ + "/hooks/" + name, "#!/bin/sh\n" + script + "\n");
    fs::permissions(shared_ + "/hooks/" + name, fs::perms::owner_all);
  }

  std::string shared_, before_;
};

TEST_F(SharedMain, WorkGoesToTheRemotesMainAndMainHereFollows) {
  // Somebody else's work is there already.
  const std::string other = elsewhere();
  write_file(other + "/hotfix.txt", "by a person\n");
  git_out({"add", "."}, other);
  git_out({"commit", "-q", "-m", "Hotfix", "--", "hotfix.txt"}, other);
  git_out({"push", "-q"}, other);
  const Outcome outcome = run_bead();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(join(merges(), ", "), "Merge demo-1.1.1: Make it work, Hotfix");
  EXPECT_EQ(main_head(), shared_main());
  EXPECT_TRUE(fs::exists(project() + "/hotfix.txt")) << "the checkout has followed, too";
  expect_fenced();
  EXPECT_EQ(query("SELECT branch || ' ' || epoch FROM capsule.branches"), "refs/heads/main 1");
  EXPECT_HAS(command("cluster", {"status"}).out, "Main is that of " + shared_);
  EXPECT_HAS(command("doctor", {}).out, "main is that of " + shared_);
}

TEST_F(SharedMain, TwoClonesThatMergeAtTheSameTimeMergeOnceEach) { both_merge(elsewhere()); }

TEST_F(SharedMain, TwoRunsOfOneCloneThatMergeAtTheSameTimeMergeOnceEach) { both_merge(project()); }

// Killed by the remote's end of the push, when main has moved there and nobody here knows it.
TEST_F(SharedMain, AMergeWhoseProcessWasKilledRightAfterThePushIsFoundAndNotDoneTwice) {
  hook("post-receive", "grep -q refs/heads/main && kill -9 $(cat '" + path("pid") + "')\nexit 0");
  {
    on("merge",
       "while [ ! -e '" + path("pid") + "' ]; do sleep 0.02; done; " + std::string(kMerge));
    Running running(calling("run", {kBead}));
    write_file(path("pid.new"), std::to_string(running.pid()));
    fs::rename(path("pid.new"), path("pid"));
    EXPECT_EQ(running.wait().exit_code, 128 + SIGKILL);
  }
  EXPECT_EQ(merges().size(), 1U);
  EXPECT_EQ(main_head(), before_) << "main here has not followed yet";
  fs::remove(shared_ + "/hooks/post-receive");
  const std::size_t called = phases().size();
  const Outcome again = run_bead();
  ASSERT_EQ(again.exit_code, 0) << again.out << again.err;
  EXPECT_EQ(phases().size(), called) << "no agent is called again";
  EXPECT_EQ(merges().size(), 1U);
  EXPECT_EQ(main_head(), shared_main());
  EXPECT_EQ(query("SELECT outcome FROM capsule.runs"), "merged");
  expect_fenced();
}

TEST_F(SharedMain, WhatIsMergedSurvivesKillsAtEveryPoint) {
  write_file(project() + "/.capsule/config.yaml", "integrate: ask\n");
  EXPECT_EQ(run_bead().exit_code, 1) << "it waits for a person";
  const std::size_t called = phases().size();
  EXPECT_EQ(command("approve", {kBead}).exit_code, 0);
  int killed = 0;
  for (int k = 1; k < 400; ++k) {
    Call wanted = calling("run", {kBead});
    wanted.env["CAPSULE_TEST_CRASH_AT"] = std::to_string(k);
    const Outcome outcome = run(wanted);
    if (outcome.exit_code == 0) break;
    ASSERT_EQ(outcome.exit_code, 128 + SIGKILL) << outcome.out << outcome.err;
    ++killed;
  }
  EXPECT_GT(killed, 1);
  EXPECT_EQ(phases().size(), called) << "no agent is called again";
  EXPECT_EQ(merges().size(), 1U);
  EXPECT_EQ(main_head(), shared_main());
  EXPECT_TRUE(is_closed());
  expect_fenced();
}

TEST_F(SharedMain, ARemoteThatIsAwayIsWaitedFor) {
  on("merge", "mv '" + shared_ + "' '" + path("away") + "'; " + kMerge);
  Running running(calling("run", {kBead}));
  ASSERT_TRUE(eventually([&] {
    return running.out_so_far().find("cannot be reached") != std::string::npos;
  })) << running.out_so_far();
  EXPECT_EQ(main_head(), before_);
  fs::rename(path("away"), shared_);
  const Outcome outcome = running.wait();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(merges().size(), 1U);
  EXPECT_EQ(main_head(), shared_main());
}

TEST_F(SharedMain, ARemoteThatIsAwayBeforeAnybodyIsPaidEndsTheRunAtOnce) {
  fs::rename(shared_, path("away"));
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
  EXPECT_HAS(outcome.err, "cannot be reached");
  EXPECT_TRUE(agent_calls().empty());
  fs::rename(path("away"), shared_);
}

// What the last phase left is on the remote before it is a fact; another clone goes on from it.
TEST_F(SharedMain, ARunWhoseMachineIsGoneGoesOnInAnotherClone) {
  on("execute", 1, "touch '" + path("works") + "'; exec sleep 300");
  on("execute", 2, kExecute);
  const std::string other = elsewhere();
  {
    Running running(calling("run", {kBead}));
    ASSERT_TRUE(eventually([&] { return fs::exists(path("works")); }));
    const Outcome early = in(other, "run", {kBead});
    EXPECT_EQ(early.exit_code, 2) << early.out;
    EXPECT_HAS(early.err, "is being worked on by process " + std::to_string(running.pid()));
    running.send(SIGKILL);
    EXPECT_EQ(running.wait().exit_code, 128 + SIGKILL);
  }
  const std::string kept =
      query("SELECT 'refs/capsule/work/' || run FROM capsule.runs") + "/" + kBead;
  EXPECT_HAS(git_out({"show", kept + ":tests/demo-1.1.1.sh"}, shared_), "grep -q done");
  fs::remove_all(project() + "/.capsule");  // nothing of it is needed
  const Outcome outcome = in(other, "run", {kBead});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.err, "goes on here; it was on ");
  EXPECT_EQ(join(phases()),
            "test-writer test-review execute execute execute-review sign-off merge");
  EXPECT_EQ(merges().size(), 1U);
  EXPECT_EQ(git_out({"show", "main:demo-1.1.1.txt"}, shared_), "done");
  EXPECT_EQ(query("SELECT string_agg(outcome, ' ') FROM capsule.runs"), "merged");
  EXPECT_EQ(git_out({"for-each-ref", "--format=%(refname)", "refs/capsule/work"}, shared_), "")
      << "nobody needs them any more";
  EXPECT_EQ(command("status", {kBead}).exit_code, 0);
  git_out({"worktree", "prune"});
}

TEST_F(SharedMain, ATakeoverIsCutOffAtEveryPointAndMergesOnce) {
  on("merge", 1, "touch '" + path("works") + "'; exec sleep 300");
  on("merge", 2, kMerge);
  const std::string other = elsewhere();
  {
    Running running(calling("run", {kBead}));
    ASSERT_TRUE(eventually([&] { return fs::exists(path("works")); }));
    running.send(SIGKILL);
    EXPECT_EQ(running.wait().exit_code, 128 + SIGKILL);
  }
  int killed = 0;
  for (int k = 1; k < 400; ++k) {
    Call wanted = calling("run", {kBead});
    wanted.cwd = other;
    wanted.env["CAPSULE_TEST_CRASH_AT"] = std::to_string(k);
    const Outcome outcome = run(wanted);
    if (outcome.exit_code == 0) break;
    ASSERT_EQ(outcome.exit_code, 128 + SIGKILL) << outcome.out << outcome.err;
    ++killed;
  }
  EXPECT_GT(killed, 1);
  EXPECT_EQ(merges().size(), 1U);
  EXPECT_EQ(git_out({"rev-parse", "main"}, other), shared_main());
  const std::vector<std::string> asked = phases();
  for (const char* phase : {"test-writer", "execute", "sign-off"})
    EXPECT_EQ(std::count(asked.begin(), asked.end(), phase), 1) << phase;
  EXPECT_EQ(query("SELECT string_agg(outcome, ' ') FROM capsule.runs"), "merged");
  expect_fenced();
}

TEST_F(SharedMain, ARunDoesNotComeToWhereAnEarlierOneLeftItsBranch) {
  on("execute", 1, "touch '" + path("works") + "'; exec sleep 300");
  const std::string other = elsewhere();
  Running running(calling("run", {kBead}));
  ASSERT_TRUE(eventually([&] { return fs::exists(path("works")); }));
  running.send(SIGKILL);
  running.wait();
  git_out({"branch", "capsule-demo-1.1.1"}, other);
  const Outcome refused = in(other, "run", {kBead});
  EXPECT_EQ(refused.exit_code, 2) << refused.out;
  EXPECT_HAS(refused.err, "delete the branch capsule-demo-1.1.1");
  on("execute", 2, kExecute);
  EXPECT_EQ(run_bead().exit_code, 0) << "it is where it was";
}

// It was not dead, but silent for too long.
TEST_F(SharedMain, WhoWasOvertakenByAnotherCloneMergesNothing) {
  on("sign-off", 1,
     "touch '" + path("works") + "'; while [ ! -e '" + path("go") +
         "' ]; do sleep 0.05; done; pass");
  on("sign-off", 2, "pass");
  const std::string other = elsewhere();
  Running running(calling("run", {kBead}));
  ASSERT_TRUE(eventually([&] { return fs::exists(path("works")); }));
  query("UPDATE capsule.leases SET beat = -1000000, heard = heard - interval '1 hour'");
  const Outcome taken = in(other, "run", {kBead});
  ASSERT_EQ(taken.exit_code, 0) << taken.out << taken.err;
  ASSERT_EQ(merges().size(), 1U);
  write_file(path("go"), "");
  const Outcome late = running.wait();
  EXPECT_EQ(late.exit_code, 2) << late.out;
  EXPECT_EQ(merges().size(), 1U);
  EXPECT_EQ(query("SELECT string_agg(outcome, ' ') FROM capsule.runs"), "merged");
}

TEST_F(SharedMain, ADatabaseThatWasSetBackMergesNothing) {
  ASSERT_EQ(run_bead().exit_code, 0);
  ASSERT_EQ(merges().size(), 1U);
  query("UPDATE capsule.branches SET epoch = 0");
  const Outcome refused = command("run", {kOther});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_HAS(refused.out + refused.err, "has seen merge 1, but the database is only at merge 1");
  EXPECT_EQ(merges().size(), 1U);
}

TEST_F(SharedMain, CommitsThatWereNotSharedAreNotMergedAlong) {
  commit_file("mine.txt", "not pushed\n");
  const Outcome refused = run_bead();
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_HAS(refused.out + refused.err, "has commits here that the remote");
  EXPECT_EQ(shared_main(), before_);
  git_out({"push", "-q", "origin", "main"});
  EXPECT_EQ(command("merge", {kBead}).exit_code, 0);
  EXPECT_EQ(main_head(), shared_main());
}

TEST_F(SharedMain, AFileInTheWayIsToldBeforeEverybodyHasTheMerge) {
  on("merge", std::string(kMerge) + "; echo mine >'" + project() + "/" + kBead + ".txt'");
  announce({"?? demo-1.1.1.txt"});
  const Outcome refused = run_bead();
  EXPECT_EQ(refused.exit_code, 1) << refused.out;
  EXPECT_HAS(refused.out + refused.err, "would overwrite files");
  EXPECT_EQ(shared_main(), before_);
}

TEST_F(SharedMain, WorkThatStaysOnABranchIsNotPushed) {
  const Outcome outcome = run_bead({"--integrate=branch"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(shared_main(), before_);
  EXPECT_EQ(git_out({"for-each-ref", "--format=%(refname)"}, shared_), "refs/heads/main");
}

TEST_F(SharedMain, WithoutARemoteEachCloneHasItsOwnMain) {
  env()["CAPSULE_REMOTE"] = "none";
  ASSERT_EQ(run_bead().exit_code, 0);
  EXPECT_EQ(shared_main(), before_);
  EXPECT_NE(main_head(), before_);
  EXPECT_EQ(query("SELECT count(*) FROM capsule.branches"), "0");
  EXPECT_HAS(command("cluster", {"status"}).out, "Main is not shared");
  EXPECT_HAS(command("doctor", {}).out, "main is not shared");
}

TEST_F(ClusterDelivery, APlanIsDeliveredToTheMainOfTheRemote) {
  const std::string shared = path("shared.git");
  EXPECT_EQ(git({"clone", "-q", "--bare", project(), shared}).exit_code, 0);
  EXPECT_EQ(git({"remote", "add", "origin", shared}).exit_code, 0);
  write_plan({{"T-1"}, {"T-2", "T-1"}});
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  expect_delivered({"T-1", "T-2"});
  EXPECT_EQ(git_out({"--git-dir=" + shared, "rev-parse", "main"}), git_out({"rev-parse", "main"}));
}

class ClusterAuto : public DemoProject {
 protected:
  void TearDown() override {
    if (!PostgresServer::programs().empty()) PostgresServer::shared().kill9();
    DemoProject::TearDown();
  }
};

TEST_F(ClusterAuto, NinePhasesEndInAMergeOnTheMainOfTheRemote) {
  if (PostgresServer::programs().empty()) GTEST_SKIP() << "PostgreSQL is not installed";
  make_project();
  auto_agent();
  const std::string shared = path("shared.git");
  EXPECT_EQ(git({"clone", "-q", "--bare", project(), shared}).exit_code, 0);
  EXPECT_EQ(git({"remote", "add", "origin", shared}).exit_code, 0);
  PostgresServer& server = PostgresServer::shared();
  server.start();
  const std::string address = server.address(server.fresh_database());
  ASSERT_EQ(in({"cluster", "init", address}).exit_code, 0);
  Call wanted = in_project({"auto", "run", "Say hello"});
  wanted.env["CAPSULE_JOURNAL"] = address;
  const Outcome outcome = run(wanted);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(git({"--git-dir=" + shared, "show", "main:greeting.txt"}).out, "hello\n");
  EXPECT_EQ(git({"--git-dir=" + shared, "rev-parse", "main"}).out, git({"rev-parse", "main"}).out);
  EXPECT_EQ(git({"--git-dir=" + shared, "for-each-ref", "refs/capsule/work"}).out, "");
}

}  // namespace
}  // namespace capsule::test
