// The commands of the project, and what their ending says.
#include "gate/gates_test_support.h"

namespace capsule::gate {
namespace {

using namespace test;

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
      // Before the work is signed off, its tests fail without it once more.
      EXPECT_EQ(fake.tested, check.clean && ending == Ending::passed ? 2 : 1);
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

TEST(Gates, ACommandIsRunAgainWhereThatIsAskedFor) {
  Fake fake;
  fake.verdict = kPassed;
  Verify verify;
  verify.add("test", {{"make", "test"}, ""});
  Seen seen("", verify, "", Seen::Known::is_run_again);
  Gates gates(fake.world(), seen);
  for (int i = 1; i <= 3; ++i) {
    gates.check(after_code(), [](const workflow::Observation&) {});
    EXPECT_EQ(fake.tested, i);
  }
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

}  // namespace
}  // namespace capsule::gate
