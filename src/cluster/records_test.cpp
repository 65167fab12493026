#include "cluster/records.h"

#include <atomic>
#include <thread>

#include "tests/postgres/intermediary.h"
#include "tests/postgres/project.h"

namespace capsule::cluster {
namespace {

using test::fact;
using test::run_named;

class ClusterRecords : public ClusterTest {
 protected:
  // Which run of the database has which facts, as the test wrote them.
  void expect_facts(const std::string& run, std::uint64_t count) {
    const auto read = there().open()->read(run, 0);
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_EQ(read->size(), count);
    for (std::size_t i = 0; i < read->size(); ++i)
      EXPECT_EQ((*read)[i].body, fact(static_cast<int>(i)).body) << "fact " << i + 1;
  }
};

TEST_F(ClusterRecords, ACoordinatorThatWasOvertakenAppendsNothing) {
  const auto first = there().open();
  const auto claim = first->claim("demo-1", "a", "now");
  ASSERT_TRUE(claim);
  ASSERT_TRUE(first->begin(run_named("a"), facts(0, 1)));
  ASSERT_TRUE(first->intact());

  // Somebody else has seen it end, and takes it over; nothing is appended since.
  Settings sees = InADatabase::settings();
  sees.has_ended = [](const engine::ProcessIdentity&) { return true; };
  const auto second = there().open(sees);
  const auto taken = second->claim("demo-1", "a", "now");
  ASSERT_TRUE(taken) << taken.error().message;

  EXPECT_EQ(first->append("a", 1, facts(1, 1), std::nullopt).error().reason, Reason::conflict);
  EXPECT_EQ(first->append("a", 1, {}, engine::Ending{"t", "merged"}).error().reason,
            Reason::conflict);
  EXPECT_EQ(first->intact().error().reason, Reason::conflict);
  // Nor does who has no claim at all, while somebody has one.
  EXPECT_EQ(there().open()->append("a", 1, facts(1, 1), std::nullopt).error().reason,
            Reason::conflict);
  EXPECT_TRUE(second->append("a", 1, facts(1, 1), std::nullopt));
  EXPECT_EQ(second->head("a")->outcome, "");
  expect_facts("a", 2);
}

TEST_F(ClusterRecords, TheEpochOfABranchIsGivenToWhoHasTheNewestClaimAlone) {
  const auto first = there().open();
  const auto claim = first->claim("demo-1", "a", "now");
  ASSERT_TRUE(claim);
  ASSERT_TRUE(first->begin(run_named("a"), facts(0, 1)));
  EXPECT_EQ(first->take_branch("a", "refs/heads/main").value_or(0), 1);
  EXPECT_EQ(first->take_branch("a", "refs/heads/main").value_or(0), 2);
  EXPECT_EQ(first->take_branch("a", "refs/heads/other").value_or(0), 1);
  EXPECT_EQ(there().open()->take_branch("a", "refs/heads/main").error().reason, Reason::conflict)
      << "it has no claim";

  Settings sees = InADatabase::settings();
  sees.has_ended = [](const engine::ProcessIdentity&) { return true; };
  const auto second = there().open(sees);
  const auto taken = second->claim("demo-1", "a", "now");
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_EQ(first->take_branch("a", "refs/heads/main").error().reason, Reason::conflict);
  EXPECT_EQ(second->take_branch("a", "refs/heads/main").value_or(0), 3);
}

TEST_F(ClusterRecords, ARunGoesOnElsewhereOnceNobodyWorksOnItAtItsHome) {
  const auto first = there().open();
  const auto claim = first->claim("demo-1", "a", "now");
  ASSERT_TRUE(claim);
  ASSERT_TRUE(first->begin(run_named("a"), facts(0, 1)));
  Settings other = InADatabase::settings("there");
  const auto second = there().open(other);
  EXPECT_EQ(second->bring_here("a").error().reason, Reason::blocked);
  EXPECT_EQ(second->claim("demo-1", "a", "now").error().reason, Reason::refused);
  EXPECT_TRUE(first->intact());

  // Silent for longer than a lease: it may be stopped, or its machine gone.
  there().query("UPDATE capsule.leases SET beat = -1000000, heard = heard - interval '1 hour'");
  ASSERT_TRUE(second->bring_here("a"));
  EXPECT_TRUE(second->bring_here("a")) << "it can be repeated";
  EXPECT_EQ(first->append("a", 1, facts(1, 1), std::nullopt).error().reason, Reason::conflict);
  EXPECT_EQ(first->take_branch("a", "refs/heads/main").error().reason, Reason::conflict);
  EXPECT_FALSE(first->intact());
  const auto taken = second->claim("demo-1", "a", "now");
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_TRUE(second->append("a", 1, facts(1, 1), std::nullopt));
  EXPECT_EQ(second->head("a")->home, "");
  EXPECT_NE(first->head("a")->home, "");
  EXPECT_EQ(second->bring_here("b").error().reason, Reason::not_found);
}

TEST_F(ClusterRecords, ARunOfAFoldersOwnJournalIsNotBroughtHere) {
  Settings folder = InADatabase::settings();
  folder.in_folder = true;
  ASSERT_TRUE(there().open(folder)->begin(run_named("a"), facts(0, 1)));
  const auto refused = there().open()->bring_here("a");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, Reason::refused);
  EXPECT_NE(refused.error().message.find("in the journal of"), std::string::npos);
}

TEST_F(ClusterRecords, GivingAClaimUpThatIsSomebodyElsesChangesNothing) {
  const auto first = there().open();
  auto claim = first->claim("demo-1", "a", "now");
  ASSERT_TRUE(claim);
  Settings sees = InADatabase::settings();
  sees.has_ended = [](const engine::ProcessIdentity&) { return true; };
  const auto second = there().open(sees);
  const auto taken = second->claim("demo-1", "a", "now");
  ASSERT_TRUE(taken);
  claim->reset();
  ASSERT_TRUE(second->begin(run_named("a"), facts(0, 1)));
  EXPECT_FALSE(there().open()->claim("demo-1", "a", "now"));
}

TEST_F(ClusterRecords, OfManyAtOnceExactlyOneGetsIt) {
  for (int round = 0; round < 5; ++round) {
    std::atomic<int> won = 0, blocked = 0, ready = 0;
    std::vector<std::unique_ptr<engine::Claim>> kept(4);
    std::vector<std::unique_ptr<engine::Records>> stores;
    for (int i = 0; i < 4; ++i) stores.push_back(there().open());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 4; ++i)
      threads.emplace_back([&, i] {
        ++ready;
        while (ready < 4) std::this_thread::yield();
        auto claim = stores[i]->claim("demo-1", "run", "now");
        if (claim) kept[i] = *std::move(claim);
        (claim ? won : blocked) += 1;
      });
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(won, 1);
    ASSERT_EQ(blocked, 3);
  }
}

