// Whoever is to be told hears it from every workflow: a delivery, auto mode, and one of a user.
#include <filesystem>

#include "tests/program/deliver_project.h"
#include "tests/program/demo_project.h"
#include "tests/program/project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

// A way of telling, as the configuration names it: a program that keeps what it gets.
std::string keeping(const std::string& folder, const std::string& kinds) {
  write_file(folder + "/keep", "#!/bin/sh\ncat >>'" + folder + "/heard'\n");
  fs::permissions(folder + "/keep", fs::perms::owner_all);
  return "notify:\n  - command: ['" + folder + "/keep']\n    on: [" + kinds + "]\n";
}

// "question T-1", each that was told.
std::string heard(const std::string& folder) {
  std::string all;
  if (!fs::exists(folder + "/heard")) return all;
  for (const std::string& line : lines_of(read_file(folder + "/heard"))) {
    if (line.empty()) continue;
    const Json notice = Json::parse(line);
    const std::string task = notice["task"].is_string() ? notice["task"].get<std::string>() : "";
    all += (all.empty() ? "" : ", ") + notice["kind"].get<std::string>() +
           (task.empty() ? "" : " " + task);
    EXPECT_HAS(notice["command"].get<std::string>(), "capsule ") << line;
  }
  return all;
}

class NotifyDelivery : public DeliveryTest {};

TEST_F(NotifyDelivery, AQuestionIsToldOnceWithItsTaskAndThenTheEnd) {
  configure(keeping(dir(), "question, failed, complete"));
  write_plan({{"T-1"}, {"T-2"}});
  on("developer", "T-1", 1,
     "printf 'TASK_INCOMPLETE: T-1\\n\\nBlocker: which colour\\nNeeded: a colour\\n'");
  on("developer", "T-1", 2, "good");
  ASSERT_EQ(deliver().exit_code, 1);
  EXPECT_EQ(heard(dir()), "question T-1");
  ASSERT_EQ(capsule_in({"answer", "1", "red"}).exit_code, 0);
  ASSERT_EQ(deliver().exit_code, 0);
  EXPECT_EQ(heard(dir()), "question T-1, complete") << "what was told is not told again";
}

class NotifyAuto : public DemoProject {};

TEST_F(NotifyAuto, WhatStopsItAndItsEndAreTold) {
  make_project();
  auto_agent(
      "[ $CAPSULE_PHASE = review-quality ] && { grep -q mended greeting.txt && echo "
      "'VERDICT: APPROVED' || echo 'VERDICT: REJECTED'; exit 0; }\n");
  const std::string config = project() + "/.capsule/config.yaml";
  write_file(config, read_file(config) + "\n" + keeping(dir(), "question, failed, complete"));
  const Outcome stopped =
      in({"auto", "run", "Say hello", "--skip-expansion", "--skip-qa", "--skip-reflect"});
  ASSERT_EQ(stopped.exit_code, 1) << stopped.out << stopped.err;
  EXPECT_EQ(heard(dir()), "failed");
  const fs::path trees = project() + "/.capsule/worktrees";
  for (const auto& tree : fs::directory_iterator(trees))
    write_file(tree.path().string() + "/greeting.txt", "mended\n");
  const Outcome outcome = in({"auto", "continue"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(heard(dir()), "failed, complete");
}

class NotifyOwnWorkflow : public ProjectTest {};

TEST_F(NotifyOwnWorkflow, AnApprovalAndTheEndAreTold) {
  make_project(Way::binary);
  write_file(path("agent"),
             "#!/bin/sh\necho one >a.txt; echo '{\"status\":\"PASS\",\"feedback\":\"f\","
             "\"files_changed\":[\"a.txt\"],\"summary\":\"s\"}'\n");
  fs::permissions(path("agent"), fs::perms::owner_all);
  configure("provider: mine\nproviders: {mine: {command: ['" + path("agent") + "']}}\n" +
            keeping(dir(), "approval, complete"));
  write_file(project() + "/.capsule/workflows/mine.yaml",
             "phases:\n  - {name: draft, prompt: prompts/draft.md, approve: true}\nend: branch\n");
  write_file(project() + "/prompts/draft.md", "# draft\n");
  announce({"?? prompts/"});
  const Outcome waits = command("run", {kBead, "--workflow=mine"});
  ASSERT_EQ(waits.exit_code, 1) << waits.out << waits.err;
  EXPECT_EQ(heard(dir()), "approval");
  ASSERT_EQ(command("approve", {kBead}).exit_code, 0);
  const Outcome ended = command("run", {kBead});
  ASSERT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  EXPECT_EQ(heard(dir()), "approval, complete");
}

}  // namespace
}  // namespace capsule::test
