// The pipeline by each of the clients that Capsule knows: programs of their names that print what
// these print, in `capsule run` without any configuration.
#include <algorithm>
#include <filesystem>

#include "tests/program/project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

// How a program of that name is told its prompt, and what it prints around its last words, which
// stand in $TEXT as they stand in JSON.
struct Imitation {
  const char* name;
  const char* prompt;  // sets $PROMPT
  const char* events;
  const char* more = "";  // what the configuration needs
};

const char* const kFromStdin = "PROMPT=$(cat)";
const char* const kLastArgument = "for PROMPT; do :; done";

const Imitation kImitations[] = {
    {"claude", "PROMPT=$2",
     R"(p '{"type":"system","subtype":"init","session_id":"s","claude_code_version":"2.1.325"}'
p '{"type":"assistant","message":{"id":"m","model":"x","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]}}'
p '{"duration_ms":1,"result":"'"$TEXT"'","is_error":false,"subtype":"success","num_turns":1,"type":"result"}')"},
    {"codex", kFromStdin, R"(p '{"type":"thread.started","thread_id":"c"}'
p '{"type":"turn.started"}'
p '{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"'"$TEXT"'"}}'
p '{"type":"turn.completed","usage":{"input_tokens":9,"cached_input_tokens":2,"output_tokens":3}}')"},
    {"gemini", kFromStdin, R"(p '{"type":"init","session_id":"g","model":"m"}'
p '{"type":"message","role":"assistant","content":"'"$TEXT"'","delta":true}'
p '{"type":"result","status":"success","stats":{"input_tokens":9,"output_tokens":3}}')"},
    {"opencode", kFromStdin, R"(p '{"type":"step_start","sessionID":"o","part":{}}'
p '{"type":"text","sessionID":"o","part":{"text":"'"$TEXT"'"}}'
p '{"type":"step_finish","sessionID":"o","part":{"reason":"stop","tokens":{"input":9,"output":3},"cost":0}}')",
     "providers: {opencode: {model: loop/m}}\n"},
    {"goose", kFromStdin, R"(p '    __( O)>  new session'
p '{"type":"message","message":{"id":"1","role":"assistant","content":[{"type":"text","text":"'"$TEXT"'"}]}}'
p '{"type":"complete","total_tokens":12,"input_tokens":9,"output_tokens":3}')"},
    {"qwen", kFromStdin,
     R"(p '{"type":"system","subtype":"init","session_id":"q","qwen_code_version":"0.24.4"}'
p '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"'"$TEXT"'","usage":{"input_tokens":9}}')"},
    {"copilot", kFromStdin, R"(p '{"type":"session.tools_updated","data":{"model":"m"}}'
p '{"type":"assistant.message","data":{"model":"m","content":"'"$TEXT"'"}}'
p '{"type":"result","sessionId":"p","exitCode":0,"usage":{"premiumRequests":1}}')"},
    {"kimi", kLastArgument, R"(p '{"role":"meta","type":"system.version","version":"2.1.0"}'
p '{"role":"assistant","content":"'"$TEXT"'"}'
p '{"role":"meta","type":"session.resume_hint","session_id":"k"}')"},
    {"grok", kLastArgument, R"(p '{"type":"available_commands","tools":[],"commands":[]}'
p '{"type":"text","data":"'"$TEXT"'"}'
p '{"type":"end","stopReason":"end_turn","sessionId":"x","usage":{"input_tokens":9}}')"},
};

class KnownClient : public ProjectTest, public ::testing::WithParamInterface<Imitation> {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
    fs::rename(path("bin/claude"), path("bin/worker"));
    const Imitation& client = GetParam();
    write_file(path("bin/" + std::string(client.name)),
               "#!/bin/bash\n[ \"$*\" != --version ] || exec echo \"$0 7.8.9\"\np() { printf "
               "'%s\\n' \"$1\"; }\n" +
                   std::string(client.prompt) +
                   "\nTEXT=$(worker -p \"$PROMPT\" --x </dev/null) || exit\n"
                   "TEXT=\"Said.\"$'\\n'\"$TEXT\"\n"
                   "TEXT=${TEXT//\\\\/\\\\\\\\}; TEXT=${TEXT//\\\"/\\\\\\\"}; "
                   "TEXT=${TEXT//$'\\n'/\\\\n}\n" +
                   client.events + "\n");
    fs::permissions(path("bin/" + std::string(client.name)), fs::perms::owner_all);
  }
};

TEST_P(KnownClient, TakesABeadToMain) {
  configure(GetParam().more);
  on("test-review", 1, "say NEEDS_WORK 'name the empty case'");
  on("test-review", 2, "pass");
  const Outcome outcome = run_bead({"--provider=" + std::string(GetParam().name)});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "test-review: NEEDS_WORK (attempt 1/3)");
  EXPECT_HAS(git_out({"show", "main:feature.txt"}), "done");
  // By its own word, or by that of --version.
  const std::string name(GetParam().name);
  const std::string message = git_out({"log", "-2", "--format=%B", "main"});
  EXPECT_HAS(message, "Capsule-Client: " + name + " ");
}

