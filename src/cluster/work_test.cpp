#include "engine/work.h"

#include <algorithm>
#include <future>
#include <thread>

#include "tests/postgres/project.h"

namespace capsule::cluster {
namespace {

using engine::Work;
using engine::WorkClaim;
using Labels = std::vector<std::string>;

class ClusterWork : public ClusterTest {
 protected:
  void SetUp() override {
    ClusterTest::SetUp();
    if (IsSkipped()) return;
    records_ = there().open();
    claim_ = records_->claim("demo-1", "a", "now").value();
    ASSERT_TRUE(records_->begin(test::run_named("a"), facts(0, 1)));
    desk_ = records_->work();
    works_ = records_->work();
  }
  void TearDown() override {
    desk_.reset();
    works_.reset();
    claim_.reset();
    if (IsSkipped()) return;
    EXPECT_EQ(there().query("SELECT count(*) FROM capsule.work k LEFT JOIN capsule.workers w"
                            " ON w.id = k.worker WHERE k.state = 'claimed'"
                            " AND coalesce(w.state, 'gone') = 'gone'"),
              "0")
        << "work is held by a worker that is gone";
  }
  Work& desk() { return *desk_; }
  Work& at_work() { return *works_; }
  void put(int agent, Labels needs = {}) {
    const auto done = desk().put({"a", agent, std::move(needs), "developer of T-1", "{}"});
    ASSERT_TRUE(done) << done.error().message;
  }
  std::int64_t worker(Labels labels = {"linux"}, int slots = 10) {
    return at_work().enlist("one", labels, slots).value();
  }
  std::optional<WorkClaim> take(std::int64_t worker) { return at_work().take(worker).value(); }
  // Served time goes by, and somebody comes.
  void lease_goes_by() {
    there().query("UPDATE capsule.clock SET ms = ms + 301000");
    ASSERT_TRUE(desk().done("a"));
  }

  std::unique_ptr<engine::Records> records_;

 private:
  std::unique_ptr<engine::Claim> claim_;
  std::unique_ptr<Work> desk_, works_;
};

TEST_F(ClusterWork, WhatIsTakenIsDoneOnceAndToldUntilItIsDropped) {
  put(1);
  put(1);
  const std::int64_t one = worker();
  const auto claim = take(one);
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->run, "a");
  EXPECT_EQ(claim->agent, 1);
  EXPECT_FALSE(take(one));
  EXPECT_EQ(at_work().attend(one, false)->tokens, std::vector{claim->token});
  EXPECT_TRUE(desk().done("a")->empty());
  EXPECT_TRUE(at_work().report(one, claim->token, "well").value());
  EXPECT_TRUE(at_work().report(one, claim->token, "well").value()) << "it may be said twice";
  for (int again = 0; again < 2; ++again) {
    const auto done = desk().done("a").value();
    ASSERT_EQ(done.size(), 1U);
    EXPECT_EQ(done[0].agent, 1);
    EXPECT_EQ(done[0].worker, "one");
    EXPECT_EQ(done[0].result, "well");
  }
  ASSERT_TRUE(desk().drop("a", 1));
  EXPECT_TRUE(desk().done("a")->empty());
}

TEST_F(ClusterWork, AWorkerTakesOnlyWhatItCanDoTheOldestFirstAndNoMoreThanItHasSlots) {
  put(1, {"gpu", "linux"});
  put(2, {"linux"});
  put(3);
  put(4, {"linux"});
  const std::int64_t plain = worker({"arm", "linux"}, 2), strong = worker({"gpu", "linux"});
  EXPECT_EQ(take(plain)->agent, 2);
  EXPECT_EQ(take(plain)->agent, 3);
  EXPECT_FALSE(take(plain)) << "its slots are full";
  EXPECT_EQ(desk().served({"linux"})->workers, 2);
  EXPECT_EQ(desk().served({"linux"})->free, 9) << "12 slots, 2 at work, one waits";
  EXPECT_EQ(desk().served({"riscv"})->workers, 0);
  EXPECT_EQ(take(strong)->agent, 1);
  EXPECT_EQ(take(strong)->agent, 4);
}

TEST_F(ClusterWork, WhatASilentWorkerHadIsDoneByAnotherAndItsLateReportIsRefused) {
  put(1);
  const std::int64_t late = worker();
  const auto first = take(late);
  ASSERT_TRUE(first);
  lease_goes_by();
  EXPECT_EQ(at_work().attend(late, false).error().reason, Reason::conflict);
  EXPECT_FALSE(take(late)) << "one that is gone takes nothing";
  EXPECT_FALSE(at_work().report(late, first->token, "late").value());
  const std::int64_t other = worker();
  const auto second = take(other);
  ASSERT_TRUE(second);
  EXPECT_NE(second->token, first->token);
  EXPECT_FALSE(at_work().report(late, first->token, "late").value());
  EXPECT_FALSE(at_work().report(late, second->token, "late").value());
  EXPECT_TRUE(at_work().report(other, second->token, "well").value());
  EXPECT_EQ(desk().done("a")->at(0).result, "well");
}

TEST_F(ClusterWork, WhatIsLostForTheThirdTimeIsToldAsLost) {
  put(1);
  for (int time = 1; time <= 3; ++time) {
    EXPECT_TRUE(desk().done("a")->empty());
    ASSERT_TRUE(take(worker())) << time;
    lease_goes_by();
  }
  EXPECT_FALSE(take(worker()));
  const auto done = desk().done("a").value();
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].result, "");
}

