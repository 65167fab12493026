#include "base/size.h"

#include <gtest/gtest.h>

namespace capsule {
namespace {

TEST(Size, IsToldInTheUnitThatAPersonWouldTake) {
  EXPECT_EQ(size_words(0), "0 bytes");
  EXPECT_EQ(size_words(1), "1 byte");
  EXPECT_EQ(size_words(12 * 1024 + 5), "12 KB");
  EXPECT_EQ(size_words(500ULL << 20), "500 MB");
  EXPECT_EQ(size_words(4ULL << 30), "4 GB");
  EXPECT_EQ(size_words((1ULL << 30) + (512ULL << 20)), "1.5 GB");
}

TEST(Size, IsNeverTheNextUnitByRounding) {
  EXPECT_EQ(size_words((1ULL << 30) - 1), "1023 MB");
  EXPECT_EQ(size_words((2ULL << 30) - 1), "1.9 GB");
}

}  // namespace
}  // namespace capsule
