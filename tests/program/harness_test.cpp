#include "tests/program/harness.h"

#include <gtest/gtest-spi.h>
#include <signal.h>

namespace capsule::test {
namespace {

class Harness : public ProgramTest {};

TEST_F(Harness, GivesInputAndTellsOutputErrorsAndExitCodeApart) {
  const Outcome outcome =
      call({.args = {"-c", "cat; echo oops >&2; exit 7"}, .input = "hello", .program = "sh"});
  EXPECT_EQ(outcome.out, "hello");
  EXPECT_EQ(outcome.err, "oops\n");
  EXPECT_EQ(outcome.exit_code, 7);
}

TEST_F(Harness, RunsInItsOwnFolderWithTheVariablesAskedFor) {
  const Outcome outcome = call({.args = {"-c", "pwd; echo \"$GREETING\""},
                                .env = {{"GREETING", "good day"}},
                                .program = "sh"});
  EXPECT_EQ(outcome.out, dir() + "\ngood day\n");
}

TEST_F(Harness, AProgramThatDoesNotReadItsInputIsNoFault) {
  EXPECT_EQ(call({.input = std::string(5'000'000, 'x'), .program = "true"}).exit_code, 0);
}

TEST_F(Harness, ASignalShowsAsAShellShowsIt) {
  Running sleeper(prepared({.args = {"60"}, .program = "sleep"}));
  sleeper.send(SIGTERM);
  EXPECT_EQ(sleeper.wait().exit_code, 128 + SIGTERM);
}

// The fixture's own check must bite: a daemon that left its session and its parent is found.
class Played : public ProgramTest {
 public:
  void TestBody() override {}
  void play(const std::string& script) {
    SetUp();
    call({.args = {"-c", script}, .program = "sh"});
    TearDown();
  }
};

TEST(HarnessCheck, AProcessThatSurvivesItsTestIsFoundAndEnded) {
  Played test;
  EXPECT_NONFATAL_FAILURE(test.play("setsid sleep 60 >/dev/null 2>&1 &"), "survived the test");
  test.play("true");  // all descendants are looked at: nothing is left of the first one
}

}  // namespace
}  // namespace capsule::test
