#include "store/store.h"

#include <sqlite3.h>

#include "tests/store/fault_vfs.h"
#include "tests/store/journal_folder.h"

namespace capsule::store {
namespace {

namespace fs = std::filesystem;
using event::NewFact;
using test::fact;
using test::run_named;

class StoreJournal : public test::JournalFolder {};

TEST_F(StoreJournal, AnyBytesComeBackAsTheyWere) {
  const auto store = open();
  const std::vector<NewFact> facts{{std::string("k\0k", 3), "", std::string("\0\xff\xfe{", 4)},
                                   {"big", "t", std::string(5'000'000, 'y')},
                                   {"", "", ""}};
  ASSERT_TRUE(store->begin(run_named("run-1"), facts));
  const auto read = store->read("run-1", 0);
  ASSERT_TRUE(read);
  for (std::size_t i = 0; i < facts.size(); ++i) {
    EXPECT_EQ((*read)[i].kind, facts[i].kind);
    EXPECT_EQ((*read)[i].body, facts[i].body);
  }
}

TEST_F(StoreJournal, FactsAreNumberedOverAllRuns) {
  const auto store = open();
  ASSERT_EQ(store->begin(run_named("a", "one"), std::vector{fact(1)}), 1U);
  ASSERT_EQ(store->begin(run_named("b", "two"), std::vector{fact(2)}), 2U);
  ASSERT_EQ(store->append("a", 1, std::vector{fact(3)}, std::nullopt), 3U);
  EXPECT_TRUE(store->verify());
}

TEST_F(StoreJournal, ACleanEndLeavesOneFile) {
  ASSERT_TRUE(open()->begin(run_named("a"), std::vector{fact(1), fact(2)}));
  EXPECT_FALSE(fs::exists(file("-wal")));  // a clean end leaves one file to copy
  EXPECT_EQ(open()->read("a", 0)->size(), 2U);
  EXPECT_EQ(open(Access::read_only)->read("a", 0)->size(), 2U);
}

TEST_F(StoreJournal, AReaderSeesAWriterAtWork) {
  const auto writer = open();
  ASSERT_TRUE(writer->begin(run_named("a"), std::vector{fact(1)}));
  const auto reader = open(Access::read_only);
  ASSERT_TRUE(writer->append("a", 1, std::vector{fact(2)}, std::nullopt));
  EXPECT_EQ(reader->read("a", 0)->size(), 2U);
  EXPECT_EQ(reader->append("a", 2, std::vector{fact(3)}, std::nullopt).error().reason, Reason::io);
}

TEST_F(StoreJournal, ReadingWithoutAJournalMakesNone) {
  EXPECT_EQ(open_error(Access::read_only).reason, Reason::not_found);
  EXPECT_FALSE(fs::exists(dir_ + "/.capsule"));
}

TEST_F(StoreJournal, APlantedLinkDoesNotBecomeTheJournal) {
  fs::create_directories(dir_ + "/.capsule");
  for (const char* suffix : {"", "-wal", "-mark"}) {
    fs::create_symlink("/etc/hostname", file(suffix));
    EXPECT_EQ(open_error().reason, Reason::refused) << suffix;
    fs::remove(file(suffix));
  }
}

TEST_F(StoreJournal, AFolderThatCannotBeWrittenIsAClearError) {
  put_bytes(dir_ + "/.capsule", "a file");
  const Error error = open_error();
  EXPECT_NE(error.message.find(".capsule"), std::string::npos);
  fs::remove(dir_ + "/.capsule");
  if (::geteuid() != 0) {  // root may write everywhere
    ASSERT_TRUE(open()->begin(run_named("a"), {}));
    fs::permissions(dir_ + "/.capsule", fs::perms::owner_read | fs::perms::owner_exec);
    EXPECT_EQ(open_error().reason, Reason::io);
    fs::permissions(dir_ + "/.capsule", fs::perms::owner_all);
    open();
  }
}

TEST_F(StoreJournal, AFactCostsOneSyncAndHardlyMore) {
  for (const int count : {50, 2000}) {
    fs::remove_all(dir_ + "/.capsule");
    { open(); }
    test::faults() = {};
    {
      const auto store = open(Access::read_write, {.vfs = test::fault_vfs_name()});
      const auto claim = store->claim("demo-1", "a", "now");
      ASSERT_TRUE(claim);
      std::uint64_t last = store->begin(run_named("a"), std::vector{fact(0, 300)}).value();
      for (int i = 1; i < count; ++i)
        last = store->append("a", last, std::vector{fact(i, 300)}, std::nullopt).value();
    }
    EXPECT_GE(test::faults().syncs, count);
    EXPECT_LE(test::faults().syncs, count * 1.1) << count << " facts";
  }
}

}  // namespace
}  // namespace capsule::store
