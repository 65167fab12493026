#include "gate/gates.h"

#include <gtest/gtest.h>

#include <map>

namespace capsule::gate {
namespace {

using event::Phase;
using signal::Status;

// A world of values: what changed between two commits, and how the test command ends.
struct Fake {
  // By "from..to". The phase did something: a snapshot without a change is its predecessor.
  std::map<std::string, std::vector<Changed>> changes{{"before..now", {{'M', "a_test.go", ""}}}};
  Verdict verdict, clean;
  std::vector<Verdict> others;  // of build and lint
  int tested = 0;
  bool has_test = true;

  Result<std::vector<Verdict>> checks(const Verdict& test) {
    std::vector<Verdict> verdicts = others;
    if (has_test) ++tested, verdicts.push_back(test);
    return verdicts;
  }
  World world() {
    World world;
    world.has_test = has_test;
    world.changes = [this](const std::string& from,
                           const std::string& to) -> Result<std::vector<Changed>> {
      return changes[from + ".." + to];
    };
    world.is_test_file = [](std::string_view path) { return is_test_file(path, {}); };
    world.test = [this](const std::string&, const std::string&) -> Result<Verdict> {
      return ++tested, verdict;
    };
    world.verify = [this](const std::string&, const std::string&) { return checks(verdict); };
    world.verify_clean = [this](const std::string&) { return checks(clean); };
    return world;
  }
};

engine::State after(Phase phase, Status status = Status::pass) {
  engine::State state;
  state.phase = phase;
  state.last.phase = phase;
  state.last.status = status;
  state.base = "base";
  state.previous_commit = "before";
  state.tests_commit = "tests";
  state.snapshot.commit = "now";
  return state;
}

event::PhaseChecked checked(Fake& fake, const engine::State& state) {
  Gates gates(fake.world());
  auto result = gates.check("run", state);
  EXPECT_TRUE(result.has_value());
  return *result;
}

const Verdict kFailed{Ending::failed, 1, "make test", "2 tests fail"};
const Verdict kPassed{Ending::passed, 0, "make test", ""};

TEST(Gates, TestsThatFailAreRed) {
  Fake fake;
  fake.verdict = kFailed;
  fake.changes["base..now"] = {{'A', "a_test.go", ""}};
  EXPECT_TRUE(checked(fake, after(Phase::test_writer)).passed);
}

TEST(Gates, OnlyAFailureOfTheTestsThemselvesIsRed) {
  for (const Ending ending :
       {Ending::passed, Ending::not_run, Ending::ended_badly, Ending::timed_out}) {
    Fake fake;
    fake.verdict = {ending, 127, "make test", "the end of it"};
    const auto result = checked(fake, after(Phase::test_writer));
    EXPECT_FALSE(result.passed);
    EXPECT_NE(result.feedback.find("make test"), std::string::npos);
    EXPECT_NE(result.feedback.find("the end of it"), std::string::npos);
  }
}

TEST(Gates, OnlyPassedTestsAreGreen) {
  for (const Phase phase : {Phase::execute, Phase::execute_review, Phase::sign_off})
    for (const Ending ending : {Ending::passed, Ending::failed, Ending::not_run,
                                Ending::ended_badly, Ending::timed_out}) {
      Fake fake;
      fake.verdict = fake.clean = {ending, 1, "make test", ""};
      EXPECT_EQ(checked(fake, after(phase)).passed, ending == Ending::passed);
      EXPECT_EQ(fake.tested, 1);
    }
}

TEST(Gates, SignOffIsTestedInACleanCheckoutAndNotInTheWorktree) {
  Fake fake;
  fake.verdict = kPassed;
  fake.clean = kFailed;
  EXPECT_FALSE(checked(fake, after(Phase::sign_off)).passed);
}

TEST(Gates, BuildAndLintHaveToPassLikeTheTests) {
  for (const Phase phase : {Phase::execute, Phase::execute_review, Phase::sign_off})
    for (const Kind kind : {Kind::build, Kind::lint})
      for (const bool has_test : {true, false}) {
        Fake fake;
        fake.has_test = has_test;
        fake.verdict = fake.clean = kPassed;
        fake.others = {{Ending::failed, 1, "make x", "line too long", kind}};
        const auto result = checked(fake, after(phase));
        EXPECT_FALSE(result.passed);
        EXPECT_NE(result.feedback.find("line too long"), std::string::npos);
        EXPECT_NE(result.feedback.find(name_of(kind)), std::string::npos);
        fake.others.front().ending = Ending::passed;
        EXPECT_TRUE(checked(fake, after(phase)).passed);
      }
}

TEST(Gates, TestsNeedNotBuildOrPassTheLintBeforeThereIsAnImplementation) {
  Fake fake;
  fake.verdict = kFailed;
  fake.others = {{Ending::failed, 1, "make x", "", Kind::build}};
  EXPECT_TRUE(checked(fake, after(Phase::test_writer)).passed);
}

TEST(Gates, AVerdictThatClaimsNothingIsNotTested) {
  for (const Status status : {Status::needs_work, Status::error}) {
    Fake fake;
    fake.verdict = kPassed;
    EXPECT_TRUE(checked(fake, after(Phase::test_review, status)).passed);
    EXPECT_EQ(fake.tested, 0);
  }
}

TEST(Gates, ATestWriterMayTouchTestFilesAlone) {
  Fake fake;
  fake.verdict = kFailed;
  fake.changes["base..now"] = {{'A', "a_test.go", ""}, {'M', "main.go", ""}};
  const auto result = checked(fake, after(Phase::test_writer));
  EXPECT_FALSE(result.passed);
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
    const auto result = checked(fake, after(Phase::execute));
    EXPECT_FALSE(result.passed) << change.status;
    EXPECT_NE(result.feedback.find("a_test.go"), std::string::npos);
  }
}

TEST(Gates, OtherFilesAreForExecuteToChange) {
  Fake fake;
  fake.verdict = kPassed;
  fake.changes["base..tests"] = {{'A', "a_test.go", ""}, {'D', "old_test.go", ""}};
  fake.changes["tests..now"] = {{'M', "main.go", ""}, {'A', "b_test.go", ""}};
  EXPECT_TRUE(checked(fake, after(Phase::execute)).passed);
}

TEST(Gates, FilesChangedMayDifferButItIsRecorded) {
  Fake fake;
  fake.verdict = kPassed;
  fake.changes["before..now"] = {{'M', "main.go", ""}};
  engine::State state = after(Phase::execute);
  state.last.files_changed = {"other.go", "worklog.md"};
  const auto result = checked(fake, state);
  EXPECT_TRUE(result.passed);
  ASSERT_FALSE(result.claims.empty());
  EXPECT_EQ(result.claims.front().verdict, "differs");
  EXPECT_EQ(result.claims.front().detail, "left out: main.go; not changed: other.go");
}

// What the ledger will hold of the claim that the commit is what was signed off.
event::Claim signed_claim(const event::PhaseChecked& result) {
  for (const event::Claim& claim : result.claims)
    if (claim.what == "the commit of what was signed off") return claim;
  return {};
}

engine::State merged() {
  engine::State state = after(Phase::merge);
  state.signed_commit = "signed";
  state.snapshot.head = "head";
  return state;
}

TEST(Gates, WhatAMergeAgentBringsBeyondWhatWasSignedOffIsRecorded) {
  Fake fake;
  fake.changes["signed..head"] = {
      {'A', "evil.c", ""}, {'M', "main.go", ""}, {'D', "debug.log", ""}};
  fake.changes["base..head"] = {{'A', "a_test.go", ""}, {'A', "evil.c", ""}, {'M', "main.go", ""}};
  const auto result = checked(fake, merged());
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(signed_claim(result).verdict, "differs");
  EXPECT_EQ(signed_claim(result).detail, "it differs in evil.c, main.go");
}

TEST(Gates, WhatAMergeAgentLeavesBehindIsNoDifference) {
  Fake fake;
  fake.changes["signed..head"] = {{'D', "debug.log", ""}};
  fake.changes["base..head"] = {{'A', "a_test.go", ""}, {'M', "main.go", ""}};
  engine::State state = merged();
  state.last.files_changed = {"a_test.go", "main.go"};
  const auto result = checked(fake, state);
  EXPECT_EQ(signed_claim(result).verdict, "true");
  EXPECT_EQ(result.claims.back().verdict, "true") << result.claims.back().detail;
}

TEST(Gates, WhatAMergeAgentCommittedIsWhatChangedInAll) {
  // main.go was written with the tests already, and is what it was in the end.
  Fake fake;
  fake.changes["base..tests"] = {{'A', "a_test.go", ""}, {'M', "main.go", ""}};
  fake.changes["tests..signed"] = {{'M', "main.go", ""}, {'A', "b.go", ""}};
  fake.changes["base..signed"] = {{'A', "a_test.go", ""}, {'A', "b.go", ""}};
  fake.changes["signed..head"] = {};  // the commit is what was signed off
  engine::State state = merged();
  state.last.files_changed = {"a_test.go", "b.go"};
  const auto result = checked(fake, state);
  EXPECT_EQ(result.claims.back().verdict, "true") << result.claims.back().detail;
}

TEST(Gates, WithoutATestCommandTheClaimIsUnchecked) {
  Fake fake;
  fake.has_test = false;
  const auto result = checked(fake, after(Phase::execute));
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(result.claims.back().verdict, "unchecked");
  EXPECT_EQ(fake.tested, 0);
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
