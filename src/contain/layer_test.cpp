#include "contain/layer.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace capsule::contain {
namespace {

namespace fs = std::filesystem;
using Kind = LayerChange::Kind;

// Layers as overlayfs leaves them, made by hand.
class Layer : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "layer-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    dir_ = fs::canonical(name).string();
    for (const char* folder : {"/folder", "/cover", "/layer/upper", "/layer/work"})
      fs::create_directories(dir_ + folder);
    write("folder/code.py", "one\n");
    write("folder/tests/test_a.py", "assert\n");
    write("folder/tests/test_b.py", "assert\n");
  }
  void TearDown() override { fs::remove_all(dir_); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories(fs::path(dir_ + "/" + path).parent_path());
    std::ofstream(dir_ + "/" + path) << text;
  }
  std::string at(const std::string& path) const { return dir_ + "/" + path; }
  LayerChanges list(const LayerLimits& limits = {}) const {
    const auto listed = list_layer(at("layer"), at("folder"), at("cover"), limits);
    EXPECT_TRUE(listed) << listed.error().message;
    return listed.value_or(LayerChanges());
  }

  std::string dir_;
};

using Changes = std::vector<LayerChange>;

TEST_F(Layer, HoldsWhatWasAddedChangedAndRemoved) {
  EXPECT_TRUE(list().all.empty());
  write("layer/upper/code.py", "two\n");
  write("layer/upper/new/deep/file", "x");
  fs::create_directories(at("layer/upper/empty"));
  fs::create_directories(at("layer/upper/tests"));
  ASSERT_TRUE(make_gap(at("layer/upper"), "tests/test_a.py"));
  EXPECT_EQ(list().all, (Changes{{Kind::changed, "code.py"},
                                 {Kind::added, "empty/"},
                                 {Kind::added, "new/deep/file"},
                                 {Kind::removed, "tests/test_a.py"}}));
}

TEST_F(Layer, AFileThatOnlySeemsToBeWrittenIsNoChange) {
  write("layer/upper/code.py", "one\n");
  fs::create_directories(at("layer/upper/tests"));
  EXPECT_TRUE(list().all.empty());
  fs::permissions(at("layer/upper/code.py"), fs::perms::owner_all);
  EXPECT_EQ(list().all, (Changes{{Kind::changed, "code.py"}})) << "it can be run now";
}

TEST_F(Layer, AFolderMadeAnewHasLostWhatItDoesNotHold) {
  write("layer/upper/tests/test_b.py", "pass\n");
  ASSERT_TRUE(make_opaque(at("layer/upper"), "tests"));
  EXPECT_EQ(list().all,
            (Changes{{Kind::removed, "tests/test_a.py"}, {Kind::changed, "tests/test_b.py"}}));
  fs::remove_all(at("layer/upper/tests"));
  ASSERT_TRUE(make_gap(at("layer/upper"), "tests"));
  EXPECT_EQ(list().all, (Changes{{Kind::removed, "tests/"}}));
}

TEST_F(Layer, WhatBecomesSomethingElseIsGoneAndThere) {
  fs::create_symlink("/etc/passwd", at("layer/upper/code.py"));
  write("layer/upper/tests", "a file\n");
  EXPECT_EQ(list().all, (Changes{{Kind::added, "code.py"},
                                 {Kind::removed, "code.py"},
                                 {Kind::added, "tests"},
                                 {Kind::removed, "tests/"}}));
}

TEST_F(Layer, LinksArePlacesAndNeverFollowed) {
  fs::create_directory_symlink(at("folder"), at("layer/upper/away"));
  fs::create_symlink("a", at("folder/link"));
  fs::create_symlink("a", at("layer/upper/link"));
  EXPECT_EQ(list().all, (Changes{{Kind::added, "away"}}));
  fs::remove_all(at("layer/upper"));
  fs::create_directory_symlink(at("folder"), at("layer/upper"));
  EXPECT_FALSE(list_layer(at("layer"), at("folder")));
}

TEST_F(Layer, ACoverCountsAsTheFolder) {
  write("cover/code.py", "of the base\n");
  write("cover/.claude/settings.json", "{}\n");
  write("folder/.claude/planted", "x");
  ASSERT_TRUE(make_opaque(at("cover"), ".claude"));
  ASSERT_TRUE(make_gap(at("cover"), "CLAUDE.md"));
  write("folder/CLAUDE.md", "planted");
  write("layer/upper/code.py", "of the base\n");
  write("layer/upper/CLAUDE.md", "planted");
  write("layer/upper/.claude/planted", "x");
  EXPECT_EQ(list().all, (Changes{{Kind::added, ".claude/planted"}, {Kind::added, "CLAUDE.md"}}));
}

TEST_F(Layer, LimitsHold) {
  for (int i = 0; i < 50; ++i) write("layer/upper/many/" + std::to_string(i), "x");
  EXPECT_EQ(list().all.size(), 50U);
  EXPECT_FALSE(list().more);
  const LayerChanges few = list({.changes = 10});
  EXPECT_EQ(few.all.size(), 10U);
  EXPECT_TRUE(few.more);
  EXPECT_TRUE(list({.looked_at = 20}).more);
  std::string deep = at("layer/upper/deep");
  for (int i = 0; i < 150; ++i) deep += "/d";
  fs::create_directories(deep);
  EXPECT_TRUE(list().more);
}

TEST_F(Layer, AFolderThatCannotBeReadIsNamed) {
  if (::geteuid() == 0) GTEST_SKIP() << "root can read it";
  fs::create_directories(at("layer/upper/tests"));
  fs::permissions(at("layer/upper/tests"), fs::perms::none);
  EXPECT_EQ(list().all, (Changes{{Kind::changed, "tests/"}}));
  fs::permissions(at("layer/upper/tests"), fs::perms::owner_all);
}

}  // namespace
}  // namespace capsule::contain
