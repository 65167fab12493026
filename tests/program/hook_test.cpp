// capsule hook stop: every row of its table (docs/contracts/auto-hook.md), through the program.
#include "tests/program/hook_project.h"

namespace capsule::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Hook : public HookProject {};

TEST_F(Hook, WithoutAStateTheStopIsAllowedAndNothingIsWritten) {
  const Outcome outcome = says("done");
  EXPECT_TRUE(allowed(outcome));
  EXPECT_THAT(outcome.out + outcome.err, IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(path("p/.caw")));
}

TEST_F(Hook, AnInactiveStateAllowsTheStop) {
  Json state = this->state("planning");
  state["active"] = false;
  given(state);
  EXPECT_TRUE(allowed(says("done")));
  EXPECT_EQ(now(), state);
}

TEST_F(Hook, AStateOfAnotherSessionAllowsTheStopEvenWithItsSignal) {
  Json state = this->state("planning");
  state["session_id"] = "other";
  state["started_at"] = iso(10 * 3600);
  given(state);
  EXPECT_TRUE(allowed(says(block("PLANNING_COMPLETE"))));
  EXPECT_TRUE(allowed(says(block("AUTO_COMPLETE"))));
  EXPECT_EQ(now(), state);
}

TEST_F(Hook, ASessionThatCapsuleDrivesIsLeftAlone) {
  given(state("planning"));
  for (const char* value : {"20260101-000000-abcdef", ""}) {
    Call call = hook(event().dump());
    call.env["CAPSULE_RUN"] = value;
    EXPECT_TRUE(allowed(run(call)));
  }
  EXPECT_EQ(now()["iteration"], 0);
}

TEST_F(Hook, AMissingSignalIsAnsweredWithTheContinuationPrompt) {
  given(state("planning"));
  EXPECT_EQ(reason(says("I looked around.")),
            "## Auto Mode Continuation\n"
            "\n"
            "The auto workflow is active but phase completion signal was not detected.\n"
            "\n"
            "**Current State:**\n"
            "- Phase: planning\n"
            "- Iteration: 1/3\n"
            "- Task: Add a parser\n"
            "\n"
            "**Expected Signal:** PLANNING_COMPLETE\n"
            "\n"
            "**Action Required:**\n"
            "Continue working on the current phase. When complete, output:\n"
            "\n"
            "```\n"
            "---\n"
            "SIGNAL: PLANNING_COMPLETE\n"
            "PHASE: planning\n"
            "STATUS: complete\n"
            "TIMESTAMP: [current time ISO8601]\n"
            "NEXT: execution\n"
            "---\n"
            "```\n"
            "\n"
            "If unable to complete, explain the blocker and request user guidance.\n");
  EXPECT_EQ(now()["iteration"], 1);
  EXPECT_EQ(now()["session_id"], "s-1");
  const Outcome again = says("Still at it.");
  EXPECT_THAT(reason(again), HasSubstr("- Iteration: 2/3\n"));
  EXPECT_EQ(message(again), "") << "the person is not told of every reminder";
}

TEST_F(Hook, AStateWithoutASessionIsBoundToTheFirstThatStops) {
  given(state("planning"));
  EXPECT_FALSE(allowed(says("working")));
  EXPECT_TRUE(allowed(stop({{"session_id", "s-2"}, {"last_assistant_message", "working"}})));
  EXPECT_EQ(now()["session_id"], "s-1");
  EXPECT_EQ(now()["iteration"], 1);
}

