#include "task/native_store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <thread>

namespace capsule::task {
namespace {

namespace fs = std::filesystem;

class NativeStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "capsule-task-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    dir_ = pattern;
  }
  void TearDown() override { fs::remove_all(dir_); }

  std::string file() const { return dir_ + "/.beads/issues.jsonl"; }
  std::string text() const {
    std::ifstream in(file(), std::ios::binary);
    std::stringstream all;
    all << in.rdbuf();
    return all.str();
  }
  void write(std::string_view bytes) const {
    fs::create_directories(dir_ + "/.beads");
    std::ofstream(file(), std::ios::binary) << bytes;
  }
  NativeStore store(OnDamage on_damage = OnDamage::refuse) const {
    return NativeStore(dir_, on_damage, "tester");
  }

  std::string dir_;
};

constexpr const char* kDemo =
    R"({"id":"demo-1","title":"Set","issue_type":"epic","priority":1,"status":"open"}
{"id":"demo-1.1","title":"Feature","issue_type":"feature","priority":1,"status":"open","dependencies":[{"issue_id":"demo-1.1","depends_on_id":"demo-1","type":"parent-child"}]}
{"id":"demo-1.1.1","title":"Email","issue_type":"task","priority":2,"status":"open","custom":{"b":1,"a":1.50},"dependencies":[{"issue_id":"demo-1.1.1","depends_on_id":"demo-1.1","type":"parent-child"}]}
{"id":"demo-1.1.2","title":"Phone","issue_type":"task","priority":0,"status":"open","dependencies":[{"issue_id":"demo-1.1.2","depends_on_id":"demo-1.1","type":"parent-child"},{"issue_id":"demo-1.1.2","depends_on_id":"demo-1.1.1","type":"blocks"}]}
)";

TEST_F(NativeStoreTest, AProjectWithoutAStoreHasNoBeads) {
  NativeStore beads = store();
  EXPECT_TRUE(beads.list({})->empty());
  EXPECT_EQ(beads.show("demo-1").error().reason, Reason::not_found);
  EXPECT_EQ(beads.close("demo-1", "").error().reason, Reason::not_found);
  EXPECT_FALSE(fs::exists(dir_ + "/.beads"));
}

TEST_F(NativeStoreTest, NewIdsCountUpFromThePrefixAndFromTheParent) {
  ASSERT_TRUE(NativeStore::init(dir_, "app-"));
  NativeStore beads = store();
  EXPECT_EQ(*beads.create({.title = "One", .type = "epic", .priority = 0}), "app-1");
  EXPECT_EQ(*beads.create({.title = "Two"}), "app-2");
  EXPECT_EQ(*beads.create({.title = "Child", .parent = "app-1"}), "app-1.1");
  EXPECT_EQ(*beads.create({.title = "Child", .parent = "app-1"}), "app-1.2");
  EXPECT_EQ(*beads.create({.title = "Grandchild", .parent = "app-1.1"}), "app-1.1.1");
  EXPECT_EQ(*beads.create({.title = "Three"}), "app-3");
  EXPECT_EQ(beads.create({.title = "x", .parent = "app-9"}).error().reason, Reason::not_found);
  EXPECT_EQ(beads.create({.title = " "}).error().reason, Reason::usage);
  EXPECT_EQ(beads.create({.title = "a\nb"}).error().reason, Reason::usage);
  EXPECT_EQ(beads.create({.title = "\xff"}).error().reason, Reason::usage);
  const auto child = beads.show("app-1.1.1");
  EXPECT_EQ(child->parent, "app-1.1");
  EXPECT_EQ(child->dependencies.at(0).title, "Child");
}

TEST_F(NativeStoreTest, InitKeepsWhatIsThereAndRefusesASecondTime) {
  write(kDemo);
  ASSERT_TRUE(NativeStore::init(dir_, "demo"));
  EXPECT_EQ(text(), kDemo);
  EXPECT_TRUE(NativeStore::declared(dir_));
  EXPECT_EQ(NativeStore::init(dir_, "demo").error().reason, Reason::exists);
  for (const char* bad : {"", "-", "a b", "../x", "a.b", "-rf"})
    EXPECT_EQ(NativeStore::init(dir_, bad).error().reason, Reason::usage) << bad;
}

TEST_F(NativeStoreTest, InitLeavesADatabaseOfBdAlone) {
  fs::create_directories(dir_ + "/.beads");
  std::ofstream(dir_ + "/.beads/beads.db") << "x";
  EXPECT_EQ(NativeStore::init(dir_, "demo").error().reason, Reason::exists);
}

