#include <gtest/gtest.h>

#include <cstdio>

#include "base/text.h"
#include "tests/reference/line_check.h"

namespace capsule::reference {
namespace {

#ifdef CAPSULE_PLANTED_BUG

TEST(LineDifferential, APlantedBugIsFound) {
  const std::uint64_t seed = test_seed();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  for (int i = 0; i < 100'000; ++i)
    if (!line_disagreement(random_line_text(random), random.next()).empty()) return;
  FAIL() << "seed " << seed << ": 100,000 random texts did not show the planted bug";
}

#else

TEST(LineDifferential, ParserAndReferenceAgreeOnRandomText) {
  const std::uint64_t seed = test_seed();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  const int rounds = test_rounds(30'000, 1'000'000);
  for (int i = 0; i < rounds; ++i) {
    const std::string text = random_line_text(random);
    ASSERT_EQ(line_disagreement(text, random.next()), "")
        << "seed " << seed << ", round " << i << ", input " << printable(text);
  }
}

#endif

}  // namespace
}  // namespace capsule::reference
