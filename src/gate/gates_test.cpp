#include "gate/gates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "gate/guard.h"

namespace capsule::gate {
namespace {

using workflow::Check;
using workflow::Checked;

// A world of values: what changed between two commits, and how the commands end.
struct Fake {
  // By "from..to". The phase did something: a snapshot without a change is its predecessor.
  std::map<std::string, std::vector<Changed>> changes{{"before..now", {{'M', "a_test.go", ""}}},
                                                      {"base..tests", {{'A', "a_test.go", ""}}},
                                                      {"base..now", {{'A', "a_test.go", ""}}}};
  Verdict verdict, clean, base;              // of the test command
  std::map<std::string, std::string> texts;  // by "commit:path"
  Names put_back, as_before;
  std::vector<Verdict> others;  // of build, lint, …
  int tested = 0;
  bool has_test = true;
  std::string where;  // the commands ran, last
  std::optional<Error> error;

  void answer(const Names& names, const Verdict& test, const Checks::Done& done) {
    if (error) return done(tl::unexpected(*error));
    const auto asked = [&](const std::string& name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    std::vector<Verdict> verdicts;
    for (const Verdict& other : others)
      if (asked(other.name)) verdicts.push_back(other);
    if (asked("test")) ++tested, verdicts.push_back(test);
    done(verdicts);
  }
  World world() {
    World world;
    for (const Verdict& other : others) world.commands.push_back(other.name);
    if (has_test) world.commands.emplace_back("test");
    world.changes = [this](const std::string& from,
                           const std::string& to) -> Result<std::vector<Changed>> {
      return changes[from + ".." + to];
    };
    world.is_test_file = [](std::string_view path) { return is_test_file(path, {}); };
    world.folder_of = [](const std::string& tree) -> Result<std::string> { return "/" + tree; };
    world.newest_main = []() -> Result<std::string> { return "main"; };
    world.is_guarded = [](std::string_view path) { return is_guarded(path, {}); };
    world.text_of = [this](const std::string& commit,
                           const std::string& path) -> Result<std::string> {
      return texts[commit + ":" + path];
    };
    world.tree_of = [](const std::string& commit) -> Result<std::string> { return "t" + commit; };
    world.put_back = [this](const std::string&, const AsBefore& files) -> Result<void> {
      put_back = files.paths;
      return {};
    };
    world.in_tree = [this](const std::string& folder, const std::string&, const Names& names,
                           const AsBefore& files, const Checks::Done& done) {
      as_before = files.paths;
      where = folder;
      answer(names, verdict, done);
    };
    world.in_clean = [this](const std::string& commit, const Names& names, const AsBefore& files,
                            const Checks::Done& done) {
      as_before = files.paths;
      if (commit == "base") return answer(names, base, done);
      where = commit;
      answer(names, clean, done);
    };
    return world;
  }
};

Check check_of(std::vector<std::string> names) {
  Check check;
  check.number = 7;
  check.tree = "bead";
  check.names = std::move(names);
  check.claims_files = true;
  check.base = "base";
  check.previous = "before";
  check.tests = "tests";
  check.commit = "now";
  return check;
}
// What the pipeline asks for after its phases.
Check after_tests() { return check_of({"only-tests", "red"}); }
Check after_code() { return check_of({"tests-untouched", "all"}); }
Check after_sign_off() {
  Check check = after_code();
  check.clean = true;
  return check;
}
Check after_merge() {
  Check check = check_of({"as-signed-off"});
  check.signed_off = "signed";
  check.head = "head";
  return check;
}

workflow::Observation observed(Fake& fake, const Check& check) {
  Seen seen("", {}, "");
  Gates gates(fake.world(), seen);
  std::optional<workflow::Observation> answer;
  gates.check(check, [&](workflow::Observation observation) { answer = std::move(observation); });
  EXPECT_TRUE(answer);
  return std::move(*answer);
}

Checked checked(Fake& fake, const Check& check) {
  const auto observation = observed(fake, check);
  EXPECT_TRUE(std::holds_alternative<Checked>(observation));
  return std::get<Checked>(observation);
}

bool passes(Fake& fake, const Check& check) { return checked(fake, check).feedback.empty(); }

const Verdict kFailed{Ending::failed, 1, "make test", "2 tests fail", "test"};
const Verdict kPassed{Ending::passed, 0, "make test", "", "test"};

TEST(Gates, TestsThatFailAreRed) {
  Fake fake;
  fake.verdict = kFailed;
  fake.changes["base..now"] = {{'A', "a_test.go", ""}};
  const Checked result = checked(fake, after_tests());
  EXPECT_EQ(result.feedback, "");
  EXPECT_EQ(result.number, 7);
  EXPECT_TRUE(result.failed.empty());
  EXPECT_EQ(result.claims.back().what, "tests fail (RED)");
}

TEST(Gates, OnlyAFailureOfTheTestsThemselvesIsRed) {
  for (const Ending ending :
       {Ending::passed, Ending::not_run, Ending::ended_badly, Ending::timed_out}) {
    Fake fake;
    fake.verdict = {ending, 127, "make test", "the end of it", "test"};
    const Checked result = checked(fake, after_tests());
    EXPECT_NE(result.feedback.find("make test"), std::string::npos);
    EXPECT_NE(result.feedback.find("the end of it"), std::string::npos);
  }
}

TEST(Gates, OnlyPassedTestsAreGreen) {
  for (const Check& check : {after_code(), after_sign_off(), check_of({"green"})})
    for (const Ending ending : {Ending::passed, Ending::failed, Ending::not_run,
                                Ending::ended_badly, Ending::timed_out}) {
      Fake fake;
      fake.verdict = fake.clean = {ending, 1, "make test", "", "test"};
      const Checked result = checked(fake, check);
      EXPECT_EQ(result.feedback.empty(), ending == Ending::passed);
      EXPECT_EQ(result.failed.empty(), ending == Ending::passed);
      EXPECT_EQ(result.claims.back().what,
                check.clean ? "tests pass from a clean checkout" : "tests pass (GREEN)");
      EXPECT_EQ(fake.tested, 1);
    }
}

TEST(Gates, SignOffIsTestedInACleanCheckoutAndNotInTheWorktree) {
  Fake fake;
  fake.verdict = kPassed;
  fake.clean = kFailed;
  EXPECT_FALSE(passes(fake, after_sign_off()));
  EXPECT_EQ(fake.where, "now");
  fake.clean = kPassed;
  EXPECT_TRUE(passes(fake, after_code()));
  EXPECT_EQ(fake.where, "/bead");
}

TEST(Gates, ACleanCheckOfNoCommitIsOneOfTheNewestMain) {
  Fake fake;
  fake.clean = kFailed;
  Check check;
  check.names = {"all"};
  check.clean = true;
  const Checked result = checked(fake, check);
  EXPECT_EQ(fake.where, "main");
  EXPECT_EQ(result.failed, std::vector<std::string>{"test"});
  EXPECT_EQ(result.feedback.find("without changing"), std::string::npos);
}

TEST(Gates, BuildAndLintHaveToPassLikeTheTests) {
  for (const Check& check : {after_code(), after_sign_off(), check_of({"build", "lint", "green"})})
    for (const char* name : {"build", "lint"})
      for (const bool has_test : {true, false}) {
        Fake fake;
        fake.has_test = has_test;
        fake.verdict = fake.clean = kPassed;
        fake.others = {{Ending::failed, 1, "make x", "line too long", name}};
        const Checked result = checked(fake, check);
        EXPECT_NE(result.feedback.find("line too long"), std::string::npos);
        EXPECT_NE(result.feedback.find(name), std::string::npos);
        EXPECT_EQ(result.failed, std::vector<std::string>{name});
        fake.others.front().ending = Ending::passed;
        EXPECT_TRUE(passes(fake, check));
      }
}

TEST(Gates, EveryCommandThatFailsIsNamed) {
  Fake fake;
  fake.verdict = kFailed;
  fake.others = {{Ending::failed, 1, "make", "", "build"}, {Ending::failed, 1, "lint", "", "lint"}};
  EXPECT_EQ(checked(fake, after_code()).failed,
            (std::vector<std::string>{"build", "lint", "test"}));
}

TEST(Gates, ACommandOfTheProjectsOwnIsRunByItsName) {
  Fake fake;
  fake.others = {{Ending::failed, 1, "typos", "", "spelling"}};
  EXPECT_EQ(checked(fake, check_of({"spelling"})).failed, std::vector<std::string>{"spelling"});
  EXPECT_EQ(fake.tested, 0);
}

TEST(Gates, TestsNeedNotBuildOrPassTheLintBeforeThereIsAnImplementation) {
  Fake fake;
  fake.verdict = kFailed;
  fake.others = {{Ending::failed, 1, "make x", "", "build"}};
  EXPECT_TRUE(passes(fake, after_tests()));
}

TEST(Gates, AVerdictThatClaimsNothingIsNotTested) {
  Fake fake;
  fake.verdict = kPassed;
  Check check = after_tests();
  check.passed_claim = false;
  const Checked result = checked(fake, check);
  EXPECT_EQ(result.feedback, "");
  ASSERT_EQ(result.claims.size(), 1U);
  EXPECT_EQ(result.claims.front().what, "files_changed");
  EXPECT_EQ(fake.tested, 0);
}

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

TEST(Gates, ACommandIsNotRunAgainOnFilesThatItHasSeen) {
  Fake fake;
  fake.verdict = kPassed;
  Verify verify;
  verify.add("test", {{"make", "test"}, ""});
  Seen seen("", verify, "");
  Gates gates(fake.world(), seen);
  bool known = false;
  const auto look = [&](const Check& check) {
    gates.check(check, [&](const workflow::Observation& observation) {
      known = std::get<Checked>(observation).runs.front().known;
    });
  };
  look(after_code());
  EXPECT_FALSE(known);
  Check review = after_code();
  review.previous = "now";
  review.commit = "later";  // with nothing changed since
  look(review);
  EXPECT_TRUE(known);
  EXPECT_EQ(fake.tested, 1);
  look(after_sign_off());
  EXPECT_FALSE(known) << "a clean checkout has no ignored files";
}

TestReport report(std::vector<TestResult> tests) { return {std::move(tests)}; }

TEST(Gates, ByNameATestThatFailedBeforeAnybodyWorkedIsNotRed) {
  Fake fake;
  fake.base = fake.verdict = kFailed;
  fake.base.tests = fake.verdict.tests =
      report({{"a", TestState::passed}, {"old", TestState::failed}});
  EXPECT_NE(checked(fake, after_tests()).feedback.find("No new or changed test fails"),
            std::string::npos);
  fake.verdict.tests =
      report({{"a", TestState::passed}, {"new", TestState::failed}, {"old", TestState::failed}});
  const Checked result = checked(fake, after_tests());
  EXPECT_EQ(result.feedback, "");
  EXPECT_EQ(result.claims.back().detail, "1 new test fails; 1 other still passes");
}

TEST(Gates, ByNameATestThatIsGoneOrSkippedIsNotGreen) {
  Fake fake;
  fake.base = fake.verdict = kPassed;
  fake.base.tests = report({{"a", TestState::passed}, {"b", TestState::passed}});
  fake.changes["tests..now"] = {{'M', "main.go", ""}};
  for (const TestReport& now :
       {report({{"a", TestState::passed}, {"n", TestState::passed}}),
        report({{"a", TestState::passed}, {"b", TestState::skipped}, {"n", TestState::passed}})}) {
    fake.verdict.tests = now;
    EXPECT_NE(checked(fake, after_code()).feedback.find("b"), std::string::npos);
  }
  fake.verdict.tests =
      report({{"a", TestState::passed}, {"b", TestState::passed}, {"n", TestState::passed}});
  const Checked result = checked(fake, after_code());
  EXPECT_EQ(result.feedback, "");
  EXPECT_EQ(result.claims.back().detail,
            "1 new test failed before, passes now; 2 others still pass");
}

TEST(Gates, ByNameTestsThatWereWrittenHaveToRun) {
  Fake fake;
  fake.base = fake.verdict = kPassed;
  fake.base.tests = fake.verdict.tests = report({{"a", TestState::passed}});
  fake.changes["tests..now"] = {{'M', "main.go", ""}};
  EXPECT_NE(checked(fake, after_code()).feedback.find("None of the tests"), std::string::npos);
}

TEST(Gates, OldFailuresAreToleratedOnlyWhenThatIsAllowedAndANewOneNever) {
  Fake fake;
  fake.base = fake.verdict = kFailed;
  fake.base.tests = report({{"a", TestState::passed}, {"old", TestState::failed}});
  fake.verdict.tests =
      report({{"a", TestState::passed}, {"n", TestState::passed}, {"old", TestState::failed}});
  fake.changes["tests..now"] = {{'M', "main.go", ""}};
  Check check = after_code();
  EXPECT_FALSE(passes(fake, check));
  check.red_allowed = true;
  EXPECT_TRUE(passes(fake, check));
  fake.verdict.tests =
      report({{"a", TestState::failed}, {"n", TestState::passed}, {"old", TestState::failed}});
  EXPECT_FALSE(passes(fake, check));
}

Checked baseline(Fake& fake, bool red_allowed) {
  Check check;
  check.names = {"baseline"};
  check.commit = "base";
  check.red_allowed = red_allowed;
  return checked(fake, check);
}

TEST(Gates, TheBaselineIsGreenRedOrCannotBeKnown) {
  Fake fake;
  fake.base = kPassed;
  EXPECT_EQ(baseline(fake, false).baseline, event::Baseline::green);
  fake.base = kFailed;
  EXPECT_EQ(baseline(fake, false).baseline, event::Baseline::red);
  EXPECT_NE(baseline(fake, false).feedback.find("red-allowed"), std::string::npos);
  fake.base = {Ending::not_run, 127, "make test", "make: not found", "test"};
  EXPECT_EQ(baseline(fake, true).baseline, event::Baseline::cannot_run);
  EXPECT_NE(baseline(fake, true).feedback.find("make: not found"), std::string::npos);
  fake.base = {Ending::failed, 5, "pytest", "no tests ran", "test"};
  fake.base.tests.emplace();
  EXPECT_EQ(baseline(fake, false).baseline, event::Baseline::cannot_run);
  EXPECT_EQ(baseline(fake, true).baseline, event::Baseline::red) << "there are none yet";
  fake.has_test = false;
  EXPECT_EQ(baseline(fake, false).baseline, event::Baseline::none);
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

TEST(Gates, WithoutATestCommandTheClaimIsUnchecked) {
  for (const Check& check : {after_tests(), after_code(), after_sign_off()}) {
    Fake fake;
    fake.has_test = false;
    const Checked result = checked(fake, check);
    EXPECT_EQ(result.feedback, "");
    EXPECT_EQ(result.claims.back().what, "the tests");
    EXPECT_EQ(result.claims.back().verdict, event::Verdict::unchecked);
    EXPECT_FALSE(result.any);
    EXPECT_EQ(fake.tested, 0);
  }
}

TEST(Gates, ACommandThatIsNotThereIsNoneThatPassed) {
  Fake fake;
  const Checked result = checked(fake, check_of({"spelling"}));
  EXPECT_EQ(result.claims.back().what, "spelling passes");
  EXPECT_EQ(result.claims.back().verdict, event::Verdict::unchecked);
}

TEST(Gates, ACheckThatCannotBeMadeIsAFailureOfOurs) {
  Fake fake;
  fake.error = Error{Reason::interrupted, "interrupted while the checks ran"};
  const auto observation = observed(fake, after_code());
  ASSERT_TRUE(std::holds_alternative<workflow::CommandFailed>(observation));
  const auto& failed = std::get<workflow::CommandFailed>(observation);
  EXPECT_EQ(failed.reason, Reason::interrupted);
  EXPECT_EQ(std::get<Check>(failed.command).number, 7);
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
