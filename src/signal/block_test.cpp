#include "signal/block.h"

#include <gmock/gmock.h>

#include "signal/block_test_support.h"

namespace capsule::signal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Pair = std::pair<std::string, std::string>;

std::string block(std::string_view name, std::string_view status = "complete") {
  return "---\nSIGNAL: " + std::string(name) + "\nSTATUS: " + std::string(status) + "\n---\n";
}

std::vector<std::string> warnings(std::string_view text, const BlockOptions& options = {}) {
  return parse_block(text, options).warnings;
}

// What counts

TEST(BlockDialect, TheSignalLineMayBeIndentedOrFenced) {
  for (const char* text :
       {"SIGNAL: QA_COMPLETE", "  SIGNAL: QA_COMPLETE", "\t SIGNAL: QA_COMPLETE\n",
        "```\nSIGNAL: QA_COMPLETE\n```", "words\n    SIGNAL: QA_COMPLETE\nwords",
        "\xEF\xBB\xBFSIGNAL: QA_COMPLETE", "a\r\nSIGNAL: QA_COMPLETE\r\n",
        "SIGNAL: QA_COMPLETE \t "})
    EXPECT_EQ(read_block(text), "QA_COMPLETE") << text;
}

TEST(BlockDialect, NothingElseStandsBeforeSignalOnItsLine) {
  for (const char* text :
       {"> SIGNAL: QA_COMPLETE", "- SIGNAL: QA_COMPLETE", "`SIGNAL: QA_COMPLETE`",
        "print SIGNAL: QA_COMPLETE", "**SIGNAL:** QA_COMPLETE", "--- SIGNAL: QA_COMPLETE",
        "MYSIGNAL: QA_COMPLETE", "1. SIGNAL: QA_COMPLETE", "\"SIGNAL: QA_COMPLETE\"",
        "x\rSIGNAL: QA_COMPLETE"})
    EXPECT_EQ(read_block(text), "(none)") << text;
}

TEST(BlockDialect, SignalAndNameMayBeInAnyCase) {
  EXPECT_EQ(read_block("signal: planning_complete"), "PLANNING_COMPLETE");
  EXPECT_EQ(read_block("Signal: Planning_Complete"), "PLANNING_COMPLETE");
  EXPECT_EQ(read_block("sIgNaL:phase_ERROR"), "PHASE_ERROR");
}

TEST(BlockDialect, TheNameIsWholeAndAloneOnItsLine) {
  for (const char* text :
       {"SIGNAL: QA_COMPLETED", "SIGNAL: QA_COMPLETE_2", "SIGNAL: QA", "SIGNAL: XQA_COMPLETE",
        "SIGNAL: QA_COMPLETE.", "SIGNAL: QA_COMPLETE when done", "SIGNAL: [QA_COMPLETE]",
        "SIGNAL: \"QA_COMPLETE\"", "SIGNAL: QA COMPLETE", "SIGNAL: QA_COMPLETE, FIX_COMPLETE",
        "SIGNAL: FOO_COMPLETE", "SIGNAL: {expected_signal}", "SIGNAL: [SIGNAL_NAME]"})
    EXPECT_EQ(read_block(text), "(none)") << text;
}

TEST(BlockDialect, TheNameStandsOnTheLineOfSignal) {
  EXPECT_EQ(read_block("SIGNAL:\nQA_COMPLETE"), "(none)");
  EXPECT_EQ(read_block("SIGNAL:\n\n  QA_COMPLETE\n"), "(none)");
  EXPECT_EQ(read_block("SIGNAL: \r\nQA_COMPLETE"), "(none)");
}

TEST(BlockDialect, TheColonFollowsSignalAtOnceAndBlanksOrNoneFollowIt) {
  EXPECT_EQ(read_block("SIGNAL:QA_COMPLETE"), "QA_COMPLETE");
  EXPECT_EQ(read_block("SIGNAL:\t  QA_COMPLETE"), "QA_COMPLETE");
  EXPECT_EQ(read_block("SIGNAL : QA_COMPLETE"), "(none)");
  EXPECT_EQ(read_block("SIGNAL QA_COMPLETE"), "(none)");
  EXPECT_EQ(read_block("SIGNAL= QA_COMPLETE"), "(none)");
}

TEST(BlockDialect, EverySignalOfTheTableIsRecognised) {
  int count = 0;
  for (const Row& row : vocabulary(Dialect::block)) {
    EXPECT_EQ(read_block("SIGNAL: " + std::string(row.wire)), row.name);
    ++count;
  }
  EXPECT_EQ(count, 14);
}

