// What becomes of a task's work that is ready: approved by a person first, or left on the branch of
// the plan; and a merge that was refused is tried again without an agent.
#include <filesystem>

#include "tests/program/deliver_project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

class IntegrateInADelivery : public DeliveryTest {
 protected:
  Json status() const { return Json::parse(capsule_in({"status", plan_file(), "--json"}).out); }
  std::string folder_of(const std::string& task) const {
    for (const auto& entry : fs::directory_iterator(project() + "/.capsule/worktrees"))
      if (entry.path().filename().string().ends_with("-" + task)) return entry.path();
    return {};
  }
  int all_calls(const std::string& task) const {
    return calls("developer", task) + calls("critic", task) + calls("auditor", task);
  }
};

TEST_F(IntegrateInADelivery, TasksWaitForApprovalWhileTheRestGoesOn) {
  configure("integrate: ask");
  write_plan({{"T-1"}, {"T-2"}, {"T-3", "T-1"}});
  const std::string before = git_out({"rev-parse", "main"});
  Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 1) << done.err;
  EXPECT_EQ(git_out({"rev-parse", "main"}), before);
  EXPECT_EQ(calls("auditor", "T-2"), 1) << "the other went on";
  EXPECT_EQ(calls("developer", "T-3"), 0) << "who depends on it waits for its merge";
  const Json now = status();
  EXPECT_EQ(now["standing"], "waiting");
  EXPECT_EQ(now["waits_for"][0]["for"], "approval");
  const std::string page = capsule_in({"status", plan_file()}).out;
  EXPECT_HAS(page, "waits for approval");
  EXPECT_HAS(page, "capsule approve " + plan_file() + " T-1");

  EXPECT_EQ(capsule_in({"approve", plan_file()}).exit_code, 2) << "which of the two?";
  const Outcome approved = capsule_in({"approve", plan_file(), "T-1"});
  EXPECT_EQ(approved.exit_code, 0) << approved.err;
  EXPECT_HAS(approved.out, "Go on with: capsule deliver");
  EXPECT_EQ(capsule_in({"approve", plan_file(), "T-2"}).exit_code, 0);
  done = deliver();
  EXPECT_EQ(done.exit_code, 1) << "T-3 waits now";
  EXPECT_EQ(main_file("T-1.txt").find("(missing)"), std::string::npos);
  EXPECT_EQ(all_calls("T-1"), 3) << "nobody is called again";
  EXPECT_EQ(calls("developer", "T-3"), 1);
  EXPECT_EQ(capsule_in({"approve", plan_file(), "T-3"}).exit_code, 0);
  done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  expect_delivered({"T-1", "T-2", "T-3"});
}

TEST_F(IntegrateInADelivery, WhatAPersonRejectsGoesBackToTheDeveloperWithTheirWords) {
  write_plan({{"T-1"}});
  EXPECT_EQ(deliver({"--integrate=ask"}).exit_code, 1);
  EXPECT_EQ(capsule_in({"reject", plan_file(), "T-1", "--because=Say it in French"}).exit_code, 0);
  EXPECT_EQ(deliver().exit_code, 1);
  EXPECT_EQ(calls("developer", "T-1"), 2);
  EXPECT_HAS(agent_call("developer", "T-1", 2).prompt, "Say it in French");
  EXPECT_EQ(calls("auditor", "T-1"), 2) << "what was changed is reviewed and audited";
  EXPECT_EQ(capsule_in({"approve", plan_file(), "T-1"}).exit_code, 0);
  EXPECT_EQ(deliver().exit_code, 0);
  expect_delivered({"T-1"});
}

TEST_F(IntegrateInADelivery, WhatAPersonChangedInTheWorktreeIsMerged) {
  write_plan({{"T-1"}});
  EXPECT_EQ(deliver({"--integrate=ask"}).exit_code, 1);
  write_file(folder_of("T-1") + "/note.txt", "by a person\n");
  EXPECT_EQ(capsule_in({"approve", plan_file(), "T-1"}).exit_code, 0);
  EXPECT_EQ(deliver().exit_code, 0);
  EXPECT_EQ(main_file("note.txt"), "by a person\n");
}

TEST_F(IntegrateInADelivery, AnApprovedTaskIsTestedAgainOnAMainThatMoved) {
  configure("verify: {test: \"[ ! -e theirs.txt ] || [ ! -e T-1.txt ]\"}");
  write_plan({{"T-1"}});
  EXPECT_EQ(deliver({"--integrate=ask"}).exit_code, 1);
  write_file(project() + "/theirs.txt", "theirs\n");
  git({"add", "theirs.txt"});
  git({"commit", "-q", "-m", "Theirs"});
  EXPECT_EQ(capsule_in({"approve", plan_file(), "T-1"}).exit_code, 0);
  on("developer", "T-1", 2, "git rm -q -f theirs.txt; good");
  const Delivered done = deliver();
  ASSERT_EQ(done.of("task_merge_refused").size(), 1U);
  EXPECT_EQ(done.of("task_merge_refused")[0]["why"], "verify_failed");
  EXPECT_EQ(calls("developer", "T-1"), 2) << "the usual way";
  EXPECT_EQ(done.exit_code, 1) << "and what came of it is for a person again";
}

