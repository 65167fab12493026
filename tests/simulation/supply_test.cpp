// Services that fail, providers that are parked, budgets, fallbacks and people's words: the same
// for all three workflows.
#include <gtest/gtest.h>

#include <functional>
#include <iostream>

#include "tests/simulation/auto.h"
#include "tests/simulation/delivery.h"
#include "tests/simulation/phases.h"

namespace capsule::simulation {
namespace {

struct Subject {
  const char* name;
  std::function<Finding(std::uint64_t seed, bool all)> rough;
  std::function<Finding(std::uint64_t seed, int crashes, int stops, bool supplied)> script;
  int reduced, full;  // runs
};

const Subject kSubjects[] = {
    {"Phases",
     [](std::uint64_t seed, bool all) {
       return simulate_phases(seed, PhasesBug::none, WorldBug::none, all, true);
     },
     simulate_script, 15'000, 50'000},
    {"Delivery",
     [](std::uint64_t seed, bool all) -> Finding {
       return simulate_delivery(seed, DeliveryBug::none, all, true);
     },
     simulate_delivery_script, 4'000, 20'000},
    {"Auto",
     [](std::uint64_t seed, bool all) { return simulate_auto(seed, AutoBug::none, all, true); },
     simulate_auto_script, 8'000, 50'000},
};

class Supplied : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { SupplyTap::bug = SupplyBug::none; }
  void TearDown() override { SupplyTap::bug = SupplyBug::none; }
  const Subject& subject() const { return kSubjects[GetParam()]; }
};

TEST_P(Supplied, NobodyStartsWhileParkedOrOverBudgetAndEveryRunEndsOrWaits) {
  const int runs = rounds(subject().reduced, subject().full);
  const std::uint64_t seed = first_seed();
  Finding sum;
  int succeeded = 0;
  for (int i = 0; i < runs; ++i) {
    const std::uint64_t one = seed + static_cast<std::uint64_t>(i);
    const Finding finding = subject().rough(one, false);
    ASSERT_EQ(finding.broken, "") << text_of(finding, one);
    succeeded += finding.succeeded ? 1 : 0;
    sum.faults += finding.faults;
    sum.alarms += finding.alarms;
    sum.parkings += finding.parkings;
    sum.raises += finding.raises;
    sum.messages += finding.messages;
    sum.taken_back += finding.taken_back;
    sum.squeezes += finding.squeezes;
    sum.crashes += finding.crashes;
    sum.stops += finding.stops;
  }
  std::cout << "first seed " << seed << ", " << runs << " runs, " << succeeded << " succeeded, "
            << sum.faults << " faults, " << sum.alarms << " alarms, " << sum.parkings
            << " parkings, " << sum.raises << " raised budgets, " << sum.messages
            << " messages to agents at work, " << sum.taken_back << " answers taken back, "
            << sum.crashes << " crashes, " << sum.stops << " stops\n";
  // A simulation that never gets far proves nothing.
  EXPECT_GT(succeeded, runs / 40);
  for (const int count : {sum.faults, sum.alarms, sum.parkings, sum.crashes})
    EXPECT_GT(count, runs / 4);
  EXPECT_GT(sum.raises, runs / 50);
  EXPECT_GT(sum.messages, runs / 50);
  EXPECT_GT(sum.squeezes, 0);
  // Rare: a few runs may have none.
  if (runs == subject().full) {
    EXPECT_GT(sum.taken_back, 0);
  }
}

// Attempts, iterations and rounds are part of the path: none is spent by a fault.
TEST_P(Supplied, ARunWhoseServicesFailEndsLikeOneWhoseServicesDoNot) {
  const int runs = rounds(1'500, 5'000);
  const std::uint64_t seed = first_seed();
  int faults = 0;
  for (int i = 0; i < runs; ++i) {
    const std::uint64_t one = seed + static_cast<std::uint64_t>(i);
    const Finding straight = subject().script(one, 0, 0, false);
    ASSERT_EQ(straight.broken, "") << text_of(straight, one);
    for (const int crashes : {0, 3}) {
      const Finding supplied = subject().script(one, crashes, 0, true);
      ASSERT_EQ(supplied.broken, "") << text_of(supplied, one);
      ASSERT_EQ(supplied.path, straight.path) << text_of(supplied, one);
      faults += supplied.faults;
    }
  }
  EXPECT_GT(faults, runs);
}

TEST_P(Supplied, ASeedReproducesItsRunFactByFact) {
  const std::uint64_t seed = first_seed();
  for (std::uint64_t i = 0; i < 30; ++i) {
    const auto play = [&] { return subject().rough(seed + i, true).journal; };
    ASSERT_EQ(play(), play()) << seed + i;
  }
}

INSTANTIATE_TEST_SUITE_P(SupplySimulation, Supplied, testing::Range(0, 3),
                         [](const auto& row) { return std::string(kSubjects[row.param].name); });

class PlantedSupplyBug : public testing::TestWithParam<int> {
 protected:
  void TearDown() override { SupplyTap::bug = SupplyBug::none; }
};

TEST_P(PlantedSupplyBug, IsFound) {
  SupplyTap::bug = static_cast<SupplyBug>(GetParam());
  const std::uint64_t seed = first_seed();
  for (std::uint64_t i = 0; i < 5'000; ++i) {
    const Subject& subject = kSubjects[i % std::size(kSubjects)];
    const Finding finding = subject.rough(seed + i, false);
    if (finding.broken.empty()) continue;
    std::cout << name_of(SupplyTap::bug) << ": found after " << i + 1 << " runs: " << finding.broken
              << "\n";
    return;
  }
  FAIL() << name_of(SupplyTap::bug) << " was not found from seed " << seed;
}

INSTANTIATE_TEST_SUITE_P(Supply, PlantedSupplyBug, testing::Range(1, kSupplyBugs),
                         [](const auto& row) {
                           return std::string(name_of(static_cast<SupplyBug>(row.param)));
                         });

}  // namespace
}  // namespace capsule::simulation