TEST(BlockDialect, WithoutASignalThereIsNone) {
  for (const char* text :
       {"", "\n", "---\n---\n", "PHASE: qa\nSTATUS: complete", "SIGNAL:", "signal"}) {
    const BlockResult result = parse_block(text);
    EXPECT_FALSE(result.signal.has_value());
    EXPECT_THAT(result.fields, IsEmpty());
    EXPECT_THAT(result.sequence, IsEmpty());
  }
}

// Fields

TEST(BlockDialect, FieldsAreTheKeyValueLinesAfterTheSignal) {
  const BlockResult result = parse_block(
      "PHASE: early\n---\n  SIGNAL: PLANNING_COMPLETE\n  PHASE:  planning \n  STATUS:complete\r\n"
      "\tTIMESTAMP: 2024-01-15T10:30:00Z\n  NEXT: execution\nEXTRA_1: a: b\n---\nLATE: x\n");
  EXPECT_THAT(result.fields, ElementsAre(Pair("PHASE", "planning"), Pair("STATUS", "complete"),
                                         Pair("TIMESTAMP", "2024-01-15T10:30:00Z"),
                                         Pair("NEXT", "execution"), Pair("EXTRA_1", "a: b")));
  EXPECT_THAT(result.warnings, IsEmpty());
}

TEST(BlockDialect, FieldsEndAtDashesABlankLineOrAnyOtherLine) {
  for (const char* end : {"---", "", "   ", "words", "two words: x", "```", "- ITEM: x", "1: x",
                          "****", "SIGNAL: NO_SUCH", "SIGNAL:"})
    EXPECT_THAT(
        parse_block("SIGNAL: QA_COMPLETE\nPHASE: qa\n" + std::string(end) + "\nSTATUS: failed\n")
            .fields,
        ElementsAre(Pair("PHASE", "qa")))
        << end;
}

TEST(BlockDialect, KeysMayBeInAnyCaseAndAreGivenInCapitals) {
  const BlockResult result = parse_block("signal: qa_complete\nphase: qa\nStatus: Complete\n");
  EXPECT_THAT(result.fields, ElementsAre(Pair("PHASE", "qa"), Pair("STATUS", "Complete")));
  EXPECT_THAT(result.warnings, IsEmpty());
}

TEST(BlockDialect, OfAKeyThatStandsTwiceTheLastValueCounts) {
  const BlockResult result =
      parse_block("SIGNAL: QA_COMPLETE\nPHASE: x\nSTATUS: complete\nPHASE: qa");
  EXPECT_THAT(result.fields, ElementsAre(Pair("PHASE", "qa"), Pair("STATUS", "complete")));
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("appears twice")));
  EXPECT_EQ(read_block("SIGNAL: QA_COMPLETE\nSTATUS: complete\nSTATUS: failed"), "(none)");
}

TEST(BlockDialect, ASignalLineEndsTheBlockBefore) {
  EXPECT_THAT(
      parse_block("SIGNAL: QA_COMPLETE\nPHASE: qa\nSIGNAL: REVIEW_COMPLETE\nNEXT: fix").fields,
      ElementsAre(Pair("NEXT", "fix")));
}

TEST(BlockDialect, LongBlocksAreCutWithAWarning) {
  std::string text = "SIGNAL: PHASE_ERROR\nERROR: " + std::string(100'000, 'x') + "\n";
  for (int i = 0; i < 100; ++i) text += "K" + std::to_string(i) + ": v\n";
  const BlockResult result = parse_block(text);
  EXPECT_EQ(result.field("ERROR")->size(), kMaxValueBytes);
  EXPECT_EQ(result.fields.size(), kMaxBlockFields);
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("was cut")));
}

TEST(BlockDialect, AStatusBehindManyFieldsIsStillRead) {
  std::string text = "SIGNAL: QA_COMPLETE\n";
  for (int i = 0; i < 1000; ++i) text += "K" + std::to_string(i) + ": v\n";
  EXPECT_EQ(read_block(text), "QA_COMPLETE");
  EXPECT_EQ(read_block(text + "STATUS: failed\n"), "(none)");
  EXPECT_EQ(read_block(text + "TIMESTAMP: [now]\n"), "(none)");
}

// STATUS, templates

