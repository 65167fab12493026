#include "task/open_tracker.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "task/bd_tracker.h"
#include "task/native_store.h"

namespace capsule::task {
namespace {

namespace fs = std::filesystem;

// A folder for the project, another for what stands on PATH in front of the usual programs.
class Trackers : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "capsule-bd-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    fs::create_directories(root_ + "/bin");
    fs::create_directories(dir());
    old_path_ = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
    ::setenv("PATH", (root_ + "/bin:/usr/bin:/bin").c_str(), 1);
    ::setenv("BD_LOG", log_file().c_str(), 1);
    ::setenv("BD_ROOT", root_.c_str(), 1);
  }
  void TearDown() override {
    ::setenv("PATH", old_path_.c_str(), 1);
    fs::remove_all(root_);
  }

  std::string dir() const { return root_ + "/a project"; }
  std::string log_file() const { return root_ + "/log"; }
  std::string log() const {
    std::ifstream in(log_file());
    std::stringstream all;
    all << in.rdbuf();
    return all.str();
  }
  // A program called bd: logs its words, then does what `script` says.
  void put_bd(const std::string& script) const {
    const std::string path = root_ + "/bin/bd";
    std::ofstream(path) << "#!/bin/sh\necho \"$*\" >> \"$BD_LOG\"\n" << script << "\n";
    ASSERT_EQ(::chmod(path.c_str(), 0755), 0);
  }
  void put_store() const {
    fs::create_directories(dir() + "/.beads");
    std::ofstream(dir() + "/.beads/issues.jsonl") << "{\"id\":\"demo-1\",\"title\":\"native\"}\n";
  }
  std::unique_ptr<engine::Tracker> opened(Choice choice = Choice::automatic) const {
    auto tracker = open_tracker(dir(), choice);
    EXPECT_TRUE(tracker);
    return tracker ? std::move(*tracker) : nullptr;
  }
  std::string title(engine::Tracker& tracker, std::string_view id = "demo-1") const {
    const auto bead = tracker.show(id);
    return bead ? bead->title : "error: " + bead.error().message;
  }

  std::string root_;
  std::string old_path_;
};

constexpr const char* kShowAndClose = R"sh(
case "$1" in
  show) [ "$2" = demo-1 ] || { echo "no issue found: $2" >&2; exit 1; }
        [ "$3" = --json ] || exit 9
        echo '[{"id":"demo-1","title":"from bd","issue_type":"task","status":"open"}]' ;;
  close) exit 0 ;;
)sh";

std::string beads_like() {
  return std::string(kShowAndClose) +
         "version) echo 'bd version 0.49.6 (dev)' ;; *) exit 1 ;; esac";
}
std::string minimal() { return std::string(kShowAndClose) + "*) echo usage >&2; exit 1 ;; esac"; }
std::string silent() { return std::string(kShowAndClose) + "*) exit 0 ;; esac"; }
std::string chatty() { return std::string(kShowAndClose) + "*) echo 'mock of something' ;; esac"; }
constexpr const char* kDebian = "echo 'No such occurrence.'";
constexpr const char* kDebianInside = "echo /srv/version/";

TEST_F(Trackers, WithoutABdTheNativeStoreIsUsed) {
  put_store();
  const auto tracker = opened();
  EXPECT_EQ(tracker->name(), "native");
  EXPECT_EQ(title(*tracker), "native");
}

TEST_F(Trackers, ABdThatAnswersAsBeadsIsUsedEvenBesideAFile) {
  put_store();
  put_bd(beads_like());
  const auto tracker = opened();
  EXPECT_EQ(tracker->name(), "bd");
  EXPECT_EQ(title(*tracker), "from bd");
  EXPECT_TRUE(*uses_bd(dir(), Choice::automatic));
}

TEST_F(Trackers, AProjectThatDeclaresItsFileIsNotChangedByInstallingBd) {
  ASSERT_TRUE(NativeStore::init(dir(), "demo"));
  ASSERT_TRUE(NativeStore(dir(), OnDamage::refuse).create({.title = "native"}));
  for (const std::string& script : {beads_like(), minimal(), silent()}) {
    put_bd(script);
    EXPECT_EQ(title(*opened()), "native");
    EXPECT_FALSE(*uses_bd(dir(), Choice::automatic));
  }
  EXPECT_EQ(log(), "");
}

TEST_F(Trackers, AStandInThatOnlyKnowsShowAndCloseIsUsed) {
  for (const std::string& script : {minimal(), silent()}) {
    put_bd(script);
    const auto tracker = opened();
    EXPECT_EQ(title(*tracker), "from bd");
    EXPECT_TRUE(tracker->close("demo-1", "merged"));
    EXPECT_EQ(tracker->name(), "bd");
    EXPECT_TRUE(log().ends_with("show demo-1 --json\nclose demo-1\n")) << log();
  }
}

TEST_F(Trackers, AStandInIsUsedBesideAFileThatNobodyDeclared) {
  put_store();
  put_bd(minimal());
  const auto tracker = opened();
  EXPECT_TRUE(tracker->close("demo-1", "merged"));
  EXPECT_TRUE(log().ends_with("close demo-1\n"));
}

