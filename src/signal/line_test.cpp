#include "signal/line.h"

#include <gmock/gmock.h>

#include "base/text.h"

namespace capsule::signal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Seen {
  std::string_view signal;
  std::string id;
  bool operator==(const Seen&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Seen& seen) {
  return out << seen.signal << " '" << seen.id << "'";
}

Seen read(std::string_view text, const LineOptions& options = {}) {
  const LineResult result = parse_line(text, options);
  EXPECT_EQ(result.signal == Signal::unknown, result.why_unknown != WhyUnknown::recognised);
  return {row(result.signal).name, result.task_id.value_or("(none)")};
}

const Seen kUnknown{"unknown", "(none)"};

WhyUnknown why(std::string_view text, const LineOptions& options = {}) {
  return parse_line(text, options).why_unknown;
}

std::vector<std::string> ids(const LineResult& result) {
  std::vector<std::string> all;
  for (const Extra& extra : result.more) all.push_back(extra.id);
  return all;
}

// Where a signal may stand

TEST(LineDialect, ASignalStandsAtColumnZero) {
  EXPECT_EQ(read("words\nAUDIT_PASSED: t1\nwords"), (Seen{"audit_passed", "t1"}));
  for (const char* text :
       {" AUDIT_PASSED: t1", "\tAUDIT_PASSED: t1", "> AUDIT_PASSED: t1", "- AUDIT_PASSED: t1",
        "**AUDIT_PASSED: t1**", "`AUDIT_PASSED: t1`", "# AUDIT_PASSED: t1",
        "this is AUDIT_PASSED: t1", "\rAUDIT_PASSED: t1", "\033[32mAUDIT_PASSED: t1\033[0m",
        "a\n\x0b"
        "AUDIT_PASSED: t1"})
    EXPECT_EQ(read(text), kUnknown) << text;
}

TEST(LineDialect, ANameIsExactToTheLetter) {
  for (const char* text : {"audit_passed: t1", "Audit_Passed: t1", "AUDIT PASSED: t1",
                           "AUDIT-PASSED: t1", "AUDITPASSED: t1", "AUDIT_PASSEDX: t1",
                           "XAUDIT_PASSED: t1", "AUDIT_PASS: t1", "FILE_CONFLICT: a",
                           "File Conflict: a", "CHECKPOINT REQUEST: t1", "CHECKPOINT_RESPONSE: t1"})
    EXPECT_EQ(read(text), kUnknown) << text;
}

TEST(LineDialect, ALineEndsAtALineFeedAlone) {
  EXPECT_EQ(read("words\rAUDIT_PASSED: t1"), kUnknown);
  EXPECT_EQ(read("words\fAUDIT_PASSED: t1"), kUnknown);
  EXPECT_EQ(read("words\r\nAUDIT_PASSED: t1\r\n"), (Seen{"audit_passed", "t1"}));
}

TEST(LineDialect, TrailingBlanksAndCarriageReturnsAreIgnored) {
  EXPECT_EQ(read("AUDIT_PASSED: t1 \t\r\n"), (Seen{"audit_passed", "t1"}));
  EXPECT_EQ(read("REMEDIATION_COMPLETE \t\r\n"), (Seen{"remediation_complete", "(none)"}));
  EXPECT_EQ(read("HEALTH_AUDIT: UNHEALTHY\r\r\n"), (Seen{"health_unhealthy", "(none)"}));
  EXPECT_EQ(read("FILE CONFLICT:   src/a b.py \t\r\n"), (Seen{"file_conflict", "src/a b.py"}));
}

TEST(LineDialect, AByteOrderMarkAtTheStartIsIgnored) {
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "AUDIT_PASSED: t1"),
            (Seen{"audit_passed", "t1"}));
  EXPECT_EQ(read("a\n\xEF\xBB\xBF"
                 "AUDIT_PASSED: t1"),
            kUnknown);
  EXPECT_EQ(parse_line("\xEF\xBB\xBF"
                       "AUDIT_PASSED: t1")
                .offset,
            3U);
}

