// Users' own workflows, through the binary: what they are made of, how they run, wait and end.
#include <filesystem>

#include "tests/program/project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

class OwnWorkflow : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
    // An agent that may run beside others: what it does in a phase is a file of that name.
    write_file(
        path("agent"),
        "#!/bin/sh\necho \"$CAPSULE_PHASE $CAPSULE_ATTEMPT\" >>'" + path("asked") +
            "'\nsay() { printf "
            "'{\"status\":\"%s\",\"feedback\":\"%s\",\"files_changed\":[%s],\"summary\":\"s\"}"
            "\\n' \"$1\" \"$2\" \"$3\"; }\n"
            "f='" +
            path("do") +
            "'/$CAPSULE_PHASE.$CAPSULE_ATTEMPT\n"
            "cat >'" +
            path("prompt-") +
            "'$CAPSULE_PHASE\n"
            "if [ -f \"$f\" ]; then . \"$f\"; else say PASS fine; fi\n");
    fs::permissions(path("agent"), fs::perms::owner_all);
    configure("provider: mine\nproviders: {mine: {command: ['" + path("agent") + "']}}\n");
  }
  void workflow(const std::string& name, const std::string& yaml) {
    write_file(project() + "/.capsule/workflows/" + name + ".yaml", yaml);
  }
  void prompt(const std::string& name) {
    write_file(project() + "/prompts/" + name + ".md", "# " + name + "\n");
    announce({"?? prompts/"});
  }
  void when(const std::string& phase, int attempt, const std::string& script) {
    write_file(path("do/" + phase + "." + std::to_string(attempt)), script + "\n");
  }
  std::vector<std::string> asked() const { return lines_of(read_file(path("asked"))); }
  Outcome run_with(const std::string& name, std::vector<std::string> more = {}) {
    std::vector<std::string> args{kBead, "--workflow=" + name};
    args.insert(args.end(), more.begin(), more.end());
    return command("run", args);
  }
};

TEST_F(OwnWorkflow, AnAgentThatFailsByItselfIsCalledAgainAndCostsNoAttempt) {
  prompt("code");
  workflow("mine",
           "phases:\n  - {name: code, error: {retry: code, limit: 2}}\nend: "
           "nothing\n");
  when("code", 1,
       "n=$(grep -c . '" + path("asked") +
           "'); [ $n = 1 ] && { echo 'boom: no such device' >&2; exit 3; }\n"
           "[ $n = 2 ] && { echo 'no signal here'; exit 0; }\n"
           "[ $n = 3 ] && { say ERROR 'I cannot'; exit 0; }");
  const Outcome done = run_with("mine");
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  EXPECT_EQ(asked(), (std::vector<std::string>{"code 1", "code 1", "code 1", "code 2"}))
      << "only the ERROR that it said took the route";
  EXPECT_HAS(done.out, "the agent ended with exit status 3");
  EXPECT_HAS(done.out, "boom: no such device");
}

TEST_F(OwnWorkflow, WhoFailsByItselfAgainAndAgainEndsTheRunInThoseWords) {
  prompt("code");
  workflow("mine",
           "phases:\n  - {name: code, error: {retry: code, limit: 9}}\nend: "
           "nothing\n");
  when("code", 1, "echo 'boom: no such device' >&2; exit 3");
  const Outcome done = run_with("mine");
  EXPECT_EQ(done.exit_code, 2) << done.out << done.err;
  EXPECT_EQ(asked(), (std::vector<std::string>{"code 1", "code 1", "code 1"}));
  EXPECT_HAS(done.out + done.err, "exit status 3");
  EXPECT_HAS(done.out + done.err, "boom: no such device");
}

TEST_F(OwnWorkflow, ThePipelineIsAFileThatCanBeReadAndChecked) {
  const Outcome shown = command("workflow", {"show", "pipeline"});
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_HAS(shown.out, "needs_work: {retry: execute, then: sign-off}");
  const Outcome checked = command("workflow", {"check", "pipeline"});
  ASSERT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_HAS(checked.out, "At most 18 agent runs with max_retries: 3.");
  const Outcome listed = command("workflow", {"list"});
  for (const char* name : {"pipeline", "spike", "review-panel"}) EXPECT_HAS(listed.out, name);
}

TEST_F(OwnWorkflow, ThePipelineByItsNameIsThePipeline) {
  configure("");
  const Outcome outcome = run_with("pipeline");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(join(phases()), "test-writer test-review execute execute-review sign-off merge");
  EXPECT_TRUE(is_closed());
}