TEST(BlockDialect, AStatusOtherThanCompleteIsNoCompletion) {
  for (const char* status : {"failed", "in_progress", "partial", "error", "", "incomplete",
                             "complete (almost)", "[complete]"})
    EXPECT_EQ(read_block(block("QA_COMPLETE", status)), "(none)") << status;
  EXPECT_EQ(read_block(block("AUTO_COMPLETE", "failed")), "(none)");
  EXPECT_EQ(read_block(block("QA_COMPLETE", "COMPLETE")), "QA_COMPLETE");
  EXPECT_EQ(read_block("SIGNAL: QA_COMPLETE"), "QA_COMPLETE");
}

TEST(BlockDialect, TheStatusOfOtherSignalsDoesNotMatter) {
  EXPECT_EQ(read_block(block("PHASE_ERROR", "error")), "PHASE_ERROR");
  EXPECT_EQ(read_block(block("PHASE_ERROR", "complete")), "PHASE_ERROR");
  EXPECT_EQ(read_block(block("TRANSITION_TO_QA", "pending")), "TRANSITION_TO_QA");
}

TEST(BlockDialect, ABlockWithAPlaceholderForTimestampIsNoSignal) {
  const std::string quoted = "SIGNAL: QA_COMPLETE\nPHASE: qa\nSTATUS: complete\nTIMESTAMP: ";
  EXPECT_EQ(read_block(quoted + "[ISO8601]\nNEXT: review\n"), "(none)");
  EXPECT_EQ(read_block(quoted + "[current time ISO8601]\n---"), "(none)");
  EXPECT_EQ(read_block(quoted + "[]\n"), "(none)");
  EXPECT_EQ(read_block("SIGNAL: PHASE_ERROR\nTIMESTAMP: [ISO8601]"), "(none)");
  EXPECT_EQ(read_block("SIGNAL: TRANSITION_TO_QA\nTIMESTAMP: [now]"), "(none)");
  EXPECT_EQ(read_block(quoted + "[2024\n"), "QA_COMPLETE");
  EXPECT_EQ(read_block(block("QA_COMPLETE") + quoted + "[ISO8601]\n"), "QA_COMPLETE");
}

TEST(BlockDialect, AQuotedTemplateTakesNothingBack) {
  EXPECT_EQ(
      read_block(block("QA_COMPLETE") + "SIGNAL: QA_COMPLETE\nSTATUS: failed\nTIMESTAMP: [x]\n"),
      "QA_COMPLETE");
}

// Several

TEST(BlockDialect, TheLastValidSignalIsTheResult) {
  EXPECT_EQ(read_block(block("REFLECT_COMPLETE") + block("INIT_COMPLETE")), "INIT_COMPLETE");
  EXPECT_EQ(read_block(block("QA_COMPLETE") + block("PHASE_ERROR", "error")), "PHASE_ERROR");
  EXPECT_EQ(read_block(block("PHASE_ERROR", "error") + block("QA_COMPLETE")), "QA_COMPLETE");
  EXPECT_EQ(read_block(block("QA_COMPLETE") + "SIGNAL: NO_SUCH\n"), "QA_COMPLETE");
  EXPECT_EQ(read_block(block("QA_COMPLETE") + block("REVIEW_COMPLETE", "failed")), "QA_COMPLETE");
  const BlockResult result =
      parse_block("SIGNAL: QA_COMPLETE\nPHASE: qa\n\nSIGNAL: QA_COMPLETE\nNEXT: review\n");
  EXPECT_THAT(result.fields, ElementsAre(Pair("NEXT", "review")));
}

TEST(BlockDialect, ALaterBlockOfTheSameNameTakesItBack) {
  EXPECT_EQ(read_block(block("QA_COMPLETE") + block("QA_COMPLETE", "failed")), "(none)");
  EXPECT_EQ(
      read_block(block("INIT_COMPLETE") + block("QA_COMPLETE") + block("QA_COMPLETE", "failed")),
      "INIT_COMPLETE");
  EXPECT_EQ(
      read_block(block("QA_COMPLETE") + block("QA_COMPLETE") + block("QA_COMPLETE", "failed")),
      "(none)");
  EXPECT_EQ(
      read_block(block("QA_COMPLETE") + block("QA_COMPLETE", "failed") + block("QA_COMPLETE")),
      "QA_COMPLETE");
  EXPECT_EQ(read_block(block("AUTO_COMPLETE") + block("AUTO_COMPLETE", "failed")), "(none)");
}

