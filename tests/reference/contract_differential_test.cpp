#include <gtest/gtest.h>

#include <cstdio>

#include "base/text.h"
#include "tests/reference/contract_check.h"

namespace capsule::reference {
namespace {

#ifdef CAPSULE_PLANTED_BUG

TEST(ContractDifferential, APlantedBugIsFound) {
  const std::uint64_t seed = test_seed();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  for (int i = 0; i < 100'000; ++i)
    if (!contract_disagreement(random_contract_text(random), random.next()).empty()) return;
  FAIL() << "seed " << seed << ": 100,000 random texts did not show the planted bug";
}

#else

TEST(ContractDifferential, ParserAndReferenceAgreeOnRandomTextWholeAndInPieces) {
  const std::uint64_t seed = test_seed();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  const int rounds = test_rounds(30'000, 300'000);
  int signals = 0;
  for (int i = 0; i < rounds; ++i) {
    const std::string text = random_contract_text(random);
    const std::string difference = contract_disagreement(text, random.next());
    ASSERT_EQ(difference, "") << "seed " << seed << ", round " << i << ", input "
                              << printable(text);
    signals += text.find("PASS") != text.npos ? 1 : 0;
  }
  EXPECT_GT(signals, rounds / 20) << "the generator has become useless";
}

#endif

}  // namespace
}  // namespace capsule::reference
