#include "tests/simulation/delivery.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <random>

#include "tests/reference/random.h"

namespace capsule::delivery::simulation {
namespace {

// The same plans in every short run; others each time when all are asked for.
std::uint64_t first_seed() {
  const char* given = std::getenv("CAPSULE_TEST_SEED");
  if (given != nullptr) return std::strtoull(given, nullptr, 10);
  return std::getenv("CAPSULE_TEST_FULL") != nullptr ? std::random_device{}() : 20261116;
}

std::string told(const Finding& finding, std::uint64_t seed) {
  std::string text = finding.broken + "\nCAPSULE_TEST_SEED=" + std::to_string(seed) + "\n";
  const std::size_t first = finding.journal.size() > 80 ? finding.journal.size() - 80 : 0;
  for (std::size_t i = first; i < finding.journal.size(); ++i)
    text += "  " + finding.journal[i] + "\n";
  return text;
}

TEST(DeliverySimulation, EveryInvariantHoldsWhateverAgentsCrashesTimersAndPeopleDo) {
  const int runs = reference::test_rounds(400, 20'000);
  const std::uint64_t seed = first_seed();
  std::map<std::string_view, int> outcomes;
  Finding sum;
  for (int i = 0; i < runs; ++i) {
    const std::uint64_t one = seed + static_cast<std::uint64_t>(i);
    const Finding finding = simulate(one);
    ASSERT_EQ(finding.broken, "") << told(finding, one);
    ++outcomes[name_of(finding.outcome)];
    sum.tasks += finding.tasks;
    sum.crashes += finding.crashes;
    sum.answers += finding.answers;
    sum.rounds += finding.rounds;
    sum.delegations += finding.delegations;
    sum.file_waits += finding.file_waits;
  }
  std::cout << "first seed " << seed << ", " << runs << " plans, " << sum.tasks << " tasks, "
            << sum.crashes << " crashes, " << sum.answers << " answers, " << sum.rounds
            << " remediations, " << sum.delegations << " delegations, " << sum.file_waits
            << " file waits:";
  for (const auto& [outcome, count] : outcomes) std::cout << " " << outcome << " " << count;
  std::cout << "\n";
  // A simulation that never gets far proves nothing.
  EXPECT_GT(outcomes["complete"], runs / 50);
  EXPECT_GT(sum.crashes, runs / 10);
  EXPECT_GT(sum.answers, runs);
  EXPECT_GT(sum.rounds, runs / 4);
  EXPECT_GT(sum.delegations, runs / 4);
  EXPECT_GT(sum.file_waits, runs / 20);
}

TEST(DeliverySimulation, ASeedReproducesItsDeliveryFactByFact) {
  const std::uint64_t seed = first_seed();
  for (std::uint64_t i = 0; i < 20; ++i)
    ASSERT_EQ(simulate(seed + i, Bug::none, true).journal,
              simulate(seed + i, Bug::none, true).journal)
        << seed + i;
}

class DeliveryBug : public testing::TestWithParam<int> {};

TEST_P(DeliveryBug, IsFound) {
  const Bug bug = static_cast<Bug>(GetParam());
  const std::uint64_t seed = first_seed();
  for (std::uint64_t i = 0; i < 20'000; ++i) {  // most take a few
    const Finding finding = simulate(seed + i, bug);
    if (finding.broken.empty()) continue;
    std::cout << name_of(bug) << ": found after " << i + 1 << " plans: " << finding.broken << "\n";
    return;
  }
  FAIL() << name_of(bug) << " was not found from seed " << seed;
}

INSTANTIATE_TEST_SUITE_P(DeliverySimulation, DeliveryBug, testing::Range(1, kBugCount),
                         [](const auto& row) {
                           return std::string(name_of(static_cast<Bug>(row.param)));
                         });

}  // namespace
}  // namespace capsule::delivery::simulation
