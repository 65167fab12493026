// Faults of the disk: after any of them the journal holds every acknowledged fact, nothing that was
// never appended, and goes on once the fault is gone.
#include <sys/mount.h>

#include "tests/store/fault_vfs.h"
#include "tests/store/journal_folder.h"

namespace capsule::store {
namespace {

namespace fs = std::filesystem;
using test::fact;
using test::faults;
using test::run_named;

struct Written {
  int acknowledged = 0;
  bool any_error = false;
  Reason reason{};
};

class StoreFaults : public test::JournalFolder {
 protected:
  Seams seams() const { return {.vfs = test::fault_vfs_name()}; }

  // Opens, begins a run and appends until something fails or `count` facts are written.
  Written write_some(int count) const {
    Written result;
    const auto failed = [&](const Error& error) {
      result.any_error = true;
      result.reason = error.reason;
      EXPECT_FALSE(error.message.empty());
      return result;
    };
    auto store = Store::open(dir_, Access::read_write, seams());
    if (!store) return failed(store.error());
    auto last = (*store)->begin(run_named("a"), std::vector{fact(1)});
    for (;;) {
      if (!last) return failed(last.error());
      if (++result.acknowledged == count) return result;
      last = (*store)->append("a", *last, std::vector{fact(result.acknowledged + 1, 2000)},
                              std::nullopt);
    }
  }

  // Opens anew without faults; the run may hold one fact more than was acknowledged.
  void expect_sound(const Written& written, const std::string& what) {
    faults() = {};
    const auto store = Store::open(dir_, Access::read_write, seams());
    ASSERT_TRUE(store) << what << ": " << store.error().message;
    const auto sound = (*store)->verify();
    ASSERT_TRUE(sound) << what << ": " << sound.error().message;
    const auto facts = (*store)->read("a", 0);
    int count = 0;
    if (facts) {
      count = static_cast<int>(facts->size());
      for (int i = 0; i < count; ++i)
        EXPECT_EQ((*facts)[static_cast<std::size_t>(i)].body, fact(i + 1, i == 0 ? 0 : 2000).body);
    } else {
      ASSERT_EQ(facts.error().reason, Reason::not_found) << what << ": " << facts.error().message;
    }
    EXPECT_GE(count, written.acknowledged) << what;
    EXPECT_LE(count, written.acknowledged + 1) << what;
    const auto next = facts ? (*store)->append("a", facts->empty() ? 0 : facts->back().seq,
                                               std::vector{fact(99)}, std::nullopt)
                            : (*store)->begin(run_named("a"), std::vector{fact(1)});
    EXPECT_TRUE(next) << what << ": " << next.error().message;
  }

  void loop(bool for_good, int code) {
    constexpr int kFacts = 6;
    faults() = {};
    write_some(kFacts);
    const int operations = faults().operations;
    ASSERT_GT(operations, 20);
    for (int n = 1; n <= operations; ++n) {
      fs::remove_all(dir_ + "/.capsule");
      faults() = {.fail_at = n, .for_good = for_good, .fail_code = code};
      const Written written = write_some(kFacts);
      const std::string what =
          "operation " + std::to_string(n) + " of " + std::to_string(operations);
      EXPECT_TRUE(faults().failed) << what;
      if (written.any_error) {
        EXPECT_EQ(written.reason, Reason::io) << what;
      }
      expect_sound(written, what);
    }
  }
};

TEST_F(StoreFaults, AnyOperationMayFailOnce) { loop(false, SQLITE_IOERR_WRITE); }
TEST_F(StoreFaults, AnyOperationMayFailForGood) { loop(true, SQLITE_IOERR_WRITE); }
TEST_F(StoreFaults, TheDiskMayBeFullOnce) { loop(false, SQLITE_FULL); }
TEST_F(StoreFaults, TheDiskMayStayFull) { loop(true, SQLITE_FULL); }

TEST_F(StoreFaults, AfterAFullDiskTheSameHandleGoesOn) {
  const auto store = open(Access::read_write, seams());
  const std::uint64_t last = store->begin(run_named("a"), std::vector{fact(1)}).value();
  faults() = {.fail_at = 1, .for_good = true, .fail_code = SQLITE_FULL};
  const auto refused = store->append("a", last, std::vector{fact(2)}, std::nullopt);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, Reason::io);
  EXPECT_NE(refused.error().message.find("disk is full"), std::string::npos);
  EXPECT_EQ(store->read("a", 0)->size(), 1U);
  faults() = {};
  EXPECT_TRUE(store->append("a", last, std::vector{fact(2)}, std::nullopt));
  EXPECT_EQ(store->read("a", 0)->size(), 2U);
}

TEST_F(StoreFaults, AFailedSyncEndsTheHandleButNotTheJournal) {
  auto store = open(Access::read_write, seams());
  const std::uint64_t last = store->begin(run_named("a"), std::vector{fact(1)}).value();
  // The next operations are writes to the log, then its sync.
  Result<std::uint64_t> failed = fail(Reason::usage, "");
  for (int n = 1; n < 20; ++n) {
    faults() = {.fail_at = n};
    failed = store->append("a", last, std::vector{fact(2)}, std::nullopt);
    ASSERT_FALSE(failed) << "no sync was reached";
    if (faults().syncs > 0) break;
  }
  faults() = {};
  EXPECT_EQ(failed.error().reason, Reason::io);
  for (int i = 0; i < 2; ++i) {
    const auto again = store->append("a", last, std::vector{fact(2)}, std::nullopt);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().reason, Reason::io);
    EXPECT_EQ(store->read("a", 0).error().reason, Reason::io);
  }
  store.reset();
  store = open(Access::read_write, seams());
  const auto facts = store->read("a", 0);
  ASSERT_TRUE(facts);
  EXPECT_TRUE(store->append("a", facts->back().seq, std::vector{fact(3)}, std::nullopt));
}

// A real full disk, where mounting is allowed; the loops above hold everywhere.
TEST_F(StoreFaults, ARealFullDiskIsToldAndOvercome) {
  const std::string disk = dir_ + "/disk";
  fs::create_directory(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=1m") != 0) {
    std::puts("mounting is not allowed here: only the simulated full disk was tested");
    return;
  }
  {
    auto store = Store::open(disk, Access::read_write).value();
    std::uint64_t last = store->begin(run_named("a"), std::vector{fact(1)}).value();
    int acknowledged = 1;
    test::JournalFolder::put_bytes(disk + "/ballast", std::string(400'000, 'b'));
    Error error{};
    for (;;) {
      const auto next =
          store->append("a", last, std::vector{fact(acknowledged + 1, 2000)}, std::nullopt);
      if (!next) {
        error = next.error();
        break;
      }
      last = *next;
      ++acknowledged;
    }
    EXPECT_EQ(error.reason, Reason::io);
    EXPECT_NE(error.hint.find("free some disk space"), std::string::npos) << error.message;
    fs::remove(disk + "/ballast");
    EXPECT_TRUE(store->append("a", last, std::vector{fact(0)}, std::nullopt));
    EXPECT_EQ(store->read("a", 0)->size(), static_cast<std::size_t>(acknowledged) + 1);
    EXPECT_TRUE(store->verify());
  }
  EXPECT_EQ(::umount(disk.c_str()), 0);
}

}  // namespace
}  // namespace capsule::store
