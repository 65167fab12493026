#include "git/exclusion.h"

#include <gtest/gtest.h>

namespace capsule::git {
namespace {

TEST(Exclusion, PatternsWithoutASlashMatchANameAtAnyDepth) {
  for (const char* path : {"a.tmp", "x/a.tmp", "x/y/.tmp", "a.tmp/inside"}) {
    EXPECT_TRUE(matches_pattern("*.tmp", path)) << path;
  }
  for (const char* path : {"a.tmpx", "tmp", "x.tmp.c", ""}) {
    EXPECT_FALSE(matches_pattern("*.tmp", path)) << path;
  }
  EXPECT_TRUE(matches_pattern("*~", "src/deep/file.c~"));
  EXPECT_FALSE(matches_pattern("*~", "src/deep/file~.c"));
}

TEST(Exclusion, PatternsWithASlashMatchFromTheTop) {
  EXPECT_TRUE(matches_pattern("/worklog.md", "worklog.md"));
  EXPECT_FALSE(matches_pattern("/worklog.md", "docs/worklog.md"));
  EXPECT_TRUE(matches_pattern("build/out", "build/out/x/y"));
  EXPECT_FALSE(matches_pattern("build/out", "src/build/out"));
  EXPECT_FALSE(matches_pattern("build/*", "build2/x"));
  EXPECT_TRUE(matches_pattern("a/**/z", "a/z"));
  EXPECT_TRUE(matches_pattern("a/**/z", "a/b/c/z"));
  EXPECT_TRUE(matches_pattern("**/z", "z"));
  EXPECT_FALSE(matches_pattern("a/*/z", "a/b/c/z"));
}

TEST(Exclusion, ASlashAtTheEndMeansFolders) {
  EXPECT_TRUE(matches_pattern("out/", "out/x"));
  EXPECT_TRUE(matches_pattern("out/", "a/out/x"));
  EXPECT_FALSE(matches_pattern("out/", "a/out"));
}

TEST(Exclusion, SetsQuestionMarksAndEscapes) {
  EXPECT_TRUE(matches_pattern("[a-c]?.o", "bx.o"));
  EXPECT_FALSE(matches_pattern("[!a-c]?.o", "bx.o"));
  EXPECT_TRUE(matches_pattern("\\*.o", "*.o"));
  EXPECT_FALSE(matches_pattern("\\*.o", "x.o"));
  EXPECT_TRUE(matches_pattern("[", "["));
}

TEST(Exclusion, EmptyPatternsMatchNothing) {
  for (const char* pattern : {"", "/", "//"})
    EXPECT_FALSE(matches_pattern(pattern, "x")) << pattern;
}

TEST(Exclusion, ManyStarsTakeNoLongerThanTheProductOfBothLengths) {
  std::string pattern;
  for (int i = 0; i < 60; ++i) pattern += "*a";
  EXPECT_FALSE(matches_pattern(pattern, std::string(2000, 'a') + "b"));
}

TEST(Exclusion, TheWorklogAtTheTopAndCapsulesOwnAreAlwaysExcluded) {
  EXPECT_TRUE(is_excluded("worklog.md", {}));
  EXPECT_TRUE(is_excluded(".capsule/output/x.log", {}));
  EXPECT_TRUE(is_excluded("sub/.capsule/x", {}));
  EXPECT_FALSE(is_excluded("docs/worklog.md", {}));
  EXPECT_FALSE(is_excluded("src/capsule/x", {}));
  EXPECT_TRUE(is_excluded("src/x.rej", {"*.rej"}));
}

}  // namespace
}  // namespace capsule::git