TEST_F(Hook, ACompletePhaseIsFollowedByTheInstructionsOfTheNext) {
  Json state = this->state("planning");
  state["iteration"] = 2;
  given(state);
  const std::string next = reason(says("Plan written.\n" + block("PLANNING_COMPLETE")));
  EXPECT_THAT(next, HasSubstr("phase 4 of 9: execution"));
  EXPECT_THAT(next, HasSubstr("SIGNAL: EXECUTION_COMPLETE\nPHASE: execution"));
  EXPECT_THAT(next, HasSubstr("Add a parser"));
  EXPECT_EQ(now()["phase"], "execution");
  EXPECT_EQ(now()["iteration"], 0);
  EXPECT_EQ(now()["planning"]["signal_detected"], true);
  EXPECT_EQ(now()["signals"]["detected_signals"][0]["signal"], "PLANNING_COMPLETE");
  EXPECT_TRUE(now()["phase_durations"]["planning"].is_number_integer());
}

TEST_F(Hook, EveryPhaseLeadsToTheNextAndTheLastToTheEnd) {
  const std::vector<std::string> phases{"expansion", "init", "planning", "execution", "qa",
                                        "review",    "fix",  "check",    "reflect"};
  given(state("expansion"));
  for (std::size_t i = 0; i < phases.size(); ++i) {
    std::string name = phases[i];
    for (char& c : name) c = static_cast<char>(c - 32);
    const Outcome outcome = says(block(name + "_COMPLETE"));
    if (i + 1 < phases.size()) {
      EXPECT_THAT(reason(outcome), HasSubstr("of 9: " + phases[i + 1])) << phases[i];
      EXPECT_EQ(message(outcome), "[" + std::to_string(i + 2) + "/9] " + phases[i + 1]);
      EXPECT_EQ(now()["phase"], phases[i + 1]);
    } else {
      EXPECT_TRUE(allowed(outcome));
      EXPECT_EQ(message(outcome), "auto mode is complete: all phases are done");
    }
  }
  EXPECT_EQ(now()["active"], false);
  EXPECT_EQ(now()["phase"], "complete");
  EXPECT_EQ(now()["exit_reason"], "all_phases_complete");
  EXPECT_TRUE(now()["completed_at"].is_string());
  EXPECT_EQ(now()["signals"]["detected_signals"].size(), 9);
}

TEST_F(Hook, TheNextOfTheLastPhaseIsNone) {
  Json state = this->state("check");
  state["config"]["skip_reflect"] = true;
  given(state);
  EXPECT_THAT(reason(says("working")), HasSubstr("NEXT: none\n"));
  EXPECT_TRUE(allowed(says(block("CHECK_COMPLETE"))));
  EXPECT_EQ(now()["exit_reason"], "all_phases_complete");
}

TEST_F(Hook, OneTurnMayEndSeveralPhases) {
  given(state("planning"));
  EXPECT_THAT(
      reason(says(block("PLANNING_COMPLETE") + block("EXECUTION_COMPLETE") + block("QA_COMPLETE"))),
      HasSubstr("of 9: review"));
  EXPECT_EQ(now()["signals"]["detected_signals"].size(), 3);
}

TEST_F(Hook, AnotherPhasesSignalDoesNotAdvance) {
  given(state("planning"));
  EXPECT_THAT(reason(says(block("EXECUTION_COMPLETE") + block("PLANNING_COMPLETE"))),
              HasSubstr("of 9: execution"));
  EXPECT_THAT(reason(says(block("PLANNING_COMPLETE"))), HasSubstr("Auto Mode Continuation"));
}

TEST_F(Hook, AMessageThatTheTranscriptHoldsTooIsReadOnce) {
  given(state("planning"));
  const std::string text = block("EXECUTION_COMPLETE") + block("PLANNING_COMPLETE");
  write_file(path("t.jsonl"), line("user", "go") + line("assistant", text));
  EXPECT_THAT(
      reason(stop({{"transcript_path", path("t.jsonl")}, {"last_assistant_message", text}})),
      HasSubstr("of 9: execution"));
}

