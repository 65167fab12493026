#include "ui/usage_text.h"

#include <gtest/gtest.h>

#include "ui/cost_text.h"

namespace capsule::ui {
namespace {

using workflow::Usage;

world::Call call_of(const std::string& role, std::int64_t micros, bool tokens = true) {
  world::Call call;
  call.run.run = "20260101-abc";
  call.used.role = role;
  call.used.provider = "claude";
  call.used.day = "2026-01-31";
  call.used.use.tokens_known = tokens;
  call.used.use.compactions_untold = !tokens;
  call.used.use.cost_known = micros >= 0;
  call.used.use.cost_micros = std::max<std::int64_t>(micros, 0);
  if (tokens) {
    call.used.use.input = 1500;
    call.used.use.output = 20;
    call.used.use.turns = 3;
  }
  return call;
}

Usage used_by(const std::vector<world::Call>& calls) {
  Usage usage;
  for (const world::Call& call : calls) world::add_call(usage, call.used);
  return usage;
}

TEST(UsageWords, TellCostTokensAndTurns) {
  EXPECT_EQ(usage_words(used_by({call_of("a", 1'270'000), call_of("b", 30'000)})),
            "cost 1.30; 3.0k tokens in, 40 out; 6 turns");
  EXPECT_EQ(usage_words({}), "") << "nobody was called";
}

TEST(UsageWords, TellWhatIsPaidForAgain) {
  world::Call call = call_of("a", 500'000);
  call.used.use.compactions = 2;
  call.used.use.cache_rewrites = 1;
  EXPECT_EQ(usage_words(used_by({call})),
            "cost 0.50; 1.5k tokens in, 20 out; 3 turns; shortened 2 times; cached anew 1 time");
}

TEST(UsageWords, SayWhatIsUnknown) {
  EXPECT_EQ(usage_words(used_by({call_of("a", 500'000), call_of("b", -1)})),
            "cost at least 0.50; 3.0k tokens in, 40 out; 6 turns; 1 call told no cost");
  EXPECT_EQ(usage_words(used_by({call_of("a", -1, false), call_of("b", -1, false)})),
            "cost unknown; 2 calls told neither tokens nor cost");
  EXPECT_EQ(short_usage(used_by({call_of("a", -1)})), "1.5k tokens, cost unknown");
  EXPECT_EQ(short_usage(used_by({call_of("a", -1, false)})), "");
  EXPECT_EQ(cost_cell(used_by({call_of("a", -1)})), "unknown");
  EXPECT_EQ(cost_cell(used_by({call_of("a", 0)})), "0.00") << "told, and nothing";
}

TEST(UsageWords, CountsAreShort) {
  EXPECT_EQ(short_count(0), "0");
  EXPECT_EQ(short_count(999), "999");
  EXPECT_EQ(short_count(1000), "1.0k");
  EXPECT_EQ(short_count(38'449), "38.4k");
  EXPECT_EQ(short_count(980'000), "980k");
  EXPECT_EQ(short_count(999'999), "1.0M");
  EXPECT_EQ(short_count(1'234'567'890), "1.2G");
}

TEST(UsageJson, HasNullWhereNobodyToldANumber) {
  EXPECT_NE(usage_json(used_by({call_of("a", -1, false)})).compact().find(R"("tokens":null)"),
            std::string::npos);
  const std::string some = usage_json(used_by({call_of("a", 5), call_of("b", -1)})).compact();
  EXPECT_NE(some.find(R"("cost_micros":5,)"), std::string::npos) << some;
  EXPECT_NE(some.find(R"("calls_without_cost":1)"), std::string::npos) << some;
  EXPECT_NE(some.find(R"("agent_runs":null)"), std::string::npos) << some << ": calls alone";
  Usage old;  // of a journal that has no such facts
  old.agent_runs = 3;
  EXPECT_NE(usage_json(old).compact().find(R"("cost_micros":null)"), std::string::npos);
}

TEST(CostTable, HasTheDearestFirstAndASumThatSaysWhatItLeavesOut) {
  CostTable table{"role"};
  world::Call cheap = call_of("cheap", 10'000);
  cheap.used.use.compactions = 2;
  count_call(table, cheap);
  count_call(table, call_of("dear\x1b[2J", 500'000));
  count_call(table, call_of("silent", -1, false));
  EXPECT_EQ(cost_table(table),
            "role         calls    turns  shortened    input   output  cache read  cache written   "
            "  cost\n"
            "dear\\x1b[2J      1        3          0     1500       20           0              0  "
            "   0.50\n"
            "cheap            1        3          2     1500       20           0              0   "
            "  0.01\n"
            "silent           1  unknown    unknown  unknown  unknown     unknown        unknown  "
            "unknown\n"
            "in all           3        6         2+    3000+      40+          0+             0+   "
            " 0.51+\n"
            "\n1 call told neither tokens nor cost; + means at least\n");
  EXPECT_EQ(cost_table({"role"}), "No agent has been called yet.\n");
}

TEST(CostTable, TurnsThatAClientDoesNotTellAreUnknownThoughItTellsTokens) {
  CostTable table{"provider"};
  world::Call codex = call_of("a", -1);
  codex.used.provider = "codex";
  codex.used.use.turns = 0;
  codex.used.use.compactions_untold = true;
  count_call(table, codex);
  EXPECT_EQ(
      cost_table(table),
      "provider  calls    turns  shortened  input  output  cache read  cache written     cost\n"
      "codex         1  unknown    unknown   1500      20           0              0  unknown\n"
      "\n1 call told no cost; + means at least\n"
      "Where a client tells tokens, 'prices' in the configuration make costs of them.\n");
  count_call(table, call_of("b", 10'000));
  EXPECT_NE(cost_table(table).find("in all        2        3    unknown   3000"), std::string::npos)
      << cost_table(table);
}

TEST(CostTable, WhatIsPutIntoACacheIsUnknownWhereOnlyWhatIsReadFromItIsTold) {
  CostTable table{"provider"};
  world::Call gemini = call_of("a", 10'000);
  gemini.used.provider = "gemini";
  gemini.used.use.cache_read = 3000;
  gemini.used.use.written_untold = true;
  count_call(table, gemini);
  EXPECT_NE(cost_table(table).find("      20        3000        unknown  0.01\n"),
            std::string::npos)
      << cost_table(table);
  world::Call claude = call_of("b", 10'000);
  claude.used.use.cache_written = 40;
  count_call(table, claude);
  EXPECT_NE(cost_table(table).find("      40        3000            40+  0.02\n"),
            std::string::npos)
      << cost_table(table);
  const std::string text = usage_json(used_by({gemini})).compact();
  EXPECT_NE(text.find(R"("cache_read":3000,"cache_written":null)"), std::string::npos) << text;
}

TEST(CostTable, WithoutAModelSaysWhoseItWas) {
  CostTable table{"model"};
  count_call(table, call_of("a", 1));
  world::Call asked = call_of("b", 1);
  asked.used.asked_model = "opus";
  count_call(table, asked);
  EXPECT_TRUE(table.rows.contains("claude (not told)"));
  EXPECT_TRUE(table.rows.contains("opus"));
}

}  // namespace
}  // namespace capsule::ui
