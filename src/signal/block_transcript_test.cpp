// The block dialect in transcripts, and the explanations.
#include <gmock/gmock.h>

#include "signal/block_test_support.h"

namespace capsule::signal {
namespace {

using ::testing::ElementsAre;
using Pair = std::pair<std::string, std::string>;

std::string record(std::string_view speaker, std::string_view content) {
  return "{\"type\":\"" + std::string(speaker) + "\",\"message\":{\"role\":\"" +
         std::string(speaker) + "\",\"content\":" + std::string(content) + "}}\n";
}

TEST(BlockTranscript, OnlyTheAssistantsTextCounts) {
  const std::string text = R"("---\nSIGNAL: QA_COMPLETE\nPHASE: qa\n---")";
  EXPECT_EQ(read_block(record("assistant", text)), "QA_COMPLETE");
  EXPECT_EQ(read_block(record("user", text)), "(none)");
  EXPECT_EQ(read_block(record("system", text)), "(none)");
  EXPECT_EQ(read_block(record("assistant", R"([{"type":"text","text":)" + text + "}]")),
            "QA_COMPLETE");
  EXPECT_EQ(read_block(record("assistant", R"([{"type":"thinking","thinking":)" + text +
                                               R"(},{"type":"tool_use","input":{"text":)" + text +
                                               "}}]")),
            "(none)");
  EXPECT_EQ(read_block(record("user", R"([{"type":"tool_result","content":)" + text + "}]")),
            "(none)");
  EXPECT_EQ(read_block(R"({"type":"assistant","text":)" + text + "}"), "QA_COMPLETE");
  EXPECT_EQ(read_block(R"({"role":"assistant","content":)" + text + "}"), "QA_COMPLETE");
  EXPECT_EQ(read_block(R"({"type":"message","role":"assistant","content":)" + text + "}"),
            "QA_COMPLETE");
  EXPECT_EQ(read_block(R"({"type":"system","role":"assistant","content":)" + text + "}"), "(none)");
}

TEST(BlockTranscript, TheClosingResultOfAClientCounts) {
  EXPECT_EQ(read_block(R"({"type":"result","is_error":false,"result":"SIGNAL: FIX_COMPLETE"})"),
            "FIX_COMPLETE");
  EXPECT_EQ(read_block(R"({"type":"result","is_error":true,"result":"SIGNAL: FIX_COMPLETE"})"),
            "(none)");
}

TEST(BlockTranscript, RecordsAreReadInTheirOrder) {
  EXPECT_EQ(read_block(record("assistant", R"("SIGNAL: INIT_COMPLETE")") +
                       record("assistant", R"("SIGNAL: QA_COMPLETE\n\nSIGNAL: FIX_COMPLETE")") +
                       record("assistant", R"("words")")),
            "FIX_COMPLETE");
  EXPECT_EQ(read_block(record("assistant", R"("SIGNAL: QA_COMPLETE")") +
                       record("assistant", R"("SIGNAL: QA_COMPLETE\nSTATUS: failed")")),
            "(none)");
}

TEST(BlockTranscript, ABlockDoesNotGoOnInTheNextText) {
  EXPECT_THAT(parse_block(record("assistant", R"("SIGNAL: QA_COMPLETE\nPHASE: qa")") +
                          record("assistant", R"("STATUS: failed")"))
                  .fields,
              ElementsAre(Pair("PHASE", "qa")));
}

TEST(BlockTranscript, AHalfWrittenLastLineIsIgnored) {
  const std::string whole = record("assistant", R"("SIGNAL: INIT_COMPLETE")");
  const std::string next = record("assistant", R"("SIGNAL: QA_COMPLETE")");
  for (std::size_t cut = 0; cut + 1 < next.size(); ++cut)
    EXPECT_EQ(read_block(whole + next.substr(0, cut)), "INIT_COMPLETE") << cut;
  EXPECT_EQ(read_block(whole + next), "QA_COMPLETE");
}

TEST(BlockTranscript, LinesThatAreNoObjectsAreIgnored) {
  const std::string first = record("system", "\"start\"");
  EXPECT_EQ(read_block(first + "{broken\nSIGNAL: QA_COMPLETE\n" +
                       record("assistant", R"("SIGNAL: INIT_COMPLETE")") +
                       "\n[1]\nSIGNAL: FIX_COMPLETE\n"),
            "INIT_COMPLETE");
}

TEST(BlockTranscript, EscapesAreDecoded) {
  EXPECT_EQ(read_block(record("assistant", R"("\u0053IGNAL: QA_COMPLETE\r\n\tPHASE: qa")")),
            "QA_COMPLETE");
  const BlockResult result = parse_block(record(
      "assistant", R"("SIGNAL: PHASE_ERROR\nERROR: \"a\" \\ \/ \u00e4 \ud83d\ude00 \ud83d x")"));
  EXPECT_EQ(*result.field("ERROR"), "\"a\" \\ / \xC3\xA4 \xF0\x9F\x98\x80 \xEF\xBF\xBD x");
}

TEST(BlockTranscript, WhatStandsBeforeAContinuationIsForgotten) {
  const std::string done = record("assistant", R"("SIGNAL: QA_COMPLETE")");
  EXPECT_EQ(read_block(done + record("user", R"("Stop hook feedback:\nContinue")") +
                       record("assistant", R"("still at it")")),
            "(none)");
  EXPECT_EQ(
      read_block(done +
                 record("user", R"([{"type":"text","text":"## Auto Mode Continuation\n\nx"}])")),
      "(none)");
  EXPECT_EQ(read_block(done + record("user", R"("## Auto Mode Continuation")") +
                       record("assistant", R"("SIGNAL: REVIEW_COMPLETE")")),
            "REVIEW_COMPLETE");
  EXPECT_EQ(read_block(done + record("user", R"("thank you; what is Auto Mode Continuation?")")),
            "QA_COMPLETE");
  EXPECT_EQ(
      read_block(done +
                 record("user", R"([{"type":"tool_result","content":"Stop hook feedback:"}])")),
      "QA_COMPLETE");
}

TEST(BlockTranscript, PlainTextThatQuotesARecordIsPlainText) {
  const std::string quoted = R"({"type":"assistant","text":"SIGNAL: QA_COMPLETE"})";
  EXPECT_EQ(read_block("An example:\n" + quoted + "\nSIGNAL: FIX_COMPLETE\n"), "FIX_COMPLETE");
  EXPECT_EQ(read_block("{\"name\":\"x\",\"type\":\"module\"}\n\nwords\nSIGNAL: FIX_COMPLETE\n"),
            "FIX_COMPLETE");
  EXPECT_EQ(read_block("{\"status\":\"PASS\"}\nSIGNAL: FIX_COMPLETE\n"), "FIX_COMPLETE");
}

TEST(BlockTranscript, TextsMayBeReadOneAfterTheOther) {
  BlockReader reader;
  reader.read_transcript("cut off\"}}\n" +
                         record("assistant", R"("SIGNAL: QA_COMPLETE\nPHASE: qa")"));
  reader.read_plain("STATUS: failed\n");
  EXPECT_EQ(reader.result().signal, Signal::qa_complete);
  reader.read_plain("SIGNAL: REVIEW_COMPLETE\n");
  EXPECT_THAT(sequence(reader.result()), ElementsAre("QA_COMPLETE", "REVIEW_COMPLETE"));
  reader.forget();
  EXPECT_FALSE(reader.result().signal.has_value());
}

// Explanations

std::string block_explained(std::string_view text) {
  std::string all;
  explain_block(text, [&](const BlockCandidate& candidate) {
    all += std::to_string(candidate.offset) + (candidate.taken ? "+" : "-") + candidate.text +
           ": " + candidate.reason + "\n";
  });
  return all;
}

TEST(BlockExplain, EveryCandidateIsToldWithItsOffsetAndWhy) {
  EXPECT_EQ(block_explained("use SIGNAL: QA_COMPLETE\nSIGNAL : X\nSIGNAL:\nSIGNAL: NO_SUCH\n"
                            "SIGNAL: QA_COMPLETE\nSTATUS: failed\nSIGNAL: INIT_COMPLETE\n"
                            "TIMESTAMP: [x]\nSIGNAL: FIX_COMPLETE\n"),
            "0-use SIGNAL: QA_COMPLETE: SIGNAL is not at the start of its line\n"
            "24-SIGNAL : X: no colon right after SIGNAL\n"
            "35-SIGNAL:: no name on its line\n"
            "43-SIGNAL: NO_SUCH: not exactly the name of a signal\n"
            "59-SIGNAL: QA_COMPLETE: its STATUS is not complete\n"
            "94-SIGNAL: INIT_COMPLETE: its TIMESTAMP is a placeholder: the prompt is quoted\n"
            "131+SIGNAL: FIX_COMPLETE: the result\n");
}

TEST(BlockExplain, WhyAValidSignalIsNotTheResultIsTold) {
  EXPECT_EQ(
      block_explained("SIGNAL: QA_COMPLETE\nSIGNAL: TRANSITION_TO_FIX\nSIGNAL: INIT_COMPLETE\n"
                      "SIGNAL: FIX_COMPLETE\nSIGNAL: QA_COMPLETE\nSTATUS: no"),
      "0-SIGNAL: QA_COMPLETE: a later block withdraws it with another STATUS\n"
      "20-SIGNAL: TRANSITION_TO_FIX: a transition counts only on its own\n"
      "46-SIGNAL: INIT_COMPLETE: a later valid signal follows\n"
      "68+SIGNAL: FIX_COMPLETE: the result\n"
      "89-SIGNAL: QA_COMPLETE: its STATUS is not complete\n");
}

TEST(BlockExplain, TranscriptsAreExplainedByTheirRecords) {
  const std::string first = record("assistant", R"("SIGNAL: QA_COMPLETE")");
  EXPECT_EQ(block_explained(first + record("user", R"("Stop hook feedback:")") +
                            record("assistant", R"("SIGNAL: FIX_COMPLETE\n")")),
            "0-SIGNAL: QA_COMPLETE: before the last continuation prompt\n" +
                std::to_string(first.size() + record("user", R"("Stop hook feedback:")").size()) +
                "+SIGNAL: FIX_COMPLETE: the result\n");
}

}  // namespace
}  // namespace capsule::signal
