#include "gate/checks.h"

#include "process/test_support.h"

namespace capsule::gate {
namespace {

class ChecksTest : public ::testing::Test {
 protected:
  Result<std::vector<Verdict>> answer(Checks& checks, const std::string& folder = "/tmp") {
    std::optional<Result<std::vector<Verdict>>> result;
    checks.run_all(folder,
                   [&](const Result<std::vector<Verdict>>& verdicts) { result = verdicts; });
    loop_->run_while([&] { return !result; });
    return *result;
  }
  std::vector<Verdict> run(const Verify& verify) {
    Checks checks(*loop_, verify);
    const auto verdicts = answer(checks);
    EXPECT_TRUE(verdicts);
    return verdicts.value_or(std::vector<Verdict>());
  }
  std::unique_ptr<process::Loop> loop_ = process::testing::make_loop();
};

Verify verify_with(const std::string& build, const std::string& lint, const std::string& test) {
  Verify verify;
  verify.add("build", {{}, build});
  verify.add("lint", {{}, lint});
  verify.add("test", {{}, test});
  return verify;
}

TEST_F(ChecksTest, NothingFailsWhereNothingIsToBeRun) {
  EXPECT_TRUE(run({}).empty());
  EXPECT_FALSE(Checks(*loop_, {}).any());
  EXPECT_FALSE(Checks(*loop_, verify_with("", "", "")).any());
}

TEST_F(ChecksTest, EveryCommandIsRunWhateverTheOnesBeforeSaid) {
  const auto verdicts = run(verify_with("echo broken; exit 3", "true", "echo red >&2; exit 1"));
  ASSERT_EQ(verdicts.size(), 3U);
  EXPECT_EQ(verdicts[0].name, "build");
  EXPECT_EQ(verdicts[0].exit_code, 3);
  EXPECT_EQ(verdicts[0].output, "broken");
  EXPECT_EQ(verdicts[1].ending, Ending::passed);
  EXPECT_EQ(verdicts[2].name, "test");
  EXPECT_EQ(verdicts[2].output, "red");
}

TEST_F(ChecksTest, OnlyThoseThatAreAskedForAreRun) {
  Checks checks(*loop_, verify_with("exit 1", "exit 2", "exit 3"));
  std::optional<std::vector<Verdict>> verdicts;
  checks.run("/tmp", {"test", "build", "no-such"}, [&](const auto& answer) { verdicts = *answer; });
  loop_->run_while([&] { return !verdicts; });
  ASSERT_EQ(verdicts->size(), 2U);
  EXPECT_EQ(verdicts->front().name, "build");
  EXPECT_EQ(verdicts->back().name, "test");
}

TEST_F(ChecksTest, SeveralGoOnAtTheSameTime) {
  Checks checks(*loop_, verify_with("", "", "true"));
  int done = 0;
  for (int i = 0; i < 3; ++i) checks.run_all("/tmp", [&](const auto&) { ++done; });
  loop_->run_while([&] { return done < 3; });
  EXPECT_EQ(done, 3);
}

TEST_F(ChecksTest, OfAFloodTheBeginningAndTheEndAreKeptAndLittleMemoryIsUsed) {
  const long before = process::testing::resident_kib();
  const auto verdicts = run(verify_with(
      "", "",
      "echo 'first line'; yes 'a line of noise' | head -c 25000000; echo 'last line'; exit 1"));
  ASSERT_EQ(verdicts.size(), 1U);
  const std::string& output = verdicts.front().output;
  EXPECT_TRUE(output.starts_with("first line\n")) << output.substr(0, 100);
  EXPECT_TRUE(output.ends_with("\nlast line")) << output.substr(output.size() - 100);
  EXPECT_NE(output.find("\n[…]\n"), std::string::npos);
  EXPECT_LT(output.size(), 7000U);
  EXPECT_LT(process::testing::resident_kib() - before, 16 * 1024);
}

TEST_F(ChecksTest, AFloodOnBothStreamsLosesNeitherEnd) {
  const auto verdicts = run(
      verify_with("", "",
                  "yes out | head -c 21000000; echo 'end of out'; yes err | head -c 21000000 >&2; "
                  "echo 'end of err' >&2; exit 1"));
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_NE(verdicts.front().output.find("\nend of out\n"), std::string::npos);
  EXPECT_TRUE(verdicts.front().output.ends_with("\nend of err"));
}

TEST_F(ChecksTest, AMissingProgramIsACheckThatCouldNotRun) {
  Verify verify;
  verify.add("test", {{"no-such-program-anywhere"}, ""});
  const auto verdicts = run(verify);
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(verdicts[0].ending, Ending::not_run);
  EXPECT_EQ(verdicts[0].exit_code, 127);
}

TEST_F(ChecksTest, OneThatTakesTooLongIsEndedAndTheNextIsRun) {
  Verify verify = verify_with("sleep 600", "", "exit 1");
  verify.timeout = std::chrono::seconds(1);
  const auto verdicts = run(verify);
  ASSERT_EQ(verdicts.size(), 2U);
  EXPECT_EQ(verdicts[0].ending, Ending::timed_out);
  EXPECT_EQ(verdicts[1].ending, Ending::failed);
}

TEST_F(ChecksTest, ASignalIsNoVerdictOfTheTests) {
  const auto verdicts = run(verify_with("kill -9 $$", "sh -c 'kill -15 $$'", ""));
  ASSERT_EQ(verdicts.size(), 2U);
  EXPECT_EQ(verdicts[0].ending, Ending::ended_badly);
  EXPECT_EQ(verdicts[1].ending, Ending::ended_badly);
}

TEST_F(ChecksTest, AMissingFolderIsAnError) {
  Checks checks(*loop_, verify_with("", "", "true"));
  const auto verdicts = answer(checks, "/no/such/folder");
  ASSERT_FALSE(verdicts);
  EXPECT_EQ(verdicts.error().reason, Reason::not_found);
}

TEST_F(ChecksTest, WhatACommandSaysWhilePeopleStopItSaysNothing) {
  bool stop = false;
  Checks checks(*loop_, verify_with("sleep 600", "", "true"), [&] { return stop; });
  loop_->after(std::chrono::milliseconds(1), [&] {
    stop = true;
    loop_->end_all(std::chrono::seconds(2));
  });
  const auto verdicts = answer(checks);
  ASSERT_FALSE(verdicts);
  EXPECT_EQ(verdicts.error().reason, Reason::interrupted);
}

TEST_F(ChecksTest, CommandsRunInTheFolderOfTheConfiguration) {
  Verify verify = verify_with("", "", "pwd; exit 1");
  verify.dir = "self";
  Checks checks(*loop_, verify);
  const auto verdicts = answer(checks, "/proc");
  ASSERT_TRUE(verdicts);
  EXPECT_TRUE(verdicts->front().output.starts_with("/proc/"));
}

}  // namespace
}  // namespace capsule::gate
