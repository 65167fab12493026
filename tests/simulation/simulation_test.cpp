#include "tests/simulation/simulation.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <random>

#include "tests/reference/random.h"

namespace capsule::engine::simulation {
namespace {

std::uint64_t first_seed() {
  const char* given = std::getenv("CAPSULE_TEST_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
}

std::string told(const Finding& finding, std::uint64_t seed) {
  std::string text = finding.broken + "\nCAPSULE_TEST_SEED=" + std::to_string(seed) + "\n";
  for (const std::string& line : finding.journal) text += "  " + line + "\n";
  return text;
}

TEST(Simulation, EveryInvariantHoldsWhateverAgentsCrashesAndFaultsDo) {
  const int runs = reference::test_rounds(5'000, 100'000);
  const std::uint64_t seed = first_seed();
  std::map<std::string_view, int> outcomes;
  int crashes = 0;
  for (int i = 0; i < runs; ++i) {
    const std::uint64_t one = seed + static_cast<std::uint64_t>(i);
    const Finding finding = simulate(one);
    ASSERT_EQ(finding.broken, "") << told(finding, one);
    ++outcomes[event::name_of(finding.outcome)];
    crashes += finding.crashes;
  }
  std::cout << "first seed " << seed << ", " << runs << " runs, " << crashes << " crashes:";
  for (const auto& [outcome, count] : outcomes) std::cout << " " << outcome << " " << count;
  std::cout << "\n";
  // A simulation that never gets far proves nothing.
  EXPECT_GT(outcomes["merged"], runs / 20);
  EXPECT_GT(crashes, runs / 10);
}

TEST(Simulation, ASeedReproducesItsRunFactByFact) {
  const std::uint64_t seed = first_seed();
  for (std::uint64_t i = 0; i < 200; ++i)
    ASSERT_EQ(simulate(seed + i).journal, simulate(seed + i).journal) << seed + i;
}

class PlantedBug : public testing::TestWithParam<int> {};

TEST_P(PlantedBug, IsFound) {
  const Bug bug = static_cast<Bug>(GetParam());
  const std::uint64_t seed = first_seed();
  for (std::uint64_t i = 0; i < 5'000; ++i) {
    const Finding finding = simulate(seed + i, bug);
    if (finding.broken.empty()) continue;
    std::cout << name_of(bug) << ": found after " << i + 1 << " runs: " << finding.broken << "\n";
    return;
  }
  FAIL() << name_of(bug) << " was not found from seed " << seed;
}

INSTANTIATE_TEST_SUITE_P(Simulation, PlantedBug, testing::Range(1, kBugCount), [](const auto& row) {
  return std::string(name_of(static_cast<Bug>(row.param)));
});

}  // namespace
}  // namespace capsule::engine::simulation