TEST_F(OwnWorkflow, AFileCalledPipelineIsWhatARunWithoutAWorkflowFollows) {
  workflow("pipeline", "phases:\n  - {name: code}\nend: nothing\n");
  prompt("code");
  const Outcome done = command("run", {kBead});
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  EXPECT_EQ(join(asked(), ","), "code 1");
}

TEST_F(OwnWorkflow, ARunOfThePipelineGoesOnByItWhenAFileOfThatNameHasCome) {
  when("test-writer", 1, "say ERROR 'no space'");
  ASSERT_EQ(command("run", {kBead}).exit_code, 2);
  workflow("pipeline", "phases:\n  - {name: code}\nend: nothing\n");
  prompt("code");
  when("test-writer", 1, "say PASS fine");
  when("test-review", 1, "say ERROR stop");
  EXPECT_EQ(command("run", {kBead, "--resume"}).exit_code, 2);
  EXPECT_EQ(join(asked(), ","), "test-writer 1,test-writer 1,test-review 1");
}

TEST_F(OwnWorkflow, ASpikeWaitsForApprovalAndLeavesItsWorkOnABranch) {
  const std::string before = main_head();
  when("code", 1, "echo tried >spike.txt; say PASS fine '\"spike.txt\"'");
  const Outcome first = run_with("spike");
  ASSERT_EQ(first.exit_code, 1) << first.out << first.err;
  EXPECT_EQ(join(asked(), ","), "plan 1");
  const Outcome status = command("status", {});
  EXPECT_HAS(status.out, "approv");
  const Outcome questions = command("questions", {});
  EXPECT_HAS(questions.out, "plan");
  EXPECT_EQ(command("answer", {"1", "Use a smaller step"}).exit_code, 0);
  const Outcome second = run_with("spike");
  ASSERT_EQ(second.exit_code, 1) << second.out << second.err;
  EXPECT_EQ(join(asked(), ","), "plan 1,plan 2");
  EXPECT_HAS(read_file(path("prompt-plan")), "Use a smaller step");
  EXPECT_EQ(command("answer", {"2", "approve"}).exit_code, 0);
  const Outcome third = run_with("spike");
  ASSERT_EQ(third.exit_code, 0) << third.out << third.err;
  EXPECT_EQ(join(asked(), ","), "plan 1,plan 2,code 1,check 1");
  EXPECT_EQ(main_head(), before);
  EXPECT_EQ(git_out({"show", "capsule-demo-1.1.1:spike.txt"}), "tried");
  EXPECT_FALSE(is_closed());
  EXPECT_FALSE(fs::exists(worktree()));
}

