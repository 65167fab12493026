#include "notify/sender.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace capsule::notify {
namespace {

namespace fs = std::filesystem;

class Telling : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "capsule-notify-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    fs::create_directories(root_ + "/.capsule");
    loop_ = process::Loop::create({.guardian = CAPSULE_BINARY}).value();
  }
  void TearDown() override {
    loop_.reset();
    fs::remove_all(root_);
  }
  Sender::Surroundings surroundings() {
    Sender::Surroundings all;
    all.root = root_;
    all.variable = [](const char* name) -> const char* {
      return std::string_view(name) == "PATH" ? ::getenv("PATH") : nullptr;
    };
    all.minute_of_day = [this] { return minute_; };
    all.ring = [this](const std::string& bytes) { rung_ += bytes; };
    all.became = [this](const std::string& way, const Result<void>& result) {
      became_.push_back(way + (result ? "" : ": " + result.error().message));
    };
    return all;
  }
  config::Notify keeper() const {
    config::Notify way;
    way.command = {"sh", "-c", "cat >>heard"};  // in the project's folder
    return way;
  }
  std::string heard() const {
    std::ostringstream all;
    all << std::ifstream(root_ + "/heard").rdbuf();
    return all.str();
  }
  std::string root_;
  std::unique_ptr<process::Loop> loop_;
  int minute_ = 12 * 60;
  std::string rung_;
  std::vector<std::string> became_;
};

TEST_F(Telling, ACommandGetsTheNoticeInTheProjectsFolder) {
  Sender sender(*loop_, {{"keep", keeper()}}, surroundings());
  sender.send(sample("p", "question"));
  sender.finish();
  EXPECT_NE(heard().find("\"kind\":\"question\""), std::string::npos) << heard();
  EXPECT_TRUE(became_.empty());
}

TEST_F(Telling, InQuietHoursNothingIsSentButATestIs) {
  config::Notify way = keeper();
  way.quiet = config::Hours{11 * 60, 13 * 60};
  Sender sender(*loop_, {{"keep", way}}, surroundings());
  sender.send(sample("p", "question"));
  EXPECT_FALSE(sender.busy());
  sender.send_by("keep", sample("p", "question"));
  sender.finish();
  EXPECT_NE(heard(), "");
}

TEST_F(Telling, WhileSomebodyLooksNothingIsSentAndAMinuteLaterItIs) {
  Sender sender(*loop_, {{"keep", keeper()}}, surroundings());
  note_presence(root_);
  EXPECT_TRUE(somebody_looks(root_));
  sender.send(sample("p", "question"));
  EXPECT_FALSE(sender.busy());
  const timespec old[2] = {{std::time(nullptr) - 61, 0}, {std::time(nullptr) - 61, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (root_ + "/.capsule/presence").c_str(), old, 0), 0);
  EXPECT_FALSE(somebody_looks(root_));
  sender.send(sample("p", "question"));
  sender.finish();
  EXPECT_NE(heard(), "");
}

TEST_F(Telling, AWayThatFailsIsReportedOnce) {
  config::Notify way;
  way.command = {"sh", "-c", "echo no route >&2; exit 7"};
  Sender sender(*loop_, {{"broken", way}}, surroundings());
  for (int i = 0; i < 3; ++i) sender.send(sample("p", "question"));
  sender.finish();
  ASSERT_EQ(became_.size(), 1U);
  EXPECT_EQ(became_.front(), "broken: it exited with 7: no route");
}

TEST_F(Telling, ACommandThatDoesNotEndIsEndedAndReported) {
  config::Notify way;
  way.command = {"sh", "-c", "trap '' TERM; sleep 1000; sleep 1000"};
  auto all = surroundings();
  all.patience = std::chrono::milliseconds(50);
  Sender sender(*loop_, {{"hanging", way}}, std::move(all));
  sender.send(sample("p", "question"));
  EXPECT_TRUE(sender.busy());
  sender.finish();
  ASSERT_EQ(became_.size(), 1U);
  EXPECT_EQ(became_.front(), "hanging: it took longer than 50 ms");
}

TEST_F(Telling, AProgramThatIsMissingIsReported) {
  config::Notify way;
  way.command = {"no-such-program-at-all"};
  Sender sender(*loop_, {{"broken", way}}, surroundings());
  sender.send(sample("p", "question"));
  sender.finish();
  ASSERT_EQ(became_.size(), 1U);
}

TEST_F(Telling, WithoutADesktopTheTerminalRings) {
  config::Notify way;
  way.desktop = true;
  Sender sender(*loop_, {{"me", way}}, surroundings());
  sender.send(sample("p", "question"));
  EXPECT_TRUE(rung_.starts_with("\x1b]9;Question: T-1 of PLAN.md")) << rung_;
  EXPECT_TRUE(rung_.ends_with("\x07\x07"));
}

TEST_F(Telling, ManyAtOnceAreBounded) {
  config::Notify way;
  way.command = {"sleep", "1"};
  Sender sender(*loop_, {{"slow", way}}, surroundings());
  for (std::size_t i = 0; i < Sender::kMostAtOnce + 5; ++i) sender.send(sample("p", "question"));
  EXPECT_EQ(became_.size(), 1U);
}  // what is under way is ended here

TEST_F(Telling, AHomeFolderInACommandIsTheCallers) {
  config::Notify way;
  way.command = {"sh", "-c", "echo \"$1\" >heard", "sh", "~/x"};
  auto all = surroundings();
  all.variable = [](const char* name) -> const char* {
    return std::string_view(name) == "HOME" ? "/a/home" : nullptr;
  };
  Sender sender(*loop_, {{"keep", way}}, std::move(all));
  sender.send(sample("p", "question"));
  sender.finish();
  EXPECT_EQ(heard(), "/a/home/x\n");
}

}  // namespace
}  // namespace capsule::notify