TEST(BlockDialect, ATransitionIsTheResultOnlyWhenAlone) {
  EXPECT_EQ(read_block(block("TRANSITION_TO_QA")), "TRANSITION_TO_QA");
  EXPECT_EQ(read_block(block("EXECUTION_COMPLETE") + block("TRANSITION_TO_QA")),
            "EXECUTION_COMPLETE");
  EXPECT_EQ(read_block(block("TRANSITION_TO_FIX") + block("PHASE_ERROR", "error")), "PHASE_ERROR");
  EXPECT_EQ(read_block(block("PHASE_ERROR", "error") + block("TRANSITION_TO_FIX")), "PHASE_ERROR");
  EXPECT_EQ(read_block(block("TRANSITION_TO_FIX") + block("TRANSITION_TO_VALIDATION")),
            "TRANSITION_TO_VALIDATION");
  EXPECT_EQ(read_block(block("QA_COMPLETE", "failed") + block("TRANSITION_TO_VALIDATION")),
            "TRANSITION_TO_VALIDATION");
}

TEST(BlockDialect, AllValidSignalsAreListedInOrder) {
  const BlockResult result =
      parse_block(block("INIT_COMPLETE") + block("TRANSITION_TO_QA") + block("QA_COMPLETE") +
                  block("PLANNING_COMPLETE") + block("QA_COMPLETE", "failed") +
                  block("PHASE_ERROR", "error") + block("QA_COMPLETE") + block("AUTO_COMPLETE"));
  EXPECT_THAT(sequence(result), ElementsAre("INIT_COMPLETE", "PLANNING_COMPLETE", "PHASE_ERROR",
                                            "QA_COMPLETE", "AUTO_COMPLETE"));
  EXPECT_EQ(result.sequence[0].offset, 4U);
}

TEST(BlockDialect, TheListIsLimitedAndKeepsTheNewest) {
  std::string text = block("INIT_COMPLETE");
  for (std::size_t i = 0; i < kMaxSequence + 5; ++i) text += "SIGNAL: QA_COMPLETE\n";
  text += block("AUTO_COMPLETE");
  const BlockResult result = parse_block(text);
  EXPECT_LE(result.sequence.size(), kMaxSequence);
  EXPECT_EQ(result.sequence.back().signal, Signal::auto_complete);
}

// Warnings

TEST(BlockDialect, APhaseThatDisagreesIsWarnedOf) {
  EXPECT_THAT(warnings("SIGNAL: QA_COMPLETE\nPHASE: review"),
              ElementsAre("PHASE is 'review', QA_COMPLETE belongs to qa"));
  EXPECT_THAT(warnings("SIGNAL: QA_COMPLETE\nPHASE: QA"), IsEmpty());
  EXPECT_THAT(warnings("SIGNAL: QA_COMPLETE"), IsEmpty());
  EXPECT_THAT(warnings("SIGNAL: AUTO_COMPLETE\nPHASE: complete\nNEXT: none"), IsEmpty());
  EXPECT_THAT(warnings("SIGNAL: AUTO_COMPLETE\nPHASE: qa"), ElementsAre(HasSubstr("PHASE")));
  EXPECT_THAT(warnings("SIGNAL: PHASE_ERROR\nPHASE: qa"), IsEmpty());
  EXPECT_THAT(warnings("SIGNAL: PHASE_ERROR\nPHASE: lunch"), ElementsAre(HasSubstr("not a phase")));
}

TEST(BlockDialect, ANextThatDisagreesIsWarnedOf) {
  EXPECT_THAT(warnings("SIGNAL: PLANNING_COMPLETE\nNEXT: qa"),
              ElementsAre("NEXT is 'qa', after PLANNING_COMPLETE comes execution"));
  EXPECT_THAT(warnings("SIGNAL: PLANNING_COMPLETE\nNEXT: Execution"), IsEmpty());
  EXPECT_THAT(warnings("SIGNAL: PLANNING_COMPLETE\nNEXT: none"), ElementsAre(HasSubstr("NEXT")));
  EXPECT_THAT(warnings("SIGNAL: REFLECT_COMPLETE\nNEXT: none"), IsEmpty());
  EXPECT_THAT(warnings("SIGNAL: REFLECT_COMPLETE\nNEXT: complete"), IsEmpty());
  EXPECT_THAT(warnings("SIGNAL: EXECUTION_COMPLETE\nNEXT: review"), ElementsAre(HasSubstr("NEXT")));
  EXPECT_THAT(warnings("SIGNAL: EXECUTION_COMPLETE\nNEXT: review", {.skips = {.qa = true}}),
              IsEmpty());
  EXPECT_THAT(warnings("SIGNAL: TRANSITION_TO_QA\nPHASE: execution\nNEXT: qa"), IsEmpty());
}

