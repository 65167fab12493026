#include "store/store.h"

#include <sqlite3.h>

#include "tests/store/fault_vfs.h"
#include "tests/store/journal_folder.h"

namespace capsule::store {
namespace {

namespace fs = std::filesystem;
using engine::Ending;
using event::Fact;
using event::NewFact;
using test::fact;
using test::run_named;

class StoreJournal : public test::JournalFolder {};

std::vector<std::string> bodies(const std::vector<Fact>& facts) {
  std::vector<std::string> result;
  for (const Fact& each : facts) result.push_back(each.body);
  return result;
}

TEST_F(StoreJournal, WhatIsAppendedIsReadBackInOrder) {
  const auto store = open();
  const std::vector<NewFact> first{fact(1), fact(2)};
  EXPECT_EQ(store->begin(run_named("run-1"), first), 2U);
  EXPECT_EQ(store->append("run-1", 2, std::vector{fact(3)}, std::nullopt), 3U);
  const auto facts = store->read("run-1", 0);
  ASSERT_TRUE(facts) << facts.error().message;
  ASSERT_EQ(facts->size(), 3U);
  EXPECT_EQ((*facts)[1], (Fact{2, "run-1", first[1].kind, first[1].at, first[1].body}));
  EXPECT_EQ((*facts)[2].seq, 3U);
  EXPECT_TRUE(store->verify());
}

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

TEST_F(StoreJournal, RunsAreKeptApart) {
  const auto store = open();
  ASSERT_EQ(store->begin(run_named("a", "one"), std::vector{fact(1)}), 1U);
  ASSERT_EQ(store->begin(run_named("b", "two"), std::vector{fact(2)}), 2U);
  ASSERT_EQ(store->append("a", 1, std::vector{fact(3)}, std::nullopt), 3U);
  ASSERT_EQ(store->begin(run_named("c", "one"), {}), 0U);
  EXPECT_EQ(bodies(*store->read("a", 0)), (std::vector{fact(1).body, fact(3).body}));
  EXPECT_EQ(bodies(*store->read("b", 0)), (std::vector{fact(2).body}));
  EXPECT_TRUE(store->read("c", 0)->empty());
  const auto of_one = store->runs_of("one");
  ASSERT_EQ(of_one->size(), 2U);
  EXPECT_EQ((*of_one)[0].run, "a");
  EXPECT_EQ((*of_one)[1].run, "c");
  EXPECT_EQ(store->runs()->size(), 3U);
  EXPECT_TRUE(store->verify());
}

TEST_F(StoreJournal, OnlyWhatIsNewIsReadOnDemand) {
  const auto store = open();
  ASSERT_TRUE(store->begin(run_named("a"), std::vector{fact(1), fact(2)}));
  EXPECT_EQ(bodies(*store->read("a", 1)), (std::vector{fact(2).body}));
  EXPECT_TRUE(store->read("a", 2)->empty());
  EXPECT_EQ(store->read("a", 7).error().reason, Reason::not_found);
}

TEST_F(StoreJournal, TheHeadSaysHowARunStands) {
  const auto store = open();
  ASSERT_TRUE(store->begin(run_named("a"), std::vector{fact(1)}));
  engine::RunHead expected{"a", "pipeline", "demo-1", "2026-01-31T23:59:00.000Z", "", "", 1, 1};
  EXPECT_EQ(store->head("a"), expected);
  ASSERT_TRUE(store->append("a", 1, std::vector{fact(2)}, Ending{"later", "merged"}));
  expected.ended_at = "later";
  expected.outcome = "merged";
  expected.facts = expected.last_seq = 2;
  EXPECT_EQ(store->head("a"), expected);
  ASSERT_TRUE(store->append("a", 2, std::vector{fact(3)}, Ending{}));
  EXPECT_EQ(store->head("a")->outcome, "");
}

TEST_F(StoreJournal, ARunBeginsOnce) {
  const auto store = open();
  ASSERT_TRUE(store->begin(run_named("a"), std::vector{fact(1)}));
  EXPECT_EQ(store->begin(run_named("a"), std::vector{fact(2)}).error().reason, Reason::exists);
  EXPECT_EQ(store->read("a", 0)->size(), 1U);
}

TEST_F(StoreJournal, ASecondWriterOfARunIsNoticed) {
  const auto store = open();
  const auto other = open();
  ASSERT_TRUE(store->begin(run_named("a"), std::vector{fact(1)}));
  ASSERT_TRUE(other->append("a", 1, std::vector{fact(2)}, std::nullopt));
  EXPECT_EQ(store->append("a", 1, std::vector{fact(2)}, std::nullopt).error().reason,
            Reason::conflict);
  EXPECT_EQ(store->read("a", 0)->size(), 2U);
}

TEST_F(StoreJournal, AnUnknownRunIsNotFound) {
  const auto store = open();
  EXPECT_EQ(store->read("a", 0).error().reason, Reason::not_found);
  EXPECT_EQ(store->head("a").error().reason, Reason::not_found);
  EXPECT_EQ(store->append("a", 0, std::vector{fact(1)}, std::nullopt).error().reason,
            Reason::not_found);
}

TEST_F(StoreJournal, EverythingIsThereAfterReopening) {
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
