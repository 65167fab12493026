#include "world/agent_words.h"

#include <gtest/gtest.h>

#include "event/delivery.h"

namespace capsule::world {
namespace {

using signal::Signal;
using Names = std::vector<std::string>;

TEST(Preview, HoldsTwoHundredWholeCharacters) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "ä";
  EXPECT_EQ(preview_of(text), text.substr(0, 400));
  EXPECT_EQ(preview_of("\xFFshort"), "\xFFshort");
}

TEST(ModelOf, OfSeveralTheOneThatWasNotAskedForIsTold) {
  dialect::Reading claude;
  EXPECT_EQ(model_of(claude, "opus"), "");
  claude.models = {"claude-sonnet-4-5", "claude-opus-4-1"};
  EXPECT_EQ(model_of(claude, "opus"), "claude-sonnet-4-5");
  EXPECT_EQ(model_of(claude, "sonnet"), "claude-opus-4-1");
  EXPECT_EQ(model_of(claude, ""), "claude-opus-4-1") << "none was asked for: the newest";
  claude.models = {"claude-opus-4-1", "claude-opus-4-1-20250805"};
  EXPECT_EQ(model_of(claude, "opus"), "claude-opus-4-1-20250805");
}

TEST(ModelOf, AModelThatTheClientAsksOnTheSideStandsInForNoneThatWasAskedFor) {
  dialect::Reading gemini;
  gemini.helpers_too = true;
  gemini.models = {"gemini-2.5-pro", "gemini-2.5-flash-lite"};
  EXPECT_EQ(model_of(gemini, "gemini-2.5-pro"), "gemini-2.5-pro");
  EXPECT_EQ(model_of(gemini, ""), "gemini-2.5-flash-lite");
  gemini.models = {"gemini-2.5-flash", "gemini-2.5-flash-lite"};
  EXPECT_EQ(model_of(gemini, "gemini-2.5-pro"), "gemini-2.5-flash-lite");
}

TEST(LineWords, ASignalCountsForItsRoleAndTaskOnly) {
  const std::string text = "words\nREADY_FOR_REVIEW: T-1\nFiles Modified:\n- a.cpp\n";
  const workflow::LineWords words = line_words(text, "developer", "T-1", {});
  EXPECT_EQ(words.signal, Signal::ready_for_review);
  EXPECT_EQ(words.argument, "T-1");
  EXPECT_FALSE(words.fields.empty());
  signal::Missed missed;
  EXPECT_EQ(line_words(text, "developer", "T-2", {}, &missed).signal, Signal::unknown);
  EXPECT_EQ(missed, (signal::Missed{signal::Miss::wrong_task, "READY_FOR_REVIEW: T-1"}));
  EXPECT_EQ(line_words(text, "critic", "T-1", {}).signal, Signal::unknown);
}

TEST(LineWords, ExpertsThatCannotBeCreatedAreNoSignal) {
  const std::string text = "EXPERT_CREATED: databases\nEXPERT_CREATED: networks\n";
  int asked = 0;
  const workflow::LineWords words =
      line_words(text, "plan-analyst", "", [&](signal::LineResult&) { return ++asked > 0; });
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(words.signal, Signal::expert_created);
  EXPECT_EQ(words.argument, "databases");
  EXPECT_EQ(words.more, Names{"networks"});
  bool also = false;
  for (const workflow::Field& field : words.fields)
    also |= field.label == event::delivery::kAlso && field.text == "networks";
  EXPECT_TRUE(also);
  EXPECT_EQ(line_words(text, "plan-analyst", "", [](signal::LineResult&) { return false; }).signal,
            Signal::unknown);
  EXPECT_EQ(line_words(text, "plan-analyst", "", {}).signal, Signal::unknown);
}

TEST(BlockWords, AllCompletionsOfATurnAreThereInTheirOrder) {
  const workflow::BlockWords words = block_words(
      "one\n---\nSIGNAL: PLANNING_COMPLETE\nSTATUS: complete\n---\n"
      "---\nSIGNAL: EXECUTION_COMPLETE\nSTATUS: complete\n---\n");
  EXPECT_EQ(words.signals, (Names{"PLANNING_COMPLETE", "EXECUTION_COMPLETE"}));
  EXPECT_TRUE(words.error.empty());
  EXPECT_TRUE(words.text.starts_with("one\n"));
}

TEST(BlockWords, AnErrorSaysWhetherItCanBeMended) {
  const workflow::BlockWords words =
      block_words("---\nSIGNAL: PHASE_ERROR\nERROR: no network\nRECOVERABLE: TRUE\n---\n");
  EXPECT_EQ(words.signals, Names{"PHASE_ERROR"});
  EXPECT_EQ(words.error, "no network");
  EXPECT_TRUE(words.recoverable);
  EXPECT_EQ(block_words("---\nSIGNAL: PHASE_ERROR\n---\n").error, "the agent gave no reason");
}

TEST(VerdictWords, OfATranscriptTheAssistantsWordsAreDecoded) {
  const std::string transcript =
      R"({"type":"user","message":{"role":"user","content":"VERDICT: APPROVED"}})"
      "\n"
      R"({"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"- a \"b\"\nVERDICT: NEEDS_FIX"}]}})"
      "\n";
  EXPECT_EQ(verdict_words(transcript).text, "- a \"b\"\nVERDICT: NEEDS_FIX\n");
  EXPECT_EQ(verdict_words("plain\n").text, "plain\n");
}

TEST(VerdictWords, OfTooManyTheEndIsKeptFromTheBeginningOfALine) {
  std::string text(kMaxWordsBytes, 'x');
  text += "\n- issue\nVERDICT: NEEDS_FIX\n";
  EXPECT_EQ(verdict_words(text).text, "- issue\nVERDICT: NEEDS_FIX\n");
  EXPECT_EQ(said_in(std::string(kMaxWordsBytes + 10, 'x')).size(), kMaxWordsBytes);
}

}  // namespace
}  // namespace capsule::world
