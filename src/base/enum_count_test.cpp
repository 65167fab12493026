#include "base/enum_count.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace capsule {
namespace {

enum class One { only };
enum class Small : std::uint8_t { a, b, c };
enum class Holed { a, c = 2 };
struct Holder {
  enum class Kind { first, second };
};

TEST(EnumCount, CountsWhatHasAName) {
  EXPECT_EQ(enum_count<One>(), 1U);
  EXPECT_EQ(enum_count<Small>(), 3U);
  EXPECT_EQ(enum_count<Holder::Kind>(), 2U);
}

TEST(EnumCount, StopsAtTheFirstHole) { EXPECT_EQ(enum_count<Holed>(), 1U); }

TEST(EnumCount, CountsEnumsOfAFunction) {
  enum class Local { a, b };
  EXPECT_EQ(enum_count<Local>(), 2U);
}

}  // namespace

enum class Open { a, b, c, d };

TEST(EnumCount, CountsEnumsOfANamedNamespace) { EXPECT_EQ(enum_count<Open>(), 4U); }

}  // namespace capsule