TEST_F(ClusterRecords, ARunGoesOnOnlyWhereItsWorktreeIs) {
  {
    const auto here = there().open();
    const auto claim = here->claim("demo-1", "a", "now");
    ASSERT_TRUE(here->begin(run_named("a"), facts(0, 1)));
  }
  const auto elsewhere = there().open(InADatabase::settings("elsewhere"));
  const auto refused = elsewhere->claim("demo-1", "a", "now");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, Reason::refused);
  EXPECT_NE(refused.error().message.find("here, in /p"), std::string::npos)
      << refused.error().message;
  EXPECT_EQ(elsewhere->read("a", 0)->size(), 1U);  // it can be looked at from anywhere
  EXPECT_TRUE(elsewhere->claim("demo-1", "another-run", "now"));
}

TEST_F(ClusterRecords, AFactThatWasChangedOrLostIsNoticed) {
  for (const char* harm :
       {"UPDATE capsule.facts SET body = '{}' WHERE seq = 2",
        "DELETE FROM capsule.facts WHERE seq = 3", "DELETE FROM capsule.facts WHERE seq = 1",
        "UPDATE capsule.runs SET last_seq = 2, facts = 2"}) {
    InADatabase fresh;
    const auto store = fresh.open();
    ASSERT_TRUE(store->begin(run_named("a"), facts(0, 3)));
    fresh.query(harm);
    EXPECT_EQ(fresh.open()->read("a", 0).error().reason, Reason::damaged) << harm;
    EXPECT_EQ(fresh.open()->verify().error().reason, Reason::damaged) << harm;
  }
}

TEST_F(ClusterRecords, ADatabaseThatLostWhatItAcknowledgedIsNoticed) {
  const auto store = there().open();
  ASSERT_TRUE(store->begin(run_named("a"), facts(0, 3)));
  // As a standby has it that was promoted without the last fact: all of it in order.
  there().query(
      "DELETE FROM capsule.facts WHERE seq = 3;"
      " UPDATE capsule.runs SET last_seq = 2, facts = 2,"
      " chain = (SELECT chain FROM capsule.facts WHERE seq = 2)");
  ASSERT_TRUE(there().open()->read("a", 0));
  EXPECT_EQ(store->append("a", 3, facts(3, 1), std::nullopt).error().reason, Reason::damaged);
  EXPECT_EQ(store->read("a", 0).error().reason, Reason::damaged);
}

