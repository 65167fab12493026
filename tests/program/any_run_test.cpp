// Every command that takes a run takes any run: here of a plan and its tasks; any_auto_test.cpp has
// auto mode.
#include <algorithm>
#include <filesystem>

#include "tests/program/deliver_project.h"

namespace capsule::test {
namespace {

// A delivery whose first task waits for a person, and whose second is complete.
class AnyDelivery : public DeliveryTest {
 protected:
  void wait_for_a_person() {
    write_plan({{"T-1"}, {"T-2"}});
    on("developer", "T-1", 1,
       "echo 'one speaks'; echo half >half.txt; printf 'TASK_INCOMPLETE: T-1\\n\\nBlocker: which "
       "colour\\nNeeded: a colour\\n'");
    on("developer", "T-1", 2, "good");
    on("developer", "T-2", 1, "echo 'two speaks'; good");
    const Delivered done = deliver();
    ASSERT_EQ(done.exit_code, 1) << done.err;
    run_ = done.events.front()["run"];
  }
  // Until an agent of the plan's one task stays at work.
  std::unique_ptr<Running> at_work() {
    write_plan({{"T-1"}});
    on("developer", "T-1", 1, "echo 'first line'; " + std::string(kStay));
    on("developer", "T-1", 2, "good");
    auto living = std::make_unique<Running>(calling({"deliver", plan_file()}));
    EXPECT_TRUE(eventually([&] { return read_file(path("mock/here")) == "here\n"; }));
    return living;
  }
  Json json_of(std::vector<std::string> args) const {
    args.emplace_back("--json");
    const Outcome outcome = capsule_in(args);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return Json::parse(outcome.out, nullptr, false);
  }
  std::string refs() const {
    return git_out({"for-each-ref", "--format=%(refname)", "refs/capsule"});
  }
  std::string run_;
};

TEST_F(AnyDelivery, StatusTellsWhatItWaitsForToPeopleAndPrograms) {
  wait_for_a_person();
  const Outcome all = capsule_in({"status"});
  EXPECT_HAS(all.out, "PLAN.md");
  EXPECT_HAS(all.out, "waits for T-1: an answer to question 1");
  const Json list = json_of({"status"});
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0]["workflow"], "delivery");
  EXPECT_EQ(list[0]["run"], run_);
  EXPECT_EQ(list[0]["state"], "waiting");
  EXPECT_EQ(list[0]["can_go_on"], true);
  EXPECT_EQ(list[0]["holder"], nullptr);
  EXPECT_EQ(list[0]["waits_for"][0]["for"], "answer");
  EXPECT_EQ(list[0]["waits_for"][0]["task"], "T-1");
  EXPECT_EQ(list[0]["waits_for"][0]["question"], 1);
  EXPECT_EQ(list[0]["tasks"].size(), 2U);
  EXPECT_GE(list[0]["usage"]["agent_runs"], 4);
  EXPECT_EQ(json_of({"status", plan_file()})["run"], run_);
  EXPECT_EQ(json_of({"status", run_})["run"], run_) << "by its id";
  const Outcome task = capsule_in({"status", plan_file(), "T-1"});
  EXPECT_EQ(task.exit_code, 0) << task.err;
  EXPECT_HAS(task.out, "waits for a person");
  const Json one = json_of({"status", plan_file(), "T-2"});
  EXPECT_EQ(one["run"], run_);
  EXPECT_EQ(one["tasks"].size(), 1U) << "of the task that was named";
  EXPECT_TRUE(one["waits_for"].empty());
  for (const Json& agent : one["agents"]) EXPECT_EQ(agent["task"], "T-2");
  EXPECT_EQ(capsule_in({"status", plan_file(), "T-9"}).exit_code, 1);
}