std::string name_of_imitation(const ::testing::TestParamInfo<Imitation>& info) {
  return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(All, KnownClient, ::testing::ValuesIn(kImitations), name_of_imitation);

class ChosenClient : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
  }
};

TEST_F(ChosenClient, OpencodeWithoutAModelIsRefusedBeforeAnythingIsMade) {
  const Outcome outcome = run_bead({"--provider=opencode"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_HAS(outcome.err, "opencode has no model");
  EXPECT_HAS(outcome.err, "providers: {opencode: {model: PROVIDER/MODEL}}");
  expect_untouched();
}

// As the faces have it go on: by its name alone.
TEST_F(ChosenClient, ARunGoesOnWithWhatItWasStartedWithUntilSomebodySaysOtherwise) {
  for (const char* name : {"mine", "other"}) {
    write_file(path("bin/" + std::string(name)),
               "#!/bin/bash\necho " + std::string(name) + " >>'" + path("who") +
                   "'\nexec claude -p \"$(cat)\" --x </dev/null\n");
    fs::permissions(path("bin/" + std::string(name)), fs::perms::owner_all);
  }
  configure("providers: {mine: {command: [mine]}, other: {command: [other]}}\n");
  const auto who = [&] { return lines_of(test::read_file(path("who"))); };
  on("execute", 1, "say ERROR 'not today'");
  on("execute", 2, "say ERROR 'nor now'");
  on("execute", 3, "work; say PASS fine '\"feature.txt\"'");
  EXPECT_EQ(run_bead({"--provider=mine"}).exit_code, 2);
  EXPECT_EQ(who(), std::vector<std::string>(3, "mine"));
  EXPECT_EQ(run_bead({"--resume"}).exit_code, 2);
  EXPECT_EQ(who(), std::vector<std::string>(4, "mine"));
  const Outcome outcome = run_bead({"--resume", "--provider=other"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  std::vector<std::string> all(4, "mine");
  all.resize(who().size(), "other");
  EXPECT_EQ(who(), all);
  EXPECT_EQ(who().size(), phases().size()) << "nobody was asked who was not named";
}

TEST_F(ChosenClient, OutputTextBringsTheSpecifiedArgumentsBack) {
  configure("providers: {claude: {output: text}}\n");
  ASSERT_EQ(run_bead().exit_code, 0);
  for (const AgentCall& call : agent_calls()) {
    ASSERT_EQ(call.args.size(), 3U);
    EXPECT_EQ(call.args[2], "--dangerously-skip-permissions");
  }
}

TEST_F(ChosenClient, ArgumentsAndVariablesOfTheConfigurationReachTheClient) {
  configure("providers: {claude: {args: [--effort, high], env: [CLAUDE_CODE_MAX_RETRIES=9]}}\n");
  ASSERT_EQ(run_bead().exit_code, 0);
  const AgentCall call = agent_calls().at(0);
  const auto word = std::find(call.args.begin(), call.args.end(), "--effort");
  ASSERT_GE(call.args.end() - word, 2);
  EXPECT_EQ(word[1], "high");
  EXPECT_EQ(call.env.at("CLAUDE_CODE_MAX_RETRIES"), "9");
}

// As the real one's: there, nobody who commits would have a name.
TEST_F(ChosenClient, GeminiWhoseShellHidesTheUsersGitSettingsCommitsInTheUsersName) {
  write_file(path("bin/gemini"),
             "#!/bin/bash\nexport GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null\n"
             "exec claude -p \"$(cat)\" --x </dev/null\n");
  fs::permissions(path("bin/gemini"), fs::perms::owner_all);
  const Outcome outcome = run_bead({"--provider=gemini"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(git_out({"log", "-1", "--format=%an <%ae> %cn", "main^2"}),
            git_out({"log", "-1", "--format=%an <%ae> %cn", "main^1"}));
}

TEST_F(ChosenClient, QwenIsToldInAFileOfDefaultsHowOftenItMayTry) {
  write_file(path("bin/qwen"), "#!/bin/bash\ncat \"$QWEN_CODE_SYSTEM_DEFAULTS_PATH\" >" +
                                   path("defaults") +
                                   "\nexec claude -p \"$(cat)\" --x </dev/null\n");
  fs::permissions(path("bin/qwen"), fs::perms::owner_all);
  ASSERT_EQ(run_bead({"--provider=qwen"}).exit_code, 0);
  EXPECT_HAS(read_file(path("defaults")), R"({"model":{"generationConfig":{"maxRetries":0}})");
}

TEST_F(ChosenClient, AProgramOfOnesOwnMayPrintAKnownClientsEvents) {
  write_file(
      path("bin/mine"),
      "#!/bin/bash\nTEXT=$(claude -p \"$(cat)\" --x </dev/null); TEXT=${TEXT//\\\"/\\\\\\\"}\n"
      "printf '%s\\n' '{\"type\":\"text\",\"data\":\"'\"$TEXT\"'\"}' "
      "'{\"type\":\"end\",\"stopReason\":\"end_turn\"}'\n");
  fs::permissions(path("bin/mine"), fs::perms::owner_all);
  configure("provider: mine\nproviders: {mine: {command: [mine], output: grok-stream}}\n");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
}

}  // namespace
}  // namespace capsule::test
