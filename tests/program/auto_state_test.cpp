// capsule auto start, status and cancel, together with the hook.
#include "tests/program/hook_project.h"

namespace capsule::test {
namespace {

using ::testing::HasSubstr;

class AutoState : public HookProject {
 protected:
  Outcome in(std::vector<std::string> args, std::string input = {}) const {
    return call({.args = std::move(args),
                 .input = std::move(input),
                 .env = {{"HOME", path("home")}},
                 .cwd = project()});
  }
};

TEST_F(AutoState, StartWritesTheStateAndPrintsTheFirstPhase) {
  const Outcome outcome = in({"auto", "start", "Add a parser", "--skip-qa", "--max-iterations=7"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("SIGNAL: EXPANSION_COMPLETE"));
  const Json state = now();
  EXPECT_EQ(state["schema_version"], "2.0");
  EXPECT_EQ(state["active"], true);
  EXPECT_EQ(state["phase"], "expansion");
  EXPECT_EQ(state["iteration"], 0);
  EXPECT_EQ(state["max_iterations"], 7);
  EXPECT_EQ(state["task_description"], "Add a parser");
  EXPECT_EQ(state["session_id"], nullptr);
  EXPECT_EQ(state["completed_at"], nullptr);
  EXPECT_EQ(state["config"]["skip_qa"], true);
  EXPECT_EQ(state["config"]["parallel_validation"], true);
  EXPECT_EQ(state["qa"]["skipped"], true);
  for (const char* phase :
       {"expansion", "init", "planning", "execution", "qa", "review", "fix", "check", "reflect"})
    EXPECT_EQ(state[phase]["signal_detected"], false) << phase;
  EXPECT_FALSE(allowed(says("working")));
}

TEST_F(AutoState, SkippingExpansionStartsAtInit) {
  ASSERT_EQ(in({"auto", "start", "x", "--skip-expansion"}).exit_code, 0);
  EXPECT_EQ(now()["phase"], "init");
}

TEST_F(AutoState, TheTaskMayComeFromStdin) {
  ASSERT_EQ(in({"auto", "start", "-"}, "two\nlines\n").exit_code, 0);
  EXPECT_EQ(now()["task_description"], "two\nlines");
  EXPECT_EQ(in({"auto", "start", " "}).exit_code, 2);
  EXPECT_EQ(in({"auto", "start", "x", "--max-iterations=0"}).exit_code, 2);
}

TEST_F(AutoState, AnActiveStateIsReplacedOnlyByForce) {
  ASSERT_EQ(in({"auto", "start", "first"}).exit_code, 0);
  const Outcome second = in({"auto", "start", "second"});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.err, HasSubstr("already active"));
  EXPECT_EQ(now()["task_description"], "first");
  EXPECT_EQ(in({"auto", "start", "second", "--force"}).exit_code, 0);
  EXPECT_EQ(now()["task_description"], "second");
}

TEST_F(AutoState, ASessionIsNotDetached) {
  ASSERT_EQ(in({"auto", "start", "first"}).exit_code, 0);
  const Outcome detached = in({"auto", "continue", "--detach"});
  EXPECT_EQ(detached.exit_code, 1) << detached.out;
  EXPECT_THAT(detached.err, HasSubstr("it goes on where its client is"));
  EXPECT_EQ(detached.out, "");
  EXPECT_EQ(in({"auto", "continue"}).exit_code, 0);
}

TEST_F(AutoState, CancelLetsTheSessionStop) {
  EXPECT_EQ(in({"auto", "cancel"}).exit_code, 1);
  ASSERT_EQ(in({"auto", "start", "x"}).exit_code, 0);
  EXPECT_EQ(in({"auto", "cancel"}).exit_code, 0);
  EXPECT_EQ(now()["active"], false);
  EXPECT_EQ(now()["exit_reason"], "user_cancelled");
  EXPECT_TRUE(allowed(says("working")));
}

TEST_F(AutoState, StatusTellsThePhase) {
  EXPECT_EQ(in({"auto", "status"}).exit_code, 1);
  ASSERT_EQ(in({"auto", "start", "Add a parser"}).exit_code, 0);
  EXPECT_FALSE(allowed(says(block("EXPANSION_COMPLETE"))));
  const Outcome outcome = in({"auto", "status"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("[1/9] expansion … ✓"));
  EXPECT_THAT(outcome.out, HasSubstr("active in phase init"));
  EXPECT_EQ(Json::parse(in({"auto", "status", "--json"}).out)["phase"], "init");
}

TEST_F(AutoState, ADamagedStateIsSetAsideBeforeANewOneIsMade) {
  write_file(state_path(), "{half");
  const Outcome outcome = in({"auto", "start", "x"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("set aside"));
  EXPECT_EQ(now()["active"], true);
  bool kept = false;
  for (const auto& entry : std::filesystem::directory_iterator(path("p/.caw")))
    kept |= read_file(entry.path()) == "{half";
  EXPECT_TRUE(kept);
}

}  // namespace
}  // namespace capsule::test
