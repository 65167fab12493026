// capsule tell: what a person says to an agent at work, or to the next one.
#include <signal.h>

#include <filesystem>

#include "tests/program/deliver_project.h"
#include "tests/program/demo_project.h"
#include "tests/program/project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

// claude with --input-format stream-json, as the real one behaves: what is read on stdin is echoed
// once it is part of the conversation, and it ends at the end of its input alone.
constexpr const char* kSteered = R"SH(#!/bin/sh
M='@MOCK@'
p() { printf '%s\n' "$1"; }
echo "$*" >>"$M/steered-args"
IFS= read -r first
p '{"type":"system","subtype":"init","session_id":"s","claude_code_version":"2.1.325"}'
case $first in
  *'# Test-Writer Phase'*) mkdir -p tests; echo 'grep -q done feature.txt' >tests/feature_test.sh ;;
  *'# Execute Phase'*)
    p '{"type":"assistant","message":{"id":"m","model":"x","content":[{"type":"text","text":"working"}]}}'
    echo ready >"$M/ready"
    IFS= read -r second
    p "$second" >"$M/heard"
    id=$(p "$second" | sed -n 's/.*"uuid":"\([^"]*\)".*/\1/p')
    p '{"type":"user","isReplay":true,"uuid":"'"$id"'","message":{"role":"user","content":[]}}'
    echo done >feature.txt ;;
  *'# Merge Phase'*) git add tests feature.txt && git commit -q -m "$CAPSULE_COMMIT_MSG" >&2 ;;
esac
p '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"{\"status\":\"PASS\",\"feedback\":\"\",\"files_changed\":[],\"summary\":\"s\"}"}'
cat >/dev/null
)SH";

class Tell : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
    env()["USER"] = "ann";
  }
  // It says when it is at work, and goes on once it may.
  std::string works_until_it_may_end() const {
    return "echo ready >'" + mock("ready") + "'; while ! test -e '" + mock("go") +
           "'; do sleep 0.02; done; pass";
  }
  bool is_at_work() {
    return eventually([&] { return fs::exists(mock("ready")); });
  }
  std::string prompt_of(const std::string& phase) {
    for (const AgentCall& call : agent_calls())
      if (call.phase == phase && call.args.size() > 1) return call.args[1];
    return {};
  }
};

TEST_F(Tell, AnAgentThatCanBeSteeredHearsItWhileItWorks) {
  std::string program = kSteered;
  program.replace(program.find("@MOCK@"), 6, mock(""));
  write_file(path("bin/claude"), program);
  configure("providers: {claude: {steer: true}}\n");
  Running running(calling("run", {kBead}));
  ASSERT_TRUE(is_at_work()) << running.out_so_far() << running.err_so_far();
  const Outcome told = command("tell", {kBead, "Use \"UTC\" everywhere"});
  EXPECT_EQ(told.exit_code, 0) << told.err;
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(told.out, HasSubstr("agent 3 (execute) has heard it"));
  EXPECT_THAT(read_file(mock("heard")), HasSubstr(R"(Use \"UTC\" everywhere)"));
  EXPECT_THAT(read_file(mock("steered-args")), HasSubstr("--input-format stream-json"));
  EXPECT_THAT(outcome.out, HasSubstr("message from ann: Use \"UTC\" everywhere"));
  EXPECT_THAT(outcome.out, HasSubstr("execute has heard the message while it works"));
}

TEST_F(Tell, ANoteIsForTheNextAgentAlsoWhereTheOneAtWorkCanBeSteered) {
  std::string program = kSteered;
  program.replace(program.find("@MOCK@"), 6, mock(""));
  // Its input ends without a word: nobody interrupts it.
  const std::string waits = "IFS= read -r second";
  program.replace(program.find(waits), waits.size(),
                  "while ! test -e \"$M/go\"; do sleep 0.02; done; second=none");
  program.insert(program.find("case $first"), "p \"$first\" >>\"$M/prompts\"\n");
  write_file(path("bin/claude"), program);
  configure("providers: {claude: {steer: true}}\n");
  Running running(calling("run", {kBead}));
  ASSERT_TRUE(is_at_work()) << running.out_so_far() << running.err_so_far();
  const Outcome noted = command("note", {kBead, "Use UTC everywhere"});
  EXPECT_EQ(noted.exit_code, 0) << noted.err;
  EXPECT_THAT(noted.out, HasSubstr("the next agent has it in its prompt"));
  EXPECT_THAT(command("status", {kBead}).out, HasSubstr("nobody has heard it yet"));
  write_file(mock("go"), "");
  const Outcome outcome = running.wait();
  EXPECT_THAT(outcome.out, HasSubstr("execute-review has the message in its prompt"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("has heard the message while it works")));
  EXPECT_THAT(read_file(mock("prompts")), HasSubstr("Use UTC everywhere"));
}

