// What holds while the server is killed, away or frozen. It is one that nobody else uses.
#include <signal.h>

#include <atomic>
#include <latch>
#include <thread>

#include "base/clock.h"
#include "tests/postgres/project.h"

namespace capsule::cluster {
namespace {

using std::chrono::milliseconds;
using test::fact;
using test::run_named;

class ClusterOutage : public ClusterTest {
 protected:
  static void down_for(milliseconds pause) {
    InADatabase::server().kill9();
    std::this_thread::sleep_for(pause);
    InADatabase::server().start();
  }
};

TEST_F(ClusterOutage, AKilledServerLosesAndDoublesNothing) {
  constexpr std::size_t kWriters = 4;
  const int kills = std::getenv("CAPSULE_TEST_FULL") != nullptr ? 20 : 2;
  std::atomic<bool> enough = false;
  std::atomic<std::uint64_t> all = 0;
  std::vector<std::uint64_t> acknowledged(kWriters);
  std::vector<std::string> errors(kWriters);
  std::vector<std::thread> writers;
  std::latch begun(kWriters);  // who comes while the database is away is refused, and no writer
  for (std::size_t i = 0; i < kWriters; ++i)
    writers.emplace_back([&, i] {
      const std::string run = "run-" + std::to_string(i);
      const auto store = there().open();
      const auto claim = store->claim(run, run, "now");
      begun.count_down();
      std::uint64_t last = 0;
      while (!enough) {
        const std::vector<event::NewFact> one{fact(static_cast<int>(last))};
        const auto next = last == 0 ? store->begin(run_named(run, run), one)
                                    : store->append(run, last, one, std::nullopt);
        if (!next) {
          errors[i] = next.error().message;
          return;
        }
        last = acknowledged[i] = *next;
        ++all;
      }
    });
  begun.wait();
  for (int kill = 0; kill < kills; ++kill) {
    const std::uint64_t before = all;
    while (all < before + 40) std::this_thread::sleep_for(milliseconds(1));
    down_for(milliseconds(0));
  }
  const std::uint64_t before = all;
  while (all < before + 40) std::this_thread::sleep_for(milliseconds(1));
  enough = true;
  for (std::thread& writer : writers) writer.join();
  for (std::size_t i = 0; i < kWriters; ++i) {
    EXPECT_EQ(errors[i], "");
    const auto read = there().open()->read("run-" + std::to_string(i), 0);
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_EQ(read->size(), acknowledged[i]);
    for (std::size_t at = 0; at < read->size(); ++at)
      ASSERT_EQ((*read)[at].body, fact(static_cast<int>(at)).body);
  }
}

TEST_F(ClusterOutage, ADatabaseThatWasAwayForLongerThanALeaseEndsNone) {
  there().query("UPDATE capsule.meta SET lease_ms = 2000, pause_ms = 100");
  Settings quick = InADatabase::settings();
  quick.beat_milliseconds = 100;
  const auto store = there().open(quick);
  const auto claim = store->claim("demo-1", "a", "now");
  ASSERT_TRUE(claim);
  ASSERT_TRUE(store->begin(run_named("a"), facts(0, 1)));
  down_for(milliseconds(2500));
  // Whoever comes first sees a lease that is as young as it was, and its holder, too, is heard
  // soon.
  Settings other = InADatabase::settings("elsewhere");
  other.beat_milliseconds = 100;
  other.silent_milliseconds = 0;
  const auto refused = there().open(other)->claim("demo-1", "b", "now");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, Reason::blocked);
  EXPECT_TRUE(store->append("a", 1, facts(1, 1), std::nullopt));
  EXPECT_TRUE(store->intact());
}

TEST_F(ClusterOutage, TheLeaseOfWhoFellSilentEndsWhileTheDatabaseServes) {
  there().query("UPDATE capsule.meta SET lease_ms = 300, pause_ms = 100");
  Settings silent = InADatabase::settings("elsewhere");
  silent.beat_milliseconds = 3'600'000;  // it was stopped, or is cut off
  const auto lost = there().open(silent);
  const auto claim = lost->claim("demo-1", "a", "now");
  ASSERT_TRUE(claim);
  Settings patient = InADatabase::settings();
  patient.beat_milliseconds = 20;
  const auto store = there().open(patient);
  std::this_thread::sleep_for(milliseconds(100));  // longer than who lives would be silent
  const auto taken = store->claim("demo-1", "b", "now");
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_EQ(lost->intact().error().reason, Reason::conflict);
  EXPECT_EQ(lost->begin(run_named("a"), facts(0, 1)).error().reason, Reason::conflict);
}

TEST_F(ClusterOutage, WhoWaitsTooLongForADatabaseSaysSo) {
  Settings brief = InADatabase::settings();
  brief.away_milliseconds = 50;
  std::vector<std::string> told;
  brief.tell = [&](const std::string& text) { told.push_back(text); };
  const auto store = there().open(brief);
  const auto patient = there().open();
  ASSERT_TRUE(store->begin(run_named("a"), facts(0, 1)));
  InADatabase::server().kill9();
  const auto gone = store->append("a", 1, facts(1, 1), std::nullopt);
  EXPECT_EQ(store->read("a", 0).error().reason, Reason::io);
  // Or until somebody asks to stop, as whoever carries a run on hears it.
  sigset_t stop, before;
  ::sigemptyset(&stop);
  ::sigaddset(&stop, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &stop, &before);
  ::raise(SIGTERM);
  const std::int64_t began = monotonic_ms();
  EXPECT_EQ(patient->append("a", 1, facts(1, 1), std::nullopt).error().reason, Reason::io);
  EXPECT_LT(monotonic_ms() - began, InADatabase::settings().away_milliseconds);
  int got = 0;
  ::sigwait(&stop, &got);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  const auto closed = open_records(there().at(), brief);
  InADatabase::server().start();
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().reason, Reason::io);
  EXPECT_FALSE(told.empty());
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().reason, Reason::io);
  EXPECT_TRUE(store->append("a", 1, facts(1, 1), std::nullopt));
}

}  // namespace
}  // namespace capsule::cluster
