// Tests by name: what was there before anybody worked, and what became of it.
#include "gate/gates_test_support.h"

namespace capsule::gate {
namespace {

using namespace test;

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

TEST(Gates, TestsThatFailedOnceFailWithoutTheWorkAgainBeforeItIsSignedOff) {
  Fake fake;
  fake.clean = kPassed;
  fake.without = kFailed;
  EXPECT_TRUE(passes(fake, after_sign_off()));
  fake.without = kPassed;
  const Checked result = checked(fake, after_sign_off());
  EXPECT_NE(result.feedback.find("pass without any of the work"), std::string::npos);
  EXPECT_EQ(result.failed, Names{"test"});
  fake.clean.duration_ms = 60'000;
  EXPECT_TRUE(passes(fake, after_sign_off())) << "nobody waits a minute for that";
}

TEST(Gates, TellWhichTestsAreThoseOfTheWorkOfTheFilesBeforeItAndOfTheTestsAlone) {
  Fake fake;
  fake.clean = kPassed;
  fake.clean.tests = report({{"n", TestState::passed}});
  const Watch::Scope scope(&fake.watch, {"bead", workflow::CheckFor::work});
  checked(fake, after_sign_off());
  EXPECT_EQ(fake.run_for, (std::vector{workflow::CheckFor::work, workflow::CheckFor::before,
                                       workflow::CheckFor::without}));
  EXPECT_EQ(fake.watch.about().what, workflow::CheckFor::work);
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

}  // namespace
}  // namespace capsule::gate
