// Runs of a bead and of auto mode whose agents are all on another machine.
#include <signal.h>

#include <filesystem>

#include "tests/postgres/server.h"
#include "tests/program/project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

class ClusterBead : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    if (PostgresServer::programs().empty()) GTEST_SKIP() << "PostgreSQL is not installed";
    make_project(Way::binary);
    server().start();
    const std::string address = server().address(server().fresh_database());
    const Outcome made = command("cluster", {"init", address});
    ASSERT_EQ(made.exit_code, 0) << made.out << made.err;
    env()["CAPSULE_JOURNAL"] = address;
    env()["CAPSULE_HERE"] = "0";
    ASSERT_EQ(git({"clone", "-q", "--bare", project(), path("shared.git")}).exit_code, 0);
    ASSERT_EQ(git({"remote", "add", "origin", path("shared.git")}).exit_code, 0);
    ASSERT_EQ(git({"clone", "-q", path("shared.git"), path("one")}).exit_code, 0);
  }
  void TearDown() override {
    if (!PostgresServer::programs().empty()) server().kill9();
    ProjectTest::TearDown();
  }
  static PostgresServer& server() { return PostgresServer::shared(); }
  Call worker() const {
    Call wanted = calling("worker", {});
    wanted.cwd = path("one");
    return wanted;
  }
  void agent_that_tries_to_get_out(const std::string& contain) {
    env()["XDG_CONFIG_HOME"] = path("config");
    env()["CAPSULE_CONTAIN"] = std::nullopt;
    write_file(path("agent.sh"), "#!/bin/sh\ncat >/dev/null\necho out >'" + path("out") + R"SH('
say() { printf '{"status":"PASS","feedback":"","files_changed":[%s],"summary":"s"}\n' "$1"; }
case $CAPSULE_PHASE in
    test-writer) mkdir -p tests; echo 'grep -q done feature.txt' >tests/feature_test.sh
      say '"tests/feature_test.sh"' ;;
    execute) echo done >feature.txt; say '"feature.txt"' ;;
    merge) git add tests feature.txt && git commit -q -m "$CAPSULE_COMMIT_MSG" >&2
      say '"tests/feature_test.sh","feature.txt"' ;;
    *) say ;;
esac
)SH");
    fs::permissions(path("agent.sh"), fs::perms::owner_all);
    write_file(
        path("config/capsule/config.yaml"),
        "provider: mine\nproviders: {mine: {command: ['" + path("agent.sh") + "']}}\n" + contain);
  }
  void expect_all_elsewhere() const {
    for (const AgentCall& call : agent_calls())
      EXPECT_TRUE(call.cwd.starts_with(path("one") + "/")) << call.phase << " in " << call.cwd;
  }
};

TEST_F(ClusterBead, ABeadGoesToTheMergeByAgentsThatWorkElsewhere) {
  configure_gates();
  on("test-review", 1, "say NEEDS_WORK 'One more test, please'");
  on("test-review", 2, "pass");
  Running one(worker());
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(git_out({"log", "-1", "--format=%s", "main"}), "Merge demo-1.1.1: Make it work");
  EXPECT_TRUE(is_closed());
  const std::vector<AgentCall> calls = agent_calls();
  ASSERT_GE(calls.size(), 7U);
  EXPECT_HAS(join(calls[2].args) + calls[2].input, "One more test, please");
  expect_all_elsewhere();
  const Outcome log = command("log", {kBead});
  EXPECT_EQ(log.exit_code, 0) << log.err;
  EXPECT_HAS(log.out, "One more test, please");
  one.send(SIGTERM);
  EXPECT_EQ(one.wait().exit_code, 0);
}

TEST_F(ClusterBead, TheWallsOfAWorkerHoldAroundItsAgents) {
  configure_gates();
  agent_that_tries_to_get_out("contain: {preset: worktree}\n");
  Running one(worker());
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err << one.out_so_far();
  EXPECT_HAS(one.out_so_far(), "done: merge of");
  EXPECT_FALSE(fs::exists(path("out")));
  one.send(SIGTERM);
  EXPECT_EQ(one.wait().exit_code, 0);
}

TEST_F(ClusterBead, TheWallsOfARunGoWithItsAgents) {
  configure_gates();
  agent_that_tries_to_get_out("");
  Running one(worker());
  const Outcome outcome = run_bead({"--contain=worktree"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err << one.out_so_far();
  EXPECT_HAS(one.out_so_far(), "done: merge of");
  EXPECT_FALSE(fs::exists(path("out")));
  EXPECT_HAS(outcome.out, "  walls: worktree (namespaces");
  EXPECT_HAS(outcome.out, "writer") << "it is a fact of the run which ones they were";
  EXPECT_HAS(command("status", {kBead}).out, "reviewer");
  one.send(SIGTERM);
  EXPECT_EQ(one.wait().exit_code, 0);
}

TEST_F(ClusterBead, AutoRunGoesThereToo) {
  Running one(worker());
  const Outcome outcome = command("auto", {"run", "Make it work", "--json"});
  EXPECT_NE(outcome.exit_code, 2) << outcome.out << outcome.err;
  EXPECT_FALSE(agent_calls().empty());
  expect_all_elsewhere();
  one.send(SIGTERM);
  EXPECT_EQ(one.wait().exit_code, 0);
}

}  // namespace
}  // namespace capsule::test