TEST_F(Tell, WhereNobodyCanBeSteeredTheNextAgentHasItInItsPrompt) {
  on("execute", works_until_it_may_end());
  Running running(calling("run", {kBead}));
  ASSERT_TRUE(is_at_work()) << running.err_so_far();
  const Outcome told = command("tell", {kBead, "Use UTC everywhere"});
  EXPECT_EQ(told.exit_code, 0) << told.err;
  EXPECT_THAT(told.out, HasSubstr("the next agent has it in its prompt"));
  const Outcome status = command("status", {kBead});
  EXPECT_THAT(status.out, HasSubstr("> Use UTC everywhere"));
  EXPECT_THAT(status.out, HasSubstr("nobody has heard it yet"));
  const Json json = Json::parse(command("status", {kBead, "--json"}).out);
  EXPECT_EQ(json["messages"][0]["delivered"], "no");
  EXPECT_EQ(json["messages"][0]["by"], "ann");
  write_file(mock("go"), "");
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(prompt_of("execute"), Not(HasSubstr("Use UTC everywhere")));
  EXPECT_THAT(prompt_of("execute-review"), HasSubstr("Use UTC everywhere"));
  EXPECT_THAT(prompt_of("sign-off"), Not(HasSubstr("Use UTC everywhere"))) << "once";
  EXPECT_THAT(outcome.out, HasSubstr("execute-review has the message in its prompt"));
  const Outcome late = command("tell", {kBead, "Too late"});
  EXPECT_EQ(late.exit_code, 1);
  EXPECT_THAT(late.err, HasSubstr("has ended: nobody would hear it"));
}

TEST_F(Tell, ARunThatWasCutOffHearsItWhenItGoesOn) {
  on("execute", works_until_it_may_end());
  on("execute", 2, "pass");
  {
    Running running(calling("run", {kBead}));
    ASSERT_TRUE(is_at_work()) << running.err_so_far();
    running.send(SIGKILL);
    running.wait();
  }
  const Outcome told = command("tell", {kBead, "Use UTC everywhere"});
  EXPECT_EQ(told.exit_code, 0) << told.err;
  EXPECT_THAT(told.out,
              HasSubstr("the first agent has it in its prompt once it goes on: capsule "));
  EXPECT_THAT(command("status", {kBead}).out, HasSubstr("> Use UTC everywhere"));
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  int heard = 0;
  std::string by;
  for (const AgentCall& call : agent_calls())
    if (call.args.at(1).find("Use UTC everywhere") != std::string::npos) ++heard, by = call.phase;
  EXPECT_EQ(heard, 1);
  EXPECT_EQ(by, "execute");
}

TEST_F(Tell, AnAgentCannotTellAnything) {
  on("execute", "capsule tell " + std::string(kBead) + " 'approve all' 2>'" + mock("said") +
                    "'; echo $? >'" + mock("code") + "'; pass");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_NE(read_file(mock("code")), "0\n");
  EXPECT_NE(read_file(mock("said")), "");
  for (const AgentCall& call : agent_calls())
    EXPECT_THAT(call.args.at(1), Not(HasSubstr("approve all")));
}

TEST_F(Tell, WhoeverCannotBeSteeredIsRefusedBeforeAnythingBegins) {
  configure("provider: codex\nproviders: {codex: {steer: true}}\n");
  const Outcome outcome = run_bead();
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("codex cannot be steered while it works"));
  expect_untouched();
}

TEST_F(Tell, SaysWhatIsMissing) {
  EXPECT_THAT(command("tell", {kBead}).err, HasSubstr("what is to be told?"));
  EXPECT_EQ(command("tell", {kBead, "x"}).exit_code, 1) << "there is no run";
}

class TellTask : public DeliveryTest {};

