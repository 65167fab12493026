// capsule status and capsule log.

#include "tests/program/demo_project.h"

namespace capsule::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
class Status : public DemoProject {
 protected:
  void SetUp() override {
    DemoProject::SetUp();
    make_project();
  }
  // An agent that says where it is, and goes on when it is told to.
  void waiting_agent() const {
    agent("PASS", "echo first line; touch '" + path("at-work") + "'; while [ ! -e '" + path("go") +
                      "' ]; do sleep 0.05; done");
  }
  bool at_work() const {
    return eventually([&] { return std::filesystem::exists(path("at-work")); });
  }
};

TEST_F(Status, WithoutRunsItSaysSoAndWritesNothing) {
  EXPECT_THAT(in({"status"}).out, HasSubstr("No runs yet"));
  EXPECT_EQ(in({"status", "--json"}).out, "[]\n");
  const Outcome one = in({"status", "demo-1.1.1"});
  EXPECT_EQ(one.exit_code, 1);
  EXPECT_THAT(one.err, HasSubstr("no run of demo-1.1.1"));
  EXPECT_EQ(in({"status", "../x"}).exit_code, 2);
  EXPECT_EQ(in({"log", "../x"}).exit_code, 2);
  EXPECT_EQ(in({"log", "demo-1.1.1"}).exit_code, 1);
  EXPECT_FALSE(has(".capsule/journal.db"));
}

TEST_F(Status, AnEndedRunIsSummedUpWithWhatToDoNext) {
  agent("ERROR");
  ASSERT_EQ(in({"run", "demo-1.1.1"}).exit_code, 2);
  const Outcome all = in({"status"});
  EXPECT_THAT(all.out, HasSubstr("demo-1.1.1"));
  EXPECT_THAT(all.out, HasSubstr("Validate email format"));
  EXPECT_THAT(all.out, HasSubstr("✗ aborted by an error"));
  const Outcome one = in({"status", "demo-1.1.1"});
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("worktree kept: " + project()));
  EXPECT_THAT(one.out, HasSubstr("capsule run demo-1.1.1 --resume"));
  const Json json = Json::parse(in({"status", "demo-1.1.1", "--json"}).out);
  EXPECT_EQ(json["state"], "ended");
  EXPECT_EQ(json["outcome"], "phase_error");
  EXPECT_EQ(json["phases"][0]["phase"], "test-writer");
  EXPECT_EQ(json["holder"], nullptr);

  ASSERT_EQ(in({"teardown"}).exit_code, 0);
  EXPECT_THAT(in({"status", "demo-1.1.1"}).out, Not(HasSubstr("--resume")));
}

TEST_F(Status, ALivingRunIsShownWithItsPhaseAndProcess) {
  waiting_agent();
  Running living(in_project({"run", "demo-1.1.1"}));
  ASSERT_TRUE(at_work());
  EXPECT_THAT(in({"status"}).out, HasSubstr("running: test-writer (attempt 1/3), pid " +
                                            std::to_string(living.pid()) + " on "));
  const Json json = Json::parse(in({"status", "--json"}).out)[0];
  EXPECT_EQ(json["state"], "running");
  EXPECT_EQ(json["phase"], "test-writer");
  EXPECT_EQ(json["attempt"], 1);
  EXPECT_EQ(json["holder"]["pid"], living.pid());
  EXPECT_THAT(in({"status", "demo-1.1.1"}).out, HasSubstr("--follow"));
  write_file(path("go"), "");
  living.wait();
}

TEST_F(Status, ACutOffRunIsCalledThat) {
  waiting_agent();
  {
    Running living(in_project({"run", "demo-1.1.1"}));
    ASSERT_TRUE(at_work());
    living.send(SIGKILL);
    living.wait();
  }
  EXPECT_THAT(in({"status"}).out, HasSubstr("cut off in test-writer (attempt 1/3)"));
  EXPECT_EQ(Json::parse(in({"status", "--json"}).out)[0]["state"], "cut_off");
}

TEST_F(Status, LogShowsEachFileInItsOrderUnderAHeading) {
  agent("NEEDS_WORK", "echo \"in $CAPSULE_PHASE\"; printf 'raw \\x1b[31m\\x00\\n'; echo aside >&2");
  ASSERT_EQ(in({"run", "demo-1.1.1"}).exit_code, 2);
  const Outcome log = in({"log", "demo-1.1.1"});
  EXPECT_EQ(log.exit_code, 0) << log.err;
  EXPECT_TRUE(log.out.starts_with("==> test-writer-")) << log.out;
  EXPECT_THAT(log.out, HasSubstr(std::string("raw \x1b[31m\0\n", 11))) << "a pipe gets the bytes";
  EXPECT_THAT(log.out, HasSubstr(".log.stderr <==\naside\n"));
  EXPECT_EQ(in({"log", "demo-1.1.1", "--phase=test-writer"}).out, log.out);
  EXPECT_EQ(in({"log", "demo-1.1.1", "--phase=execute"}).exit_code, 1);
  EXPECT_EQ(in({"log", "demo-1.1.1", "--phase=../x"}).exit_code, 2);

  ASSERT_EQ(in({"teardown"}).exit_code, 0);
  EXPECT_EQ(in({"log", "demo-1.1.1"}).out, log.out) << "the archive has it too";
}

TEST_F(Status, LogDoesNotFollowALinkThatAnAgentPlanted) {
  write_file(path("secret"), "secret");
  agent("NEEDS_WORK",
        "ln -s '" + path("secret") + "' .capsule/output/execute-20260101-000000-1.log");
  ASSERT_EQ(in({"run", "demo-1.1.1"}).exit_code, 2);
  EXPECT_THAT(in({"log", "demo-1.1.1"}).out, Not(HasSubstr("secret")));
}

