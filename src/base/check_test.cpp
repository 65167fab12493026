#include "base/check.h"

#include <gtest/gtest.h>

namespace capsule {
namespace {

TEST(Check, ATrueConditionIsEvaluatedOnceAndPasses) {
  int looks = 0;
  CHECK(++looks == 1);
  EXPECT_EQ(looks, 1);
}

TEST(CheckDeathTest, ABrokenInvariantEndsTheProgramAndSaysWhatBrokeAndWhere) {
  const int sum = 5;
  EXPECT_EXIT(CHECK(sum == 4, "two and two"), testing::KilledBySignal(SIGABRT),
              "^capsule: broken invariant: sum == 4 \\(src/base/check_test\\.cpp:[0-9]+\\): two "
              "and two\n$");
  EXPECT_DEATH(CHECK(sum == 4), "check_test\\.cpp:[0-9]+\\)\n$");
}

}  // namespace
}  // namespace capsule
