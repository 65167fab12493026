#include "tests/simulation/phases.h"

#include <gtest/gtest.h>

#include <iostream>
#include <map>

namespace capsule::simulation {
namespace {

constexpr int kShards = 4;

// In parts that can run at once, each well within the time that a test may take.
class PhasesShard : public testing::TestWithParam<int> {};

TEST_P(PhasesShard, EveryInvariantHoldsWhateverAgentsPeopleCrashesAndFaultsDo) {
  const int runs = rounds(200'000, 600'000) / kShards;
  const std::uint64_t seed = first_seed() + static_cast<std::uint64_t>(GetParam() * runs);
  std::map<std::string, int> outcomes;
  Finding sum;
  for (int i = 0; i < runs; ++i) {
    const std::uint64_t one = seed + static_cast<std::uint64_t>(i);
    const Finding finding = simulate_phases(one);
    ASSERT_EQ(finding.broken, "") << text_of(finding, one);
    ++outcomes[finding.outcome];
    sum.crashes += finding.crashes;
    sum.stops += finding.stops;
    sum.agents += finding.agents;
    sum.answers += finding.answers;
  }
  std::cout << "first seed " << seed << ", " << runs << " runs, " << sum.agents << " agents, "
            << sum.crashes << " crashes, " << sum.stops << " stops, " << sum.answers << " answers:";
  for (const auto& [outcome, count] : outcomes) std::cout << " " << outcome << " " << count;
  std::cout << "\n";
  // A simulation that never gets far proves nothing.
  EXPECT_GT(outcomes["merged"], runs / 20);
  EXPECT_GT(sum.crashes, runs / 4);
  EXPECT_GT(sum.stops, runs / 4);
  EXPECT_GT(sum.answers, runs / 20);
  if (runs < 20'000) return;  // some are rare
  for (const char* outcome : {"on_branch", "finished", "rejected", "retries_exhausted", "converged",
                              "merge_refused", "paused", "interrupted", "aborted"})
    EXPECT_GT(outcomes[outcome], runs / 5000) << outcome;
}

INSTANTIATE_TEST_SUITE_P(PhasesSimulation, PhasesShard, testing::Range(0, kShards));

TEST(PhasesSimulation, ARunThatWasCutOffOrStoppedEndsLikeOneThatWasNot) {
  const int runs = rounds(4'000, 20'000);
  const std::uint64_t seed = first_seed();
  int succeeded = 0;
  for (int i = 0; i < runs; ++i) {
    const std::uint64_t one = seed + static_cast<std::uint64_t>(i);
    const Finding straight = simulate_script(one, 0, 0);
    ASSERT_EQ(straight.broken, "") << text_of(straight, one);
    const Finding cut_off = simulate_script(one, 3, 0);
    ASSERT_EQ(cut_off.broken, "") << text_of(cut_off, one);
    ASSERT_EQ(cut_off.path, straight.path) << text_of(cut_off, one);
    // Who goes on after a stop has new attempts, which changes nothing for what never ran out of
    // them.
    if (!straight.succeeded) continue;
    ++succeeded;
    const Finding stopped = simulate_script(one, 1, 3);
    ASSERT_EQ(stopped.broken, "") << text_of(stopped, one);
    ASSERT_EQ(stopped.path, straight.path) << text_of(stopped, one);
  }
  EXPECT_GT(succeeded, runs / 10);
}

TEST(PhasesSimulation, ASeedReproducesItsRunFactByFact) {
  const std::uint64_t seed = first_seed();
  for (std::uint64_t i = 0; i < 200; ++i) {
    const auto play = [&] {
      return simulate_phases(seed + i, PhasesBug::none, WorldBug::none, true).journal;
    };
    ASSERT_EQ(play(), play()) << seed + i;
  }
}

// world/workflows_test.cpp holds the shipped file to the definition that is built in.
TEST(PhasesSimulation, ThePipelineOfAFileDecidesWhatTheBuiltInOneDoes) {
  const int runs = rounds(1'000, 20'000);
  const std::uint64_t seed = first_seed();
  int merged = 0, crashed = 0;
  for (int i = 0; i < runs; ++i) {
    const std::uint64_t one = seed + static_cast<std::uint64_t>(i);
    Finding built_in = simulate_pipeline(one, false), file = simulate_pipeline(one, true);
    ASSERT_EQ(file.broken, "") << text_of(file, one);
    ASSERT_FALSE(built_in.journal.empty());
    ASSERT_FALSE(file.journal.empty());
    ASSERT_NE(file.journal[0], built_in.journal[0]) << "the first fact says which workflow it is";
    file.journal[0] = built_in.journal[0];
    ASSERT_EQ(file.journal, built_in.journal) << one;
    ASSERT_EQ(file.path, built_in.path) << one;
    ASSERT_EQ(file.outcome, built_in.outcome) << one;
    merged += built_in.outcome == "merged" ? 1 : 0;
    crashed += built_in.crashes > 0 ? 1 : 0;
  }
  EXPECT_GT(merged, runs / 20);
  EXPECT_GT(crashed, runs / 4);
}

class PlantedBug : public testing::TestWithParam<int> {};

TEST_P(PlantedBug, IsFound) {
  const auto bug = static_cast<PhasesBug>(GetParam());
  const std::uint64_t seed = first_seed();
  for (std::uint64_t i = 0; i < 5'000; ++i) {
    const Finding finding = simulate_phases(seed + i, bug);
    if (finding.broken.empty()) continue;
    std::cout << name_of(bug) << ": found after " << i + 1 << " runs: " << finding.broken << "\n";
    return;
  }
  FAIL() << name_of(bug) << " was not found from seed " << seed;
}

INSTANTIATE_TEST_SUITE_P(Phases, PlantedBug, testing::Range(1, kPhasesBugs), [](const auto& row) {
  return std::string(name_of(static_cast<PhasesBug>(row.param)));
});

// What is planted in the world and in the journal, which all workflows share.
TEST(Simulation, ABugOfTheWorldOrTheJournalIsFound) {
  const std::uint64_t seed = first_seed();
  for (int bug = 1; bug < kWorldBugs; ++bug) {
    std::string found;
    for (std::uint64_t i = 0; i < 5'000 && found.empty(); ++i)
      found = simulate_phases(seed + i, PhasesBug::none, static_cast<WorldBug>(bug)).broken;
    EXPECT_NE(found, "") << bug << " was not found from seed " << seed;
    std::cout << bug << ": " << found << "\n";
  }
}

}  // namespace
}  // namespace capsule::simulation
