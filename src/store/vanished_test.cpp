// The journal's files go away, or are replaced, while a store has them open.
#include "store/subject_lock.h"
#include "tests/store/journal_folder.h"

namespace capsule::store {
namespace {

namespace fs = std::filesystem;
using test::fact;
using test::run_named;

class StoreVanished : public test::JournalFolder {
 protected:
  static std::uint64_t begin(Store& store, const std::string& run,
                             const std::string& subject = "demo-1") {
    const std::vector<event::NewFact> facts{fact(1), fact(2)};
    const auto seq = store.begin(run_named(run, subject), facts);
    EXPECT_TRUE(seq) << seq.error().message;
    return seq.value_or(0);
  }
  static Result<std::uint64_t> append(Store& store, const std::string& run, std::uint64_t after) {
    const std::vector<event::NewFact> facts{fact(3)};
    return store.append(run, after, facts, std::nullopt);
  }
  void expect_facts(const std::string& run, std::size_t count) const {
    const auto store = open();
    ASSERT_TRUE(store);
    EXPECT_TRUE(store->verify());
    const auto facts = store->read(run, 0);
    ASSERT_TRUE(facts) << facts.error().message;
    EXPECT_EQ(facts->size(), count);
  }
  std::vector<std::string> rescued() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(dir_ + "/.capsule"))
      if (entry.path().filename().string().starts_with("journal.rescued-"))
        names.push_back(entry.path());
    return names;
  }
};

TEST_F(StoreVanished, AJournalThatWasRemovedIsWrittenBackWhole) {
  for (const std::vector<std::string>& gone : {std::vector<std::string>{""},
                                               {"-wal"},
                                               {"-shm"},
                                               {"", "-wal"},
                                               {"-wal", "-shm"},
                                               {"", "-wal", "-shm", "-mark"}}) {
    fs::remove_all(dir_ + "/.capsule");
    {
      const auto store = open();
      const std::uint64_t seq = begin(*store, "run-1");
      for (const std::string& suffix : gone) ASSERT_TRUE(fs::remove(file(suffix))) << suffix;
      const auto refused = append(*store, "run-1", seq);
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().reason, Reason::damaged);
      EXPECT_NE(refused.error().message.find("written back"), std::string::npos)
          << refused.error().message;
      EXPECT_FALSE(append(*store, "run-1", seq)) << "the handle writes to a file without a name";
      EXPECT_FALSE(store->intact());
    }
    expect_facts("run-1", 2);
    EXPECT_TRUE(rescued().empty()) << gone.front();
  }
}

TEST_F(StoreVanished, NothingIsRecordedWhenTheWholeFolderIsGone) {
  const auto store = open();
  const std::uint64_t seq = begin(*store, "run-1");
  fs::remove_all(dir_ + "/.capsule");
  EXPECT_FALSE(append(*store, "run-1", seq));
  expect_facts("run-1", 2);
}

TEST_F(StoreVanished, AnotherJournalWithRunsIsLeftAloneAndTheOldOneStandsBesideIt) {
  const auto store = open();
  const std::uint64_t seq = begin(*store, "run-1");
  for (const char* suffix : {"", "-wal", "-shm", "-mark"}) fs::remove(file(suffix));
  begin(*open(), "other");
  const auto refused = append(*store, "run-1", seq);
  ASSERT_FALSE(refused);
  const std::vector<std::string> copies = rescued();
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_NE(refused.error().message.find(copies.front()), std::string::npos)
      << refused.error().message;
  expect_facts("other", 2);
  // As the message says: the other one moved away, this one in its place.
  for (const char* suffix : {"", "-wal", "-shm", "-mark"}) fs::remove(file(suffix));
  fs::rename(copies.front(), file());
  expect_facts("run-1", 2);
}

TEST_F(StoreVanished, AnEmptyNewJournalTakesWhatTheOldOneHad) {
  const auto store = open();
  const std::uint64_t seq = begin(*store, "run-1");
  for (const char* suffix : {"", "-wal", "-shm", "-mark"}) fs::remove(file(suffix));
  const auto other = open();  // stays open
  EXPECT_FALSE(append(*store, "run-1", seq));
  EXPECT_TRUE(rescued().empty());
  expect_facts("run-1", 2);
  begin(*other, "run-2");
  expect_facts("run-2", 2);
}

TEST_F(StoreVanished, OfTwoRunsTheSecondFindsWhatTheFirstHasWrittenBack) {
  const auto first = open(), second = open();
  const std::uint64_t seq = begin(*first, "run-1");
  const std::uint64_t other = begin(*second, "run-2", "demo-2");
  for (const char* suffix : {"", "-wal", "-shm", "-mark"}) fs::remove(file(suffix));
  EXPECT_FALSE(append(*first, "run-1", seq));
  EXPECT_FALSE(append(*second, "run-2", other));
  EXPECT_TRUE(rescued().empty());
  expect_facts("run-1", 2);
  expect_facts("run-2", 2);
}

TEST_F(StoreVanished, TheEndOfAHandleThatLostItsFilesTouchesNoneOfTheNewOnes) {
  auto store = open();
  const std::uint64_t seq = begin(*store, "run-1");
  for (const char* suffix : {"", "-wal", "-shm", "-mark"}) fs::remove(file(suffix));
  EXPECT_FALSE(append(*store, "run-1", seq));
  const auto next = open();
  ASSERT_TRUE(append(*next, "run-1", seq));
  store.reset();
  EXPECT_TRUE(fs::exists(file("-wal"))) << "facts of the new one were removed with its log";
  ASSERT_TRUE(next->intact());
  expect_facts("run-1", 3);
}

TEST_F(StoreVanished, ALockThatIsGoneStopsItsHolderAndItsEndLeavesAnothersAlone) {
  const std::string lock = dir_ + "/.capsule/locks/demo-1.lock";
  const auto store = open();
  auto claim = store->claim("demo-1", "run-1", "now");
  ASSERT_TRUE(claim);
  begin(*store, "run-1");
  ASSERT_TRUE(fs::remove(lock));
  EXPECT_FALSE(store->intact());
  test::JournalFolder::put_bytes(lock, "another's");
  claim->reset();
  EXPECT_TRUE(fs::exists(lock));
}

TEST_F(StoreVanished, AClaimIsLockedInASecondFolderThatOutlivesTheFirst) {
  const auto store = open();
  store->also_lock_in(dir_ + "/elsewhere");
  const auto claim = store->claim("demo-1", "run-1", "now");
  ASSERT_TRUE(claim);
  fs::remove_all(dir_ + "/.capsule");
  const auto second = open(Access::read_write, {.take_over_milliseconds = 0});
  second->also_lock_in(dir_ + "/elsewhere");
  const auto refused = second->claim("demo-1", "run-2", "later");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, Reason::blocked);
  EXPECT_NE(refused.error().message.find("process " + std::to_string(::getpid())),
            std::string::npos)
      << refused.error().message;
  EXPECT_TRUE(second->claim("demo-2", "run-3", "later"));
}

}  // namespace
}  // namespace capsule::store
