#include "gate/background.h"

#include "process/test_support.h"

namespace capsule::gate {
namespace {

class BackgroundChecksTest : public ::testing::Test {
 protected:
  std::vector<FailedCheck> run(const Verify& verify) {
    BackgroundChecks checks(*loop_, verify);
    std::optional<std::vector<FailedCheck>> result;
    checks.start("/tmp", [&](const Result<std::vector<FailedCheck>>& failed) {
      EXPECT_TRUE(failed);
      result = failed.value_or(std::vector<FailedCheck>());
    });
    loop_->run_while([&] { return !result; });
    return *result;
  }
  std::unique_ptr<process::Loop> loop_ = process::testing::make_loop();
};

Verify verify_with(const std::string& build, const std::string& lint, const std::string& test) {
  Verify verify;
  verify.build.shell = build;
  verify.lint.shell = lint;
  verify.test.shell = test;
  return verify;
}

TEST_F(BackgroundChecksTest, NothingFailsWhereNothingIsToBeRun) {
  EXPECT_TRUE(run({}).empty());
  EXPECT_FALSE(BackgroundChecks(*loop_, {}).any());
}

TEST_F(BackgroundChecksTest, EveryCheckThatFailsIsNamed) {
  const auto failed = run(verify_with("echo broken; exit 3", "true", "echo red >&2; exit 1"));
  ASSERT_EQ(failed.size(), 2U);
  EXPECT_EQ(failed[0].name, "build");
  EXPECT_EQ(failed[0].verdict.exit_code, 3);
  EXPECT_EQ(failed[0].verdict.tail, "broken");
  EXPECT_EQ(failed[1].name, "test");
  EXPECT_EQ(failed[1].verdict.tail, "red");
}

TEST_F(BackgroundChecksTest, AMissingProgramIsACheckThatCouldNotRun) {
  Verify verify;
  verify.test.argv = {"no-such-program-anywhere"};
  const auto failed = run(verify);
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed[0].verdict.ending, Ending::not_run);
}

TEST_F(BackgroundChecksTest, OneThatTakesTooLongIsEnded) {
  Verify verify = verify_with("", "", "sleep 600");
  verify.timeout = std::chrono::seconds(1);
  const auto failed = run(verify);
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed[0].verdict.ending, Ending::timed_out);
}

}  // namespace
}  // namespace capsule::gate
