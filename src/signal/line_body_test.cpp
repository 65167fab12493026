// The bodies of signals of the line dialect, and the explanations.
#include <gmock/gmock.h>

#include "signal/line.h"

namespace capsule::signal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::pair<std::string, std::string>> pairs(const Fields& fields) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const Field& field : fields) all.emplace_back(field.label, field.text);
  return all;
}

using Pair = std::pair<std::string, std::string>;

TEST(LineDialect, EachOfSeveralHasItsOwnFields) {
  const LineResult result =
      parse_line("FILE CONFLICT: a\nCan Wait: YES\n\nFILE CONFLICT: b\nReason: x\nCan Wait: NO\n");
  EXPECT_THAT(pairs(result.fields), ElementsAre(Pair("Can Wait", "YES")));
  ASSERT_EQ(result.more.size(), 1U);
  EXPECT_THAT(pairs(result.more[0].fields),
              ElementsAre(Pair("Reason", "x"), Pair("Can Wait", "NO")));
}

TEST(LineDialect, FieldsHoldTheTextUpToTheNextLabelTrimmed) {
  const LineResult result = parse_line(
      "READY_FOR_REVIEW: t1\n\nFiles Modified:\n- a: x\n- b: y\n\nTests Written:\n\n"
      "Verification Results (self-verified):\n- unit: PASS (dev)\n\nSummary:  all  \n done \n\n");
  EXPECT_THAT(pairs(result.fields),
              ElementsAre(Pair("Files Modified", "- a: x\n- b: y"), Pair("Tests Written", ""),
                          Pair("Verification Results (self-verified)", "- unit: PASS (dev)"),
                          Pair("Summary", "all  \n done")));
}

TEST(LineDialect, OnlyTheLabelsOfTheSignalsOwnFormatCount) {
  const LineResult result =
      parse_line("AUDIT_PASSED: t1\nSummary: a\nPriority: HIGH\nFiles Modified: 3\n");
  EXPECT_THAT(pairs(result.fields),
              ElementsAre(Pair("Summary", "a\nPriority: HIGH\nFiles Modified: 3")));
  EXPECT_THAT(pairs(parse_line("CHECKPOINT: t1\nFiles Modified: 3\n").fields),
              ElementsAre(Pair("Files Modified", "3")));
}

TEST(LineDialect, ALabelStandsAtColumnZeroToTheLetter) {
  const LineResult result = parse_line(
      "TASK_INCOMPLETE: t1\n Blocker: a\nblocker: b\nBlocker : c\n**Blocker:** d\nBlocker:e");
  EXPECT_THAT(pairs(result.fields), ElementsAre(Pair("Blocker", "e")));
}

TEST(LineDialect, TextBeforeTheSignalBelongsToNoField) {
  EXPECT_THAT(pairs(parse_line("Summary: early\nAUDIT_PASSED: t1\nwords\nSummary: late").fields),
              ElementsAre(Pair("Summary", "late")));
}

TEST(LineDialect, TheBodyEndsAtTheNextSignal) {
  EXPECT_THAT(
      pairs(parse_line("INFRA_BLOCKED: t1\nIssue: a\nREADY_FOR_REVIEW: t1\nOutput: b").fields),
      ElementsAre(Pair("Issue", "a")));
  EXPECT_THAT(
      pairs(parse_line("READY_FOR_REVIEW: t1\nSummary: a\nINFRA_BLOCKED: t1\nIssue: b").fields),
      ElementsAre(Pair("Issue", "b")));
}

TEST(LineDialect, TheSameSignalSaidAgainGoesOnWithItsBody) {
  EXPECT_THAT(pairs(parse_line("AUDIT_PASSED: t1\nVerification Results: x\nAUDIT_PASSED: t1\n"
                               "Summary: y")
                        .fields),
              ElementsAre(Pair("Verification Results", "x"), Pair("Summary", "y")));
}

TEST(LineDialect, OfALabelThatStandsTwiceTheLastTextCounts) {
  const LineResult result = parse_line("TASK_INCOMPLETE: t1\nBlocker: a\nNeeded: b\nBlocker: c");
  EXPECT_THAT(pairs(result.fields), ElementsAre(Pair("Blocker", "c"), Pair("Needed", "b")));
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("'Blocker' appears twice")));
}

TEST(LineDialect, TheTaskOfAnEscalationIsAField) {
  const LineResult result = parse_line(
      "SEEKING_DIVINE_CLARIFICATION\n\nTask: 1-1\nAgent: developer\n\nQuestion: why?\n\nContext:\n"
      "long\nstory\n\nOptions Considered:\n1. a: b\n\nAttempts Made:\n- Self-solve: 3 attempts\n\n"
      "What Would Help:\nan answer\n");
  EXPECT_FALSE(result.task_id.has_value());
  ASSERT_NE(result.field("Task"), nullptr);
  EXPECT_EQ(*result.field("Task"), "1-1");
  EXPECT_EQ(*result.field("Context"), "long\nstory");
  EXPECT_EQ(*result.field("Attempts Made"), "- Self-solve: 3 attempts");
  EXPECT_EQ(*result.field("What Would Help"), "an answer");
  EXPECT_EQ(result.field("Summary"), nullptr);
}