TEST_F(AnyDelivery, LogShowsTheAgentsOfOneTaskOrRole) {
  wait_for_a_person();
  const Outcome all = capsule_in({"log", plan_file()});
  EXPECT_EQ(all.exit_code, 0) << all.err;
  EXPECT_HAS(all.out, "one speaks");
  EXPECT_HAS(all.out, "two speaks");
  const Outcome one = capsule_in({"log", plan_file(), "T-2"});
  EXPECT_HAS(one.out, "two speaks");
  EXPECT_LACKS(one.out, "one speaks");
  const Outcome critics = capsule_in({"log", plan_file(), "--role=critic"});
  EXPECT_EQ(critics.exit_code, 0) << critics.err;
  EXPECT_HAS(critics.out, "REVIEW_PASSED");
  EXPECT_LACKS(critics.out, "two speaks");
  const Json status = json_of({"status", plan_file()});
  for (const Json& agent : status["agents"]) {
    const std::string number = std::to_string(agent["agent"].get<int>());
    const Outcome attempt = capsule_in({"log", run_, "--agent=" + number});
    EXPECT_EQ(attempt.exit_code, 0) << attempt.err;
    for (const char* task : {"T-1", "T-2"}) {
      const bool its = agent["role"] == "developer" && agent["task"] == task;
      const char* words = std::string_view(task) == "T-1" ? "one speaks" : "two speaks";
      EXPECT_EQ(attempt.out.find(words) != std::string::npos, its) << number << attempt.out;
    }
  }
  EXPECT_EQ(capsule_in({"log", plan_file(), "--agent=99"}).exit_code, 1);
  EXPECT_EQ(capsule_in({"log", plan_file(), "--agent=0"}).exit_code, 2);
  const Outcome none = capsule_in({"log", plan_file(), "T-7"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_HAS(none.err, "its tasks: T-1, T-2");
}

TEST_F(AnyDelivery, LogFollowsADeliveryUntilItEnds) {
  const auto living = at_work();
  Running following(calling({"log", plan_file(), "T-1", "--follow"}));
  EXPECT_TRUE(
      eventually([&] { return following.out_so_far().find("first line") != std::string::npos; }));
  living->send(SIGTERM);
  living->wait();
  EXPECT_EQ(following.wait().exit_code, 0);
}

TEST_F(AnyDelivery, SnapshotsAreListedByPlanAndByTaskAndRestored) {
  wait_for_a_person();
  const Json all = json_of({"snapshots", plan_file()});
  const Json one = json_of({"snapshots", plan_file(), "T-1"});
  EXPECT_GT(all.size(), one.size());
  ASSERT_FALSE(one.empty());
  const std::string name = one[0]["name"];
  EXPECT_TRUE(name.starts_with(run_ + "/T-1/")) << name;
  const Outcome restored = capsule_in(
      {"restore", plan_file(), "T-1", name.substr(name.rfind('/') + 1), "--to=" + path("back")});
  EXPECT_EQ(restored.exit_code, 0) << restored.err;
  EXPECT_EQ(read_file(path("back/half.txt")), "half\n");
}

TEST_F(AnyDelivery, GcKeepsWhatADeliveryThatWaitsStillNeeds) {
  wait_for_a_person();
  const std::string before = refs();
  ASSERT_NE(before, "");
  const std::string said = capsule_in({"gc", "--older-than=0s"}).out;
  EXPECT_HAS(said, "0 snapshots removed");
  EXPECT_HAS(said, plan_file() + " can still go on with");
  EXPECT_EQ(capsule_in({"gc", plan_file(), "--older-than=0s"}).exit_code, 0);
  EXPECT_EQ(refs(), before);
}

TEST_F(AnyDelivery, AWaitingTaskIsShownWithItsTree) {
  wait_for_a_person();
  const Json json = Json::parse(capsule_in({"status", plan_file(), "--json"}).out);
  ASSERT_EQ(json["trees"].size(), 1U) << json;
  EXPECT_EQ(json["trees"][0]["task"], "T-1");
  EXPECT_TRUE(std::filesystem::is_directory(json["trees"][0]["folder"].get<std::string>()));
  EXPECT_HAS(capsule_in({"status", plan_file(), "T-1"}).out, "worktree: ");
}

TEST_F(AnyDelivery, GcKeepsWhatAHaltedDeliveryStillNeedsAndRemovesItOnceThatIsOver) {
  configure("limits: {remediation_attempts: 1}");
  write_plan({{"T-1", "T-2"}, {"T-2"}});
  on("developer", "T-1", 1, "printf 'INFRA_BLOCKED: T-1\\n\\nIssue: x\\n'");
  on("developer", "T-1", 2, "good");
  on("health-auditor", "", 1, "printf 'HEALTH_AUDIT: UNHEALTHY\\n'");
  on("health-auditor", "", 2, "good");
  write_file(path("answers"), "*: halt\n");
  ASSERT_EQ(deliver({"--answers=" + path("answers")}).exit_code, 1);
  const std::string before = refs();
  ASSERT_NE(before, "");
  EXPECT_HAS(capsule_in({"gc", "--older-than=0s"}).out, "0 snapshots removed");
  EXPECT_EQ(refs(), before);
  EXPECT_HAS(capsule_in({"teardown"}).out, "can go on: capsule deliver");
  ASSERT_EQ(deliver().exit_code, 0);
  EXPECT_EQ(capsule_in({"gc", "--older-than=0s"}).exit_code, 0);
  EXPECT_EQ(refs(), "");
}

TEST_F(AnyDelivery, TeardownLeavesItsTreesAloneUnlessItIsNamedAndListsWhatItRescued) {
  wait_for_a_person();
  const std::string trees = project() + "/.capsule/worktrees";
  ASSERT_FALSE(std::filesystem::is_empty(trees));
  EXPECT_HAS(capsule_in({"teardown"}).out, "left alone");
  EXPECT_FALSE(std::filesystem::is_empty(trees));
  const Outcome named = capsule_in({"teardown", plan_file()});
  EXPECT_EQ(named.exit_code, 0) << named.err;
  EXPECT_TRUE(std::filesystem::is_empty(trees));
  const Outcome listed = capsule_in({"snapshots", plan_file(), "T-1"});
  EXPECT_HAS(listed.out, "rescue/" + run_ + "/T-1/");
}

TEST_F(AnyDelivery, PauseLetsItsAgentsFinishAndStartsNoOther) {
  write_plan({{"T-1"}});
  on("developer", "T-1", 1,
     "echo here >\"$M/here\"; while [ ! -e \"$M/go\" ]; do sleep 0.05; done; good");
  Running living(calling({"deliver", plan_file()}));
  ASSERT_TRUE(eventually([&] { return read_file(path("mock/here")) == "here\n"; }));
  const Outcome asked = capsule_in({"pause", plan_file()});
  EXPECT_EQ(asked.exit_code, 0) << asked.err;
  EXPECT_HAS(asked.out, "capsule deliver ");
  write_file(path("mock/go"), "");
  living.wait();
  EXPECT_EQ(calls("critic", "T-1"), 0);
  EXPECT_EQ(capsule_in({"pause", plan_file()}).exit_code, 1) << "nobody works on it";
  EXPECT_HAS(capsule_in({"status", plan_file()}).out, "paused: 0 of 1 tasks complete");
  EXPECT_EQ(Json::parse(capsule_in({"status", "--json"}).out)[0]["state"], "paused");
  EXPECT_EQ(Json::parse(capsule_in({"inbox", "--json"}).out)["items"].size(), 0u)
      << "it was not cut off";
  EXPECT_EQ(deliver().exit_code, 0);
  expect_delivered({"T-1"});
  EXPECT_EQ(Json::parse(capsule_in({"status", "--json"}).out)[0]["outcome"], "complete");
}

TEST_F(AnyDelivery, OneThatIsKilledAfterAPauseIsCutOff) {
  write_plan({{"T-1"}});
  on("developer", "T-1", 1,
     "echo here >\"$M/here\"; while [ ! -e \"$M/go\" ]; do sleep 0.05; done; good");
  {
    Running living(calling({"deliver", plan_file()}));
    ASSERT_TRUE(eventually([&] { return read_file(path("mock/here")) == "here\n"; }));
    EXPECT_EQ(capsule_in({"pause", plan_file()}).exit_code, 0);
    write_file(path("mock/go"), "");
    living.wait();
  }
  on("critic", "T-1", 1, "echo here >\"$M/critic\"; sleep 600");
  Running again(calling({"deliver", plan_file()}));
  ASSERT_TRUE(eventually([&] { return read_file(path("mock/critic")) == "here\n"; }));
  EXPECT_EQ(Json::parse(capsule_in({"status", "--json"}).out)[0]["state"], "running");
  again.send(SIGKILL);
  again.wait();
  EXPECT_EQ(Json::parse(capsule_in({"status", "--json"}).out)[0]["state"], "cut_off");
}

TEST_F(AnyDelivery, AbortEndsItsAgentsAndItGoesOn) {
  const auto living = at_work();
  const Outcome aborted = capsule_in({"abort", plan_file()});
  EXPECT_EQ(aborted.exit_code, 0) << aborted.err;
  EXPECT_NE(living->wait().exit_code, 0);
  EXPECT_EQ(capsule_in({"abort", plan_file()}).exit_code, 1);
  EXPECT_EQ(deliver().exit_code, 0);
  expect_delivered({"T-1"});
}

TEST_F(AnyDelivery, WithSeveralRunsThatAskTheRunIsNamed) {
  const std::string ask = "printf 'TASK_INCOMPLETE: T-1\\n\\nBlocker: colour\\nNeeded: it\\n'";
  on("developer", "T-1", 1, ask);
  for (const char* plan : {"one.md", "two.md"}) {
    use_plan(plan);
    write_plan({{"T-1"}});
    ASSERT_EQ(deliver().exit_code, 1);
    std::filesystem::remove_all(path("mock/calls"));
    std::filesystem::create_directories(path("mock/calls"));
  }
  EXPECT_EQ(json_of({"questions"}).size(), 2U);
  const Outcome unclear = capsule_in({"answer", "1", "blue"});
  EXPECT_EQ(unclear.exit_code, 2);
  EXPECT_HAS(unclear.err, "several runs ask a question 1");
  EXPECT_EQ(capsule_in({"answer", path("two.md"), "1", "blue"}).exit_code, 0);
  const Json left = json_of({"questions"});
  EXPECT_EQ(left[0]["answered"], false);
  EXPECT_EQ(left[1]["answered"], true);
}

TEST_F(AnyDelivery, EveryEventAboutAnAgentSaysWhoItIsAndTheLastLineHowItEnded) {
  write_plan({{"T-1"}});
  const Delivered done = deliver();
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto ended = done.of("agent_finished");
  ASSERT_EQ(ended.size(), 3U);
  for (const Json& one : ended) {
    EXPECT_EQ(one["task"], "T-1");
    EXPECT_EQ(one["attempt"], 1);
    EXPECT_TRUE(one.contains("run"));
  }
  EXPECT_EQ(ended[1]["role"], "critic");
  const Json& last = done.events.back();
  EXPECT_EQ(last["event"], "run_finished");
  EXPECT_EQ(last["workflow"], "delivery");
  EXPECT_EQ(last["outcome"], "complete");
  EXPECT_EQ(last["exit_code"], 0);
  EXPECT_EQ(last["completed"], Json::array({"T-1"}));
  EXPECT_EQ(done.of("delivery_finished").size(), 1U) << "scripts look for it";
  EXPECT_HAS(capsule_in({"ledger"}).out, "ready for review");
  bool by_model = false;
  for (const Json& row : Json::parse(capsule_in({"ledger", "--json"}).out))
    by_model |= row["model"] == "mine (default)" && row["role"] == "developer" &&
                row["claim"] == "ready for review" && row["true"].get<int>() > 0;
  EXPECT_TRUE(by_model) << capsule_in({"ledger", "--json"}).out;
  EXPECT_HAS(capsule_in({"ledger", "--by=workflow"}).out, "delivery");
}

// Words that come after the command, what the exit code has to be, and a part of what is said.
struct OneTask {
  const char* command;
  std::vector<std::string> words;
  int exit_code;
  const char* says;
};

TEST_F(AnyDelivery, EveryCommandThatTakesARunTakesATaskOfAPlanOrSaysWhatToDo) {
  wait_for_a_person();
  const std::string snapshot = json_of({"snapshots", plan_file(), "T-1"})[0]["name"];
  const OneTask rows[] = {
      {"status", {}, 0, "waits for a person"},
      {"log", {}, 0, "one speaks"},
      {"cost", {}, 0, ""},
      {"snapshots", {}, 0, "/T-1/"},
      {"restore", {snapshot, "--to=" + path("back")}, 0, "back"},
      {"tell", {"hello"}, 0, "Nobody works on"},
      {"note", {"hello"}, 0, "Nobody works on"},
      {"approve", {}, 1, "T-1 does not wait for approval"},
      {"reject", {"--because=x"}, 1, "T-1 does not wait for approval"},
      {"attach", {}, 2, "T-1 --follow"},
      {"pause", {}, 2, "pause the whole plan: capsule pause "},
      {"abort", {}, 2, "abort the whole plan: capsule abort "},
      {"gc", {"--older-than=0s"}, 0, "0 snapshots removed"},
      {"teardown", {"--dry-run"}, 0, "would remove worktree"},
  };
  for (const OneTask& row : rows) {
    SCOPED_TRACE(row.command);
    const auto call = [&](std::vector<std::string> run) {
      run.insert(run.begin(), row.command);
      run.insert(run.end(), row.words.begin(), row.words.end());
      const Outcome outcome = capsule_in(run);
      std::filesystem::remove_all(path("back"));
      return outcome;
    };
    const Outcome both = call({plan_file(), "T-1"});
    EXPECT_EQ(both.exit_code, row.exit_code) << both.out << both.err;
    EXPECT_HAS(both.out + both.err, row.says);
    const Outcome alone = call({"T-1"});
    EXPECT_EQ(alone.exit_code, row.exit_code) << alone.out << alone.err;
    EXPECT_HAS(alone.out + alone.err, row.says);
    const Outcome unknown = call({plan_file(), "T-9"});
    EXPECT_EQ(unknown.exit_code, 1) << unknown.out << unknown.err;
    EXPECT_HAS(unknown.err, "its tasks: T-1, T-2");
  }
}

TEST_F(AnyDelivery, ATaskThatIsNamedAloneDoesNotStopItsPlan) {
  const auto living = at_work();
  for (const char* command : {"pause", "abort"}) {
    const Outcome refused = capsule_in({command, "T-1"});
    EXPECT_EQ(refused.exit_code, 2) << refused.out;
    EXPECT_HAS(refused.err, "one task of a plan cannot be");
  }
  EXPECT_EQ(json_of({"status", plan_file()})["state"], "running");
  EXPECT_EQ(capsule_in({"abort", plan_file()}).exit_code, 0);
  living->wait();
}

TEST_F(AnyDelivery, TeardownOfOneTaskLeavesTheTreesOfTheOthers) {
  write_plan({{"T-1"}, {"T-2"}});
  for (const std::string task : {"T-1", "T-2"})
    on("developer", task, 1,
       "echo half >half.txt; printf 'TASK_INCOMPLETE: " + task +
           "\\n\\nBlocker: which colour\\nNeeded: a colour\\n'");
  const Delivered done = deliver();
  ASSERT_EQ(done.exit_code, 1) << done.err;
  const auto tasks_with_trees = [&] {
    std::vector<std::string> tasks;
    const Json status = json_of({"status", plan_file()});
    for (const Json& tree : status["trees"])
      if (std::filesystem::exists(tree["folder"].get<std::string>())) tasks.push_back(tree["task"]);
    return tasks;
  };
  ASSERT_EQ(tasks_with_trees(), (std::vector<std::string>{"T-1", "T-2"}))
      << capsule_in({"status", plan_file()}).out;
  EXPECT_EQ(capsule_in({"teardown", plan_file(), "T-2"}).exit_code, 0);
  EXPECT_EQ(tasks_with_trees(), std::vector<std::string>{"T-1"});
}

}  // namespace
}  // namespace capsule::test
