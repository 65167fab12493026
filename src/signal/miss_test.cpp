// Why what an agent printed holds no signal that counts.
#include "signal/miss.h"

#include <gtest/gtest.h>

#include "signal/block.h"
#include "signal/contract.h"
#include "signal/line.h"

namespace capsule::signal {
namespace {

Missed in_lines(std::string_view text) {
  LineOptions options;
  options.role = Role::developer;
  options.task = "T-1";
  EXPECT_EQ(parse_line(text, options).signal, Signal::unknown) << text;
  return missed_line(text, options);
}

TEST(Miss, ALineSaysWhyItIsNoSignal) {
  EXPECT_EQ(in_lines("").why, Miss::silent);
  EXPECT_EQ(in_lines(" \n\n").why, Miss::silent);
  EXPECT_EQ(in_lines("I am done.\n").why, Miss::no_signal);
  EXPECT_EQ(in_lines("  READY_FOR_REVIEW: T-1\n").why, Miss::not_at_column_0);
  EXPECT_EQ(in_lines("**READY_FOR_REVIEW: T-1**\n").why, Miss::not_at_column_0);
  EXPECT_EQ(in_lines("Ready for review: T-1\n").why, Miss::not_exact);
  EXPECT_EQ(in_lines("READY_FOR_REVIEW T-1\n").why, Miss::no_colon);
  EXPECT_EQ(in_lines("READY_FOR_REVIEW:\n").why, Miss::no_id);
  EXPECT_EQ(in_lines("READY_FOR_REVIEW: T-9\n").why, Miss::wrong_task);
  EXPECT_EQ(in_lines("READY_FOR_REVIEW: T-1\nREADY_FOR_REVIEW: T-2\n").why, Miss::several_ids);
  EXPECT_EQ(in_lines("REVIEW_PASSED: T-1\n").why, Miss::wrong_role);
}

TEST(Miss, TheLineThatWasMeantIsShownHarmlessAndBounded) {
  EXPECT_EQ(in_lines("> READY_FOR_REVIEW: T-1\n").line, "> READY_FOR_REVIEW: T-1");
  const Missed hostile = in_lines("  READY_FOR_REVIEW: \x1b[2J" + std::string(100'000, 'x') + "\n");
  EXPECT_LT(hostile.line.size(), kMaxMissedBytes + 20);
  EXPECT_EQ(hostile.line.find('\x1b'), std::string::npos);
}

TEST(Miss, AWholeSignalThatDoesNotCountSaysMoreThanALineThatLooksLikeOne) {
  EXPECT_EQ(in_lines("READY_FOR_REVIEW: T-9\n  READY_FOR_REVIEW: T-1\n").why, Miss::wrong_task);
}

TEST(Miss, ABlockSaysWhyItDoesNotCount) {
  const auto why = [](std::string_view text) {
    EXPECT_FALSE(parse_block(text).signal) << text;
    return missed_block(text).why;
  };
  EXPECT_EQ(why(""), Miss::silent);
  EXPECT_EQ(why("All done.\n"), Miss::no_signal);
  EXPECT_EQ(why("My SIGNAL: PLANNING_COMPLETE\n"), Miss::not_at_column_0);
  EXPECT_EQ(why("SIGNAL : PLANNING_COMPLETE\n"), Miss::no_colon);
  EXPECT_EQ(why("SIGNAL: PLANNING_DONE\n"), Miss::not_exact);
  EXPECT_EQ(why("SIGNAL: PLANNING_COMPLETE\nSTATUS: started\n"), Miss::not_complete);
}

TEST(Miss, EveryFaultOfTheContractHasOne) {
  EXPECT_EQ(miss_of(parse_contract("no JSON at all").fault), Miss::no_signal);
  EXPECT_EQ(miss_of(parse_contract(R"({"status": "PASS",)").fault), Miss::broken_json);
  EXPECT_EQ(miss_of(parse_contract(R"({"feedback":""})").fault), Miss::missing_field);
  EXPECT_EQ(
      miss_of(parse_contract(R"({"status":"GOOD","feedback":"","files_changed":[],"summary":""})")
                  .fault),
      Miss::unknown_status);
  EXPECT_EQ(
      miss_of(parse_contract(R"({"status":"PASS","feedback":"","files_changed":1,"summary":""})")
                  .fault),
      Miss::wrong_type);
}

TEST(Miss, EachHasItsOwnSentence) {
  EXPECT_EQ(sentence({}), "");
  for (int i = 1; i < kMisses; ++i)
    for (int k = 1; k < i; ++k)
      EXPECT_NE(sentence({static_cast<Miss>(i), ""}), sentence({static_cast<Miss>(k), ""}));
  EXPECT_EQ(sentence({Miss::wrong_task, "READY_FOR_REVIEW: T-9"}),
            "the signal is about another task: READY_FOR_REVIEW: T-9");
}

}  // namespace
}  // namespace capsule::signal
