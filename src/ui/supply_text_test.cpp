#include "ui/supply_text.h"

#include <gmock/gmock.h>

#include "event/supply.h"

namespace capsule::ui {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string told_of(const event::supply::Fact& fact) {
  return supply_lines({std::string(event::supply::kind_of(fact)), "2026-01-31T00:00:00.000Z",
                       event::supply::body_of(fact)});
}

TEST(SupplyText, AParkedProviderIsToldWithItsTimeAndReason) {
  event::supply::ProviderParked parked;
  parked.provider = "claude";
  parked.until = 1'769'900'399;
  parked.fault = event::Fault::usage_limit;
  EXPECT_EQ(told_of(parked),
            "claude is parked until 2026-01-31 22:59:59 UTC: a usage limit is reached\n");
  parked.until = 0;
  parked.fault = event::Fault::no_credit;
  EXPECT_EQ(told_of(parked), "claude is parked until a person says so: no credit is left\n");
}

TEST(SupplyText, WhatAClientSaidIsMadeHarmless) {
  event::supply::AgentFaulted faulted;
  faulted.role = "execute";
  faulted.provider = "x\x1b[2J";
  faulted.fault = event::Fault::overloaded;
  faulted.words = "line\nand \x1b]0;title\x07";
  EXPECT_THAT(told_of(faulted), Not(HasSubstr("\x1b")));
  EXPECT_THAT(told_of(faulted), Not(HasSubstr("\nand")));
}

TEST(SupplyText, ABudgetIsToldInMoneyOrTokens) {
  event::supply::BudgetReached reached;
  reached.scope = event::supply::Scope::run;
  reached.spent = 4'096'000;
  reached.limit = 5'000'000;
  EXPECT_EQ(told_of(reached), "budget of the run: 4.10 of 5.00 spent\n");
  reached.scope = event::supply::Scope::tokens;
  reached.spent = reached.limit = 1000;
  reached.all = true;
  EXPECT_EQ(told_of(reached), "budget: 1000 tokens of 1000 tokens spent; nothing new starts\n");
}

TEST(SupplyText, AFallbackIsToldWithTheNameOfWhoItStandsInFor) {
  event::supply::AgentReleased released;
  released.agent = 3;
  released.provider = "codex";
  released.fallback = true;
  EXPECT_EQ(told_of(released), "agent 3: taken over by codex, a fallback\n");
  const event::supply::Fact fact = released;
  EXPECT_EQ(
      supply_lines({std::string(event::supply::kind_of(fact)), "", event::supply::body_of(fact)},
                   [](int) { return std::string("execute"); }),
      "execute: taken over by codex, a fallback\n");
}

TEST(SupplyText, FactsOfWorkflowsAreNotItsBusiness) {
  EXPECT_EQ(supply_lines({"phase_started", "", "{}"}), "");
  EXPECT_EQ(supply_lines({"supply_nothing", "", "{}"}), "");
}

}  // namespace
}  // namespace capsule::ui
