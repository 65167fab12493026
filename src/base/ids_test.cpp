#include "base/ids.h"

#include <gtest/gtest.h>

#include <string>

namespace capsule {
namespace {

TEST(Ids, NamesOfBeadsPhasesAndRunsAreValid) {
  for (const char* id : {"demo-1", "demo-1.1.1", "test-writer", "a", "0", "A_b.C-d", "x.locked"})
    EXPECT_TRUE(valid_id(id)) << id;
  EXPECT_TRUE(valid_id(std::string(100, 'x')));
}

TEST(Ids, WhatAPathAnOptionOrAShellCouldMisreadIsNot) {
  for (const char* id : {"",     "-rf",     "--help", ".",   "..",  "../x", "a/../b", "a/b", "/etc",
                         "a..b", ".hidden", "_a",     "a b", "a\n", "a;b",  "$(x)",   "`x`", "a'b",
                         "a\"b", "é",       "a\\b",   "a:b", "a~1", "a^",   "a@{"})
    EXPECT_FALSE(valid_id(id)) << id;
  EXPECT_FALSE(valid_id(std::string_view("a\0b", 3)));
  EXPECT_FALSE(valid_id(std::string(101, 'x')));
}

TEST(Ids, WhatGitRefusesAtTheEndOfABranchNameIsNot) {
  EXPECT_FALSE(valid_id("demo-1."));
  EXPECT_FALSE(valid_id("demo.lock"));
}

TEST(Ids, TheErrorNamesWhatTheIdWasForAndCannotForgeALine) {
  const auto result = check_id("bead id", "x\n\x1b[2J");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().reason, Reason::usage);
  EXPECT_EQ(result.error().message, "'x\\n\\x1b[2J' is not a valid bead id");
  EXPECT_TRUE(check_id("phase name", "execute"));
}

TEST(Ids, AHugeIdIsCutInTheMessage) {
  EXPECT_LT(check_id("bead id", std::string(1 << 20, 'x')).error().message.size(), 300U);
}

}  // namespace
}  // namespace capsule
