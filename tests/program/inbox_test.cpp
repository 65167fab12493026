// capsule inbox: what needs a person, whatever the workflow, and the command that settles it.
#include <signal.h>
#include <sys/stat.h>

#include <set>

#include "tests/program/deliver_project.h"
#include "tests/program/demo_project.h"
#include "tests/program/project.h"

namespace capsule::test {
namespace {

std::vector<std::string> kinds_of(const Json& inbox) {
  std::vector<std::string> kinds;
  for (const Json& item : inbox["items"]) kinds.push_back(item["kind"]);
  return kinds;
}

// The words of what is proposed first, with what a person says.
std::vector<std::string> first_action(const Json& item, const std::string& text = {}) {
  const Json& action = item["actions"][0];
  std::vector<std::string> words = action["words"];
  if (!action["wants"].is_null())
    words.push_back((action["verb"] == "reject" ? "--because=" : "") + text);
  return words;
}

using Names = std::vector<std::string>;

class Inbox : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
  }
  Json inbox() const {
    const Outcome outcome = command("inbox", {"--json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return Json::parse(outcome.out);
  }
  Outcome act(const Json& item, const std::string& text = {}) const {
    std::vector<std::string> words = first_action(item, text);
    const std::string name = words.front();
    words.erase(words.begin());
    return command(name, words);
  }
};

TEST_F(Inbox, WithoutRunsSaysThatNothingNeedsAnybodyAndWhenItLooked) {
  const Outcome outcome = command("inbox", {});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              testing::MatchesRegex("Nothing needs you .looked at 0 runs, ..:..:...\n"));
  EXPECT_EQ(inbox()["runs"], 0);
  EXPECT_TRUE(inbox()["items"].empty());
}

TEST_F(Inbox, ARunThatWasMergedNeedsNobody) {
  ASSERT_EQ(run_bead().exit_code, 0);
  EXPECT_HAS(command("inbox", {}).out, "Nothing needs you (looked at 1 run, ");
}

TEST_F(Inbox, AFailedRunIsThereUntilItIsTakenUpAgain) {
  on("execute", "say ERROR 'the compiler is missing'");
  ASSERT_EQ(run_bead().exit_code, 2);
  const Json now = inbox();
  ASSERT_EQ(kinds_of(now), Names{"failed"}) << now;
  const Json& item = now["items"][0];
  EXPECT_EQ(item["name"], kBead);
  EXPECT_HAS(item["text"].get<std::string>(), "the compiler is missing");
  EXPECT_FALSE(item["since"].is_null());
  EXPECT_EQ(first_action(item), (Names{"run", kBead, "--resume"}));
  EXPECT_HAS(command("inbox", {}).out, "capsule run demo-1.1.1 --resume");
  on("execute", "pass");
  EXPECT_EQ(act(item).exit_code, 0);
  EXPECT_TRUE(inbox()["items"].empty());
}

TEST_F(Inbox, AMergeThatWasRefusedIsTriedAgainByWhatItProposes) {
  configure_gates("on_main_moved: tell\n");
  on("merge",
     "(cd '" + project() +
         "' && echo theirs >feature.txt && git add feature.txt && git commit -q -m Theirs) "
         ">&2\npass");
  ASSERT_EQ(run_bead().exit_code, 1);
  const Json now = inbox();
  ASSERT_EQ(kinds_of(now), Names{"refused_merge"}) << now;
  const Json& item = now["items"][0];
  EXPECT_HAS(item["text"].get<std::string>(), "feature.txt");
  git({"merge", "main"}, worktree());
  write_file(worktree() + "/feature.txt", "done\n");
  git({"add", "feature.txt"}, worktree());
  git({"commit", "-q", "-m", "Resolve"}, worktree());
  EXPECT_EQ(first_action(item), (Names{"merge", kBead}));
  const Outcome merged = act(item);
  EXPECT_EQ(merged.exit_code, 0) << merged.out << merged.err;
  EXPECT_TRUE(inbox()["items"].empty());
}

TEST_F(Inbox, WorkThatIsToBeApprovedIsApprovedByWhatItProposes) {
  configure("integrate: ask\n");
  ASSERT_EQ(run_bead().exit_code, 1);
  const Json now = inbox();
  ASSERT_EQ(kinds_of(now), Names{"approval"}) << now;
  const Json& item = now["items"][0];
  EXPECT_EQ(item["reason"], "ready to be merged");
  EXPECT_EQ(item["actions"][1]["command"], "capsule reject demo-1.1.1 --because=TEXT");
  EXPECT_EQ(act(item).exit_code, 0);
  EXPECT_EQ(inbox()["items"][0]["answered"], true) << "and no run has taken it up";
  EXPECT_EQ(run_bead().exit_code, 0);
  EXPECT_TRUE(inbox()["items"].empty());
}

TEST_F(Inbox, APhaseOfAUsersWorkflowWaitsForApproval) {
  write_file(
      project() + "/.capsule/workflows/mine.yaml",
      "phases:\n  - name: test-writer\n    prompt: prompts/test-writer.md\n    approve: true\n"
      "  - name: execute\n    prompt: prompts/execute.md\nend: branch\n");
  const Outcome waits = command("run", {kBead, "--workflow=mine"});
  ASSERT_EQ(waits.exit_code, 1) << waits.out << waits.err;
  const Json now = inbox();
  ASSERT_EQ(kinds_of(now), Names{"approval"}) << now;
  EXPECT_EQ(now["items"][0]["reason"], "a phase waits for approval");
  EXPECT_EQ(act(now["items"][0]).exit_code, 0);
}

TEST_F(Inbox, AnAgentThatStandsStillIsThereUntilItGoesOn) {
  configure("checkpoint_interval: 1s\n");
  ASSERT_EQ(::mkfifo(mock("go").c_str(), 0600), 0);
  on("execute", "read line <'" + mock("go") + "'; pass");
  Running running(calling("run", {kBead}));
  ASSERT_TRUE(eventually([&] { return kinds_of(inbox()) == Names{"stalled"}; })) << inbox();
  const Json item = inbox()["items"][0];
  EXPECT_EQ(item["reason"], "an agent stands still");
  EXPECT_EQ(first_action(item), (Names{"log", kBead}));
  write_file(mock("go"), "go on\n");
  EXPECT_EQ(running.wait().exit_code, 0);
  EXPECT_TRUE(inbox()["items"].empty());
}

TEST_F(Inbox, ARunThatWasKilledIsCutOffAndGoesOnByWhatItProposes) {
  on("execute", 1, "echo >'" + mock("here") + "'; exec sleep 600");
  on("execute", 2, "pass");
  {
    Running running(calling("run", {kBead}));
    ASSERT_TRUE(eventually([&] { return !read_file(mock("here")).empty(); }));
    EXPECT_TRUE(inbox()["items"].empty()) << "somebody works on it: " << inbox();
    running.send(SIGKILL);
    running.wait();
  }
  const Json now = inbox();
  ASSERT_EQ(kinds_of(now), Names{"cut_off"}) << now;
  EXPECT_EQ(first_action(now["items"][0]), (Names{"run", kBead}));
  EXPECT_TRUE(now["items"][0]["context"].get<std::string>().starts_with("Where it was: ")) << now;
  EXPECT_EQ(act(now["items"][0]).exit_code, 0);
  EXPECT_TRUE(inbox()["items"].empty());
}

TEST_F(Inbox, ABudgetThatIsSpentIsRaisedByAnAnswer) {
  configure("budget: {tokens: 50, hard: true}\n");
  on("execute", 1,
     "echo '{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s\"}'\n"
     R"(echo '{"type":"assistant","message":{"id":"m","model":"x","content":[],"usage":{"input_tokens":10,"output_tokens":80}}}')"
     "\nexec sleep 600");
  on("execute", 2, "pass");
  EXPECT_NE(run_bead().exit_code, 0);
  const Json now = inbox();
  ASSERT_EQ(kinds_of(now), Names{"budget"}) << now;
  EXPECT_EQ(now["items"][0]["question"], 1001);
  EXPECT_EQ(now["items"][0]["reason"], "the budget is spent");
  EXPECT_EQ(command("answer", {kBead, "1001", "500k"}).exit_code, 0);
  EXPECT_EQ(run_bead().exit_code, 0);
  EXPECT_TRUE(inbox()["items"].empty());
}

TEST_F(Inbox, AParkedProviderIsShownWhileTheRunWaits) {
  on("execute", 1,
     "echo \"API Error: Request rejected (429) · Claude AI usage limit reached|$(($(date +%s) + "
     "86400))\"; exit 1");
  Running running(calling("run", {kBead}));
  Json now;
  EXPECT_TRUE(eventually([&] {
    now = inbox();
    return !now["items"].empty();
  })) << running.out_so_far();
  EXPECT_EQ(kinds_of(now), Names{"quota"}) << now;
  EXPECT_EQ(now["items"][0]["reason"], "claude is parked");
  EXPECT_GT(now["items"][0]["until"].get<long long>(), 0);
  EXPECT_HAS(command("inbox", {}).out, "Nobody works with claude until 20");
  EXPECT_EQ(first_action(now["items"][0]), (Names{"agents", "resume", "claude"}));
  running.send(SIGINT);
  running.wait();
}

class InboxOfAutoMode : public DemoProject {
 protected:
  void SetUp() override {
    DemoProject::SetUp();
    make_project();
  }
  Json inbox() const {
    const Outcome outcome = in({"inbox", "--json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return Json::parse(outcome.out);
  }
};

TEST_F(InboxOfAutoMode, WhatOnlyAPersonCanSettleGoesOnByWhatItProposes) {
  auto_agent("if [ $CAPSULE_PHASE = planning ] && mkdir '" + path("asked") +
             "' 2>/dev/null; then printf -- '---\\nSIGNAL: PHASE_ERROR\\nERROR: which "
             "database?\\nRECOVERABLE: false\\n---\\n'; exit; fi\n");
  ASSERT_EQ(in({"auto", "run", "Say hello"}).exit_code, 1);
  const Json now = inbox();
  ASSERT_EQ(now["items"].size(), 1U) << now;
  const Json& item = now["items"][0];
  EXPECT_EQ(item["kind"], "question");
  EXPECT_EQ(item["name"], "auto");
  EXPECT_EQ(item["question"], nullptr) << item;
  EXPECT_HAS(item["text"].get<std::string>() + item["context"].get<std::string>(),
             "which database?");
  EXPECT_EQ(first_action(item), (Names{"auto", "continue"}));
  EXPECT_EQ(in(first_action(item)).exit_code, 0);
  EXPECT_TRUE(inbox()["items"].empty()) << inbox();
  EXPECT_TRUE(has("greeting.txt"));
}

class InboxOfADelivery : public DeliveryTest {
 protected:
  Json inbox() const {
    const Outcome outcome = capsule_in({"inbox", "--json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return Json::parse(outcome.out);
  }
};

TEST_F(InboxOfADelivery, AQuestionComesBeforeAFailureAndIsAnsweredByWhatItProposes) {
  write_plan({{"T-1"}, {"T-2"}, {"T-3", "T-2"}});
  on("developer", "T-1", 1,
     "printf 'TASK_INCOMPLETE: T-1\\n\\nBlocker: which colour\\nNeeded: a colour\\n'");
  on("developer", "T-1", 2, "good");
  on("auditor", "T-2", 1, "printf 'AUDIT_FAILED: T-2\\n\\nFailures:\\n- it is red\\n'");
  deliver();
  const Json now = inbox();
  ASSERT_EQ(kinds_of(now), (Names{"question", "failed"})) << now << capsule_in({"status"}).out;
  const Json &question = now["items"][0], &failed = now["items"][1];
  EXPECT_EQ(question["task"], "T-1");
  EXPECT_HAS(question["text"].get<std::string>() + question["context"].get<std::string>(),
             "which colour");
  EXPECT_EQ(question["reason"], "developer asks");
  EXPECT_EQ(failed["task"], "T-2") << "T-3 failed with it, and is settled with it";
  EXPECT_EQ(capsule_in(first_action(question, "blue")).exit_code, 0);
  deliver();
  EXPECT_EQ(kinds_of(inbox()), Names{"failed"}) << inbox();
}

TEST_F(InboxOfADelivery, WhatIsInTheWayOfAMergeIsAChoice) {
  write_plan({{"T-1"}});
  write_file(project() + "/T-1.txt", "my own notes\n");
  deliver();
  const Json now = inbox();
  ASSERT_EQ(kinds_of(now), Names{"refused_merge"}) << now;
  EXPECT_EQ(now["items"][0]["options"], Json({"retry", "rework"}));
  std::filesystem::rename(project() + "/T-1.txt", path("kept.txt"));
  EXPECT_EQ(capsule_in(first_action(now["items"][0])).exit_code, 0);
  EXPECT_EQ(deliver().exit_code, 0);
  EXPECT_TRUE(inbox()["items"].empty());
}

TEST_F(InboxOfADelivery, WhatToDoAfterTooManyRepairsIsAChoice) {
  configure("limits: {remediation_attempts: 1}");
  write_plan({{"T-1"}});
  on("developer", "T-1", 1, "printf 'INFRA_BLOCKED: T-1\\n\\nIssue: x\\n'");
  on("developer", "T-1", 2, "good");
  on("health-auditor", "", 1, "printf 'HEALTH_AUDIT: UNHEALTHY\\n'");
  deliver();
  const Json now = inbox();
  ASSERT_EQ(kinds_of(now), Names{"choice"}) << now;
  const Json& options = now["items"][0]["options"];
  ASSERT_EQ(options, Json({"retry", "override", "halt"})) << now;
  for (std::size_t i = 0; i < options.size(); ++i)
    EXPECT_EQ(now["items"][0]["actions"][i]["words"].back(), options[i]);
  EXPECT_EQ(capsule_in(now["items"][0]["actions"][1]["words"].get<Names>()).exit_code, 0);
  EXPECT_EQ(deliver().exit_code, 0);
  EXPECT_TRUE(inbox()["items"].empty()) << inbox();
}

TEST_F(InboxOfADelivery, WorksFromAnotherTerminalWhileTheDeliveryGoesOn) {
  write_plan({{"T-1"}, {"T-2"}});
  on("developer", "T-1", 1,
     "printf 'TASK_INCOMPLETE: T-1\\n\\nBlocker: which colour\\nNeeded: a colour\\n'");
  on("developer", "T-2", 1, kStay);
  Running running(calling({"deliver", plan_file(), "--json"}));
  EXPECT_TRUE(eventually([&] { return kinds_of(inbox()) == Names{"question"}; })) << inbox();
  const Json item = inbox()["items"][0];
  for (const Json& action : item["actions"])
    EXPECT_NE(action["verb"], "go_on") << "somebody works on it";
  running.send(SIGTERM);
  running.wait();
}

TEST_F(InboxOfADelivery, ApprovalsNameTheTask) {
  configure("integrate: ask");
  write_plan({{"T-1"}, {"T-2"}});
  deliver();
  const Json now = inbox();
  ASSERT_EQ(kinds_of(now), (Names{"approval", "approval"})) << now;
  // Whichever came first: they were made side by side.
  const std::set<Names> actions{first_action(now["items"][0]), first_action(now["items"][1])};
  EXPECT_EQ(actions,
            (std::set<Names>{{"approve", plan_file(), "T-1"}, {"approve", plan_file(), "T-2"}}));
  for (const Json& item : now["items"]) EXPECT_EQ(capsule_in(first_action(item)).exit_code, 0);
  EXPECT_EQ(deliver().exit_code, 0);
  EXPECT_TRUE(inbox()["items"].empty());
}

}  // namespace
}  // namespace capsule::test
