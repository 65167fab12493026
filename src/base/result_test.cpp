#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace capsule {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return fail(Reason::usage, "odd", "give an even number");
  return n / 2;
}
Result<int> quarter(int n) { return TRY(half(TRY(half(n)))); }
Result<void> check(int n) {
  TRY_VOID(half(n));
  return {};
}
Result<std::unique_ptr<int>> boxed(int n) { return std::make_unique<int>(TRY(half(n))); }
Result<int> unboxed(int n) {
  std::unique_ptr<int> box = TRY(boxed(n));
  return *box;
}

TEST(Result, TryGivesTheValueOrReturnsTheError) {
  EXPECT_EQ(quarter(8).value(), 2);
  ASSERT_FALSE(quarter(6).has_value());
  EXPECT_EQ(quarter(6).error().reason, Reason::usage);
  EXPECT_EQ(quarter(6).error().hint, "give an even number");
}

TEST(Result, TryVoidPassesTheErrorOn) {
  EXPECT_TRUE(check(2).has_value());
  EXPECT_FALSE(check(1).has_value());
}

TEST(Result, TryMovesValuesThatCannotBeCopied) { EXPECT_EQ(unboxed(4).value(), 2); }

}  // namespace
}  // namespace capsule