TEST_F(ClusterWork, ATimeInWhichTheDatabaseWasAwayTakesNothingFromAnybody) {
  put(1);
  const std::int64_t one = worker();
  const auto claim = take(one);
  ASSERT_TRUE(claim);
  there().query("UPDATE capsule.clock SET real = clock_timestamp() - interval '1 hour'");
  ASSERT_TRUE(desk().done("a"));
  EXPECT_TRUE(at_work().attend(one, false));
  EXPECT_TRUE(at_work().report(one, claim->token, "well").value());
}

TEST_F(ClusterWork, OneThatDrainsTakesNothingMoreAndKeepsWhatItHas) {
  put(1);
  put(2);
  const std::int64_t one = worker();
  const auto claim = take(one);
  ASSERT_TRUE(claim);
  EXPECT_EQ(at_work().attend(one, true)->tokens.size(), 1U);
  EXPECT_FALSE(take(one));
  EXPECT_EQ(desk().served({})->workers, 0);
  EXPECT_TRUE(at_work().report(one, claim->token, "well").value());
}

TEST_F(ClusterWork, WhatIsGivenBackOrLeftIsReadyAndCountsAsLostByNobody) {
  put(1);
  for (int time = 1; time <= 5; ++time) {
    const std::int64_t one = worker();
    const auto claim = take(one);
    ASSERT_TRUE(claim) << time;
    if (time % 2 == 0)
      ASSERT_TRUE(at_work().give_back(one, claim->token));
    else
      ASSERT_TRUE(at_work().leave(one));
    EXPECT_FALSE(at_work().report(one, claim->token, "x").value());
  }
  EXPECT_TRUE(desk().done("a")->empty());
}

TEST_F(ClusterWork, AnOlderClaimOfTheSameWorkerIsRefusedToo) {
  put(1);
  put(2);
  const std::int64_t one = worker();
  const auto first = take(one);
  ASSERT_TRUE(first);
  ASSERT_TRUE(at_work().give_back(one, first->token));
  const auto again = take(one), other = take(one);
  ASSERT_TRUE(again && other);
  EXPECT_EQ(again->agent, first->agent);
  EXPECT_FALSE(at_work().report(one, first->token, "late").value());
  EXPECT_TRUE(desk().done("a")->empty());
  EXPECT_TRUE(at_work().report(one, again->token, "well").value());
  EXPECT_EQ(desk().done("a")->size(), 1U) << "of two that it has only this one";
}

TEST_F(ClusterWork, WhatNobodyWantsAnyMoreIsNoLongerItsWorkers) {
  put(1);
  put(2);
  const std::int64_t one = worker();
  const auto claim = take(one);
  ASSERT_TRUE(take(one));
  ASSERT_TRUE(desk().drop("a", 1));
  EXPECT_EQ(at_work().attend(one, false)->tokens.size(), 1U);
  EXPECT_FALSE(at_work().report(one, claim->token, "late").value());
  ASSERT_TRUE(desk().drop("a", 0));
  EXPECT_TRUE(at_work().attend(one, false)->tokens.empty());
}