TEST_F(Hook, AutoCompleteEndsTheWorkflowInEveryPhase) {
  given(state("init"));
  const Outcome outcome = says(block("AUTO_COMPLETE"));
  EXPECT_TRUE(allowed(outcome));
  EXPECT_THAT(message(outcome), HasSubstr("auto mode is complete"));
  EXPECT_EQ(now()["phase"], "complete");
  EXPECT_EQ(now()["active"], false);
  EXPECT_EQ(now()["exit_reason"], "auto_complete_signal");
}

TEST_F(Hook, APhaseErrorAllowsTheStopAndStaysActive) {
  given(state("execution"));
  const Outcome outcome = says(block("PHASE_ERROR",
                                     "PHASE: execution\nSTATUS: error\nERROR: no compiler\n"
                                     "RECOVERABLE: true\n"));
  EXPECT_TRUE(allowed(outcome));
  EXPECT_THAT(message(outcome), HasSubstr("[4/9] execution"));
  EXPECT_THAT(message(outcome), HasSubstr("no compiler"));
  EXPECT_EQ(now()["active"], true);
  EXPECT_EQ(now()["phase"], "execution");
  EXPECT_EQ(now()["iteration"], 0);
  EXPECT_EQ(now()["last_error"], "no compiler");
}

TEST_F(Hook, ACompletionAfterAnErrorCounts) {
  given(state("execution"));
  EXPECT_THAT(reason(says(block("PHASE_ERROR") + block("EXECUTION_COMPLETE"))),
              HasSubstr("of 9: qa"));
}

TEST_F(Hook, ATransitionIsRecordedAndDoesNotAdvance) {
  given(state("execution"));
  EXPECT_THAT(reason(says(block("TRANSITION_TO_QA"))), HasSubstr("Auto Mode Continuation"));
  EXPECT_EQ(now()["phase"], "execution");
  EXPECT_EQ(now()["signals"]["detected_signals"][0]["signal"], "TRANSITION_TO_QA");
}

TEST_F(Hook, AtTheLimitTheSignalIsLookedForFirst) {
  Json state = this->state("planning");
  state["iteration"] = 3;
  given(state);
  EXPECT_THAT(reason(says(block("PLANNING_COMPLETE"))), HasSubstr("of 9: execution"));
}

TEST_F(Hook, BeyondTheLimitTheStateFails) {
  Json state = this->state("planning");
  state["iteration"] = 2;
  given(state);
  EXPECT_THAT(reason(says("working")), HasSubstr("- Iteration: 3/3\n"));
  const Outcome outcome = says("working");
  EXPECT_TRUE(allowed(outcome));
  EXPECT_THAT(message(outcome), HasSubstr("[3/9] planning: auto mode failed: no signal after 3"));
  EXPECT_EQ(now()["active"], false);
  EXPECT_EQ(now()["phase"], "failed");
  EXPECT_EQ(now()["exit_reason"], "max_iterations_reached");
}

TEST_F(Hook, TwentyIterationsAreTheUsualLimit) {
  Json state = this->state("planning");
  state.erase("max_iterations");
  state["iteration"] = 19;
  given(state);
  EXPECT_THAT(reason(says("working")), HasSubstr("- Iteration: 20/20\n"));
  EXPECT_TRUE(allowed(says("working")));
  EXPECT_EQ(now()["phase"], "failed");
}

TEST_F(Hook, AForgottenStateBecomesInactiveAndStaysWhereItWas) {
  Json state = this->state("planning");
  state["started_at"] = iso(2 * 3600 + 60);
  given(state);
  const Outcome outcome = says("hello");
  EXPECT_TRUE(allowed(outcome));
  EXPECT_THAT(message(outcome), HasSubstr("auto continue"));
  EXPECT_EQ(now()["active"], false);
  EXPECT_EQ(now()["phase"], "planning");
  EXPECT_EQ(now()["exit_reason"], "stale_state");
  EXPECT_EQ(now()["session_id"], nullptr);
}

