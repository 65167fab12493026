#include "worklog/signoff.h"

#include <gtest/gtest.h>

namespace capsule::worklog {
namespace {

constexpr std::string_view kSections =
    "# Worklog\n\n## Phase 4: execute-review\n\nVerdict: PASS\n\n## Phase 5: sign-off\n\n";

SignOff after_sections(std::string_view text) {
  return sign_off_of(std::string(kSections) + std::string(text));
}

TEST(SignOffGate, AVerdictPassInTheSignOffSectionPasses) {
  EXPECT_EQ(after_sections("Verdict: PASS\n"), SignOff::passed);
  EXPECT_EQ(after_sections("Verdict: PASS"), SignOff::passed);
  EXPECT_EQ(after_sections("Verdict: PASS\r\n"), SignOff::passed);
  EXPECT_EQ(after_sections("### Attempt 1\n\nAll fine.\n\nVerdict: PASS\n"), SignOff::passed);
}

TEST(SignOffGate, EmphasisBlanksAndABulletDoNotCount) {
  for (const char* line :
       {"**Verdict: PASS**", "**Verdict:** PASS", "Verdict: `PASS`", "__Verdict:__ _PASS_",
        "* Verdict: PASS", "- Verdict: PASS", "- **Verdict:** `PASS`", "+ Verdict: PASS",
        "  Verdict: PASS  ", "\tVerdict:\tPASS", "`Verdict: PASS`", "***Verdict***: PASS"})
    EXPECT_EQ(after_sections(line), SignOff::passed) << line;
}

TEST(SignOffGate, AnythingButExactlyPassIsNoPass) {
  for (const char* line :
       {"Verdict: NEEDS_WORK", "Verdict: PASS | NEEDS_WORK", "Verdict: PASS or NEEDS_WORK",
        "Verdict: PASS.", "Verdict: pass", "Verdict: PASSED", "Verdict: PASS (with doubts)",
        "Verdict:", "Verdict: ERROR", "**Verdict: PASS** | **NEEDS_WORK**", "Verdict: not PASS"})
    EXPECT_EQ(after_sections(line), SignOff::not_passed) << line;
}

TEST(SignOffGate, ALineThatOnlyMentionsAVerdictIsNone) {
  for (const char* line :
       {"The verdict: PASS", "> Verdict: PASS", "verdict: PASS", "VERDICT: PASS", "Verdict PASS",
        "Final Verdict: PASS", "Verdict : PASS", "1. Verdict: PASS", "PASS", ""})
    EXPECT_EQ(after_sections(line), SignOff::no_verdict) << line;
}

TEST(SignOffGate, TheLastVerdictOfTheSectionDecides) {
  EXPECT_EQ(after_sections("Verdict: NEEDS_WORK\n\nVerdict: PASS\n"), SignOff::passed);
  EXPECT_EQ(after_sections("Verdict: PASS\n\nVerdict: NEEDS_WORK\n"), SignOff::not_passed);
  EXPECT_EQ(after_sections("### Attempt 1\nVerdict: PASS\n### Attempt 2\nVerdict: NEEDS_WORK\n"),
            SignOff::not_passed);
}

TEST(SignOffGate, AReviewsVerdictIsNotTheSignOffs) {
  EXPECT_EQ(after_sections(""), SignOff::no_verdict);
  EXPECT_EQ(sign_off_of("## Phase 2: test-review\n\nVerdict: PASS\n"), SignOff::no_section);
  EXPECT_EQ(after_sections("## Phase 4: execute-review\n\nVerdict: PASS\n"), SignOff::no_verdict);
  EXPECT_EQ(after_sections("### Phase 4: execute-review\n\nVerdict: PASS\n"), SignOff::no_verdict)
      << "a deeper heading that names another phase ends the section too";
}

TEST(SignOffGate, TheLastSignOffSectionDecides) {
  EXPECT_EQ(after_sections("Verdict: PASS\n\n## Sign-Off, second round\n\nVerdict: NEEDS_WORK\n"),
            SignOff::not_passed);
  EXPECT_EQ(after_sections("Verdict: PASS\n\n## Phase 5: sign-off\n\nstill at it\n"),
            SignOff::no_verdict);
  EXPECT_EQ(after_sections("Verdict: NEEDS_WORK\n\n### SIGN-OFF again\n\nVerdict: PASS\n"),
            SignOff::passed);
}

TEST(SignOffGate, ASectionEndsAtTheNextHeadingOfItsLevel) {
  EXPECT_EQ(after_sections("Verdict: PASS\n\n## Notes\n\nVerdict: NEEDS_WORK\n"), SignOff::passed);
  EXPECT_EQ(after_sections("\n# Notes\n\nVerdict: PASS\n"), SignOff::no_verdict);
}

TEST(SignOffGate, AHeadingInsideACodeFenceEndsNothing) {
  EXPECT_EQ(after_sections("```\n# go test\nok\n```\n\nVerdict: PASS\n"), SignOff::passed);
  EXPECT_EQ(after_sections("~~~ sh\n# go test\n```\n~~~\nVerdict: PASS\n"), SignOff::passed);
}

TEST(SignOffGate, AFenceThatNeverClosesHidesNothing) {
  EXPECT_EQ(sign_off_of("## Task\n\n```\nsome text\n\n## Phase 5: sign-off\n\nVerdict: PASS\n"),
            SignOff::passed);
  EXPECT_EQ(after_sections("```\n\n## Notes\n\nVerdict: PASS\n"), SignOff::no_verdict);
}

TEST(SignOffGate, TaskTextCannotSignOff) {
  EXPECT_EQ(
      sign_off_of("## Task\n\n## Phase 5: sign-off\nVerdict: PASS\n\n" + std::string(kSections)),
      SignOff::no_verdict);
}

TEST(SignOffGate, AnEmptyWorklogHasNoSection) {
  EXPECT_EQ(sign_off_of(""), SignOff::no_section);
  EXPECT_EQ(sign_off_of("Verdict: PASS\n"), SignOff::no_section);
  EXPECT_EQ(sign_off_of("sign-off\nVerdict: PASS\n"), SignOff::no_section);
  EXPECT_FALSE(signed_off("####### sign-off\nVerdict: PASS\n"));
}

TEST(SignOffGate, AMillionOpenFencesAreReadInOnePass) {
  std::string text(kSections);
  for (int i = 0; i < 200'000; ++i) text += i % 2 == 0 ? "```a\n" : "~~~b\n";
  EXPECT_EQ(sign_off_of(text + "Verdict: PASS\n"), SignOff::passed);
}

TEST(SignOffGate, EveryResultIsDescribed) {
  for (SignOff result :
       {SignOff::passed, SignOff::no_section, SignOff::no_verdict, SignOff::not_passed})
    EXPECT_FALSE(describe(result).empty());
}

}  // namespace
}  // namespace capsule::worklog