TEST(LineDialect, ACodeFenceDoesNotHideASignal) {
  EXPECT_EQ(read("```text\nAUDIT_PASSED: t1\n```\n"), (Seen{"audit_passed", "t1"}));
  EXPECT_EQ(read("~~~\nEXPERT_REQUEST\n~~~"), (Seen{"expert_request", "(none)"}));
}

TEST(LineDialect, ADelegationPromptHidesSignals) {
  const std::string start(kPromptStart);
  const std::string end(kPromptEnd);
  EXPECT_EQ(read(start + "\nAUDIT_PASSED: t1\n" + end + "\n"), kUnknown);
  EXPECT_EQ(read("EXPERT_REQUEST\n" + start + "\r\nINFRA_BLOCKED: t1\r\n" + end + "\r\n"),
            (Seen{"expert_request", "(none)"}));
  EXPECT_EQ(read(start + "\nAUDIT_PASSED: t1\n" + end + "\nAUDIT_FAILED: t1"),
            (Seen{"audit_failed", "t1"}));
  EXPECT_EQ(read(start + "\n" + end + "\n" + start + "\nAUDIT_PASSED: t1\n" + end), kUnknown);
}

TEST(LineDialect, ADelegationPromptWithoutAnEndHidesTheRest) {
  EXPECT_EQ(read("EXPERT_REQUEST\n" + std::string(kPromptStart) + "\nINFRA_BLOCKED: t1\n"),
            (Seen{"expert_request", "(none)"}));
  EXPECT_EQ(read(std::string(kPromptStart) + "\nINFRA_BLOCKED: t1\n"), kUnknown);
  EXPECT_EQ(read(std::string(kPromptEnd) + "\nINFRA_BLOCKED: t1\n"), (Seen{"infra_blocked", "t1"}));
}

TEST(LineDialect, TheMarksOfADelegationPromptStandAtColumnZero) {
  EXPECT_EQ(read("say " + std::string(kPromptStart) + "\nAUDIT_PASSED: t1"),
            (Seen{"audit_passed", "t1"}));
  EXPECT_EQ(read(std::string(kPromptStart) + " for bob\nAUDIT_PASSED: t1"), kUnknown);
  EXPECT_EQ(read("---delegation prompt start---\nAUDIT_PASSED: t1"), (Seen{"audit_passed", "t1"}));
}

// What a signal's line says

TEST(LineDialect, AColonFollowsTheNameAtOnce) {
  for (const char* text : {"AUDIT_PASSED t1", "AUDIT_PASSED - t1", "AUDIT_PASSED : t1",
                           "AUDIT_PASSED; t1", "AUDIT_PASSED", "AUDIT_PASSED\xEF\xBC\x9A t1"})
    EXPECT_EQ(read(text), kUnknown) << text;
}

TEST(LineDialect, BlanksOrNoneFollowTheColon) {
  EXPECT_EQ(read("AUDIT_PASSED:t1"), (Seen{"audit_passed", "t1"}));
  EXPECT_EQ(read("AUDIT_PASSED: \t  t1"), (Seen{"audit_passed", "t1"}));
  EXPECT_EQ(read("EXPERT_ADVICE:req 1"), (Seen{"expert_advice", "req 1"}));
}

TEST(LineDialect, AnIdOnALaterLineIsNoId) {
  EXPECT_EQ(read("AUDIT_PASSED:\nt1"), kUnknown);
  EXPECT_EQ(read("AUDIT_PASSED:\n\n  t1\n"), kUnknown);
  EXPECT_EQ(read("AUDIT_PASSED: \r\nt1"), kUnknown);
  EXPECT_EQ(read("EXPERT_CREATED:\ncrypto"), kUnknown);
  EXPECT_EQ(read("CHECKPOINT:   "), kUnknown);
}

TEST(LineDialect, ALineWithoutItsIdContradictsNothing) {
  EXPECT_EQ(read("AUDIT_FAILED:\nAUDIT_PASSED: t1"), (Seen{"audit_passed", "t1"}));
  EXPECT_EQ(read("INFRA_BLOCKED:\nAUDIT_PASSED: t1"), (Seen{"audit_passed", "t1"}));
}

