#include "base/fill.h"

#include <gtest/gtest.h>

namespace capsule {
namespace {

TEST(Filled, BreaksBetweenWordsOnly) {
  EXPECT_EQ(filled("one two three", 7), "one two\nthree");
  EXPECT_EQ(filled("one  two", 3, 0, 2), "one\n  two");
  EXPECT_EQ(filled("verylongword x", 4), "verylongword\nx");
  EXPECT_EQ(filled("é é", 3), "é é");
  EXPECT_EQ(filled("", 5), "");
}

}  // namespace
}  // namespace capsule
