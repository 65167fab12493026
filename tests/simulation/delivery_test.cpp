#include "tests/simulation/delivery.h"

#include <gtest/gtest.h>

#include <iostream>
#include <map>

namespace capsule::simulation {
namespace {

constexpr int kShards = 4;

// In parts that can run at once, each well within the time that a test may take.
class DeliveryShard : public testing::TestWithParam<int> {};

TEST_P(DeliveryShard, EveryInvariantHoldsWhateverAgentsCrashesTimersAndPeopleDo) {
  const int runs = rounds(50'000, 200'000) / kShards;
  const std::uint64_t seed = first_seed() + static_cast<std::uint64_t>(GetParam() * runs);
  std::map<std::string, int> outcomes;
  DeliveryFinding sum;
  for (int i = 0; i < runs; ++i) {
    const std::uint64_t one = seed + static_cast<std::uint64_t>(i);
    const DeliveryFinding finding = simulate_delivery(one);
    ASSERT_EQ(finding.broken, "") << text_of(finding, one);
    ++outcomes[finding.outcome];
    sum.tasks += finding.tasks;
    sum.agents += finding.agents;
    sum.crashes += finding.crashes;
    sum.stops += finding.stops;
    sum.answers += finding.answers;
    sum.rounds += finding.rounds;
    sum.delegations += finding.delegations;
    sum.file_waits += finding.file_waits;
  }
  std::cout << "first seed " << seed << ", " << runs << " plans, " << sum.tasks << " tasks, "
            << sum.agents << " agents, " << sum.crashes << " crashes, " << sum.stops << " stops, "
            << sum.answers << " answers, " << sum.rounds << " remediations, " << sum.delegations
            << " delegations, " << sum.file_waits << " file waits:";
  for (const auto& [outcome, count] : outcomes) std::cout << " " << outcome << " " << count;
  std::cout << "\n";
  // A simulation that never gets far proves nothing.
  EXPECT_GT(outcomes["complete"], runs / 50);
  EXPECT_GT(outcomes["incomplete"], runs / 50);
  EXPECT_GT(outcomes["halted"], runs / 200);
  EXPECT_GT(sum.crashes, runs / 10);
  EXPECT_GT(sum.stops, runs / 10);
  EXPECT_GT(sum.answers, runs / 2);
  EXPECT_GT(sum.rounds, runs / 6);
  EXPECT_GT(sum.delegations, runs / 10);
  // They come in clumps, many in one plan: a few hundred plans may have hardly any.
  if (runs >= 1'000) {
    EXPECT_GT(sum.file_waits, runs / 100);
  }
}

INSTANTIATE_TEST_SUITE_P(DeliverySimulation, DeliveryShard, testing::Range(0, kShards));

TEST(DeliverySimulation, ADeliveryThatWasCutOffOrStoppedEndsLikeOneThatWasNot) {
  const int runs = rounds(2'000, 10'000);
  const std::uint64_t seed = first_seed();
  int succeeded = 0;
  for (int i = 0; i < runs; ++i) {
    const std::uint64_t one = seed + static_cast<std::uint64_t>(i);
    const Finding straight = simulate_delivery_script(one, 0, 0);
    ASSERT_EQ(straight.broken, "") << text_of(straight, one);
    succeeded += straight.succeeded ? 1 : 0;
    for (const auto& [crashes, stops] : {std::pair(3, 0), {1, 3}}) {
      const Finding cut_off = simulate_delivery_script(one, crashes, stops);
      ASSERT_EQ(cut_off.broken, "") << text_of(cut_off, one);
      ASSERT_EQ(cut_off.path, straight.path) << text_of(cut_off, one);
    }
  }
  EXPECT_GT(succeeded, runs / 10);
}

TEST(DeliverySimulation, ASeedReproducesItsDeliveryFactByFact) {
  const std::uint64_t seed = first_seed();
  for (std::uint64_t i = 0; i < 30; ++i) {
    const auto play = [&] { return simulate_delivery(seed + i, DeliveryBug::none, true).journal; };
    ASSERT_EQ(play(), play()) << seed + i;
  }
}

class PlantedDeliveryBug : public testing::TestWithParam<int> {};

TEST_P(PlantedDeliveryBug, IsFound) {
  const auto bug = static_cast<DeliveryBug>(GetParam());
  const std::uint64_t seed = first_seed();
  for (std::uint64_t i = 0; i < 20'000; ++i) {  // most take a few
    const Finding finding = simulate_delivery(seed + i, bug);
    if (finding.broken.empty()) continue;
    std::cout << name_of(bug) << ": found after " << i + 1 << " plans: " << finding.broken << "\n";
    return;
  }
  FAIL() << name_of(bug) << " was not found from seed " << seed;
}

INSTANTIATE_TEST_SUITE_P(Delivery, PlantedDeliveryBug, testing::Range(1, kDeliveryBugs),
                         [](const auto& row) {
                           return std::string(name_of(static_cast<DeliveryBug>(row.param)));
                         });

}  // namespace
}  // namespace capsule::simulation
