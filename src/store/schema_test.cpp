#include "store/schema.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>

#include "tests/store/fault_vfs.h"
#include "tests/store/journal_folder.h"

namespace capsule::store {
namespace {

namespace fs = std::filesystem;
using test::fact;
using test::run_named;

class StoreSchema : public test::JournalFolder {
 protected:
  void SetUp() override {
    next_.assign(migrations().begin(), migrations().end());
    next_.push_back(
        "CREATE TABLE extra(a INTEGER) STRICT;"
        "INSERT INTO extra SELECT count(*) FROM facts;");
    ASSERT_TRUE(open()->begin(run_named("a"), std::vector{fact(1), fact(2)}));
  }
  void run_sql(const std::string& sql) const { run_sql_on(file(), sql); }
  static void run_sql_on(const std::string& path, const std::string& sql) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
  }
  std::string backup() const {
    return file(".v" + std::to_string(migrations().size()) + ".backup");
  }

  std::vector<const char*> next_;  // the real steps and one more
};

TEST_F(StoreSchema, AJournalOfANewerCapsuleIsRefused) {
  run_sql("PRAGMA user_version = 999");
  const std::string before = bytes_of(file());
  for (const Access access : {Access::read_only, Access::read_write}) {
    const Error error = open_error(access);
    EXPECT_EQ(error.reason, Reason::refused);
    EXPECT_NE(error.message.find("newer Capsule (version 999"), std::string::npos);
  }
  EXPECT_EQ(bytes_of(file()), before);
}

TEST_F(StoreSchema, AnOlderJournalIsBackedUpAndBroughtUpToDate) {
  {
    const auto store = open(Access::read_write, {.migrations = next_});
    EXPECT_EQ(store->read("a", 0)->size(), 2U);
    EXPECT_TRUE(store->append("a", 2, std::vector{fact(3)}, std::nullopt));
  }
  EXPECT_EQ(open_error().reason, Reason::refused);  // for the older program it is newer now
  // The copy is a whole journal of the older version.
  ASSERT_TRUE(fs::exists(backup()));
  fs::remove(file("-mark"));
  fs::rename(backup(), file());
  EXPECT_EQ(open()->read("a", 0)->size(), 2U);
  EXPECT_TRUE(open()->verify());
}

TEST_F(StoreSchema, AReaderDoesNotChangeAnOlderJournal) {
  const auto opened = Store::open(dir_, Access::read_only, {.migrations = next_});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().reason, Reason::refused);
  EXPECT_FALSE(fs::exists(backup()));
}

TEST_F(StoreSchema, AStepThatFailsLeavesTheOldVersion) {
  std::vector<const char*> broken = next_;
  broken.push_back("CREATE TABLE more(a); SELECT nonsense FROM nowhere;");
  EXPECT_FALSE(Store::open(dir_, Access::read_write, {.migrations = broken}));
  EXPECT_EQ(open()->read("a", 0)->size(), 2U);
}

TEST_F(StoreSchema, AnyOperationOfAMigrationMayFail) {
  const std::string before = bytes_of(file());
  const Seams seams{.vfs = test::fault_vfs_name(), .migrations = next_};
  test::faults() = {};
  { ASSERT_TRUE(Store::open(dir_, Access::read_write, seams)); }
  const int operations = test::faults().operations;
  ASSERT_GT(operations, 3);
  for (int n = 1; n <= operations; ++n) {
    fs::remove_all(dir_ + "/.capsule");
    fs::create_directories(dir_ + "/.capsule");
    put_bytes(file(), before);
    test::faults() = {.fail_at = n};
    { (void)Store::open(dir_, Access::read_write, seams); }
    test::faults() = {};
    const auto store = Store::open(dir_, Access::read_write, seams);
    ASSERT_TRUE(store) << n << ": " << store.error().message;
    EXPECT_EQ((*store)->read("a", 0)->size(), 2U) << n;
    EXPECT_TRUE((*store)->verify()) << n;
  }
}

TEST_F(StoreSchema, AKilledMigrationIsDoneAgain) {
  const std::string before = bytes_of(file());
  const int rounds = test::full() ? 200 : 20;
  for (int round = 0; round < rounds; ++round) {
    fs::remove_all(dir_ + "/.capsule");
    fs::create_directories(dir_ + "/.capsule");
    put_bytes(file(), before);
    const pid_t pid = ::fork();
    if (pid == 0) {
      (void)Store::open(dir_, Access::read_write, {.migrations = next_});
      ::pause();
    }
    ::usleep(static_cast<useconds_t>(round) * 300);
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    const auto store = open(Access::read_write, {.migrations = next_});
    ASSERT_EQ(store->read("a", 0)->size(), 2U);
    ASSERT_TRUE(store->verify());
  }
}

TEST_F(StoreSchema, AnotherProgramsDatabaseIsNoJournal) {
  fs::remove(file());
  fs::remove(file("-mark"));
  run_sql("CREATE TABLE theirs(a); INSERT INTO theirs VALUES(1)");
  const std::string before = bytes_of(file());
  EXPECT_EQ(open_error().reason, Reason::damaged);
  EXPECT_NE(open_error().message.find("not a journal"), std::string::npos);
  EXPECT_EQ(bytes_of(file()), before);
}

// Between the making of the file and that of its tables.
TEST_F(StoreSchema, AJournalThatIsJustBeingMadeIsNotThereYetForReaders) {
  fs::remove(file());
  put_bytes(file(), "");
  EXPECT_EQ(open_error(Access::read_only).reason, Reason::damaged) << "its mark tells of facts";
  fs::remove(file("-mark"));
  EXPECT_EQ(open_error(Access::read_only).reason, Reason::not_found);
}

TEST_F(StoreSchema, AFileThatIsNoDatabaseIsRefusedAndKept) {
  const std::string text =
      "this is not a database, whatever its name says. " + std::string(5000, '.');
  put_bytes(file(), text);
  EXPECT_EQ(open_error().reason, Reason::damaged);
  EXPECT_EQ(open_error(Access::read_only).reason, Reason::damaged);
  EXPECT_EQ(bytes_of(file()), text);
}

}  // namespace
}  // namespace capsule::store