// A backend that is ended in the middle of its work: nothing is recorded, and the client cannot
// know.
TEST_F(ClusterRecords, AnAppendThatWasCutOffBeforeItsCommitIsGivenAgain) {
  const auto store = there().open();
  ASSERT_TRUE(store->begin(run_named("a"), facts(0, 1)));
  there().query(R"(
CREATE FUNCTION public.cut() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF nextval('public.cuts') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
  RETURN NEW;
END $$;
CREATE SEQUENCE public.cuts;
CREATE TRIGGER cut BEFORE UPDATE ON capsule.runs FOR EACH ROW
  WHEN (NEW.last_seq > OLD.last_seq) EXECUTE FUNCTION public.cut();
)");
  const auto appended = store->append("a", 1, facts(1, 2), std::nullopt);
  ASSERT_TRUE(appended) << appended.error().message;
  EXPECT_EQ(*appended, 3U);
  EXPECT_EQ(there().query("SELECT last_value FROM public.cuts"), "2");  // it was given twice
  expect_facts("a", 3);
}

// Its commit is there, and the client is told nothing.
TEST_F(ClusterRecords, AnAppendWhoseAnswerWasCutOffIsSettledByLooking) {
  test::Intermediary between(InADatabase::server().socket());
  const auto opened = open_records(Address::parse(between.address(there().database)).value(),
                                   InADatabase::settings());
  ASSERT_TRUE(opened) << opened.error().message;
  const auto& store = *opened;
  between.swallow_answer_to("capsule_v1.begin");
  const auto begun = store->begin(run_named("a"), facts(0, 2));
  ASSERT_TRUE(begun) << begun.error().message;
  between.swallow_answer_to("capsule_v1.append");
  const auto appended = store->append("a", 2, facts(2, 1), engine::Ending{"t", "merged"});
  ASSERT_TRUE(appended) << appended.error().message;
  EXPECT_EQ(between.swallowed(), 2);
  EXPECT_EQ(*appended, 3U);
  EXPECT_EQ(store->head("a")->outcome, "merged");
  between.swallow_answer_to("capsule_v1.claim");
  const auto claim = store->claim("demo-1", "a", "now");
  ASSERT_TRUE(claim) << claim.error().message;  // its own, not that of somebody else
  EXPECT_EQ(between.swallowed(), 3);
  expect_facts("a", 3);
}

// A commit that waits for its standby has happened here; whoever cancels it makes it say so.
TEST_F(ClusterRecords, ACommitThatDidNotWaitForItsStandbyIsNotBelieved) {
  const auto store = there().open();
  ASSERT_TRUE(store->begin(run_named("a"), facts(0, 1)));
  const std::string of_all = "postgres";
  const auto reload = [&](const std::string& names) {
    InADatabase::server().query(of_all,
                                "ALTER SYSTEM SET synchronous_standby_names = '" + names + "'");
    InADatabase::server().query(of_all, "SELECT pg_reload_conf()");
  };
  const auto waiting = [&] {
    return there().query(
        "SELECT coalesce(min(pid), 0) FROM pg_stat_activity"
        " WHERE wait_event = 'SyncRep' AND datname = current_database()");
  };
  reload("nobody");
  while (there().query("SHOW synchronous_standby_names") != "nobody") std::this_thread::yield();
  std::atomic<bool> done = false;
  Result<std::uint64_t> appended = 0;
  std::thread writer([&] {
    appended = store->append("a", 1, facts(1, 1), std::nullopt);
    done = true;
  });
  // Three times it is told that all is well, and three times it goes on asking.
  std::string last = "0";
  for (int times = 0; times < 3; ++times) {
    std::string pid = "0";
    while ((pid = waiting()) == "0" || pid == last)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    last = pid;
    there().query("SELECT pg_cancel_backend(" + pid + ")");
  }
  EXPECT_FALSE(done);
  InADatabase::server().query(of_all, "ALTER SYSTEM RESET synchronous_standby_names");
  reload("");
  writer.join();
  ASSERT_TRUE(appended) << appended.error().message;
  EXPECT_EQ(*appended, 2U);
  expect_facts("a", 2);
}

TEST_F(ClusterRecords, WhatIsNoTextOfTheJournalIsRefused) {
  const auto store = there().open();
  const std::vector<event::NewFact> zero{{"kind", "at", std::string("a\0b", 3)}};
  EXPECT_FALSE(store->begin(run_named("a"), zero));
  const std::vector<event::NewFact> broken{{"kind", "at", "\xFF\xFE"}};
  EXPECT_FALSE(store->begin(run_named("a"), broken));
  EXPECT_EQ(store->read("a", 0).error().reason, Reason::not_found);
  EXPECT_TRUE(store->begin(run_named("a"), facts(0, 1)));
}

}  // namespace
}  // namespace capsule::cluster