TEST_F(IntegrateInADelivery, AMergeThatWasRefusedForGoodIsTriedAgainWithoutAnAgent) {
  configure("limits: {merge_rework: 1}\nverify: {test: \"[ ! -e T-1.txt ] || [ -e '" +
            path("mended") + "' ]\"}");
  write_plan({{"T-1"}});
  Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_EQ(done.list("failed"), (std::vector<std::string>{"T-1"}));
  write_file(path("mended"), "");
  done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(all_calls("T-1"), 3) << "nobody is called again";
  expect_delivered({"T-1"});
}

TEST_F(IntegrateInADelivery, APlanOnABranchTakesTheTasksInTurnAndLeavesMainAlone) {
  write_plan({{"T-1"}, {"T-2", "T-1"}});
  on("developer", "T-2", 1, "[ -e T-1.txt ] || exit 3; good");
  const std::string before = git_out({"rev-parse", "main"});
  const Outcome done = capsule_in({"deliver", plan_file(), "--integrate=branch"});
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  EXPECT_EQ(git_out({"rev-parse", "main"}), before);
  const std::string branch = status()["on_branch"];
  EXPECT_TRUE(branch.starts_with("capsule-plan-")) << branch;
  EXPECT_HAS(done.out, branch);
  EXPECT_EQ(git({"show", branch + ":T-1.txt"}).exit_code, 0);
  EXPECT_EQ(git({"show", branch + ":T-2.txt"}).exit_code, 0);
  EXPECT_EQ(git_out({"rev-list", "--count", "--first-parent", "main.." + branch}), "2");
  const std::size_t at = done.out.find("description: ") + 13;
  const std::string file = done.out.substr(at, done.out.find('\n', at) - at);
  EXPECT_HAS(read_file(file), "T-2: Write T-2.txt");
  EXPECT_EQ(capsule_in({"teardown"}).exit_code, 0);
  EXPECT_EQ(capsule_in({"gc"}).exit_code, 0);
  EXPECT_EQ(git({"rev-parse", "--verify", "-q", branch}).exit_code, 0) << "the result stays";
}

TEST_F(IntegrateInADelivery, ADeliveryThatGoesOnCannotMoveBetweenBranchAndMain) {
  write_plan({{"T-1"}});
  EXPECT_EQ(deliver({"--integrate=ask"}).exit_code, 1);
  const Outcome refused = capsule_in({"deliver", plan_file(), "--integrate=branch"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_HAS(refused.err, "this delivery began with integrate: ask");
  const Delivered merged = deliver({"--integrate=merge"});
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  expect_delivered({"T-1"});
}

TEST_F(IntegrateInADelivery, AGuardedChangeIsPutToAPerson) {
  configure("integrate: ask\nverify: {test: \"true\"}");
  write_plan({{"T-1"}, {"T-2"}});
  for (const char* task : {"T-1", "T-2"})
    on("developer", task, 1,
       "echo 'x: ; true' >Makefile.$T; echo x >>.github-$T; mkdir -p $T; "
       "echo 'test: ; true' >$T/Makefile; good");
  on("developer", "T-2", 2, "rm -r T-2; good");
  EXPECT_EQ(deliver().exit_code, 1);
  const Json now = status();
  EXPECT_EQ(now["waits_for"][0]["kind"], "guard");
  EXPECT_EQ(capsule_in({"approve", plan_file(), "T-1"}).exit_code, 0);
  EXPECT_EQ(capsule_in({"reject", plan_file(), "T-2", "--because=No Makefile here"}).exit_code, 0);
  EXPECT_EQ(deliver().exit_code, 1) << "both wait for their merge now";
  EXPECT_EQ(calls("developer", "T-1"), 1);
  EXPECT_HAS(agent_call("developer", "T-2", 2).prompt, "No Makefile here");
  EXPECT_EQ(capsule_in({"approve", plan_file(), "T-1"}).exit_code, 0);
  EXPECT_EQ(capsule_in({"approve", plan_file(), "T-2"}).exit_code, 0);
  EXPECT_EQ(deliver().exit_code, 0);
  EXPECT_EQ(main_file("T-1/Makefile"), "test: ; true\n");
  EXPECT_EQ(main_file("T-2/Makefile"), "(missing)");
}

}  // namespace
}  // namespace capsule::test
