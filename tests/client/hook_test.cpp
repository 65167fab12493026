// Auto mode inside the real client: the Stop hook that `capsule hook install` wrote is called at
// the end of every turn, and what it answers reaches the model.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/client/client.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kFirst = "0b1e7c54-6a4f-4f52-9c1a-5d6f0e2a7b31";
const std::string kOther = "7f0320e4-7410-44a9-80eb-4764ffb7e4ce";

class ClientHook : public ClientTest {
 protected:
  void SetUp() override {
    ClientTest::SetUp();
    if (IsSkipped()) return;
    install_hook();
    write_file(project() + "/.git/info/exclude", ".capsule/\n.caw/\n");
  }
  Outcome start(std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"start", "Add a greeting"});
    return command("auto", std::move(options));
  }
  Outcome ask(const std::string& prompt, const std::string& session, bool resume = false) const {
    return client({"-p", prompt, "--dangerously-skip-permissions",
                   resume ? "--resume" : "--session-id", session});
  }
  // What the client shows a person in the name of its hooks. Where it does not tell in its output,
  // it is in its transcript.
  std::vector<std::string> messages() const {
    std::vector<std::string> told;
    for (const auto& entry : fs::recursive_directory_iterator(path("home/.claude/projects")))
      if (entry.path().extension() == ".jsonl")
        for (const std::string& line : lines_of(read_file(entry.path()))) {
          const json record = json::parse(line, nullptr, false);
          if (!record.is_object() || record.value("type", "") != "attachment") continue;
          const json& shown = record.at("attachment");
          if (shown.value("type", "") == "hook_system_message")
            told.push_back(shown.value("content", ""));
        }
    return told;
  }
  json state() const { return json::parse(read_file(project() + "/.caw/auto-state.json")); }
};

TEST_F(ClientHook, ATaskIsCarriedThroughNinePhasesAndAForgottenSignalIsAskedFor) {
  // As a person starts it in the client; the command's text tells the model what to do.
  model().when("Start auto mode for this task",
               {bash("capsule auto start - <<'E'\nAdd a greeting\nE"),
                say(completion("EXPANSION_COMPLETE"))});
  model().when("phase 2 of 9: init", {say(completion("INIT_COMPLETE"))});
  model().when("- Phase: planning", {say(completion("PLANNING_COMPLETE"))});
  model().when("phase 3 of 9: planning", {say("The plan is written.")});
  model().when("phase 4 of 9: execution",
               {bash("echo hello >greeting.txt"), say(completion("EXECUTION_COMPLETE"))});
  model().when("phase 5 of 9: qa", {bash("cat greeting.txt"), say(completion("QA_COMPLETE"))});
  model().when("phase 6 of 9: review", {say(completion("REVIEW_COMPLETE"))});
  model().when("phase 7 of 9: fix", {say(completion("FIX_COMPLETE"))});
  model().when("phase 8 of 9: check", {say(completion("CHECK_COMPLETE"))});
  model().when("phase 9 of 9: reflect", {say(completion("REFLECT_COMPLETE"))});
  const Outcome outcome = ask("/capsule-auto Add a greeting", kFirst);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(model().keys(),
              ElementsAre("Start auto mode for this task", "phase 2 of 9: init",
                          "phase 3 of 9: planning", "- Phase: planning", "phase 4 of 9: execution",
                          "phase 5 of 9: qa", "phase 6 of 9: review", "phase 7 of 9: fix",
                          "phase 8 of 9: check", "phase 9 of 9: reflect"));
  for (const Turn& turn : model().turns()) EXPECT_EQ(turn.session, kFirst);
  const std::vector<Turn> turns = model().turns();
  EXPECT_THAT(turns.at(1).tool, HasSubstr("phase 1 of 9: expansion"))
      << "auto start prints the first phase's instructions";
  const auto reminder = std::find_if(turns.begin(), turns.end(),
                                     [](const Turn& t) { return t.key == "- Phase: planning"; });
  EXPECT_TRUE(reminder->prompt.starts_with("Stop hook feedback:\n## Auto Mode Continuation\n"))
      << reminder->prompt;
  EXPECT_THAT(reminder->prompt, HasSubstr("**Expected Signal:** PLANNING_COMPLETE\n"));
  EXPECT_THAT(outcome.out, HasSubstr("REFLECT_COMPLETE"));
  EXPECT_EQ(read_file(project() + "/greeting.txt"), "hello\n");
  EXPECT_EQ(state()["phase"], "complete");
  EXPECT_EQ(state()["active"], false);
  EXPECT_EQ(state()["exit_reason"], "all_phases_complete");
  EXPECT_EQ(state()["session_id"], kFirst);
  EXPECT_EQ(state()["signals"]["detected_signals"].size(), 9U);
  EXPECT_THAT(messages(), ElementsAre("[2/9] init", "[3/9] planning", "[4/9] execution", "[5/9] qa",
                                      "[6/9] review", "[7/9] fix", "[8/9] check", "[9/9] reflect",
                                      "auto mode is complete: all phases are done"));
  announce({"?? greeting.txt"});
}

TEST_F(ClientHook, TheLimitEndsASessionThatKeepsForgettingItsSignal) {
  ASSERT_EQ(start({"--max-iterations=3"}).exit_code, 0);
  model().when("## Auto Mode Continuation", {say("I am still thinking.")});
  model().when("Begin", {say("I think.")});
  const Outcome outcome = ask("Begin", kFirst);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "I am still thinking.\n");
  EXPECT_EQ(model().turns().size(), 4U) << "the first answer, and three reminders";
  EXPECT_THAT(model().turns().back().prompt, HasSubstr("- Iteration: 3/3"));
  EXPECT_EQ(state()["phase"], "failed");
  EXPECT_EQ(state()["active"], false);
  EXPECT_EQ(state()["exit_reason"], "max_iterations_reached");
  ASSERT_EQ(messages().size(), 1U);
  EXPECT_THAT(messages()[0], HasSubstr("auto mode failed: no signal after 3 continuations"));
}

