#include "workflow/supply/policy.h"

#include <gtest/gtest.h>

namespace capsule::supply {
namespace {

TEST(SupplyPolicy, AFamilyIsAnsweredByItsMembers) {
  EXPECT_TRUE(same_model("sonnet", "claude-sonnet-4-5-20250929"));
  EXPECT_TRUE(same_model("opus", "claude-opus-4-1"));
  EXPECT_TRUE(same_model("sonnet[1m]", "claude-sonnet-4-5-20250929"));
  EXPECT_FALSE(same_model("opus", "claude-sonnet-4-5-20250929"));
}

TEST(SupplyPolicy, AVersionOfAModelIsThatModelAndASmallerOneIsNot) {
  EXPECT_TRUE(same_model("claude-sonnet-4-5", "claude-sonnet-4-5-20250929"));
  EXPECT_TRUE(same_model("claude-sonnet-4-5-20250929", "claude-sonnet-4-5"));
  EXPECT_TRUE(same_model("gpt-4o", "gpt-4o-2024-08-06"));
  EXPECT_TRUE(same_model("openai/gpt-5", "gpt-5-2025-08-07"));
  EXPECT_TRUE(same_model("gemini-2.5-pro", "Gemini-2.5-Pro-preview-05-06"));
  EXPECT_FALSE(same_model("gpt-5", "gpt-5-mini"));
  EXPECT_FALSE(same_model("gpt-5", "gpt-5.1"));
  EXPECT_FALSE(same_model("claude-sonnet-4", "claude-sonnet-4-5"));
  EXPECT_FALSE(same_model("claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001"));
}

TEST(SupplyPolicy, WhatIsNotKnownDiffersFromNothing) {
  EXPECT_TRUE(same_model("", "gpt-5"));
  EXPECT_TRUE(same_model("gpt-5", ""));
  EXPECT_TRUE(same_model("default", "gpt-5"));
}

TEST(SupplyPolicy, APriceTurnsTokensIntoMoneyWhereTheClientNamesNone) {
  Policy policy;
  policy.prices["sonnet"] = {3'000'000, 15'000'000, 300'000, 3'750'000};
  TokenUse use;
  use.tokens_known = true;
  use.input = 1000, use.output = 200, use.cache_read = 10'000, use.cache_written = 100;
  const TokenUse told = priced(policy, use, "claude-sonnet-4-5-20250929", "claude");
  EXPECT_TRUE(told.cost_known);
  EXPECT_EQ(told.cost_micros, 3000 + 3000 + 3000 + 375);
  EXPECT_FALSE(priced(policy, use, "gpt-5", "codex").cost_known);
  use.cost_known = true;
  use.cost_micros = 7;
  EXPECT_EQ(priced(policy, use, "sonnet", "claude").cost_micros, 7) << "the client knows better";
  TokenUse unknown;
  EXPECT_FALSE(priced(policy, unknown, "sonnet", "claude").cost_known);
}

TEST(SupplyPolicy, APauseGrowsToItsLimitAndDiffersFromAgentToAgent) {
  const Policy policy;
  std::int64_t before = 0;
  for (int tries = 1; tries <= 20; ++tries) {
    const std::int64_t pause = pause_ms(policy, "run", 1, tries);
    EXPECT_GE(pause, policy.pause_first_ms / 2);
    EXPECT_LE(pause, policy.pause_most_ms);
    if (tries < 5) {
      EXPECT_GT(pause * 2, before);
    }
    before = pause;
  }
  EXPECT_GE(pause_ms(policy, "run", 1, 20), policy.pause_most_ms / 2);
  EXPECT_NE(pause_ms(policy, "run", 1, 5), pause_ms(policy, "run", 2, 5));
  EXPECT_EQ(pause_ms(policy, "run", 1, 5), pause_ms(policy, "run", 1, 5));
}

TEST(SupplyPolicy, AGuessDoublesUpToItsLimit) {
  const Policy policy;
  EXPECT_EQ(guess_seconds(policy, 0), 900);
  EXPECT_EQ(guess_seconds(policy, 1), 1800);
  EXPECT_EQ(guess_seconds(policy, 4), 14'400);
  EXPECT_EQ(guess_seconds(policy, 1000), 14'400);
}

TEST(SupplyPolicy, AnAmountIsReadAsPeopleWriteIt) {
  EXPECT_EQ(amount_in("2.50", Scope::run), 2'500'000);
  EXPECT_EQ(amount_in(" +5 ", Scope::day), 5'000'000);
  EXPECT_EQ(amount_in("0.000001", Scope::run), 1);
  EXPECT_EQ(amount_in("200k", Scope::tokens), 200'000);
  EXPECT_EQ(amount_in("1.5M", Scope::tokens), 1'500'000);
  for (const char* text : {"", "0", "-1", "five", "1e9", "1.2.3", "k", ".", "99999999999999999999"})
    EXPECT_FALSE(amount_in(text, Scope::run)) << text;
}

TEST(SupplyPolicy, AnAmountIsWrittenAsPricesAre) {
  EXPECT_EQ(amount_text(5'020'000, Scope::run), "5.02");
  EXPECT_EQ(amount_text(0, Scope::run), "0.00");
  EXPECT_EQ(amount_text(4'200, Scope::run), "0.004");
  EXPECT_EQ(amount_text(1200, Scope::tokens), "1200 tokens");
}

TEST(SupplyPolicy, WhatTheWorkflowStatesGoesBeforeWhatIsConfigured) {
  Policy policy;
  policy.phases["execute"] = {{"claude", "opus"}, {"codex", ""}};
  workflow::StartAgent start;
  start.role = "execute";
  EXPECT_EQ(choices_for(policy, start), policy.phases["execute"]);
  start.provider = "gemini";
  EXPECT_EQ(choices_for(policy, start), (std::vector<Choice>{{"gemini", ""}, {"codex", ""}}));
  start.provider = "claude";
  start.model = "haiku";
  EXPECT_EQ(choices_for(policy, start), (std::vector<Choice>{{"claude", "haiku"}, {"codex", ""}}));
  start.role = "another";
  start.provider = start.model = "";
  EXPECT_EQ(choices_for(policy, start), (std::vector<Choice>{{"", ""}}));
}

}  // namespace
}  // namespace capsule::supply