TEST_F(NativeStoreTest, CloseChangesItsFourMembersAndNoOtherByte) {
  write(kDemo);
  ASSERT_TRUE(store().close("demo-1.1.1", "Merged as abc"));
  const std::string after = text();
  EXPECT_NE(after.find(R"("status":"closed","custom":{"b":1,"a":1.50},"dependencies")"),
            std::string::npos);
  EXPECT_NE(after.find(R"("close_reason":"Merged as abc"})"), std::string::npos);
  std::istringstream before_lines(kDemo), after_lines(after);
  std::string a, b;
  for (int i = 1; std::getline(before_lines, a) && std::getline(after_lines, b); ++i)
    EXPECT_EQ(a == b, i != 3) << "line " << i;
  const auto bead = store().show("demo-1.1.1");
  EXPECT_EQ(bead->status, "closed");
  EXPECT_EQ(bead->closed_at, bead->updated_at);
  ASSERT_TRUE(store().close("demo-1.1.1", "again"));
  EXPECT_EQ(text(), after);
}

TEST_F(NativeStoreTest, ListHidesClosedOnesUnlessAskedAndSortsByPriority) {
  write(kDemo);
  NativeStore beads = store();
  ASSERT_TRUE(beads.close("demo-1.1.1", ""));
  EXPECT_EQ(beads.list({.parent = "demo-1.1"})->size(), 1U);
  EXPECT_EQ(beads.list({.parent = "demo-1.1", .all = true})->size(), 2U);
  EXPECT_EQ(beads.list({.status = "closed"})->at(0).id, "demo-1.1.1");
  const auto all = beads.list({.all = true});
  EXPECT_EQ(all->at(0).id, "demo-1.1.2");
  EXPECT_EQ(all->at(1).id, "demo-1");
  EXPECT_EQ(beads.show("demo-1.1.1")->close_reason, "Closed");
}

TEST_F(NativeStoreTest, ReadyLeavesOutWhatWaitsAndWhatIsBelowIt) {
  write(
      std::string(kDemo) +
      R"({"id":"demo-1.1.2.1","title":"Below","dependencies":[{"depends_on_id":"demo-1.1.2","type":"parent-child"}]})"
      "\n");
  NativeStore beads = store();
  const auto ids = [&] {
    std::set<std::string> result;
    const auto ready = beads.ready();
    for (const auto& bead : *ready) result.insert(bead.id);
    return result;
  };
  EXPECT_EQ(ids(), (std::set<std::string>{"demo-1", "demo-1.1", "demo-1.1.1"}));
  ASSERT_TRUE(beads.close("demo-1.1.1", ""));
  EXPECT_EQ(ids(), (std::set<std::string>{"demo-1", "demo-1.1", "demo-1.1.2", "demo-1.1.2.1"}));
}

TEST_F(NativeStoreTest, CommentsAreAppendedToTheirBead) {
  write(kDemo);
  NativeStore beads = store();
  ASSERT_TRUE(beads.add_comment("demo-1", "first \"quoted\"\nline"));
  ASSERT_TRUE(beads.add_comment("demo-1", "second"));
  const auto bead = beads.show("demo-1");
  ASSERT_EQ(bead->comments.size(), 2U);
  EXPECT_EQ(bead->comments[0].text, "first \"quoted\"\nline");
  EXPECT_EQ(bead->comments[1].author, "tester");
  EXPECT_EQ(beads.add_comment("demo-1", "").error().reason, Reason::usage);
  EXPECT_EQ(beads.add_comment("demo-9", "x").error().reason, Reason::not_found);
}

TEST_F(NativeStoreTest, DamageStopsWorkButNeitherPeopleNorWriters) {
  const std::string damaged = std::string(kDemo) + "<<<<<<< HEAD\n";
  write(damaged);
  const auto refused = store().show("demo-1");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, Reason::damaged);
  EXPECT_NE(refused.error().message.find("line 5"), std::string::npos);
  EXPECT_EQ(store().list({}).error().reason, Reason::damaged);
  NativeStore tolerant = store(OnDamage::tolerate);
  EXPECT_EQ(tolerant.list({})->size(), 4U);
  EXPECT_EQ(tolerant.damage().size(), 1U);
  EXPECT_EQ(tolerant.show("demo-9").error().reason, Reason::damaged);
  ASSERT_TRUE(store().close("demo-1.1.1", ""));
  EXPECT_TRUE(text().ends_with("<<<<<<< HEAD\n"));
}

