// The pipeline with the real client: its tool writes the files and runs the tests, and what Capsule
// reads is what the client prints.
#include <algorithm>
#include <filesystem>
#include <set>

#include "tests/client/agents.h"
#include "tests/client/client.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ClientPipeline : public ClientTest {};

TEST_F(ClientPipeline, ABeadIsTakenFromPrepThroughARetryToMainByTheClientsOwnTools) {
  configure_gates();
  script_pipeline(model());
  const std::string before = main_head();
  const Outcome outcome = run_bead();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.err, "");

  EXPECT_THAT(model().keys(),
              ElementsAre("# Test-Writer Phase", "# Test-Review Phase", "name the empty case",
                          "# Test-Review Phase", "# Execute Phase", "# Execute-Review Phase",
                          "# Sign-Off Phase", "# Merge Phase"));
  EXPECT_THAT(outcome.out, HasSubstr("test-review: NEEDS_WORK (attempt 1/3)"));
  EXPECT_THAT(outcome.out, HasSubstr("test-review: PASS (attempt 2/3)"));
  std::set<std::string> sessions;
  for (const Turn& turn : model().turns()) sessions.insert(turn.session);
  EXPECT_EQ(sessions.size(), 7U)
      << "the rework goes on in its writer's session; all others start with a fresh mind";

  // The tools ran in the worktree, for real: red before the code was there, green afterwards.
  const std::vector<Turn> turns = model().turns();
  EXPECT_THAT(turns[1].tool, HasSubstr(worktree()));
  EXPECT_THAT(turns[1].tool, HasSubstr("Make it work")) << "the worklog briefs the agent";
  EXPECT_THAT(turns[3].tool, HasSubstr("feature.txt: No such file"));
  const auto green = std::count_if(turns.begin(), turns.end(), [](const Turn& turn) {
    return turn.tool.find("GREEN") != std::string::npos;
  });
  EXPECT_GE(green, 2) << "execute and sign-off saw the tests pass";

  EXPECT_EQ(git_out({"log", "-1", "--format=%s", "main"}), "Merge demo-1.1.1: Make it work");
  EXPECT_EQ(git_out({"log", "-1", "--format=%s", "main^2"}), "demo-1.1.1: Make it work");
  EXPECT_EQ(git_out({"diff", "--name-only", before, "main"}), "feature.txt\ntests/feature_test.sh");
  EXPECT_TRUE(is_closed());
  EXPECT_FALSE(fs::exists(worktree()));
  const std::vector<std::string> logs = logs_in(archive());
  ASSERT_EQ(logs.size(), 16U);
  for (const std::string& name : logs) {
    const std::string text = read_file(archive() + "/" + name);
    if (name.ends_with(".stderr"))
      EXPECT_EQ(text, "") << name;
    else
      EXPECT_THAT(text, HasSubstr("Here is what I did — all of it.")) << name;
  }
}

TEST_F(ClientPipeline, PromptsAndAnswersLongerThanAPipeOrAnArgumentArriveWhole) {
  ASSERT_EQ(command("prep", {kBead}).exit_code, 0);
  const std::string asked = std::string(130'900, 'x') + " the end of it";
  const std::string answered = std::string(400'000, 'y') + " and the end of that";
  model().when("the end of it", {say(signal_text("PASS", answered))});
  const Outcome outcome = command("run-phase", {"test-review", worktree(), "--feedback=" + asked});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find(answered), std::string::npos) << outcome.out.size();
  const std::vector<Turn> turns = model().turns();
  ASSERT_EQ(turns.size(), 1U);
  EXPECT_GT(turns[0].prompt.size(), 131'071U);
  EXPECT_TRUE(turns[0].prompt.starts_with("# Test-Review Phase\n"));
  EXPECT_TRUE(turns[0].prompt.ends_with(asked));
}

TEST_F(ClientPipeline, TheConfiguredModelIsAskedFor) {
  configure("phases: {test-review: {model: claude-scripted-9}}\n");
  ASSERT_EQ(command("prep", {kBead}).exit_code, 0);
  model().when("# Test-Review Phase", {say(signal_text("PASS", "fine"))});
  ASSERT_EQ(command("run-phase", {"test-review", worktree()}).exit_code, 0);
  ASSERT_EQ(model().turns().size(), 1U);
  EXPECT_EQ(model().turns()[0].model, "claude-scripted-9");
}

TEST_F(ClientPipeline, WhatATurnLeftRunningIsGoneWithThePhase) {
  ASSERT_EQ(command("prep", {kBead}).exit_code, 0);
  model().when("# Execute Phase",
               {bash("setsid sleep 1000 >/dev/null 2>&1 </dev/null & echo $! >../left.pid"),
                say(signal_text("PASS", "fine"))});
  EXPECT_EQ(command("run-phase", {"execute", worktree()}).exit_code, 0);
  const std::string pid = lines_of(read_file(project() + "/.capsule/worktrees/left.pid")).at(0);
  EXPECT_FALSE(fs::exists("/proc/" + pid));
}

TEST_F(ClientPipeline, AModelThatCannotBeReachedEndsAtOurTimeLimit) {
  ASSERT_EQ(command("prep", {kBead}).exit_code, 0);
  env()["ANTHROPIC_BASE_URL"] = "http://127.0.0.1:9";  // nobody listens there; the client tries on
  env()["CAPSULE_PHASE_TIMEOUT"] = "3";
  const Outcome outcome = command("run-phase", {"execute", worktree()});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.out, HasSubstr("timed out after 3 s"));
}

}  // namespace
}  // namespace capsule::test