TEST(LineDialect, ATaskIdIsTheNextWord) {
  EXPECT_EQ(read("AUDIT_PASSED: t1 (all verified)"), (Seen{"audit_passed", "t1"}));
  EXPECT_EQ(read("EXPANDED_TASK_SPECIFICATION: 1-2\tx"), (Seen{"expanded_spec", "1-2"}));
  EXPECT_EQ(read("READY_FOR_REVIEW: means the critic"), (Seen{"ready_for_review", "means"}));
  EXPECT_EQ(read("TASK_INCOMPLETE: t1\rrest"), (Seen{"task_incomplete", "t1"}));
}

TEST(LineDialect, OtherArgumentsAreTheRestOfTheLine) {
  EXPECT_EQ(read("FILE CONFLICT: src/my file.py  \n"), (Seen{"file_conflict", "src/my file.py"}));
  EXPECT_EQ(read("EXPERT_ADVICE: req 17 b"), (Seen{"expert_advice", "req 17 b"}));
  EXPECT_EQ(read("EXPERT_UNSUCCESSFUL: req 17"), (Seen{"expert_unsuccessful", "req 17"}));
  EXPECT_EQ(read("EXPERT_CREATED: crypto expert"), (Seen{"expert_created", "crypto expert"}));
  EXPECT_EQ(read("CHECKPOINT: task 1"), (Seen{"checkpoint", "task 1"}));
}

TEST(LineDialect, ASignalWithoutAnIdIsItsWholeLine) {
  EXPECT_EQ(read("EXPERT_REQUEST"), (Seen{"expert_request", "(none)"}));
  for (const char* text :
       {"REMEDIATION_COMPLETE: t1", "REMEDIATION_COMPLETE.", "REMEDIATION_COMPLETE t1",
        "EXPERT_REQUEST:", "EXPERT_REQUEST: crypto", "SEEKING_DIVINE_CLARIFICATION: t1",
        "SEEKING_DIVINE_CLARIFICATION?", "HEALTH_AUDIT: HEALTHY.", "HEALTH_AUDIT: HEALTHY - 2/10",
        "HEALTH_AUDIT:HEALTHY", "HEALTH_AUDIT:  HEALTHY", "HEALTH_AUDIT: healthy",
        "HEALTH_AUDIT:", "HEALTH_AUDIT", "HEALTH_AUDIT: SICK"})
    EXPECT_EQ(read(text), kUnknown) << text;
}

TEST(LineDialect, EverySignalOfTheTableIsRecognised) {
  int count = 0;
  for (const Row& row : vocabulary(Dialect::line)) {
    if (row.signal == Signal::unknown) continue;
    ++count;
    std::string text(row.wire);
    if (row.capture != Capture::line) text += ": x-1";
    const LineResult result = parse_line("words\n" + text + "\n");
    EXPECT_EQ(result.signal, row.signal) << row.name;
    EXPECT_EQ(result.task_id.has_value(), row.capture != Capture::line) << row.name;
    EXPECT_EQ(result.handler(), row.handler);
  }
  EXPECT_EQ(count, 19);
}

TEST(LineDialect, NothingRecognisedIsUnknownAndNeverIgnored) {
  for (const char* text :
       {"", "\n", "\n\n\n", "done", "\xEF\xBB\xBF", "A", "AB", "\nA", "-", "--"}) {
    EXPECT_EQ(read(text), kUnknown);
    EXPECT_EQ(why(text), WhyUnknown::no_signal);
  }
  const LineResult result = parse_line("");
  EXPECT_EQ(result.handler(), "REQUEST_CLARIFICATION");
  EXPECT_THAT(result.warnings, ElementsAre("no line of the text is a signal"));
}

// Several signals