TEST_F(Status, LogFollowsUntilTheRunEnds) {
  waiting_agent();
  Running living(in_project({"run", "demo-1.1.1"}));
  ASSERT_TRUE(at_work());
  Running following(in_project({"log", "demo-1.1.1", "--follow"}));
  EXPECT_TRUE(
      eventually([&] { return following.out_so_far().find("first line") != std::string::npos; }));
  EXPECT_EQ(following.out_so_far().find("the agent speaks"), std::string::npos);
  write_file(path("go"), "");
  living.wait();
  const Outcome log = following.wait();
  EXPECT_EQ(log.exit_code, 0) << log.err;
  EXPECT_THAT(log.out, HasSubstr("the agent speaks"));
  EXPECT_THAT(log.out, HasSubstr("==> test-review-"));
}

// A client that prints events, as claude does, and waits in a tool until it is told to go on.
class StreamStatus : public Status {
 protected:
  void streaming_agent(const std::string& status) const {
    program(
        "claude",
        R"sh(
say() { printf '%s\n' "$1"; }
say '{"type":"system","subtype":"init","session_id":"s","claude_code_version":"2.1.197"}'
say '{"type":"assistant","message":{"id":"m1","model":"opus","usage":{"input_tokens":1200,"output_tokens":34},"content":[{"type":"text","text":"I run the \u001b[31mtests first."},{"type":"tool_use","id":"t","name":"Bash","input":{"command":"go test ./…"}}]}}'
touch ')sh" +
            path("at-work") + R"sh('
while [ ! -e ')sh" +
            path("go") + R"sh(' ]; do sleep 0.05; done
say '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"ok\nmore"}]}}'
say '{"type":"assistant","message":{"id":"m2","model":"opus","content":[{"type":"text","text":"my key is sk-ant-api03-abcdefABCDEF0123456789xyz"}]}}'
say '{"type":"result","subtype":"success","is_error":false,"num_turns":2,"result":"{\"status\":\")sh" +
            status +
            R"sh(\",\"feedback\":\"f\",\"files_changed\":[],\"summary\":\"s\"}","total_cost_usd":0.5,"usage":{"input_tokens":2400,"output_tokens":68}}'
)sh");
  }
};

TEST_F(StreamStatus, SaysWhatAnAgentDoesNowAndTheLogIsATranscript) {
  streaming_agent("ERROR");
  Running living(in_project({"run", "demo-1.1.1", "--json"}));
  ASSERT_TRUE(at_work());
  // What came within the second after another line is told, too.
  ASSERT_TRUE(eventually([&] {
    return living.out_so_far().find(R"("doing":{"what":"tool","tool":"Bash")") != std::string::npos;
  })) << living.out_so_far();
  const Outcome page = in({"status", "demo-1.1.1"});
  EXPECT_THAT(page.out, HasSubstr("Bash go test ./…"));
  EXPECT_THAT(page.out, HasSubstr("1.2k tokens"));
  EXPECT_THAT(page.out, HasSubstr("I run the \\x1b[31mtests first."));
  const Json agent = Json::parse(in({"status", "demo-1.1.1", "--json"}).out)["agents"][0];
  EXPECT_EQ(agent["running"], true);
  EXPECT_EQ(agent["doing"]["what"], "tool");
  EXPECT_EQ(agent["doing"]["detail"], "go test ./…");
  EXPECT_EQ(agent["doing"]["tokens"]["input"], 1200);

  Running following(in_project({"log", "demo-1.1.1", "--follow"}));
  EXPECT_TRUE(eventually([&] {
    return following.out_so_far().find("▸ Bash go test ./…\n") != std::string::npos;
  })) << following.out_so_far();
  write_file(path("go"), "");
  living.wait();
  const Outcome followed = following.wait();
  EXPECT_THAT(followed.out, HasSubstr("  └ ok (and 1 more line)\n"));

  const Outcome log = in({"log", "demo-1.1.1"});
  EXPECT_THAT(log.out, HasSubstr("· model opus, client 2.1.197\n\nI run the \\x1b[31mtests first.\n"
                                 "\n▸ Bash go test ./…\n  └ ok (and 1 more line)\n"));
  EXPECT_THAT(log.out, HasSubstr("my key is [redacted]\n"));
  EXPECT_THAT(log.out, HasSubstr("· ended: 2 turns, 2.4k tokens in, 68 out, cost 0.50\n"));
  EXPECT_THAT(log.out, HasSubstr("1 secret was replaced in what it printed\n"));
  EXPECT_THAT(log.out, Not(HasSubstr("\"type\"")));
  EXPECT_THAT(in({"log", "demo-1.1.1", "--raw"}).out, HasSubstr(R"({"type":"result")"));
  const Outcome summary = in({"status", "demo-1.1.1"});
  EXPECT_THAT(summary.out, Not(HasSubstr("\"type\""))) << "no event is told to people";
  EXPECT_EQ(Json::parse(in({"status", "demo-1.1.1", "--json"}).out)["agents"][0]["redacted"], 1);
}

TEST_F(StreamStatus, OfARunThatIsCutOffNobodyWorks) {
  streaming_agent("PASS");
  {
    Running living(in_project({"run", "demo-1.1.1"}));
    ASSERT_TRUE(at_work());
    living.send(SIGKILL);
    living.wait();
  }
  EXPECT_THAT(in({"status", "demo-1.1.1"}).out, Not(HasSubstr("Bash go test")));
}

}  // namespace
}  // namespace capsule::test