TEST(LineDialect, TheDelegationPromptIsAField) {
  const LineResult result = parse_line(
      "EXPERT_REQUEST\nTarget Agent: crypto\nRequest Type: decision\nContext Snapshot: a.md\n\n"
      "---DELEGATION PROMPT START---\nTarget Agent: quoted\nAUDIT_PASSED: t1\n"
      "---DELEGATION PROMPT END---\nbye\n");
  EXPECT_THAT(pairs(result.fields),
              ElementsAre(Pair("Target Agent", "crypto"), Pair("Request Type", "decision"),
                          Pair("Context Snapshot", "a.md"),
                          Pair("DELEGATION PROMPT", "Target Agent: quoted\nAUDIT_PASSED: t1")));
}

TEST(LineDialect, AnUnclosedDelegationPromptRunsToTheEnd) {
  const LineResult result = parse_line(
      "EXPERT_REQUEST\n---DELEGATION PROMPT START---\r\nline 1\r\nTarget Agent: x\r\n\r\n");
  EXPECT_THAT(pairs(result.fields),
              ElementsAre(Pair("DELEGATION PROMPT", "line 1\nTarget Agent: x")));
  EXPECT_THAT(pairs(parse_line("EXPERT_REQUEST\n---DELEGATION PROMPT START---").fields),
              ElementsAre(Pair("DELEGATION PROMPT", "")));
}

TEST(LineDialect, LabelsInsideADelegationPromptDoNotCount) {
  EXPECT_THAT(pairs(parse_line("AUDIT_PASSED: t1\nSummary: a\n---DELEGATION PROMPT START---\n"
                               "Summary: b\n---DELEGATION PROMPT END---\nc")
                        .fields),
              ElementsAre(Pair("Summary",
                               "a\n---DELEGATION PROMPT START---\nSummary: b\n"
                               "---DELEGATION PROMPT END---\nc")));
}

TEST(LineDialect, FieldsHaveLineFeedsOnly) {
  EXPECT_THAT(pairs(parse_line("READY_FOR_REVIEW: t1\r\nFiles Modified:\r\n- a\r\n- b\r\n").fields),
              ElementsAre(Pair("Files Modified", "- a\n- b")));
}

TEST(LineDialect, LongTextsAreCutWithAWarning) {
  const LineResult field = parse_line("AUDIT_PASSED: t1\nSummary: " + std::string(3 << 20, 'x'));
  EXPECT_EQ(field.field("Summary")->size(), kMaxFieldBytes);
  EXPECT_THAT(field.warnings, ElementsAre(HasSubstr("'Summary' was cut")));
  std::string path;
  while (path.size() <= kMaxArgumentBytes) path += "\xC3\xA4";
  const LineResult argument = parse_line("FILE CONFLICT: a" + path);
  EXPECT_LE(argument.task_id->size(), kMaxArgumentBytes);
  EXPECT_EQ(argument.task_id->back(), '\xA4');
  EXPECT_THAT(argument.warnings, ElementsAre(HasSubstr("was cut")));
}

// Explanations

std::string explained(std::string_view text, const LineOptions& options = {}) {
  std::string all;
  explain_line(text, options, [&](const LineCandidate& candidate) {
    all += std::to_string(candidate.offset) + (candidate.taken ? "+" : "-") +
           std::string(candidate.text) + ": " + candidate.reason + "\n";
  });
  return all;
}

TEST(LineExplain, EveryCandidateIsToldWithItsOffsetAndWhy) {
  EXPECT_EQ(explained("x\nAUDIT_PASSED: t1\n  AUDIT_FAILED: t1\nINFRA_BLOCKED:\nCHECKPOINT: t1\n"),
            "2+AUDIT_PASSED: t1: the result\n"
            "19-  AUDIT_FAILED: t1: not at column 0\n"
            "38-INFRA_BLOCKED:: no id on its line\n"
            "53-CHECKPOINT: t1: outranked by AUDIT_PASSED\n");
}

TEST(LineExplain, NearMissesAreNamed) {
  EXPECT_THAT(explained("Audit Passed: t1"), HasSubstr("the name is AUDIT_PASSED, exactly"));
  EXPECT_THAT(explained("AUDIT_PASSED - t1"), HasSubstr("no colon right after the name"));
  EXPECT_THAT(explained("REMEDIATION_COMPLETE: x"), HasSubstr("and nothing else"));
  EXPECT_THAT(explained("> **AUDIT_PASSED: t1**"), HasSubstr("not at column 0"));
  EXPECT_THAT(explained("---DELEGATION PROMPT START---\nAUDIT_PASSED: t1"),
              HasSubstr("inside a delegation prompt"));
  EXPECT_EQ(explained("The auditor passed it. Audited: yes"), "");
}

TEST(LineExplain, TheReasonForUnknownIsToldAtEachCandidate) {
  EXPECT_THAT(explained("AUDIT_PASSED: t1\nAUDIT_FAILED: t1"), HasSubstr("contradicts"));
  EXPECT_THAT(explained("AUDIT_PASSED: t1\nAUDIT_PASSED: t2"), HasSubstr("with another id"));
  EXPECT_THAT(explained("AUDIT_PASSED: t1", {.role = Role::critic}), HasSubstr("not for the role"));
  EXPECT_THAT(explained("AUDIT_PASSED: t2", {.task = "t1"}), HasSubstr("not about the task t1"));
}

TEST(LineExplain, SeveralArgumentsAreEachTaken) {
  EXPECT_EQ(explained("FILE CONFLICT: a\nFILE CONFLICT: b\n"),
            "0+FILE CONFLICT: a: the result\n17+FILE CONFLICT: b: one more of the result\n");
}

}  // namespace
}  // namespace capsule::signal