TEST(LineDialect, TheHighestClassThatIsPresentDecides) {
  const std::vector<std::pair<std::string, std::string>> order{
      {"INFRA_BLOCKED: t1", "infra_blocked"},
      {"SEEKING_DIVINE_CLARIFICATION", "divine_clarification"},
      {"EXPERT_REQUEST", "expert_request"},
      {"FILE CONFLICT: a.py", "file_conflict"},
      {"READY_FOR_REVIEW: t1", "ready_for_review"},
      {"CHECKPOINT: t1", "checkpoint"}};
  for (std::size_t high = 0; high < order.size(); ++high)
    for (std::size_t low = high + 1; low < order.size(); ++low) {
      EXPECT_EQ(read(order[high].first + "\n" + order[low].first).signal, order[high].second);
      EXPECT_EQ(read(order[low].first + "\n\n" + order[high].first).signal, order[high].second);
    }
  EXPECT_EQ(read("AUDIT_PASSED: t1\nAUDIT_BLOCKED: t1").signal, "audit_blocked");
}

TEST(LineDialect, EveryPrimarySignalOutranksACheckpoint) {
  for (const Row& row : vocabulary(Dialect::line)) {
    if (row.priority != Priority::primary) continue;
    const std::string text = std::string(row.wire) + (row.capture == Capture::line ? "" : ": t1");
    EXPECT_EQ(read("CHECKPOINT: t1\n" + text).signal, row.name);
  }
}

TEST(LineDialect, TwoDifferentSignalsOfTheDecidingClassAreUnknown) {
  EXPECT_EQ(why("AUDIT_FAILED: t1\nAUDIT_PASSED: t1"), WhyUnknown::contradiction);
  EXPECT_EQ(why("AUDIT_PASSED: t1\nAUDIT_FAILED: t2"), WhyUnknown::contradiction);
  EXPECT_EQ(why("INFRA_BLOCKED: t1\nAUDIT_BLOCKED: t1"), WhyUnknown::contradiction);
  EXPECT_EQ(why("HEALTH_AUDIT: HEALTHY\nHEALTH_AUDIT: UNHEALTHY"), WhyUnknown::contradiction);
  EXPECT_EQ(why("EXPERT_CREATED: a\nREADY_FOR_REVIEW: t1"), WhyUnknown::contradiction);
  EXPECT_EQ(why("EXPERT_ADVICE: a\nEXPERT_UNSUCCESSFUL: a"), WhyUnknown::contradiction);
  EXPECT_THAT(parse_line("AUDIT_FAILED: t1\nAUDIT_PASSED: t1").warnings,
              ElementsAre(HasSubstr("AUDIT_PASSED, AUDIT_FAILED")));
}

TEST(LineDialect, OneSignalWithTwoIdsIsUnknown) {
  EXPECT_EQ(why("READY_FOR_REVIEW: t1\nREADY_FOR_REVIEW: t2"), WhyUnknown::several_ids);
  EXPECT_EQ(why("INFRA_BLOCKED: t1\nx\nINFRA_BLOCKED: t2"), WhyUnknown::several_ids);
  EXPECT_EQ(why("CHECKPOINT: t1\nCHECKPOINT: t2"), WhyUnknown::several_ids);
  EXPECT_EQ(why("EXPERT_ADVICE: r1\nEXPERT_ADVICE: r2"), WhyUnknown::several_ids);
  EXPECT_EQ(why("EXPERT_UNSUCCESSFUL: r1\nEXPERT_UNSUCCESSFUL: r2"), WhyUnknown::several_ids);
  EXPECT_EQ(why("AUDIT_PASSED: T1\nAUDIT_PASSED: t1"), WhyUnknown::several_ids);
}

TEST(LineDialect, AContradictionBelowTheDecidingClassDoesNotMatter) {
  EXPECT_EQ(read("AUDIT_PASSED: t1\nAUDIT_FAILED: t1\nAUDIT_BLOCKED: t1"),
            (Seen{"audit_blocked", "t1"}));
  EXPECT_EQ(read("READY_FOR_REVIEW: t1\nREADY_FOR_REVIEW: t2\nEXPERT_REQUEST"),
            (Seen{"expert_request", "(none)"}));
  EXPECT_EQ(read("CHECKPOINT: t1\nCHECKPOINT: t2\nAUDIT_PASSED: t1"), (Seen{"audit_passed", "t1"}));
}

