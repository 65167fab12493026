#include "tests/program/demo_project.h"

namespace capsule::test {
namespace {

using ::testing::HasSubstr;

class Demo : public DemoProject {};

TEST_F(Demo, MergesForRealAndCatchesALie) {
  Call call = in_project({"demo", path("shown")});
  call.env["TMPDIR"] = dir();
  call.env["HOME"] = std::getenv("HOME") != nullptr ? std::getenv("HOME") : "/root";
  call.env["CAPSULE_CONTAIN"] = std::nullopt;
  call.limit = std::chrono::seconds(250);
  Call go = in_project({"version"});
  go.program = "go";
  const Outcome outcome = run(call);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("test-review: NEEDS_WORK (attempt 1/3)"));
  EXPECT_THAT(outcome.out, HasSubstr("execute: not true: tests pass (GREEN)"));
  EXPECT_THAT(outcome.out, HasSubstr("cd " + path("shown")));

  Call log = in_project({"log", "--format=%s", "main"});
  log.program = "git";
  log.cwd = path("shown");
  EXPECT_THAT(run(log).out, HasSubstr("Merge demo-1.1.1: Validate email format\n"));
  go.args = {"test", "./..."};
  go.cwd = path("shown/src");
  go.env = call.env;
  EXPECT_EQ(run(go).exit_code, 0);
}

TEST_F(Demo, WithoutGoItSaysHowToGetIt) {
  Call call = in_project({"demo"});
  call.env["PATH"] = path("bin");
  const Outcome outcome = run(call);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("apt-get install golang-go"));
}

}  // namespace
}  // namespace capsule::test