TEST_F(ClusterWork, WhoLostTheRunPutsNothingAndWhatItPutGoes) {
  put(1);
  const std::int64_t one = worker();
  const auto claim = take(one);
  Settings sees = InADatabase::settings();
  sees.has_ended = [](const engine::ProcessIdentity&) { return true; };
  const auto second = there().open(sees);
  const auto taken = second->claim("demo-1", "a", "now");
  ASSERT_TRUE(taken);
  EXPECT_EQ(desk().put({"a", 2, {}, "", "{}"}).error().reason, Reason::conflict);
  const auto theirs = second->work();
  ASSERT_TRUE(theirs->put({"a", 2, {}, "", "{}"}));
  EXPECT_FALSE(at_work().report(one, claim->token, "late").value());
  EXPECT_EQ(there().query("SELECT string_agg(agent::text, ' ') FROM capsule.work"), "2");
}

TEST_F(ClusterWork, OfManyWorkersAtOnceEachTakesAnother) {
  constexpr int kMany = 24;
  for (int agent = 1; agent <= kMany; ++agent) put(agent);
  std::vector<std::vector<int>> taken(4);
  std::vector<std::thread> threads;
  for (std::vector<int>& mine : taken)
    threads.emplace_back([&mine, work = records_->work()] {
      const std::int64_t number = work->enlist("one", {}, kMany).value();
      while (const auto claim = work->take(number).value()) mine.push_back(claim->agent);
    });
  for (std::thread& thread : threads) thread.join();
  std::vector<int> all;
  for (const std::vector<int>& mine : taken) all.insert(all.end(), mine.begin(), mine.end());
  std::sort(all.begin(), all.end());
  ASSERT_EQ(all.size(), static_cast<std::size_t>(kMany));
  EXPECT_EQ(std::unique(all.begin(), all.end()), all.end());
}

TEST_F(ClusterWork, WhoSleepsIsWokenByWhatIsNewForIt) {
  constexpr int kLong = 60'000;
  const std::int64_t one = worker();
  const auto waits = [&](engine::Knocks wanted) {
    return std::async(std::launch::async,
                      [this, wanted] { return at_work().wait(wanted, -1, kLong); });
  };
  // It listens from its first wait on.
  at_work().wait({.work = true, .ended = true}, -1, 1);
  auto asleep = waits({.work = true, .ended = true});
  put(1);
  EXPECT_TRUE(asleep.get().work);
  const auto claim = take(one);
  ASSERT_TRUE(claim);
  asleep = waits({.work = true, .ended = true});
  ASSERT_TRUE(desk().drop("a", 1));
  EXPECT_TRUE(asleep.get().ended);
  put(2);
  at_work().wait({.work = true}, -1, kLong);
  const auto second = take(one);
  ASSERT_TRUE(second);
  desk().wait({.done = true}, -1, 1);
  ASSERT_TRUE(at_work().report(one, second->token, "well").value());
  EXPECT_TRUE(desk().wait({.done = true}, -1, kLong).done);
}

// Not a time, which says little on a machine that others use, but what a claim reads.
TEST_F(ClusterWork, AClaimCostsNoMoreWhenManyWaitThatOthersCanDo) {
  put(1, {"gpu"});
  put(2, {"linux"});
  there().query(
      "INSERT INTO capsule.work(project_id, pool, run, agent, epoch, what, spec)"
      " SELECT project_id, pool, 'b', g, 1, '', '{}' FROM capsule.work,"
      " generate_series(1, 20000) g WHERE agent = 1");
  there().query("ANALYZE capsule.work");
  const std::string one = std::to_string(worker({"linux"}, 5));
  // In one transaction, since only there the server tells what was read by now.
  const std::string read =
      there().query("SELECT capsule_v1.take(" + one +
                    "); SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables"
                    " WHERE relname = 'work'");
  EXPECT_LT(std::stoi(read), 100);
  EXPECT_EQ(there().query("SELECT agent FROM capsule.work WHERE state = 'claimed'"), "2");
}

}  // namespace
}  // namespace capsule::cluster
