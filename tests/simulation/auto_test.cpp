#include "tests/simulation/auto.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>

#include "tests/reference/random.h"

namespace capsule::engine::auto_simulation {
namespace {

// One seed for everybody, so that a failure here is a failure everywhere.
std::uint64_t first_seed() {
  const char* given = std::getenv("CAPSULE_TEST_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
}

using reference::test_rounds;

signal::Skips skips_of(int combination) {
  return {(combination & 1) != 0, (combination & 2) != 0, (combination & 4) != 0,
          (combination & 8) != 0};
}

std::string told(const Finding& finding, std::uint64_t seed, int combination) {
  std::string text = finding.broken + "\nCAPSULE_TEST_SEED=" + std::to_string(seed) + ", skips " +
                     std::to_string(combination) + "\n";
  for (const std::string& line : finding.story) text += "  " + line + "\n";
  return text;
}

TEST(AutoSimulation, EverySessionEndsAndNoPhaseGoesBackwardsWhateverIsSkipped) {
  const int runs = test_rounds(1'000, 50'000);
  const std::uint64_t seed = first_seed();
  std::map<std::string, int> ends;
  for (int combination = 0; combination < 16; ++combination) {
    for (int i = 0; i < runs; ++i) {
      const std::uint64_t one = seed + static_cast<std::uint64_t>(i);
      const Finding finding = simulate_session(one, skips_of(combination));
      ASSERT_EQ(finding.broken, "") << told(finding, one, combination);
      ++ends[finding.end];
    }
  }
  std::cout << "first seed " << seed << ":";
  for (const auto& [end, count] : ends) std::cout << " " << end << " " << count;
  std::cout << "\n";
  // A simulation that never gets far proves nothing.
  for (const char* end :
       {"all_phases_complete", "auto_complete_signal", "max_iterations_reached", "stale_state"})
    EXPECT_GT(ends[end], runs / 50) << end;
}

TEST(AutoSimulation, EveryRunEndsAndIsMergedOnceAtMostWhateverAgentsAndCrashesDo) {
  const int runs = test_rounds(300, 20'000);
  const std::uint64_t seed = first_seed();
  std::map<std::string, int> ends;
  int crashes = 0;
  for (int combination = 0; combination < 16; ++combination) {
    for (int i = 0; i < runs; ++i) {
      const std::uint64_t one = seed + static_cast<std::uint64_t>(i);
      const Finding finding = simulate_run(one, skips_of(combination));
      ASSERT_EQ(finding.broken, "") << told(finding, one, combination);
      ++ends[finding.end];
      crashes += finding.crashes;
    }
  }
  std::cout << "first seed " << seed << ", " << crashes << " crashes:";
  for (const auto& [end, count] : ends) std::cout << " " << end << " " << count;
  std::cout << "\n";
  EXPECT_GT(crashes, runs);
  for (const char* end : {"complete", "max_iterations", "needs_person", "checks_failed",
                          "not_approved", "merge_refused"})
    EXPECT_GT(ends[end], runs / 50) << end;
}

TEST(AutoSimulation, ASeedReproducesItsRunFactByFact) {
  for (std::uint64_t seed = 1; seed < 100; ++seed) {
    ASSERT_EQ(simulate_run(seed, {}).story, simulate_run(seed, {}).story) << seed;
    ASSERT_EQ(simulate_session(seed, {}).story, simulate_session(seed, {}).story) << seed;
  }
}

template <class Bug, class Simulate>
bool is_found(Bug bug, Simulate simulate) {
  for (std::uint64_t i = 0; i < 3'000; ++i) {
    for (const int combination : {0, 2}) {
      const Finding finding = simulate(first_seed() + i, skips_of(combination), bug);
      if (finding.broken.empty()) continue;
      std::cout << static_cast<int>(bug) << ": found after " << i + 1 << " runs: " << finding.broken
                << "\n";
      return true;
    }
  }
  return false;
}

TEST(AutoSimulation, EveryBugThatIsPlantedInTheHookIsFound) {
  for (int i = 1; i < kHookBugs; ++i)
    EXPECT_TRUE(is_found(static_cast<HookBug>(i), simulate_session)) << i;
}

TEST(AutoSimulation, EveryBugThatIsPlantedInTheWorkflowIsFound) {
  for (int i = 1; i < kRunBugs; ++i)
    EXPECT_TRUE(is_found(static_cast<RunBug>(i), simulate_run)) << i;
}

}  // namespace
}  // namespace capsule::engine::auto_simulation