TEST_F(ClientHook, AutoModeIsHeldInTheSessionThatStartedItAndInNoOther) {
  model().when("Start it", {bash("capsule auto start Look --max-iterations=1"), repeat_tool()});
  model().when("Answer a question", {say("It is 42.")});
  model().when("## Auto Mode Continuation", {say(completion("AUTO_COMPLETE"))});
  ASSERT_EQ(ask("Start it", kFirst).exit_code, 0);
  EXPECT_EQ(state()["session_id"], kFirst);
  EXPECT_EQ(state()["exit_reason"], "auto_complete_signal");
  ASSERT_EQ(command("auto", {"start", "Look", "--session=" + kFirst}).exit_code, 0);
  const json before = state();
  EXPECT_EQ(ask("Answer a question", kOther).out, "It is 42.\n");
  EXPECT_EQ(state(), before);
}

// In the project under one name, and for the user under another.
TEST_F(ClientHook, InstalledTwiceEachStopIsAnsweredOnce) {
  fs::create_directories(path("other"));
  fs::create_symlink(CAPSULE_BINARY, path("other/capsule"));
  write_file(
      path("home/.claude/settings.json"),
      json{{"hooks",
            {{"Stop",
              {{{"hooks",
                 {{{"type", "command"}, {"command", path("other/capsule") + " hook stop"}}}}}}}}}}
          .dump());
  EXPECT_THAT(start({"--max-iterations=3"}).err, HasSubstr("installed twice"));
  model().when("Iteration: 1/3", {say("I think of it.")});
  model().when("Iteration: 2/3", {say(completion("EXPANSION_COMPLETE"))});
  model().when("phase 2 of 9: init", {say(completion("AUTO_COMPLETE"))});
  model().when("Begin", {say("I think.")});
  ASSERT_EQ(ask("Begin", kFirst).exit_code, 0);
  EXPECT_THAT(model().keys(),
              ElementsAre("Begin", "Iteration: 1/3", "Iteration: 2/3", "phase 2 of 9: init"));
  EXPECT_EQ(state()["exit_reason"], "auto_complete_signal");
  EXPECT_EQ(state()["signals"]["detected_signals"].size(), 2U);
  EXPECT_THAT(messages(), ElementsAre("[2/9] init", HasSubstr("auto mode is complete")));
  EXPECT_EQ(model().turns().back().user_texts, 4U) << "nothing was said twice";
}

TEST_F(ClientHook, AnotherSessionOfTheProjectIsNotHeldUpAndTheFirstGoesOn) {
  ASSERT_EQ(start({"--skip-reflect", "--max-iterations=1"}).exit_code, 0);
  model().when("Answer a question", {say("It is 42.")});
  model().when("Begin", {say("---\nSIGNAL: PHASE_ERROR\nSTATUS: error\nERROR: no words\n"
                             "RECOVERABLE: true\nTIMESTAMP: 2026-01-31T23:59:59Z\n---")});
  model().when("Here are the words", {say(completion("EXPANSION_COMPLETE"))});
  model().when("phase 2 of 9: init", {say(completion("AUTO_COMPLETE"))});
  ASSERT_EQ(ask("Begin", kFirst).exit_code, 0);
  EXPECT_EQ(state()["active"], true) << "a person can act";
  EXPECT_EQ(state()["session_id"], kFirst);

  const json before = state();
  const Outcome other = ask("Answer a question", kOther);
  EXPECT_EQ(other.out, "It is 42.\n");
  EXPECT_EQ(state(), before);

  ASSERT_EQ(ask("Here are the words", kFirst, true).exit_code, 0);
  EXPECT_THAT(model().keys(), ElementsAre("Begin", "Answer a question", "Here are the words",
                                          "phase 2 of 9: init"));
  EXPECT_EQ(state()["phase"], "complete");
  EXPECT_EQ(state()["exit_reason"], "auto_complete_signal");
}

TEST_F(ClientHook, AnAgentOfThePipelineIsNotHeldUpEither) {
  ASSERT_EQ(start().exit_code, 0);
  const json before = state();
  ASSERT_EQ(command("prep", {kBead}).exit_code, 0);
  model().when("# Execute Phase", {say(signal_text("PASS", "fine"))});
  const Outcome outcome = command("run-phase", {"execute", worktree()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(model().turns().size(), 1U);
  EXPECT_EQ(state(), before);
}

// The client ends a turn by itself when a hook held it eight times and no tool was used meanwhile.
TEST_F(ClientHook, WhenTheClientOverridesTheHookTheStateCanStillGoOn) {
  ASSERT_EQ(start().exit_code, 0);
  model().when("## Auto Mode Continuation", {say("I am still thinking.")});
  model().when("Begin", {say("I think.")});
  model().when("Enough of that", {say(completion("AUTO_COMPLETE"))});
  ASSERT_EQ(ask("Begin", kFirst).exit_code, 0);
  EXPECT_EQ(model().turns().size(), 9U) << "the first answer, and eight reminders";
  EXPECT_EQ(state()["active"], true);
  EXPECT_EQ(state()["phase"], "expansion");
  ASSERT_EQ(ask("Enough of that", kFirst, true).exit_code, 0);
  EXPECT_EQ(state()["exit_reason"], "auto_complete_signal");
}

}  // namespace
}  // namespace capsule::test
