#include "config/write.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "config/config.h"

namespace capsule::config {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

class ConfigWrite : public ::testing::Test {
 protected:
  ConfigWrite() {
    std::string name = ::testing::TempDir() + "config.XXXXXX";
    dir_ = ::mkdtemp(name.data());
  }
  ~ConfigWrite() override { fs::remove_all(dir_); }

  std::string file() const { return dir_ + "/.capsule/config.yaml"; }
  std::string text() const {
    std::ifstream stream(file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void existing(std::string_view text) {
    fs::create_directories(dir_ + "/.capsule");
    std::ofstream(file(), std::ios::binary) << text;
  }
  Result<Recorded> put(std::vector<Assignment> assignments) { return record(dir_, assignments); }
  Config loaded() const {
    Sources sources;
    sources.project_dir = dir_;
    const auto config = load(sources);
    EXPECT_TRUE(config) << config.error().message;
    return config.value_or(Config{});
  }
  std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(dir_ + "/.capsule")) ++count;
    return count;
  }

  std::string dir_;
};

const Assignment kNative{"tracker", Value(std::string("native"))};

TEST_F(ConfigWrite, AFreshFileSetsTheGivenValuesAndSuggestsTheOthers) {
  EXPECT_EQ(put({kNative,
                 {"verify.test", Value(std::string("go test ./... # \"x\""))},
                 {"providers.a.b.command", Value(Texts{"prog", "{prompt}", "null", ""})}}),
            Recorded::created);
  const Config config = loaded();
  EXPECT_EQ(config.tracker, Tracker::native);
  EXPECT_EQ(config.verify.test->shell, "go test ./... # \"x\"");
  EXPECT_EQ(config.providers.at("a.b").command, (Texts{"prog", "{prompt}", "null", ""}));
  EXPECT_EQ(config.provider, "claude");
  EXPECT_EQ(files(), 1U);
}

TEST_F(ConfigWrite, EverySuggestionOfAFreshFileIsValid) {
  std::istringstream lines(fresh_file({}));
  std::string uncommented;
  for (std::string line; std::getline(lines, line);) {
    const bool suggestion = line.size() > 1 && line[0] == '#' && (line[1] != ' ' || line[2] == ' ');
    uncommented += (suggestion ? line.substr(1) : line) + "\n";
  }
  existing(uncommented);
  const Config config = loaded();
  std::size_t set = 0;
  for (const Entry& entry : config.entries) set += entry.origin.layer == Layer::project ? 1 : 0;
  std::size_t projects = 0;  // keys that its file can do something with
  for (const Key& key : keys()) projects += key.tighter == Tighter::subset ? 0 : 1;
  EXPECT_EQ(set, projects);
}

TEST_F(ConfigWrite, TheSameValueAgainChangesNothing) {
  existing("tracker: 'native' # mine\n");
  EXPECT_EQ(put({kNative}), Recorded::unchanged);
  EXPECT_EQ(text(), "tracker: 'native' # mine\n");
}

TEST_F(ConfigWrite, AMissingValueIsAppendedAndTheRestKept) {
  existing("# mine\nprovider: x");
  ::chmod(file().c_str(), 0640);
  EXPECT_EQ(put({kNative, {"verify.test", Value(Texts{"make", "test"})}}), Recorded::appended);
  EXPECT_EQ(text(), "# mine\nprovider: x\ntracker: native\nverify:\n  test: [make, test]\n");
  EXPECT_EQ(fs::status(file()).permissions(), fs::perms(0640));
  EXPECT_EQ(files(), 1U);
}

TEST_F(ConfigWrite, AnotherValueIsTheUsersAndIsKept) {
  existing("provider: x\ntracker: bd\n");
  const auto result = put({kNative});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().reason, Reason::exists);
  EXPECT_EQ(result.error().message, file() + ":2: tracker is bd already");
  EXPECT_EQ(text(), "provider: x\ntracker: bd\n");
}

TEST_F(ConfigWrite, WhatCannotBeAppendedSafelyIsReported) {
  for (const char* before : {"{provider: x}\n", "verify:\n  lint: x\n", "provider: x\n...\n"}) {
    existing(before);
    const auto result = put({{"verify.test", Value(std::string("make"))}});
    ASSERT_FALSE(result) << before;
    EXPECT_EQ(result.error().reason, Reason::exists);
    EXPECT_NE(result.error().hint.find("verify.test: make"), std::string::npos);
    EXPECT_EQ(text(), before);
  }
}

TEST_F(ConfigWrite, ABlockTextAtTheEndIsNotJoined) {
  existing("verify:\n  test: |\n    make\n\n");
  EXPECT_EQ(put({kNative}), Recorded::appended);
  EXPECT_EQ(loaded().verify.test->shell, "make\n");
}

TEST_F(ConfigWrite, ADamagedFileIsReportedAndKept) {
  for (const char* before : {"provder: x\n", "a: [\n", "\xff"}) {
    existing(before);
    const auto result = put({kNative});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().reason, Reason::damaged);
    EXPECT_EQ(text(), before);
  }
}

TEST_F(ConfigWrite, AnEmptyFileIsAddedTo) {
  existing("");
  EXPECT_EQ(put({kNative}), Recorded::appended);
  EXPECT_EQ(text(), "tracker: native\n");
}

TEST_F(ConfigWrite, ALinkStaysALink) {
  fs::create_directories(dir_ + "/.capsule");
  std::ofstream(dir_ + "/real.yaml") << "provider: x\n";
  fs::create_symlink(dir_ + "/real.yaml", file());
  EXPECT_EQ(put({kNative}), Recorded::appended);
  EXPECT_TRUE(fs::is_symlink(file()));
  EXPECT_EQ(loaded().tracker, Tracker::native);
}

TEST_F(ConfigWrite, AFileInThePlaceOfTheFolderIsAnErrorAndStays) {
  std::ofstream(dir_ + "/.capsule") << "a file";
  EXPECT_FALSE(put({kNative}));
  EXPECT_TRUE(fs::is_regular_file(dir_ + "/.capsule"));
}

}  // namespace
}  // namespace capsule::config