TEST(LineDialect, TheSameSignalTwiceIsOneSignal) {
  EXPECT_EQ(read("AUDIT_PASSED: t1\nwords\nAUDIT_PASSED: t1 again"), (Seen{"audit_passed", "t1"}));
  EXPECT_EQ(read("EXPERT_REQUEST\nEXPERT_REQUEST\n"), (Seen{"expert_request", "(none)"}));
}

TEST(LineDialect, ExpertCreatedAndFileConflictMayStandSeveralTimes) {
  const LineResult experts =
      parse_line("EXPERT_CREATED: a\nEXPERT_CREATED: b c\nEXPERT_CREATED: d");
  EXPECT_EQ(experts.signal, Signal::expert_created);
  EXPECT_EQ(experts.task_id, "a");
  EXPECT_THAT(ids(experts), ElementsAre("b c", "d"));
  const LineResult files = parse_line("FILE CONFLICT: b\nAUDIT_PASSED: t1\nFILE CONFLICT: a");
  EXPECT_EQ(files.task_id, "b");
  EXPECT_THAT(ids(files), ElementsAre("a"));
}

TEST(LineDialect, TheSameArgumentTwiceIsListedOnce) {
  const LineResult result = parse_line(
      "FILE CONFLICT: a\nFILE CONFLICT: b\nFILE CONFLICT: a\nFILE CONFLICT: b\nFILE CONFLICT: c");
  EXPECT_EQ(result.task_id, "a");
  EXPECT_THAT(ids(result), ElementsAre("b", "c"));
}

TEST(LineDialect, WhatIsOutrankedIsWarnedOf) {
  EXPECT_THAT(parse_line("AUDIT_PASSED: t1\nINFRA_BLOCKED: t1").warnings,
              ElementsAre("outranked: AUDIT_PASSED: t1"));
  EXPECT_THAT(parse_line("AUDIT_PASSED: t1").warnings, IsEmpty());
}

TEST(LineDialect, TheNumberOfArgumentsIsLimited) {
  std::string text;
  for (std::size_t i = 0; i < kMaxExtras + 10; ++i)
    text += "FILE CONFLICT: f" + std::to_string(i) + "\n";
  const LineResult result = parse_line(text);
  EXPECT_EQ(result.more.size(), kMaxExtras);
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("only the first 1001")));
}

// Whose signal

TEST(LineDialect, ARoleMaySendItsOwnSignalsOnly) {
  struct Own {
    Role role;
    std::vector<Signal> signals;
  };
  const std::vector<Own> table{
      {Role::developer,
       {Signal::ready_for_review, Signal::task_incomplete, Signal::infra_blocked,
        Signal::checkpoint}},
      {Role::critic, {Signal::review_passed, Signal::review_failed}},
      {Role::auditor, {Signal::audit_passed, Signal::audit_failed, Signal::audit_blocked}},
      {Role::business_analyst, {Signal::expanded_spec}},
      {Role::remediation, {Signal::remediation_complete}},
      {Role::health_auditor, {Signal::health_healthy, Signal::health_unhealthy}},
      {Role::expert, {Signal::expert_advice, Signal::expert_unsuccessful}},
      {Role::plan_analyst, {Signal::expert_created}}};
  for (const Own& own : table)
    for (const Row& row : vocabulary(Dialect::line)) {
      if (row.signal == Signal::unknown || row.signal == Signal::file_conflict ||
          row.signal == Signal::divine_clarification || row.signal == Signal::expert_request)
        continue;
      const bool is_own =
          std::find(own.signals.begin(), own.signals.end(), row.signal) != own.signals.end();
      const std::string text = std::string(row.wire) + (row.capture == Capture::line ? "" : ": t1");
      EXPECT_EQ(why(text, {.role = own.role}),
                is_own ? WhyUnknown::recognised : WhyUnknown::wrong_role)
          << name_of(own.role) << " " << row.name;
    }
}

