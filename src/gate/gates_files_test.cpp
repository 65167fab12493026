// Which files who may change, and what is said about those that changed.
#include "gate/gates_test_support.h"

namespace capsule::gate {
namespace {

using namespace test;

TEST(Gates, ATestWriterMayTouchTestFilesAlone) {
  Fake fake;
  fake.verdict = kFailed;
  fake.changes["base..now"] = {{'A', "a_test.go", ""}, {'M', "main.go", ""}};
  const Checked result = checked(fake, after_tests());
  EXPECT_NE(result.feedback.find("main.go"), std::string::npos);
  EXPECT_EQ(result.feedback.find("a_test.go"), std::string::npos);
}

TEST(Gates, ChangingMovingOrDeletingAWrittenTestIsTouchingIt) {
  for (const Changed& change :
       {Changed{'M', "a_test.go", ""}, Changed{'D', "a_test.go", ""},
        Changed{'R', "b_test.go", "a_test.go"}, Changed{'T', "a_test.go", ""}}) {
    Fake fake;
    fake.verdict = kPassed;
    fake.changes["base..tests"] = {{'A', "a_test.go", ""}};
    fake.changes["tests..now"] = {change};
    const Checked result = checked(fake, after_code());
    EXPECT_NE(result.feedback.find("a_test.go"), std::string::npos) << change.status;
  }
}

TEST(Gates, OtherFilesAreForExecuteToChange) {
  Fake fake;
  fake.verdict = kPassed;
  fake.changes["base..tests"] = {{'A', "a_test.go", ""}, {'D', "old_test.go", ""}};
  fake.changes["tests..now"] = {{'M', "main.go", ""}, {'A', "b.go", ""}};
  EXPECT_TRUE(passes(fake, after_code()));
}

TEST(Gates, TestsOfBeforeAndNewFilesOfTestsAreNotForExecuteToTouch) {
  for (const Changed& change :
       {Changed{'M', "old_test.go", ""}, Changed{'D', "old_test.go", ""},
        Changed{'A', "tests/__init__.py", ""}, Changed{'A', "conftest.py", ""},
        Changed{'R', "util.go", "old_test.go"}}) {
    Fake fake;
    fake.verdict = kPassed;
    fake.changes["tests..now"] = {{'M', "main.go", ""}, change};
    const Checked result = checked(fake, after_code());
    EXPECT_NE(result.feedback.find("were put back"), std::string::npos) << change.path;
    EXPECT_FALSE(fake.put_back.empty()) << change.path;
  }
}

TEST(Gates, AChangeOfWhatTheChecksMeanGoesBackAndTheChecksRunWithoutIt) {
  Fake fake;
  fake.verdict = kPassed;
  fake.changes["tests..now"] = {{'M', "package.json", ""}, {'M', "main.js", ""}};
  fake.texts = {{"tests:package.json", R"({"scripts":{"test":"node --test"}})"},
                {"now:package.json", R"({"scripts":{"test":"true"}})"}};
  Check check = after_code();
  EXPECT_NE(checked(fake, check).feedback.find("package.json"), std::string::npos);
  EXPECT_EQ(fake.as_before, Names{"package.json"});
  check.request = "Let the test script in package.json be quiet";
  EXPECT_EQ(checked(fake, check).feedback, "");
  EXPECT_TRUE(fake.as_before.empty());
}

TEST(Gates, FilesChangedMayDifferButItIsRecorded) {
  Fake fake;
  fake.verdict = kPassed;
  fake.changes["before..now"] = {{'M', "main.go", ""}};
  Check check = after_code();
  check.files_changed = {"other.go", "worklog.md"};
  const Checked result = checked(fake, check);
  EXPECT_EQ(result.feedback, "");
  ASSERT_FALSE(result.claims.empty());
  EXPECT_EQ(result.claims.front().verdict, event::Verdict::differs);
  EXPECT_EQ(result.claims.front().detail, "left out: main.go; not changed: other.go");
}

// What the ledger will hold of the claim that the commit is what was signed off.
event::Claim signed_claim(const Checked& result) {
  for (const event::Claim& claim : result.claims)
    if (claim.what == "the commit of what was signed off") return claim;
  return {};
}

TEST(Gates, WhatAMergeAgentBringsBeyondWhatWasSignedOffIsRecorded) {
  Fake fake;
  fake.changes["signed..head"] = {
      {'A', "evil.c", ""}, {'M', "main.go", ""}, {'D', "debug.log", ""}};
  fake.changes["base..head"] = {{'A', "a_test.go", ""}, {'A', "evil.c", ""}, {'M', "main.go", ""}};
  const Checked result = checked(fake, after_merge());
  EXPECT_EQ(result.feedback, "");
  EXPECT_EQ(signed_claim(result).verdict, event::Verdict::differs);
  EXPECT_EQ(signed_claim(result).detail, "it differs in evil.c, main.go");
}

TEST(Gates, WhatAMergeAgentLeavesBehindIsNoDifference) {
  Fake fake;
  fake.changes["signed..head"] = {{'D', "debug.log", ""}};
  fake.changes["base..head"] = {{'A', "a_test.go", ""}, {'M', "main.go", ""}};
  Check check = after_merge();
  check.files_changed = {"a_test.go", "main.go"};
  const Checked result = checked(fake, check);
  EXPECT_EQ(signed_claim(result).verdict, event::Verdict::held);
  EXPECT_EQ(result.claims.back().verdict, event::Verdict::held) << result.claims.back().detail;
}

// Whoever reads the ledger must see that nobody looked: a claim that is not there looks like none
// that was asked for.
TEST(Gates, AClaimThatCannotBeLookedAtIsUncheckedAndNotLeftOut) {
  for (const auto& [missing, why] : {std::pair(&Check::head, "the worktree has no commit"),
                                     std::pair(&Check::signed_off, "nothing was signed off")}) {
    Fake fake;
    Check check = after_merge();
    (check.*missing).clear();
    const Checked result = checked(fake, check);
    EXPECT_EQ(signed_claim(result).verdict, event::Verdict::unchecked);
    EXPECT_EQ(signed_claim(result).detail, why);
  }
  Fake fake;
  fake.verdict = kPassed;
  Check check = after_code();
  check.tests.clear();
  check.base.clear();
  const Checked result = checked(fake, check);
  const auto untouched = std::find_if(
      result.claims.begin(), result.claims.end(),
      [](const event::Claim& claim) { return claim.what == "the tests were not touched"; });
  ASSERT_NE(untouched, result.claims.end());
  EXPECT_EQ(untouched->verdict, event::Verdict::unchecked);
  EXPECT_EQ(result.feedback, "");
}

TEST(Gates, WhatAMergeAgentCommittedIsWhatChangedInAll) {
  // main.go was written with the tests already, and is what it was in the end.
  Fake fake;
  fake.changes["base..tests"] = {{'A', "a_test.go", ""}, {'M', "main.go", ""}};
  fake.changes["tests..signed"] = {{'M', "main.go", ""}, {'A', "b.go", ""}};
  fake.changes["base..signed"] = {{'A', "a_test.go", ""}, {'A', "b.go", ""}};
  fake.changes["signed..head"] = {};  // the commit is what was signed off
  Check check = after_merge();
  check.files_changed = {"a_test.go", "b.go"};
  const Checked result = checked(fake, check);
  EXPECT_EQ(result.claims.back().verdict, event::Verdict::held) << result.claims.back().detail;
}

TEST(TestFiles, TheUsualNamesOfEachLanguage) {
  for (const char* path :
       {"a_test.go", "src/a_test.go", "test_a.py", "src/a.test.ts", "a.spec.js", "tests/data.txt",
        "pkg/testdata/x", "FooTest.java", "spec/a_spec.rb", "__tests__/a.js", "conftest.py"})
    EXPECT_TRUE(is_test_file(path, {})) << path;
  for (const char* path :
       {"main.go", "src/contest.go", "latest.py", "attestation/a.c", "README.md"})
    EXPECT_FALSE(is_test_file(path, {})) << path;
}

TEST(TestFiles, PatternsOfTheProjectReplaceThem) {
  EXPECT_TRUE(is_test_file("checks/a.txt", {"checks/"}));
  EXPECT_FALSE(is_test_file("a_test.go", {"checks/"}));
}

}  // namespace
}  // namespace capsule::gate