TEST_F(Hook, StalenessIsLookedAtBeforeTheLimitAndAfterSignals) {
  Json state = this->state("planning");
  state["started_at"] = iso(3 * 3600);
  state["iteration"] = 3;
  given(state);
  EXPECT_TRUE(allowed(says("hello")));
  EXPECT_EQ(now()["exit_reason"], "stale_state");
  given(state);
  EXPECT_THAT(reason(says(block("PLANNING_COMPLETE"))), HasSubstr("of 9: execution"));
}

TEST_F(Hook, TheLastCheckCountsBeforeTheStart) {
  Json state = this->state("planning");
  state["started_at"] = iso(5 * 3600);
  state["signals"] = {{"last_checked", iso(3600)}, {"detected_signals", Json::array()}};
  given(state);
  EXPECT_FALSE(allowed(says("hello")));
}

TEST_F(Hook, TheSessionThatAStateIsBoundToNeverFindsItStale) {
  Json state = this->state("planning");
  state["started_at"] = iso(100 * 3600);
  state["session_id"] = "s-1";
  given(state);
  EXPECT_THAT(reason(says("back again")), HasSubstr("Auto Mode Continuation"));
}

TEST_F(Hook, AnUnknownPhaseAllowsTheStopSaysSoAndChangesNothing) {
  for (const char* phase : {"deployment", "complete", "failed", ""}) {
    given(state(phase));
    const std::string before = read_file(state_path());
    const Outcome outcome = says(block("AUTO_COMPLETE"));
    EXPECT_TRUE(allowed(outcome));
    EXPECT_THAT(message(outcome), HasSubstr("no phase"));
    EXPECT_EQ(read_file(state_path()), before);
  }
}

TEST_F(Hook, ACompletionWithAnotherStatusIsNone) {
  given(state("planning"));
  EXPECT_THAT(reason(says(block("PLANNING_COMPLETE", "STATUS: partial\n"))),
              HasSubstr("Auto Mode Continuation"));
}

TEST_F(Hook, AQuotedTemplateIsNoSignal) {
  given(state("planning"));
  const std::string prompt = reason(says("working"));
  EXPECT_THAT(reason(says("I was told:\n" + prompt)), HasSubstr("- Iteration: 2/3\n"));
}

TEST_F(Hook, LineEndsOfDosDoNotMatter) {
  given(state("planning"));
  EXPECT_THAT(
      reason(says("done\r\n---\r\nSIGNAL: PLANNING_COMPLETE\r\nSTATUS: complete\r\n---\r\n")),
      HasSubstr("of 9: execution"));
}

TEST_F(Hook, UnknownMembersAreKeptDigitByDigit) {
  write_file(state_path(),
             R"({"active":true,"phase":"qa","plugin":{"n":12345678901234567890.10},)"
             R"("qa":{"signal_detected":false,"cycles":1},"config":{"team":"a"},)"
             R"("signals":{"detected_signals":[{"signal":"X","detected_at":"y","by":"z"}]}})");
  EXPECT_FALSE(allowed(says(block("QA_COMPLETE"))));
  const std::string text = read_file(state_path());
  EXPECT_THAT(text, HasSubstr("12345678901234567890.10"));
  EXPECT_EQ(now()["qa"]["cycles"], 1);
  EXPECT_EQ(now()["qa"]["signal_detected"], true);
  EXPECT_EQ(now()["config"]["team"], "a");
  EXPECT_EQ(now()["signals"]["detected_signals"][0]["by"], "z");
  EXPECT_EQ(now()["signals"]["detected_signals"][1]["signal"], "QA_COMPLETE");
}

