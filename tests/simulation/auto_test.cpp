#include "tests/simulation/auto.h"

#include <gtest/gtest.h>

#include <iostream>
#include <map>

namespace capsule::simulation {
namespace {

signal::Skips skips_of(int combination) {
  return {(combination & 1) != 0, (combination & 2) != 0, (combination & 4) != 0,
          (combination & 8) != 0};
}

std::string text_of(const Session& session, std::uint64_t seed, int combination) {
  std::string text = session.broken + "\nCAPSULE_TEST_SEED=" + std::to_string(seed) + ", skips " +
                     std::to_string(combination) + "\n";
  for (const std::string& line : session.story) text += "  " + line + "\n";
  return text;
}

TEST(AutoSimulation, EverySessionEndsAndNoPhaseGoesBackwardsWhateverIsSkipped) {
  const int runs = rounds(4'000, 20'000);
  const std::uint64_t seed = first_seed();
  std::map<std::string, int> ends;
  for (int combination = 0; combination < 16; ++combination) {
    for (int i = 0; i < runs; ++i) {
      const std::uint64_t one = seed + static_cast<std::uint64_t>(i);
      const Session session = simulate_session(one, skips_of(combination));
      ASSERT_EQ(session.broken, "") << text_of(session, one, combination);
      ++ends[session.end];
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

TEST(AutoSimulation, EveryInvariantHoldsWhateverAgentsReviewersPeopleAndCrashesDo) {
  const int runs = rounds(100'000, 200'000);
  const std::uint64_t seed = first_seed();
  std::map<std::string, int> outcomes;
  Finding sum;
  for (int i = 0; i < runs; ++i) {
    const std::uint64_t one = seed + static_cast<std::uint64_t>(i);
    const Finding finding = simulate_auto(one);
    ASSERT_EQ(finding.broken, "") << simulation::text_of(finding, one);
    ++outcomes[finding.outcome];
    sum.crashes += finding.crashes;
    sum.stops += finding.stops;
    sum.agents += finding.agents;
  }
  std::cout << "first seed " << seed << ", " << runs << " runs, " << sum.agents << " agents, "
            << sum.crashes << " crashes, " << sum.stops << " stops:";
  for (const auto& [outcome, count] : outcomes) std::cout << " " << outcome << " " << count;
  std::cout << "\n";
  EXPECT_GT(sum.crashes, runs / 4);
  EXPECT_GT(sum.stops, runs / 10);
  EXPECT_GT(outcomes["complete"], runs / 20);
  for (const char* outcome : {"max_iterations", "needs_person", "checks_failed", "not_approved",
                              "merge_refused", "paused", "interrupted", "aborted"})
    EXPECT_GT(outcomes[outcome], runs / 500) << outcome;
}

TEST(AutoSimulation, ARunThatWasCutOffOrStoppedEndsLikeOneThatWasNot) {
  const int runs = rounds(4'000, 10'000);
  const std::uint64_t seed = first_seed();
  int succeeded = 0;
  for (int i = 0; i < runs; ++i) {
    const std::uint64_t one = seed + static_cast<std::uint64_t>(i);
    const Finding straight = simulate_auto_script(one, 0, 0);
    ASSERT_EQ(straight.broken, "") << simulation::text_of(straight, one);
    const Finding cut_off = simulate_auto_script(one, 3, 0);
    ASSERT_EQ(cut_off.broken, "") << simulation::text_of(cut_off, one);
    ASSERT_EQ(cut_off.path, straight.path) << simulation::text_of(cut_off, one);
    // Who goes on after a stop has new attempts, which changes nothing for what never ran out of
    // them.
    if (!straight.succeeded) continue;
    ++succeeded;
    const Finding stopped = simulate_auto_script(one, 1, 3);
    ASSERT_EQ(stopped.broken, "") << simulation::text_of(stopped, one);
    ASSERT_EQ(stopped.path, straight.path) << simulation::text_of(stopped, one);
  }
  EXPECT_GT(succeeded, runs / 50);
}

TEST(AutoSimulation, ASeedReproducesItsRunFactByFact) {
  for (std::uint64_t seed = 1; seed < 100; ++seed) {
    const auto play = [&] { return simulate_auto(seed, AutoBug::none, true).journal; };
    ASSERT_EQ(play(), play()) << seed;
    ASSERT_EQ(simulate_session(seed, {}).story, simulate_session(seed, {}).story) << seed;
  }
}

TEST(AutoSimulation, EveryBugThatIsPlantedInTheHookIsFound) {
  for (int bug = 1; bug < kHookBugs; ++bug) {
    std::string found;
    for (std::uint64_t i = 0; i < 3'000 && found.empty(); ++i)
      for (const int combination : {0, 2})
        if (found.empty())
          found =
              simulate_session(first_seed() + i, skips_of(combination), static_cast<HookBug>(bug))
                  .broken;
    EXPECT_NE(found, "") << bug;
    std::cout << bug << ": " << found << "\n";
  }
}

TEST(AutoSimulation, EveryBugThatIsPlantedInTheWorkflowIsFound) {
  for (int bug = 1; bug < kAutoBugs; ++bug) {
    std::string found;
    std::uint64_t i = 0;
    for (; i < 10'000 && found.empty(); ++i)
      found = simulate_auto(first_seed() + i, static_cast<AutoBug>(bug)).broken;
    EXPECT_NE(found, "") << bug;
    std::cout << bug << ": found after " << i << " runs: " << found << "\n";
  }
}

}  // namespace
}  // namespace capsule::simulation