TEST_F(OwnWorkflow, APanelLooksAtABranchAtOnceAndWritesNothing) {
  git({"checkout", "-q", "-b", "topic"});
  commit_file("topic.txt", "new\n");
  git({"checkout", "-q", "main"});
  for (const char* name : {"review-behaviour", "review-security", "review-quality"})
    when(name, 1,
         "test -f topic.txt || say ERROR 'the branch is not there'\n"
         "echo mine >>topic.txt\n"
         // All three are at work at the same time: each waits for the others.
         "touch '" +
             path("here-") +
             "'$CAPSULE_PHASE\n"
             "while [ $(ls '" +
             dir() +
             "' | grep -c '^here-') -lt 3 ]; do sleep 0.05; done\n"
             "say PASS fine");
  const Outcome outcome = run_with("review-panel", {"--branch=topic"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(asked().size(), 3U);
  EXPECT_EQ(git_out({"show", "topic:topic.txt"}), "new");
  EXPECT_FALSE(is_closed());
  const Outcome missing = run_with("review-panel");
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_HAS(missing.err, "--branch=NAME");
}

TEST_F(OwnWorkflow, OneReviewerOfAPanelThatNeedsWorkDecidesForAll) {
  git({"branch", "topic"});
  when("review-security", 1, "say NEEDS_WORK 'a secret is logged'");
  const Outcome outcome = run_with("review-panel", {"--branch=topic"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "a secret is logged");
}

TEST_F(OwnWorkflow, ANewWorkflowIsAFileAndPromptsAndNothingElse) {
  for (const char* name : {"draft", "polish"}) prompt(name);
  workflow("mine",
           "summary: Two steps\nphases:\n"
           "  - name: draft\n    prompt: prompts/draft.md\n"
           "  - name: polish\n    prompt: prompts/polish.md\n"
           "    needs_work: {retry: draft, limit: 2}\n"
           "end: merge\n");
  ASSERT_EQ(command("workflow", {"check", "mine"}).exit_code, 0);
  when("draft", 1, "echo one >a.txt; say PASS fine '\"a.txt\"'");
  when("polish", 1, "say NEEDS_WORK 'too short'");
  when("draft", 2, "echo two >a.txt; say PASS fine '\"a.txt\"'");
  const Outcome outcome = run_with("mine");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(join(asked(), ","), "draft 1,polish 1,draft 2,polish 2");
  EXPECT_EQ(git_out({"show", "main:a.txt"}), "two");
  EXPECT_TRUE(is_closed());
  EXPECT_HAS(read_file(path("prompt-draft")), "too short");
}

TEST_F(OwnWorkflow, WhatCannotBeRunIsRefusedBeforeAnythingIsMade) {
  workflow("endless", "phases:\n  - name: a\n  - name: b\n    pass: a\nend: nothing\n");
  const Outcome checked = command("workflow", {"check", "endless"});
  EXPECT_EQ(checked.exit_code, 1);
  EXPECT_HAS(checked.err, "a loop without a limit");
  const Outcome outcome = run_with("endless");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_FALSE(fs::exists(worktree()));
  const Outcome unknown = run_with("nothing-of-that-name");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_HAS(unknown.err, "review-panel");
  const Outcome hostile = run_with("../../etc/passwd");
  EXPECT_EQ(hostile.exit_code, 2);
  EXPECT_HAS(hostile.err, "cannot be the name");
}

TEST_F(OwnWorkflow, ARunGoesOnByTheRulesThatItBeganWith) {
  prompt("draft");
  workflow(
      "mine",
      "phases:\n  - name: draft\n    prompt: prompts/draft.md\n    approve: true\nend: branch\n");
  when("draft", 1, "echo one >a.txt; say PASS fine '\"a.txt\"'");
  ASSERT_EQ(run_with("mine").exit_code, 1);
  workflow("mine", "phases:\n  - name: other\n    prompt: prompts/draft.md\nend: merge\n");
  ASSERT_EQ(command("answer", {"1", "yes"}).exit_code, 0);
  const Outcome outcome = run_with("mine");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(join(asked(), ","), "draft 1");
  EXPECT_EQ(git_out({"show", "capsule-demo-1.1.1:a.txt"}), "one");
}

TEST_F(OwnWorkflow, InitBeginsOneFromAnExample) {
  announce({"?? prompts/"});
  const Outcome made = command("workflow", {"init", "mine", "--from=spike"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_TRUE(fs::exists(project() + "/.capsule/workflows/mine.yaml"));
  EXPECT_EQ(command("workflow", {"check", "mine"}).exit_code, 0);
  EXPECT_EQ(command("workflow", {"init", "mine"}).exit_code, 1) << "what is there stays";
}

// A spike that was approved and is on its branch.
TEST_F(OwnWorkflow, WorkThatStaysOnABranchIsNotCalledMergedAndTeardownLeavesItAlone) {
  when("code", 1, "echo tried >spike.txt; say PASS fine '\"spike.txt\"'");
  ASSERT_EQ(run_with("spike").exit_code, 1);
  ASSERT_EQ(command("answer", {"1", "approve"}).exit_code, 0);
  const Outcome outcome = command("run", {kBead});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_LACKS(outcome.out, "merged");
  EXPECT_LACKS(outcome.out, "main:");
  EXPECT_HAS(outcome.out, "See it:\n  git log -2 capsule-demo-1.1.1\n");
  const Json status = Json::parse(command("status", {kBead, "--json"}).out);
  EXPECT_EQ(status["outcome"], "on_branch");
  EXPECT_TRUE(status["merged_as"].is_null()) << "nothing of it is on main";
  const std::string commit = git_out({"rev-parse", "capsule-demo-1.1.1"});
  for (const std::vector<std::string>& args : {std::vector<std::string>{}, {kBead}}) {
    const Outcome cleaned = command("teardown", args);
    EXPECT_EQ(cleaned.exit_code, 0) << cleaned.err;
    EXPECT_HAS(cleaned.out, "left alone: branch capsule-demo-1.1.1");
    EXPECT_EQ(git_out({"rev-parse", "capsule-demo-1.1.1"}), commit);
  }
}

TEST_F(OwnWorkflow, ARunThatWaitsSaysHowToAnswerAndHowToGoOn) {
  const Outcome outcome = run_with("spike");
  ASSERT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out,
             "What next:\n  capsule approve demo-1.1.1\n  capsule reject demo-1.1.1 "
             "--because=TEXT\n  capsule run demo-1.1.1\n");
  EXPECT_LACKS(outcome.out, "--resume");
}

TEST_F(OwnWorkflow, StartingOverIsProposedWithTheSameWorkflow) {
  git({"branch", "topic"});
  when("review-security", 1, "say ERROR 'cannot look'");
  const Outcome outcome = run_with("review-panel", {"--branch=topic"});
  ASSERT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
  const std::string over = "capsule run demo-1.1.1 --workflow=review-panel --branch=topic --clean";
  EXPECT_HAS(outcome.out, over);
  const Outcome again = run_with("review-panel", {"--branch=topic"});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_HAS(again.err, "already exists");
  EXPECT_HAS(again.err, over);
}

TEST_F(OwnWorkflow, StartingOverKeepsWorkflowAndBranchOfTheRunBefore) {
  git({"branch", "topic"});
  when("review-security", 1, "say ERROR 'cannot look'");
  ASSERT_EQ(run_with("review-panel", {"--branch=topic"}).exit_code, 2);
  when("review-security", 1, "say PASS fine");
  const Outcome again = command("run", {kBead, "--clean"});
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
  for (const std::string& phase : asked()) EXPECT_EQ(phase.find("review-"), 0U) << phase;
}

TEST_F(OwnWorkflow, ABranchThatIsNotThereIsRefusedBeforeAnythingIsRecordedOrRemoved) {
  const auto missing = [&](std::vector<std::string> more) {
    more.push_back("--branch=x");
    const Outcome outcome = run_with("review-panel", more);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_HAS(outcome.err, "there is no branch called x");
  };
  missing({});
  EXPECT_HAS(command("status", {}).out, "No runs yet");
  git({"branch", "topic"});
  when("review-security", 1, "say ERROR 'cannot look'");
  ASSERT_EQ(run_with("review-panel", {"--branch=topic"}).exit_code, 2);
  missing({"--clean"});
  when("review-security", 1, "say PASS fine");
  EXPECT_EQ(command("run", {kBead, "--resume"}).exit_code, 0) << "the run before is still there";
}

TEST_F(OwnWorkflow, ARunThatGoesOnKeepsItsWorkflowAndSaysSo) {
  git({"branch", "topic"});
  when("review-security", 1, "say ERROR 'cannot look'");
  ASSERT_EQ(run_with("review-panel", {"--branch=topic"}).exit_code, 2);
  const std::size_t before = asked().size();
  const Outcome other = run_with("pipeline", {"--resume"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_HAS(other.err, "uses the workflow review-panel, not pipeline");
  EXPECT_HAS(other.err, "capsule run demo-1.1.1 --workflow=pipeline --clean");
  git({"branch", "other"});
  const Outcome branch = command("run", {kBead, "--resume", "--branch=other"});
  EXPECT_EQ(branch.exit_code, 2);
  EXPECT_HAS(branch.err, "looks at topic, not other");
  EXPECT_EQ(asked().size(), before) << "nobody was asked";
}

TEST_F(OwnWorkflow, AttemptsAreCountedByTheLimitOfTheirLoop) {
  for (const char* name : {"draft", "polish"}) prompt(name);
  workflow(
      "mine",
      "phases:\n  - {name: draft}\n"
      "  - {name: polish, write: false, needs_work: {retry: draft, limit: 2}}\nend: nothing\n");
  for (const int attempt : {1, 2})
    when("polish", attempt, "say NEEDS_WORK 'too short " + std::to_string(attempt) + "'");
  const Outcome outcome = run_with("mine");
  ASSERT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "draft: PASS (attempt 2/2)");
  EXPECT_HAS(outcome.out, "polish: NEEDS_WORK (attempt 2/2)");
  EXPECT_HAS(outcome.out, "after 2 attempts");
}

TEST_F(OwnWorkflow, OfPhasesAtOnceNobodyIsBlamedAlone) {
  git({"branch", "topic"});
  when("review-security", 1, "echo mine >mine.txt; say PASS fine");
  const Outcome outcome = run_with("review-panel", {"--branch=topic"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out,
             "review-behaviour, review-security or review-quality tried to change mine.txt");
}

TEST_F(OwnWorkflow, ALargeLoopHasABoundToo) {
  std::string yaml = "phases:\n";
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    prompt(name);
    yaml +=
        "  - {name: " + std::string(name) + ", write: false, needs_work: {retry: a, limit: 100}}\n";
  }
  workflow("large", yaml + "end: nothing\n");
  const Outcome outcome = command("workflow", {"check", "large"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_HAS(outcome.out, "At most ");
  workflow("empty", "");
  const Outcome empty = command("workflow", {"check", "empty"});
  EXPECT_EQ(empty.exit_code, 2);
  EXPECT_HAS(empty.err, "empty.yaml:1:");
}

}  // namespace
}  // namespace capsule::test