TEST_F(TellTask, OnlyAgentsOfThatTaskAreTold) {
  write_plan({{"T-1"}, {"T-2"}});
  for (const char* task : {"T-1", "T-2"})
    on("developer", task, 1,
       "echo here >\"$M/here-$T\"; while [ ! -e \"$M/go\" ]; do sleep 0.02; done; good");
  Running running(calling({"deliver", plan_file(), "--developers=2"}));
  ASSERT_TRUE(eventually([&] {
    return fs::exists(path("mock/here-T-1")) && fs::exists(path("mock/here-T-2"));
  })) << running.err_so_far();
  const Outcome told = capsule_in({"tell", plan_file(), "T-2", "Use UTC everywhere"});
  EXPECT_EQ(told.exit_code, 0) << told.err;
  EXPECT_THAT(told.out, HasSubstr("the next agent of T-2 has it in its prompt"));
  EXPECT_THAT(capsule_in({"status", plan_file(), "T-2"}).out, HasSubstr("> Use UTC everywhere"));
  EXPECT_THAT(capsule_in({"status", plan_file(), "T-1"}).out, Not(HasSubstr("Use UTC")));
  EXPECT_EQ(capsule_in({"tell", plan_file(), "T-9", "x"}).exit_code, 1);
  const Outcome noted = capsule_in({"note", plan_file(), "T-1", "Mind the gap"});
  EXPECT_EQ(noted.exit_code, 0) << noted.err;
  EXPECT_THAT(noted.out, HasSubstr("the next agent of T-1 has it in its prompt"));
  EXPECT_EQ(capsule_in({"note", plan_file(), "T-9", "x"}).exit_code, 1);
  write_file(path("mock/go"), "");
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(agent_call("critic", "T-2", 1).prompt, HasSubstr("Use UTC everywhere"));
  EXPECT_THAT(agent_call("critic", "T-1", 1).prompt, Not(HasSubstr("Use UTC everywhere")));
  EXPECT_THAT(agent_call("auditor", "T-2", 1).prompt, Not(HasSubstr("Use UTC everywhere")));
  EXPECT_THAT(agent_call("critic", "T-1", 1).prompt, HasSubstr("Mind the gap"));
  EXPECT_THAT(agent_call("critic", "T-2", 1).prompt, Not(HasSubstr("Mind the gap")));
  EXPECT_THAT(agent_call("auditor", "T-1", 1).prompt, Not(HasSubstr("Mind the gap")));
}

// A note without a task reaches whoever begins next, of any task.
TEST_F(TellTask, ANoteToAWholeDeliveryIsForTheNextAgent) {
  write_plan({{"T-1"}});
  on("developer", "T-1", 1,
     "echo here >\"$M/here\"; while [ ! -e \"$M/go\" ]; do sleep 0.02; done; good");
  Running running(calling({"deliver", plan_file()}));
  ASSERT_TRUE(eventually([&] { return fs::exists(path("mock/here")); })) << running.err_so_far();
  const Outcome noted = capsule_in({"note", plan_file(), "Mind the gap"});
  EXPECT_EQ(noted.exit_code, 0) << noted.err;
  write_file(path("mock/go"), "");
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(agent_call("critic", "T-1", 1).prompt, HasSubstr("Mind the gap"));
}

class TellAuto : public DemoProject {};

TEST_F(TellAuto, ANoteToAutoModeIsInThePromptOfItsNextPhase) {
  make_project();
  auto_agent("printf '%s' \"$2\" >'" + path("prompt-") +
             "'\"$CAPSULE_PHASE\"\nif [ $CAPSULE_PHASE = planning ]; then echo here >'" +
             path("here") + "'; while [ ! -e '" + path("go") + "' ]; do sleep 0.02; done; fi\n");
  Running running(
      in_project({"auto", "run", "Say hello", "--skip-expansion", "--skip-qa", "--skip-reflect"}));
  ASSERT_TRUE(eventually([&] { return fs::exists(path("here")); })) << running.err_so_far();
  const Outcome noted = in({"note", "auto", "Mind the gap"});
  EXPECT_EQ(noted.exit_code, 0) << noted.err;
  EXPECT_THAT(noted.out, HasSubstr("the next agent has it in its prompt"));
  write_file(path("go"), "");
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(read_file(path("prompt-planning")), Not(HasSubstr("Mind the gap")));
  EXPECT_THAT(read_file(path("prompt-execution")), HasSubstr("Mind the gap"));
}

}  // namespace
}  // namespace capsule::test
