// Sessions whose id is the client's own outlive the process that began them.
#include <signal.h>

#include <filesystem>

#include "tests/program/deliver_project.h"
#include "tests/program/project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

// codex exec --json: its threads have numbers of its own, and it counts a whole thread.
constexpr const char* kCodex = R"SH(#!/bin/sh
M='@MOCK@'
p() { printf '%s\n' "$1"; }
[ "$1" != --version ] || { p 'codex-cli 0.166.0'; exit; }
PROMPT=$(cat)
n=0; [ ! -f "$M/n" ] || read -r n <"$M/n"
n=$((n + 1)); echo "$n" >"$M/n"
thread=thread-$n used=100 S=PASS F=
case $* in *' resume '*)
  thread=$(p "$*" | sed 's/.* resume \([^ ]*\).*/\1/'); used=130
  PROMPT="# Test-Writer Phase again: $PROMPT" ;;
esac
p "$* | $(p "$PROMPT" | head -n 1)" >>"$M/codex-calls"
p "$PROMPT" >"$M/prompt-$n"
p '{"type":"thread.started","thread_id":"'"$thread"'"}'
case $PROMPT in
  '# Test-Writer Phase'*) mkdir -p tests; echo 'grep -q done feature.txt' >tests/feature_test.sh ;;
  '# Test-Review Phase'*)
    [ -e "$M/ready" ] || { echo ready >"$M/ready"; sleep 600; }
    [ -e "$M/reviewed" ] || { S=NEEDS_WORK F='cover empty input'; touch "$M/reviewed"; } ;;
  '# Execute Phase'*) echo done >feature.txt ;;
  '# Merge Phase'*) git add tests feature.txt && git commit -q -m "$CAPSULE_COMMIT_MSG" >&2 ;;
esac
p '{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"{\"status\":\"'$S'\",\"feedback\":\"'"$F"'\",\"files_changed\":[],\"summary\":\"s\"}"}}'
p '{"type":"turn.completed","usage":{"input_tokens":'$used',"cached_input_tokens":0,"output_tokens":0}}'
)SH";

class TheirSession : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
    std::string program = kCodex;
    program.replace(program.find("@MOCK@"), 6, mock(""));
    write_file(path("bin/codex"), program);
    fs::permissions(path("bin/codex"), fs::perms::owner_all);
  }
};

TEST_F(TheirSession, GoesOnUnderTheClientsOwnIdAfterCapsuleWasKilled) {
  configure("provider: codex\n");
  {
    Running running(calling("run", {kBead}));
    ASSERT_TRUE(eventually([&] { return fs::exists(mock("ready")); })) << running.err_so_far();
    running.send(SIGKILL);
    running.wait();
  }
  const Outcome outcome = run_bead({"--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  for (const Json& event : events_of(outcome.out))
    if (event["event"] == "supply_agent_used" && event["role"] == "test-writer") {
      EXPECT_EQ(event["session"], "thread-1");
      EXPECT_EQ(event["use"]["input"], 30) << "of the whole thread's 130 the first call used 100";
    }
  const std::string calls = read_file(mock("codex-calls"));
  EXPECT_THAT(calls, HasSubstr("resume thread-1 -")) << "the writer's own";
  const std::string again = read_file(mock("prompt-4"));
  EXPECT_THAT(again, HasSubstr("cover empty input"));
  EXPECT_THAT(again, Not(HasSubstr("## Read first"))) << "only what is new";
}

TEST_F(TheirSession, BeginsAnewWhereThatIsConfigured) {
  configure("provider: codex\nphases: {test-writer: {session: new}}\n");
  write_file(mock("ready"), "");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(read_file(mock("codex-calls")), Not(HasSubstr(" resume ")));
}

class TheirDeliverySession : public DeliveryTest {};

TEST_F(TheirDeliverySession, OfAnAgentThatWasCutOffGoesOnByWhatItsLogTells) {
  fs::create_symlink(path("bin/agent"), path("bin/codex"));
  configure("provider: codex\n");
  write_plan({{"T-1"}});
  // It goes on once what it printed is kept: who is killed before that has read nothing.
  on("developer", "T-1", 1,
     "echo '{\"type\":\"thread.started\",\"thread_id\":\"thread-1\"}'; until grep -qrF thread-1 '" +
         project() + "/.capsule/logs'; do sleep 0.02; done; " + kStay);
  on("developer", "T-1", 2, "good");
  cut_off(SIGKILL);
  const Delivered delivered = deliver();
  EXPECT_EQ(delivered.exit_code, 0) << delivered.err;
  ASSERT_EQ(calls("developer", "T-1"), 2);
  const std::vector<std::string> words = agent_call("developer", "T-1", 2).args;
  EXPECT_THAT(join(words), HasSubstr("resume thread-1 -"));
  // What it used nobody knows, and it was called.
  int lost = 0;
  for (const Json& call : delivered.of("supply_agent_used")) {
    if (call["fault"] != "lost") continue;
    ++lost;
    EXPECT_EQ(call["role"], "developer");
    EXPECT_EQ(call["session"], "thread-1");
    EXPECT_FALSE(call["use"]["tokens_known"].get<bool>());
  }
  EXPECT_EQ(lost, 1);
}

}  // namespace
}  // namespace capsule::test