TEST(BlockDialect, ATimestampThatIsNotIso8601IsWarnedOf) {
  EXPECT_THAT(warnings("SIGNAL: QA_COMPLETE\nTIMESTAMP: yesterday"),
              ElementsAre("TIMESTAMP is 'yesterday', which is not ISO 8601"));
  EXPECT_THAT(warnings("SIGNAL: QA_COMPLETE\nTIMESTAMP:"), ElementsAre(HasSubstr("TIMESTAMP")));
  EXPECT_THAT(warnings("SIGNAL: QA_COMPLETE\nTIMESTAMP: 2024-01-15T10:30:00Z"), IsEmpty());
}

TEST(BlockDialect, Iso8601IsCheckedToTheDay) {
  for (const char* text :
       {"2024-01-15T10:30:00Z", "2024-01-15T10:30:00.123Z", "2024-01-15T10:30:00,5Z",
        "2024-01-15T10:30Z", "2024-01-15T10:30:00+02:00", "2024-01-15T10:30:00-0530",
        "2024-01-15T10:30:00+02", "2024-01-15T10:30:00", "20240115T103000Z", "2024-01-15",
        "2024-02-29T00:00:00Z", "2000-02-29", "2016-12-31T23:59:60Z", "2024-01-15T24:00:00Z"})
    EXPECT_TRUE(is_iso8601(text)) << text;
  for (const char* text : {"",
                           "now",
                           "10:30",
                           "2024-13-01T00:00:00Z",
                           "2024-00-10",
                           "2024-02-30",
                           "2023-02-29",
                           "1900-02-29",
                           "2024-04-31",
                           "2024-01-15 10:30:00",
                           "2024-01-15T25:00:00Z",
                           "2024-01-15T10:60:00Z",
                           "2024-01-15T10:30:61Z",
                           "2024-01-15T24:01:00Z",
                           "2024-01-15T",
                           "2024-01-15T10:30:00Zx",
                           "2024-01-15T10:30:00.Z",
                           "2024-01-15T10:30:00+2",
                           "2024-01-15T10:30:00+24:00",
                           "2024-01-15T10:30:00+02:",
                           "15.01.2024",
                           "2024-1-5",
                           "2024-01-15T10:30:00 UTC",
                           "1705314600"})
    EXPECT_FALSE(is_iso8601(text)) << text;
}

TEST(BlockDialect, AnOddErrorBlockIsWarnedOf) {
  EXPECT_THAT(warnings("SIGNAL: PHASE_ERROR\nSTATUS: error\nRECOVERABLE: True"), IsEmpty());
  EXPECT_THAT(warnings("SIGNAL: PHASE_ERROR\nSTATUS: complete\nRECOVERABLE: maybe"),
              ElementsAre(HasSubstr("STATUS"), HasSubstr("RECOVERABLE")));
}

TEST(BlockDialect, ACompletionThatThePhaseDoesNotWaitForIsWarnedOf) {
  EXPECT_THAT(warnings("SIGNAL: PLANNING_COMPLETE", {.phase = Phase::planning}), IsEmpty());
  EXPECT_THAT(warnings("SIGNAL: QA_COMPLETE", {.phase = Phase::planning}),
              ElementsAre("QA_COMPLETE is not what the phase planning waits for, which is "
                          "PLANNING_COMPLETE"));
  EXPECT_EQ(read_block("SIGNAL: QA_COMPLETE", {.phase = Phase::planning}), "QA_COMPLETE");
  EXPECT_THAT(warnings("SIGNAL: AUTO_COMPLETE", {.phase = Phase::planning}), IsEmpty());
  EXPECT_THAT(warnings("SIGNAL: PHASE_ERROR\nPHASE: qa", {.phase = Phase::planning}),
              ElementsAre("PHASE is 'qa', the phase is planning"));
}

TEST(BlockDialect, ACompletionMayFollowThoseOfThePhasesBeforeIt) {
  EXPECT_THAT(
      warnings(block("PLANNING_COMPLETE") + block("EXECUTION_COMPLETE") + block("QA_COMPLETE"),
               {.phase = Phase::planning}),
      IsEmpty());
  EXPECT_THAT(
      warnings(block("PLANNING_COMPLETE") + block("QA_COMPLETE"), {.phase = Phase::planning}),
      ElementsAre(HasSubstr("QA_COMPLETE is not what")));
}

}  // namespace
}  // namespace capsule::signal
