// Several machines work on one plan: each is a clone of its own, with a worker, and what they share
// is a real PostgreSQL and a bare repository.
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "tests/postgres/server.h"
#include "tests/program/deliver_project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

class ClusterWorkers : public DeliveryTest {
 protected:
  void SetUp() override {
    DeliveryTest::SetUp();
    if (PostgresServer::programs().empty()) GTEST_SKIP() << "PostgreSQL is not installed";
    server().start();
    database_ = server().fresh_database();
    const Outcome made = capsule_in({"cluster", "init", server().address(database_)});
    ASSERT_EQ(made.exit_code, 0) << made.out << made.err;
    env()["CAPSULE_JOURNAL"] = server().address(database_);
    env()["CAPSULE_HERE"] = "0";
    ASSERT_EQ(git({"clone", "-q", "--bare", project(), path("shared.git")}).exit_code, 0);
    ASSERT_EQ(git({"remote", "add", "origin", path("shared.git")}).exit_code, 0);
    leases_last(30'000);
  }
  void TearDown() override {
    workers_.clear();
    if (!PostgresServer::programs().empty()) {
      if (!IsSkipped()) {
        EXPECT_EQ(query("SELECT count(*) FROM capsule.work k LEFT JOIN capsule.workers w"
                        " ON w.id = k.worker WHERE k.state = 'claimed'"
                        " AND coalesce(w.state, 'gone') = 'gone'"),
                  "0")
            << "work is held by a worker that is gone";
      }
      server().kill9();
    }
    DeliveryTest::TearDown();
  }
  static PostgresServer& server() { return PostgresServer::shared(); }
  std::string query(const std::string& sql) const { return server().query(database_, sql); }

  // Long enough for a machine that does much else, where no test waits for the end of one.
  void leases_last(int milliseconds) const {
    query("UPDATE capsule.meta SET pause_ms = 500, lease_ms = " + std::to_string(milliseconds));
  }

  // A machine: a clone with the configuration that it needs.
  std::string clone(const std::string& name) const {
    const std::string folder = path(name);
    if (fs::exists(folder)) return folder;
    EXPECT_EQ(git({"clone", "-q", path("shared.git"), folder}).exit_code, 0);
    fs::create_directories(folder + "/.capsule");
    fs::copy_file(project() + "/.capsule/config.yaml", folder + "/.capsule/config.yaml");
    return folder;
  }
  Call worker_calling(const std::string& name, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), "worker");
    Call wanted = calling(std::move(more));
    wanted.cwd = clone(name);
    return wanted;
  }
  Running& worker(const std::string& name, std::vector<std::string> more = {}) {
    workers_.push_back(std::make_unique<Running>(worker_calling(name, std::move(more))));
    return *workers_.back();
  }
  // What every delivery owes, and that nothing of it is left on the shared remote or in the queue.
  void expect_done(Running& delivery, const std::vector<std::string>& tasks) {
    const Outcome outcome = delivery.wait();
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
    expect_delivered(tasks);
    EXPECT_EQ(query("SELECT count(*) FROM capsule.work"), "0");
  }
  void stop(Running& worker) {
    worker.send(SIGTERM);
    const Outcome outcome = worker.wait();
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  }
  bool ran_in(const DeliveryCall& call, const std::string& name) const {
    const auto where = call.env.find("CAPSULE_WORKTREE");
    return where != call.env.end() && where->second.starts_with(path(name) + "/");
  }
  // For an agent: says that it is at work, and goes on when it may.
  static constexpr const char* kWait =
      "touch \"$M/at-work\"; while [ ! -e \"$M/go\" ]; do sleep 0.05; done; good";
  bool at_work() const { return fs::exists(path("mock/at-work")); }
  void let_go() const { write_file(path("mock/go"), ""); }

 private:
  std::string database_;
  std::vector<std::unique_ptr<Running>> workers_;
};

TEST_F(ClusterWorkers, APlanIsDeliveredByTwoMachines) {
  write_plan({{"T-1"}, {"T-2"}, {"T-3", "T-1"}});
  // Neither goes on before the other has begun.
  for (const char* task : {"T-1", "T-2"})
    on("developer", task, 1,
       "touch \"$M/begun.$T\"; while [ ! -e \"$M/begun.T-1\" ] || [ ! -e \"$M/begun.T-2\" ]; do "
       "sleep 0.05; done; good");
  Running& one = worker("one");
  Running& two = worker("two");
  Running delivery(calling({"deliver", plan_file()}));
  expect_done(delivery, {"T-1", "T-2", "T-3"});
  const DeliveryCall first = agent_call("developer", "T-1", 1);
  const DeliveryCall second = agent_call("developer", "T-2", 1);
  EXPECT_TRUE((ran_in(first, "one") && ran_in(second, "two")) ||
              (ran_in(first, "two") && ran_in(second, "one")));
  EXPECT_HAS(first.prompt, "T-1.txt");
  EXPECT_FALSE(first.env.contains("CAPSULE_JOURNAL")) << "an agent has the address";
  for (const char* task : {"T-1", "T-2", "T-3"}) {
    EXPECT_EQ(calls("developer", task), 1) << task;
    EXPECT_FALSE(ran_in(agent_call("critic", task, 1), "my pröject")) << task;
  }
  stop(one);
  stop(two);
  EXPECT_EQ(git_out({"ls-remote", path("shared.git"), "refs/capsule/elsewhere/*"}), "");
  EXPECT_TRUE(fs::is_empty(path("one/.capsule/worktrees")));
}