TEST_F(Hook, ADamagedStateIsSetAsideAndTheStopAllowed) {
  const std::vector<std::string> texts{"{\"active\": tr", "[]", "",
                                       "{\"active\":true,\"phase\":5}"};
  for (const std::string& text : texts) {
    write_file(state_path(), text);
    const Outcome outcome = says("working");
    EXPECT_TRUE(allowed(outcome));
    EXPECT_THAT(message(outcome), HasSubstr("set aside"));
    EXPECT_THAT(outcome.err, HasSubstr("set aside"));
    EXPECT_FALSE(std::filesystem::exists(state_path()));
  }
  std::vector<std::string> kept;
  for (const auto& entry : std::filesystem::directory_iterator(path("p/.caw")))
    kept.push_back(read_file(entry.path()));
  EXPECT_THAT(kept, ::testing::UnorderedElementsAreArray(texts));
}

TEST_F(Hook, AnotherSchemaIsLeftAlone) {
  Json state = this->state("planning");
  state["schema_version"] = "3.0";
  given(state);
  const Outcome outcome = says("working");
  EXPECT_TRUE(allowed(outcome));
  EXPECT_THAT(message(outcome), HasSubstr("schema version"));
  EXPECT_EQ(now(), state);
}

TEST_F(Hook, AFaultAllowsTheStopAndSaysWhy) {
  given(state("planning"));
  for (const char* input : {"", "no json", "[1]", "{\"session_id\":"}) {
    const Outcome outcome = run(hook(input));
    EXPECT_TRUE(allowed(outcome)) << input;
    EXPECT_THAT(outcome.err, HasSubstr("allowed")) << input;
    EXPECT_THAT(message(outcome), HasSubstr("allowed")) << input;
  }
  const Outcome unreadable = stop({{"transcript_path", path("nowhere.jsonl")}});
  EXPECT_TRUE(allowed(unreadable));
  EXPECT_THAT(unreadable.err, HasSubstr("nowhere.jsonl"));
  EXPECT_THAT(message(unreadable), HasSubstr("nowhere.jsonl"));
  EXPECT_EQ(now()["iteration"], 0);
}

TEST_F(Hook, AMessageThatWasCutWithinACharacterIsStillRead) {
  given(state("planning"));
  std::string input =
      event({{"last_assistant_message", "MARK\n" + block("PLANNING_COMPLETE")}}).dump();
  input.replace(input.find("MARK"), 4, "\\ud83d \xff");
  EXPECT_THAT(reason(run(hook(input))), HasSubstr("of 9: execution"));
}

TEST_F(Hook, ALinkIsNotFollowedToAState) {
  write_file(path("elsewhere.json"), state("planning").dump());
  std::filesystem::create_directories(path("p/.caw"));
  std::filesystem::create_symlink(path("elsewhere.json"), state_path());
  EXPECT_TRUE(allowed(says("working")));
  EXPECT_EQ(Json::parse(read_file(path("elsewhere.json")))["iteration"], 0);
}

TEST_F(Hook, TheProjectIsFoundFromAFolderBelowItAndFromTheClientsVariable) {
  given(state("planning"));
  std::filesystem::create_directories(path("p/src/deep"));
  EXPECT_FALSE(allowed(stop({{"cwd", path("p/src/deep")}})));
  EXPECT_TRUE(allowed(stop({{"cwd", path("home")}})));
  Call call = hook(event({{"cwd", path("home")}}).dump());
  call.env["CLAUDE_PROJECT_DIR"] = project();
  EXPECT_FALSE(allowed(run(call)));
  // Another repository inside the project is not the project.
  std::filesystem::create_directories(path("p/vendor/.git"));
  EXPECT_TRUE(allowed(stop({{"cwd", path("p/vendor")}})));
}

TEST_F(Hook, AnEventOfAnotherKindIsNotOurs) {
  given(state("planning"));
  EXPECT_TRUE(allowed(stop({{"hook_event_name", "SubagentStop"}})));
  EXPECT_EQ(now()["iteration"], 0);
}

TEST_F(Hook, WrongUsageNeverBlocksAStop) {
  // Exit status 2 would keep the session from stopping.
  EXPECT_EQ(capsule({"hook", "stop", "now"}).exit_code, 1);
}

}  // namespace
}  // namespace capsule::test
