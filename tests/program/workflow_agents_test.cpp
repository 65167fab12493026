// What a workflow's file says of its agents, through the binary: who is called in which phase, with
// which model and for how long; and that steps by hand follow the project's own pipeline.
#include <filesystem>

#include "tests/program/project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

class WorkflowAgents : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
    // One program under two names: it notes its phase, who it is and its model, and passes.
    write_file(path("agent"), "#!/bin/sh\necho \"$CAPSULE_PHASE $1 $2\" >>'" + path("asked") +
                                  "'\ncat >/dev/null\n"
                                  "[ \"$CAPSULE_PHASE\" != slow ] || exec sleep 600\n"
                                  "printf '{\"status\":\"PASS\",\"feedback\":\"\","
                                  "\"files_changed\":[],\"summary\":\"s\"}\\n'\n");
    fs::permissions(path("agent"), fs::perms::owner_all);
    const std::string program = "'" + path("agent") + "'";
    configure("provider: first\nproviders:\n  first: {command: [" + program +
              ", first, '{model}']}\n  second: {command: [" + program +
              ", second, '{model}'], model: small}\n");
    write_file(project() + "/prompts/mine.md", "# mine\n");
    announce({"?? prompts/"});
  }
  void workflow(const std::string& name, const std::string& yaml) const {
    write_file(project() + "/.capsule/workflows/" + name + ".yaml", yaml);
  }
  // Two phases whose names and prompt no pipeline of ours has.
  void own_pipeline() const {
    workflow("pipeline",
             "phases:\n"
             "  - {name: code, provider: second, model: large, prompt: prompts/mine.md}\n"
             "  - {name: polish, prompt: prompts/mine.md}\n"
             "end: merge\n");
  }
  void worktree_by_hand() const {
    git_out({"worktree", "add", "-q", "-b", "capsule-demo-1.1.1", worktree()});
  }
  std::string asked() const { return join(lines_of(read_file(path("asked"))), ","); }
};

TEST_F(WorkflowAgents, ProviderModelAndTimeoutOfAPhaseReachItsAgent) {
  workflow("mine",
           "phases:\n"
           "  - {name: draft, provider: second, model: large, prompt: prompts/mine.md}\n"
           "  - {name: polish, provider: second, prompt: prompts/mine.md}\n"
           "  - {name: slow, timeout: 1, prompt: prompts/mine.md}\n"
           "end: nothing\n");
  const Outcome outcome = command("run", {kBead, "--workflow=mine"});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
  EXPECT_EQ(asked(), "draft second large,polish second small,slow first ");
  const Json agents = Json::parse(command("status", {kBead, "--json"}).out)["agents"];
  ASSERT_EQ(agents.size(), 3U) << agents;
  EXPECT_EQ(agents[0]["provider"], "second");
  EXPECT_EQ(agents[0]["model"], "large");
  EXPECT_EQ(agents[2]["provider"], "first");
  EXPECT_EQ(agents[2]["fault"], "timed_out");
}

TEST_F(WorkflowAgents, ACheckFindsPromptsAndProvidersThatAreNotThere) {
  workflow("mine",
           "phases:\n"
           "  - {name: draft, prompt: prompts/nowhere.md}\n"
           "  - {name: polish, provider: nobody, prompt: prompts/mine.md}\n"
           "end: nothing\n");
  const Outcome checked = command("workflow", {"check", "mine"});
  EXPECT_EQ(checked.exit_code, 1) << checked.out;
  EXPECT_HAS(checked.err, "draft: its prompt is missing: prompts/nowhere.md");
  EXPECT_HAS(checked.err, "polish: unknown provider 'nobody'");
  EXPECT_HAS(checked.out, "draft") << "its rules are sound: they are shown";
}

TEST_F(WorkflowAgents, WhatIsPreparedAndRunByHandFollowsTheProjectsOwnPipeline) {
  own_pipeline();
  ASSERT_EQ(command("prep", {kBead}).exit_code, 0);
  const Outcome by_hand = command("run-phase", {"code", worktree()});
  EXPECT_EQ(by_hand.exit_code, 0) << by_hand.out << by_hand.err;
  EXPECT_EQ(asked(), "code second large");
  (void)command("run", {kBead, "--resume"});
  EXPECT_EQ(asked(), "code second large,polish first ") << "what was done by hand is done";
}

TEST_F(WorkflowAgents, AWorktreeMadeByHandIsTakenUpByTheProjectsOwnPipeline) {
  own_pipeline();
  worktree_by_hand();
  (void)command("run", {kBead, "--resume"});
  EXPECT_EQ(asked(), "code second large,polish first ");
}

TEST_F(WorkflowAgents, AMergeByHandAsksWhoeverIsLastInTheProjectsOwnPipeline) {
  own_pipeline();
  worktree_by_hand();
  (void)command("merge", {kBead});
  EXPECT_EQ(asked(), "polish first ");
}

TEST_F(WorkflowAgents, StepsByHandAreRefusedWhereTheProjectsOwnPipelineCannotBeRun) {
  workflow("pipeline", "phases:\n  - name: a\n  - name: b\n    pass: a\nend: nothing\n");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"prep", kBead}, {"run-phase", "execute", project()}}) {
    const Outcome refused = command(words[0], {words.begin() + 1, words.end()});
    EXPECT_NE(refused.exit_code, 0) << refused.out;
    EXPECT_HAS(refused.err, "a loop without a limit");
  }
  EXPECT_FALSE(fs::exists(worktree()));
  EXPECT_FALSE(fs::exists(path("asked")));
}

}  // namespace
}  // namespace capsule::test