TEST_F(Trackers, AStandInThatSaysSomethingElseIsUsedOnlyWhereNothingElseIs) {
  put_bd(chatty());
  EXPECT_EQ(title(*opened()), "from bd");
  put_store();
  EXPECT_EQ(title(*opened()), "native");
}

TEST_F(Trackers, ABeadThatAStandInDoesNotKnowIsNotFoundAndItsWordsAreTold) {
  put_bd(minimal());
  const auto bead = opened()->show("demo-9");
  ASSERT_FALSE(bead);
  EXPECT_EQ(bead.error().reason, Reason::not_found);
  EXPECT_NE(bead.error().message.find("no issue found: demo-9"), std::string::npos);
}

TEST_F(Trackers, ABeadOnWhichBdIsSilentIsNotFound) {
  put_bd(
      "case \"$1\" in version) echo 'bd version 0.49.6 (dev)' ;;\n"
      "show) echo 'Error fetching demo-9: no issue found matching \"demo-9\"' >&2 ;; esac");
  const auto bead = opened()->show("demo-9");
  ASSERT_FALSE(bead);
  EXPECT_EQ(bead.error().reason, Reason::not_found);
  EXPECT_NE(bead.error().message.find("no issue found matching"), std::string::npos);
}

TEST_F(Trackers, DebiansProgramOfThatNameIsNeverUsed) {
  for (const char* script : {kDebian, kDebianInside}) {
    put_bd(script);
    fs::remove_all(dir() + "/.beads");
    const auto nothing = opened()->show("demo-1");
    ASSERT_FALSE(nothing);
    EXPECT_EQ(nothing.error().reason, Reason::not_found);
    EXPECT_FALSE(*uses_bd(dir(), Choice::automatic));
    put_store();
    EXPECT_EQ(title(*opened()), "native");
    EXPECT_TRUE(opened()->close("demo-1", ""));
    EXPECT_EQ(opened()->show("demo-1")->status, "closed");
  }
}

TEST_F(Trackers, BeadsIsKnownByItsVersion) {
  for (const char* yes : {"bd version 0.49.6 (dev)\n", "bd version 0.49.6 (dev: main@abc)",
                          "0.49.6", "beads 0.49.6", "bd v0.60.0", "BD Version: 1.2.3"})
    EXPECT_TRUE(sounds_like_beads(yes)) << yes;
  for (const char* no : {"", "No such occurrence.", "/tmp/version/", "/srv/bd version 1.0/",
                         "version", "usage: bd [OPTION]", "bd", "bd version"})
    EXPECT_FALSE(sounds_like_beads(no)) << no;
}

TEST_F(Trackers, AFileThatCannotBeRunIsNotBeads) {
  put_store();
  std::ofstream(root_ + "/bin/bd") << "not executable";
  EXPECT_EQ(title(*opened()), "native");
  put_bd("");
  std::ofstream(root_ + "/bin/bd") << "\x7f"
                                      "ELF broken";
  EXPECT_EQ(title(*opened()), "native");
}

TEST_F(Trackers, ABdThatWasAskedForAndIsMissingIsNamed) {
  const auto bead = opened(Choice::bd)->show("demo-1");
  ASSERT_FALSE(bead);
  EXPECT_EQ(bead.error().reason, Reason::missing_program);
  EXPECT_NE(bead.error().hint.find("native"), std::string::npos);
}

TEST_F(Trackers, AnAnswerMayBeAnObjectAndLackMembers) {
  const std::pair<const char*, const char*> answers[] = {
      {R"({"id":"demo-1","title":"single"})", "single"},
      {R"([{"title":"no id"}])", "no id"},
      {R"([{"id":"demo-1"}])", ""},
      {R"([{"id":"demo-1","title":null,"priority":"high","labels":"x","dependencies":null}])", ""},
  };
  for (const auto& [answer, expected] : answers) {
    put_bd("cat <<'END'\n" + std::string(answer) + "\nEND");
    const auto bead = opened(Choice::bd)->show("demo-1");
    ASSERT_TRUE(bead) << answer << bead.error().message;
    EXPECT_EQ(bead->title, expected);
    EXPECT_EQ(bead->id, "demo-1");
    EXPECT_EQ(bead->status, "open");
  }
}

TEST_F(Trackers, WhatIsNoBeadIsNotTakenForOne) {
  const std::pair<const char*, Reason> answers[] = {
      {"[]", Reason::not_found},
      {R"({"error":"no issue found"})", Reason::not_found},
      {"{}", Reason::damaged},
      {"[1]", Reason::damaged},
      {"null", Reason::damaged},
      {"", Reason::not_found},
      {"[{\"id\":\"demo-1\"", Reason::damaged},
      {"No such occurrence.", Reason::damaged},
  };
  for (const auto& [answer, reason] : answers) {
    put_bd("cat <<'END'\n" + std::string(answer) + "\nEND");
    const auto bead = opened(Choice::bd)->show("demo-1");
    ASSERT_FALSE(bead) << answer;
    EXPECT_EQ(bead.error().reason, reason) << answer;
  }
}

