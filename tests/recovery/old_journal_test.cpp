// A journal that Capsule 0.1 wrote, in a project of today: tests/golden/journal-v1.sql, which its
// README explains. It is read as it is, and what it holds is shown.
#include <sqlite3.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "store/store.h"
#include "tests/recovery/project.h"

namespace capsule::test {
namespace {

using nlohmann::json;

class OldJournal : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    ASSERT_EQ(in({"setup-template", project()}).exit_code, 0);
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open((project() + "/.capsule/journal.db").c_str(), &database), SQLITE_OK);
    char* why = nullptr;
    const std::string sql = read_file(CAPSULE_SOURCE_DIR "/tests/golden/journal-v1.sql");
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &why), SQLITE_OK) << why;
    sqlite3_free(why);
    sqlite3_close(database);
  }
  std::string project() const { return path("project"); }
  Outcome in(std::vector<std::string> args) const {
    Call call;
    call.args = std::move(args);
    call.cwd = std::filesystem::exists(project()) ? project() : dir();
    call.env = {{"HOME", path("home")},
                {"XDG_CONFIG_HOME", std::nullopt},
                {"XDG_STATE_HOME", std::nullopt},
                {"CAPSULE_TRACKER", "native"},
                {"CAPSULE_PROVIDER", std::nullopt},
                {"NO_COLOR", "1"}};
    return run(prepared(std::move(call)));
  }
  // What the command prints when it ends well.
  std::string printed_by(std::vector<std::string> args) const {
    const Outcome outcome = in(std::move(args));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }
};

TEST_F(OldJournal, StatusShowsWhatEndedAndWhatWasCutOff) {
  const std::string status = printed_by({"status"});
  EXPECT_HAS(status, "demo-1.1.1  2026-11-16 17:28  Validate email format");
  EXPECT_HAS(status, "merged\n");
  EXPECT_HAS(status, "demo-1.1.2  2026-11-16 17:28  Validate phone format");
  EXPECT_HAS(status, "cut off in execute (attempt 1/3)");
  EXPECT_HAS(status, "0 of 1 complete, 1 waiting; ↻ halted");
  EXPECT_HAS(status, "Say hello");
  EXPECT_HAS(status, "a person has to decide");
}

TEST_F(OldJournal, StatusOfABeadTellsItsPhases) {
  const std::string merged = printed_by({"status", "demo-1.1.1"});
  EXPECT_HAS(merged, "demo-1.1.1: Validate email format\n");
  EXPECT_HAS(merged, "merged into main as dade293cdca7");
  EXPECT_HAS(merged, "2 runs");
  const std::string cut_off = printed_by({"status", "demo-1.1.2"});
  EXPECT_HAS(cut_off, "What next:\n  capsule run demo-1.1.2\n");
}

TEST_F(OldJournal, ProgramsAreToldTheSame) {
  const json list = json::parse(printed_by({"status", "--json"}));
  const auto find = [&](const std::string& bead) -> json {
    for (const json& row : list)
      if (row.value("bead", "") == bead) return row;
    return {};
  };
  EXPECT_EQ(find("demo-1.1.1").value("state", ""), "ended");
  EXPECT_EQ(find("demo-1.1.1").value("outcome", ""), "merged");
  EXPECT_EQ(find("demo-1.1.2").value("state", ""), "cut_off");
  EXPECT_EQ(find("demo-1.1.2").value("phase", ""), "execute");
}

TEST_F(OldJournal, TheLedgerCountsItsClaims) {
  EXPECT_HAS(printed_by({"ledger"}), "files_changed");
}

TEST_F(OldJournal, AutoModeKnowsThatItsRunWaitsForAPerson) {
  const std::string status = printed_by({"auto", "status"});
  EXPECT_HAS(status, "Say hello");
  EXPECT_HAS(status, "which greeting is wanted?");
}

TEST_F(OldJournal, IsSoundAndStaysSoWhenTheNextRunIsRecorded) {
  EXPECT_EQ(in({"prep", "demo-1.1.1"}).exit_code, 0)
      << "its worktree is gone, and it can begin anew";
  const auto store = store::Store::open(project(), store::Access::read_only);
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_TRUE((*store)->verify());
  const auto runs = (*store)->runs();
  ASSERT_TRUE(runs) << runs.error().message;
  EXPECT_EQ(runs->size(), 5U);
  printed_by({"status"});
}

}  // namespace
}  // namespace capsule::test
