#include <gtest/gtest.h>

#include <cstdio>

#include "base/text.h"
#include "tests/reference/block_check.h"

namespace capsule::reference {
namespace {

#ifdef CAPSULE_PLANTED_BUG

TEST(BlockDifferential, APlantedBugIsFound) {
  const std::uint64_t seed = test_seed();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  for (int i = 0; i < 100'000; ++i)
    if (!block_disagreement(random_block_text(random)).empty()) return;
  FAIL() << "seed " << seed << ": 100,000 random texts did not show the planted bug";
}

#else

TEST(BlockDifferential, ParserAndReferenceAgreeOnRandomText) {
  const std::uint64_t seed = test_seed();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  const int rounds = test_rounds(30'000, 1'000'000);
  for (int i = 0; i < rounds; ++i) {
    const std::string text = random_block_text(random);
    ASSERT_EQ(block_disagreement(text), "")
        << "seed " << seed << ", round " << i << ", input " << printable(text);
  }
}

#endif

}  // namespace
}  // namespace capsule::reference