TEST_F(Trackers, TheShapesOfBdAreRead) {
  put_bd(R"sh(cat <<'END'
[{"id":"demo-1.1","title":"T","description":"D","acceptance_criteria":"A","design":"X","notes":"N",
  "status":"in_progress","priority":0,"issue_type":"bug","assignee":"me","labels":["a","b"],
  "created_at":"2026-01-02T03:04:05Z","updated_at":"2026-01-02T03:04:06Z",
  "dependencies":[{"id":"demo-1","title":"P","status":"open","dependency_type":"parent-child"},
                  {"id":"demo-7","title":"B","status":"closed","dependency_type":"blocks"}],
  "comments":[{"id":1,"issue_id":"demo-1.1","author":"you","text":"hi","created_at":"x"}],
  "parent":"demo-1"}]
END
)sh");
  const auto bead = opened(Choice::bd)->show("demo-1.1");
  ASSERT_TRUE(bead);
  EXPECT_EQ(bead->parent, "demo-1");
  EXPECT_EQ(bead->acceptance, "A");
  EXPECT_EQ(bead->priority, 0);
  EXPECT_EQ(bead->type, "bug");
  EXPECT_EQ(bead->labels.size(), 2U);
  ASSERT_EQ(bead->dependencies.size(), 2U);
  EXPECT_EQ(bead->dependencies[1].type, "blocks");
  EXPECT_EQ(bead->dependencies[1].status, "closed");
  EXPECT_EQ(bead->comments.at(0).text, "hi");
}

TEST_F(Trackers, HostileIdsNeverReachTheProgram) {
  put_bd(beads_like());
  const auto tracker = opened(Choice::bd);
  for (const char* id : {"-rf", "--help", "../x", "a b", "$(id)", ""}) {
    EXPECT_EQ(tracker->show(id).error().reason, Reason::usage);
    EXPECT_EQ(tracker->close(id, "").error().reason, Reason::usage);
  }
  EXPECT_EQ(log(), "");
}

TEST_F(Trackers, AFailedCloseTellsWhatBdSaid) {
  put_bd("echo 'database is locked' >&2; exit 3");
  const auto closed = opened(Choice::bd)->close("demo-1", "");
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().reason, Reason::failed);
  EXPECT_NE(closed.error().message.find("database is locked (exit 3)"), std::string::npos);
}

class SetUpTracker : public Trackers {
 protected:
  void SetUp() override {
    Trackers::SetUp();
    fixtures_ = root_ + "/issues.jsonl";
    std::ofstream(fixtures_) << "{\"id\":\"demo-1\",\"title\":\"fixture\"}\n";
  }
  std::string fixtures_;
};

TEST_F(SetUpTracker, WithoutABdTheNativeStoreIsMadeAndFilled) {
  EXPECT_EQ(*set_up_tracker(dir(), Choice::automatic, "demo", fixtures_), Choice::native);
  EXPECT_EQ(title(*opened()), "fixture");
  EXPECT_EQ(*NativeStore(dir(), OnDamage::refuse).create({.title = "x"}), "demo-2");
}

TEST_F(SetUpTracker, ABeadsIsInitialisedAndFilledAsTheSpecSays) {
  put_bd("[ \"$1\" = version ] && echo 'bd version 0.49.6 (dev)'; exit 0");
  EXPECT_EQ(*set_up_tracker(dir(), Choice::automatic, "demo", fixtures_), Choice::bd);
  EXPECT_EQ(log(), "version\ninit --prefix=demo\nimport -i " + fixtures_ + "\n");
}

TEST_F(SetUpTracker, AStandInHasToShowWhatItWasGiven) {
  put_bd(R"sh(case "$1" in
    init) : ;; import) cp "$3" "$BD_ROOT/kept" ;; show) grep "\"$2\"" "$BD_ROOT/kept" ;; *) exit 1 ;;
  esac)sh");
  EXPECT_EQ(*set_up_tracker(dir(), Choice::automatic, "demo", fixtures_), Choice::bd);
  EXPECT_EQ(title(*opened()), "fixture");
}

TEST_F(SetUpTracker, EverythingElseGetsTheNativeStore) {
  for (const char* script : {kDebian, "exit 0", "exit 1"}) {
    fs::remove_all(dir() + "/.beads");
    put_bd(script);
    EXPECT_EQ(*set_up_tracker(dir(), Choice::automatic, "demo", fixtures_), Choice::native);
    EXPECT_EQ(title(*opened()), "fixture") << script;
  }
}

TEST_F(SetUpTracker, ABdThatWasAskedForAndFailsIsAnError) {
  put_bd("echo 'disk full' >&2; exit 4");
  const auto made = set_up_tracker(dir(), Choice::bd, "demo", fixtures_);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("disk full"), std::string::npos);
}

}  // namespace
}  // namespace capsule::task