TEST_F(NativeStoreTest, ImportAddsAndUpdatesOrDoesNothingAtAll) {
  const auto first = store().import(kDemo, "demo.jsonl");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->created, 4U);
  EXPECT_EQ(text(), kDemo);
  EXPECT_TRUE(NativeStore::declared(dir_));
  EXPECT_EQ(store().import(kDemo, "demo.jsonl")->unchanged, 4U);
  const auto update = store().import("{\"id\":\"demo-1.1.1\",\"title\":\"E-mail\"}\n", "x");
  EXPECT_EQ(update->updated, 1U);
  EXPECT_NE(
      text().find(
          R"("title":"E-mail","issue_type":"task","priority":2,"status":"open","custom":{"b":1,"a":1.50})"),
      std::string::npos);
  const std::string before = text();
  const auto bad = store().import("{\"id\":\"demo-8\"}\n{oops\n", "x.jsonl");
  EXPECT_EQ(bad.error().reason, Reason::damaged);
  EXPECT_EQ(bad.error().message, "x.jsonl, line 2: not valid JSON");
  EXPECT_EQ(text(), before);
}

TEST_F(NativeStoreTest, LinksAndOtherThingsInThePlaceOfTheStoreAreRefused) {
  const std::string outside = dir_ + "/outside";
  std::ofstream(outside) << kDemo;
  fs::create_directories(dir_ + "/.beads");
  fs::create_symlink(outside, file());
  EXPECT_EQ(store().show("demo-1").error().reason, Reason::refused);
  EXPECT_FALSE(store().close("demo-1", ""));
  fs::remove_all(dir_ + "/.beads");
  std::ofstream(dir_ + "/.beads") << "a file";
  EXPECT_EQ(store().show("demo-1").error().reason, Reason::refused);
  EXPECT_EQ(NativeStore::init(dir_, "x").error().reason, Reason::refused);
  EXPECT_EQ(NativeStore(outside, OnDamage::refuse).show("a-1").error().reason, Reason::refused);
}

TEST_F(NativeStoreTest, TheFileKeepsItsMode) {
  write(kDemo);
  ASSERT_EQ(::chmod(file().c_str(), 0600), 0);
  ASSERT_TRUE(store().close("demo-1", ""));
  struct stat about {};
  ASSERT_EQ(::stat(file().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777, 0600U);
}

TEST_F(NativeStoreTest, AFailedWriteLeavesTheFileAsItWas) {
  write(kDemo);
  // A folder in the place of the file that is written aside cannot be removed by unlink.
  fs::create_directories(dir_ + "/.beads/.issues.jsonl.new");
  EXPECT_EQ(store().close("demo-1", "").error().reason, Reason::io);
  EXPECT_EQ(text(), kDemo);
}

TEST_F(NativeStoreTest, IdsThatCouldLeaveTheFolderAreUsageErrors) {
  write(kDemo);
  for (const char* id : {"../x", "-rf", "", "a/b", "a..b"})
    EXPECT_EQ(store().show(id).error().reason, Reason::usage) << id;
}

// Eight processes and a thread in each make random edits at once; every one of them must be there.
TEST_F(NativeStoreTest, ConcurrentWritersLoseNothing) {
  const bool full = std::getenv("CAPSULE_TEST_FULL") != nullptr;
  const int edits = full ? 40 : 15;
  constexpr int kProcesses = 8;
  const unsigned seed = std::random_device{}();
  RecordProperty("seed", std::to_string(seed));
  SCOPED_TRACE("seed " + std::to_string(seed));
  ASSERT_TRUE(NativeStore::init(dir_, "p"));
  ASSERT_EQ(*store().create({.title = "root"}), "p-1");
  { std::ofstream(file(), std::ios::app) << "damaged line\n"; }
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      std::mt19937 random(seed + static_cast<unsigned>(process));
      NativeStore beads = store(OnDamage::tolerate);
      bool good = true;
      for (int i = 0; i < edits; ++i) {
        const std::string mark = std::to_string(process) + "/" + std::to_string(i);
        switch (random() % 3) {
          case 0: {
            const auto id = beads.create({.title = mark});
            good &= id && beads.close(*id, "done " + mark);
            break;
          }
          case 1:
            good &= beads.create({.title = mark, .parent = "p-1"}).has_value();
            break;
          default:
            good &= beads.add_comment("p-1", mark).has_value();
        }
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  NativeStore beads = store(OnDamage::tolerate);
  std::multiset<std::string> marks;
  const auto all = beads.list({.all = true});
  for (const auto& bead : *all) {
    if (bead.id != "p-1") marks.insert(bead.title);
    EXPECT_EQ(bead.close_reason, bead.status == "closed" ? "done " + bead.title : "");
  }
  const auto root = beads.show("p-1");
  for (const auto& comment : root->comments) marks.insert(comment.text);
  EXPECT_EQ(marks.size(), static_cast<std::size_t>(kProcesses * edits));
  EXPECT_EQ(std::set<std::string>(marks.begin(), marks.end()).size(), marks.size());
  EXPECT_EQ(beads.damage().size(), 1U);
  EXPECT_NE(text().find("damaged line\n"), std::string::npos);
}

}  // namespace
}  // namespace capsule::task