TEST(LineDialect, BaselineAgentsMayEscalateAndAskExperts) {
  for (std::size_t i = 0; i < kRoleCount; ++i) {
    const Role role = static_cast<Role>(i);
    const bool baseline = role != Role::expert && role != Role::plan_analyst;
    const auto expected = baseline ? WhyUnknown::recognised : WhyUnknown::wrong_role;
    EXPECT_EQ(why("SEEKING_DIVINE_CLARIFICATION", {.role = role}), expected) << name_of(role);
    EXPECT_EQ(why("EXPERT_REQUEST", {.role = role}), expected) << name_of(role);
  }
}

TEST(LineDialect, EveryRoleMayReportAFileConflict) {
  for (std::size_t i = 0; i < kRoleCount; ++i)
    EXPECT_EQ(why("FILE CONFLICT: a", {.role = static_cast<Role>(i)}), WhyUnknown::recognised);
}

TEST(LineDialect, TheRoleIsCheckedAfterTheDecision) {
  // Another role's signal is never passed over in favour of a fitting one.
  EXPECT_EQ(why("READY_FOR_REVIEW: t1\nAUDIT_PASSED: t1", {.role = Role::developer}),
            WhyUnknown::contradiction);
  EXPECT_EQ(why("READY_FOR_REVIEW: t1\nAUDIT_BLOCKED: t1", {.role = Role::developer}),
            WhyUnknown::wrong_role);
  EXPECT_EQ(why("READY_FOR_REVIEW: t1\nAUDIT_BLOCKED: t1", {.role = Role::auditor}),
            WhyUnknown::recognised);
}

TEST(LineDialect, AnotherTasksIdIsUnknown) {
  EXPECT_EQ(why("AUDIT_PASSED: t2", {.task = "t1"}), WhyUnknown::wrong_task);
  EXPECT_EQ(why("READY_FOR_REVIEW: means that", {.task = "t1"}), WhyUnknown::wrong_task);
  EXPECT_EQ(why("AUDIT_PASSED: t1.", {.task = "t1"}), WhyUnknown::wrong_task);
  EXPECT_EQ(why("AUDIT_PASSED: T1", {.task = "t1"}), WhyUnknown::wrong_task);
  EXPECT_EQ(why("CHECKPOINT: t2", {.task = "t1"}), WhyUnknown::wrong_task);
  EXPECT_EQ(why("INFRA_BLOCKED: t2", {.task = "t1"}), WhyUnknown::wrong_task);
  EXPECT_EQ(read("AUDIT_PASSED: t1", {.task = "t1"}), (Seen{"audit_passed", "t1"}));
  EXPECT_EQ(why("AUDIT_PASSED: t1\nAUDIT_PASSED: t2", {.task = "t1"}), WhyUnknown::several_ids);
}

TEST(LineDialect, ArgumentsThatAreNoTaskIdsAreNotComparedWithTheTask) {
  for (const char* text : {"FILE CONFLICT: a.py", "EXPERT_ADVICE: r1", "EXPERT_UNSUCCESSFUL: r1",
                           "EXPERT_CREATED: crypto", "REMEDIATION_COMPLETE", "EXPERT_REQUEST",
                           "HEALTH_AUDIT: HEALTHY", "SEEKING_DIVINE_CLARIFICATION\nTask: t2"})
    EXPECT_EQ(why(text, {.task = "t1"}), WhyUnknown::recognised) << text;
}

TEST(LineDialect, AnOddTaskIdIsWarnedOf) {
  EXPECT_THAT(parse_line("READY_FOR_REVIEW: [task_id]").warnings,
              ElementsAre("'[task_id]' is not a valid task id"));
  EXPECT_THAT(parse_line("FILE CONFLICT: a b").warnings, IsEmpty());
}

}  // namespace
}  // namespace capsule::signal