TEST_F(ClusterWorkers, WhatAKilledWorkerHadIsDoneByAnother) {
  leases_last(6'000);
  write_plan({{"T-1"}, {"T-2"}});
  on("developer", "T-1", 1, kStay);
  on("developer", "T-1", 2, "good");
  Running& one = worker("one");
  Running delivery(calling({"deliver", plan_file()}));
  ASSERT_TRUE(eventually([&] { return fs::exists(path("mock/here")); }));
  one.send(SIGKILL);
  EXPECT_EQ(one.wait().exit_code, 128 + SIGKILL);
  worker("two", {"--slots=2"});
  expect_done(delivery, {"T-1", "T-2"});
  EXPECT_EQ(calls("developer", "T-1"), 2);
  EXPECT_TRUE(ran_in(agent_call("developer", "T-1", 2), "two"));
}

TEST_F(ClusterWorkers, AWorkerThatWasStoppedForLongerThanALeaseReportsInVain) {
  leases_last(6'000);
  write_plan({{"T-1"}});
  on("developer", "T-1", 1, std::string("echo late >late.txt; ") + kWait);
  on("developer", "T-1", 2, "good");
  Running& one = worker("one");
  Running delivery(calling({"deliver", plan_file()}));
  ASSERT_TRUE(eventually([&] { return at_work(); }));
  one.send(SIGSTOP);
  let_go();
  Running& two = worker("two");
  expect_done(delivery, {"T-1"});
  EXPECT_EQ(main_file("late.txt"), "(missing)");
  one.send(SIGCONT);
  EXPECT_TRUE(
      eventually([&] { return one.out_so_far().find("it begins anew") != std::string::npos; }));
  stop(one);
  stop(two);
}

TEST_F(ClusterWorkers, ADatabaseThatIsAwayEndsNoAgentAndItsResultIsHandedInLater) {
  write_plan({{"T-1"}});
  on("developer", "T-1", 1, kWait);
  Running& one = worker("one");
  Running delivery(calling({"deliver", plan_file()}));
  ASSERT_TRUE(eventually([&] { return at_work(); }));
  server().kill9();
  ASSERT_TRUE(eventually(
      [&] { return one.out_so_far().find("the database is away") != std::string::npos; }));
  let_go();
  ASSERT_TRUE(eventually(
      [&] { return one.out_so_far().find("done: developer of T-1") != std::string::npos; }));
  server().start();
  expect_done(delivery, {"T-1"});
  EXPECT_EQ(calls("developer", "T-1"), 1);
  stop(one);
}

TEST_F(ClusterWorkers, ADrainedWorkerFinishesWhatItHasAndTakesNothingMore) {
  write_plan({{"T-1"}});
  on("developer", "T-1", 1, kWait);
  Running& one = worker("one");
  Running delivery(calling({"deliver", plan_file()}));
  ASSERT_TRUE(eventually([&] { return at_work(); }));
  one.send(SIGTERM);
  ASSERT_TRUE(eventually([&] { return query("SELECT state FROM capsule.workers") == "draining"; }));
  EXPECT_HAS(capsule_in({"cluster", "status"}).out, "draining");
  let_go();
  const Outcome ended = one.wait();
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(calls("developer", "T-1"), 1);
  worker("two");
  expect_done(delivery, {"T-1"});
  EXPECT_EQ(calls("developer", "T-1"), 1);
}

TEST_F(ClusterWorkers, TheSecondSignalEndsItsAgentsAndOthersDoTheirWorkAtOnce) {
  leases_last(3'600'000);
  write_plan({{"T-1"}});
  on("developer", "T-1", 1, kStay);
  on("developer", "T-1", 2, "good");
  Running& one = worker("one");
  Running delivery(calling({"deliver", plan_file()}));
  ASSERT_TRUE(eventually([&] { return fs::exists(path("mock/here")); }));
  one.send(SIGTERM);
  ASSERT_TRUE(eventually([&] { return one.out_so_far().find("once more") != std::string::npos; }));
  one.send(SIGTERM);
  EXPECT_EQ(one.wait().exit_code, 128 + SIGTERM);
  worker("two");
  expect_done(delivery, {"T-1"});
  EXPECT_EQ(calls("developer", "T-1"), 2);
}

TEST_F(ClusterWorkers, WhatNeedsALabelWaitsForAWorkerThatHasIt) {
  env()["CAPSULE_HERE"] = std::nullopt;
  configure("roles: {developer: {needs: [gpu]}}\n");
  write_plan({{"T-1"}});
  Running delivery(calling({"deliver", plan_file()}));
  worker("one");
  ASSERT_TRUE(eventually(
      [&] { return query("SELECT count(*) FROM capsule.work WHERE state = 'ready'") == "1"; }));
  EXPECT_HAS(capsule_in({"cluster", "status"}).out, "1 waiting, 0 at work, for gpu: no worker");
  EXPECT_EQ(calls("developer", "T-1"), 0);
  worker("two", {"--labels=gpu"});
  expect_done(delivery, {"T-1"});
  EXPECT_TRUE(ran_in(agent_call("developer", "T-1", 1), "two"));
  EXPECT_TRUE(ran_in(agent_call("critic", "T-1", 1), "my pröject")) << "there is room here";
}

TEST_F(ClusterWorkers, WhatCannotGoToTheSharedRemoteWorksHere) {
  env()["CAPSULE_HERE"] = "1";
  configure("remote: none\n");  // main is to be here, so that the run goes on
  write_plan({{"T-1"}, {"T-2"}});
  for (const char* task : {"T-1", "T-2"})
    on("developer", task, 1,
       "touch \"$M/begun.$T\"; while [ ! -e \"$M/begun.T-1\" ] || [ ! -e \"$M/begun.T-2\" ]; do "
       "sleep 0.05; done; good");
  Running& one = worker("one");
  ASSERT_TRUE(eventually([&] { return !one.out_so_far().empty(); }));
  fs::rename(path("shared.git"), path("away.git"));
  Running delivery(calling({"deliver", plan_file()}));
  const Outcome outcome = delivery.wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out + outcome.err, "works here, and not elsewhere");
  expect_delivered({"T-1", "T-2"});
  stop(one);
}

TEST_F(ClusterWorkers, AWorkerOnceDoesOneAndEnds) {
  write_plan({{"T-1"}});
  Running delivery(calling({"deliver", plan_file()}));
  for (const char* role : {"developer", "critic", "auditor"}) {
    const Outcome once = run(worker_calling("one", {"--once"}));
    EXPECT_EQ(once.exit_code, 0) << once.out << once.err;
    EXPECT_HAS(once.out, std::string("done: ") + role + " of T-1");
  }
  expect_done(delivery, {"T-1"});
}

TEST_F(ClusterWorkers, ADeliveryThatIsEndedEndsItsAgentsElsewhere) {
  write_plan({{"T-1"}});
  on("developer", "T-1", 1, kStay);
  on("developer", "T-1", 2, "good");
  Running& one = worker("one");
  {
    Running delivery(calling({"deliver", plan_file()}));
    ASSERT_TRUE(eventually([&] { return fs::exists(path("mock/here")); }));
    delivery.send(SIGINT);
    EXPECT_EQ(delivery.wait().exit_code, 128 + SIGINT);
  }
  EXPECT_TRUE(eventually(
      [&] { return one.out_so_far().find("is wanted here no more") != std::string::npos; }));
  Running again(calling({"deliver", plan_file()}));
  expect_done(again, {"T-1"});
  stop(one);
}

TEST_F(ClusterWorkers, ACoordinatorThatWasKilledGoesOnAndWhatItWantedIsDoneAnew) {
  write_plan({{"T-1"}});
  on("developer", "T-1", 1, kWait);
  on("developer", "T-1", 2, "good");
  worker("one", {"--slots=2"});
  {
    Running delivery(calling({"deliver", plan_file()}));
    ASSERT_TRUE(eventually([&] { return at_work(); }));
    delivery.send(SIGKILL);
    EXPECT_EQ(delivery.wait().exit_code, 128 + SIGKILL);
  }
  Running again(calling({"deliver", plan_file()}));
  expect_done(again, {"T-1"});
  EXPECT_EQ(git_out({"rev-list", "--count", "--merges", "main"}), "1");
  let_go();
}

TEST_F(ClusterWorkers, AWorkerWithoutWhatItNeedsSaysSo) {
  Call wanted = worker_calling("one");
  wanted.env["CAPSULE_JOURNAL"] = std::nullopt;
  const Outcome none = run(wanted);
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_HAS(none.err, "CAPSULE_JOURNAL");
  EXPECT_EQ(git({"-C", path("one"), "remote", "remove", "origin"}).exit_code, 0);
  const Outcome alone = run(worker_calling("one"));
  EXPECT_EQ(alone.exit_code, 1) << alone.err;
  EXPECT_HAS(alone.err, "no remote called origin");
  EXPECT_EQ(run(worker_calling("two", {"--labels=a b,c"})).exit_code, 2);
  EXPECT_EQ(run(worker_calling("two", {"--slots=0"})).exit_code, 2);
  Running& first = worker("two");
  ASSERT_TRUE(eventually([&] { return !first.out_so_far().empty(); }));
  const Outcome twice = run(worker_calling("two"));
  EXPECT_NE(twice.exit_code, 0) << "two of them would work in the same folders";
  stop(first);
  fs::remove_all(project() + "/.capsule");  // no run has hidden it
}

}  // namespace
}  // namespace capsule::test
