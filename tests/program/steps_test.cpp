// prep, run-phase and merge one at a time, as people used the scripts: every row of their exit-code
// tables and every step of their behaviour.
#include <filesystem>

#include "tests/program/project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

class Steps : public ProjectTest, public ::testing::WithParamInterface<Way> {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(GetParam());
  }
  Outcome phase(const std::string& name, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {name, worktree()});
    return command("run-phase", more);
  }
  void sign_off_by_hand(const std::string& verdict = "Verdict: PASS") {
    write_file(worktree() + "/worklog.md",
               read_file(worktree() + "/worklog.md") + "\n**" + verdict + "**\n");
  }
};

INSTANTIATE_TEST_SUITE_P(Ways, Steps, ::testing::Values(Way::binary, Way::scripts),
                         [](const auto& way) {
                           return way.param == Way::binary ? "Binary" : "Scripts";
                         });

TEST_P(Steps, PrepMakesWorktreeBranchLogFolderAndWorklog) {
  const Outcome outcome = command("prep", {kBead});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_HAS(outcome.out, worktree() + "\n");
  EXPECT_HAS(outcome.out, "capsule-demo-1.1.1\n");
  EXPECT_HAS(outcome.out, worktree() + "/worklog.md\n");
  EXPECT_EQ(git_out({"symbolic-ref", "--short", "HEAD"}, worktree()), "capsule-demo-1.1.1");
  EXPECT_EQ(git_out({"rev-parse", "HEAD"}, worktree()), main_head());
  EXPECT_EQ(git_out({"status", "--porcelain"}, worktree()), "?? worklog.md");
  EXPECT_TRUE(fs::is_directory(project() + "/.capsule/logs"));
  EXPECT_TRUE(phases().empty());
}

TEST_P(Steps, TheWorklogHoldsTheWholeBriefing) {
  const std::string variables =
      "{{EPIC_ID}}|{{EPIC_TITLE}}|{{EPIC_GOAL}}|{{FEATURE_ID}}|{{FEATURE_TITLE}}|{{FEATURE_GOAL}}|"
      "{{TASK_ID}}|{{TASK_TITLE}}|{{TASK_DESCRIPTION}}|{{ACCEPTANCE_CRITERIA}}|{{TIMESTAMP}}|";
  write_file(project() + "/templates/worklog.md.template", variables + "{{UNKNOWN}}|\n");
  announce({GetParam() == Way::scripts ? " M templates/worklog.md.template" : "?? templates/"});
  ASSERT_EQ(command("prep", {kBead}).exit_code, 0);
  const std::string text = read_file(worktree() + "/worklog.md");
  const std::string known =
      "demo-1|The epic|Epic goal|demo-1.1|The feature|Feature goal|demo-1.1.1|Make it work|"
      "Task description|- It works|";
  EXPECT_EQ(text.substr(0, known.size()), known);
  EXPECT_EQ(text.substr(text.size() - 4), "Z||\n") << text;
  EXPECT_EQ(text.size(), known.size() + sizeof("2026-01-01T00:00:00Z||\n") - 1) << text;
}

TEST_P(Steps, CriteriaComeFromTheDescriptionWhereTheFieldIsEmpty) {
  write_file(project() + "/templates/worklog.md.template",
             "[{{ACCEPTANCE_CRITERIA}}][{{EPIC_ID}}]");
  announce({GetParam() == Way::scripts ? " M templates/worklog.md.template" : "?? templates/"});
  set_beads({{kBead, "T", "task", "open",
              "Intro\n\n## acceptance criteria\n- one\n- two\n\n## Notes\nother"}});
  ASSERT_EQ(command("prep", {kBead}).exit_code, 0);
  EXPECT_EQ(read_file(worktree() + "/worklog.md"), "[- one\n- two][]");
}

TEST_P(Steps, ParentsInACircleEndTheWalk) {
  set_beads({{"demo-1", "E", "feature", "open", "", "", kBead},
             {kBead, "T", "task", "open", "", "", "demo-1"}});
  const Outcome outcome = command("prep", {kBead});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST_P(Steps, PrepRefusesASecondTimeAndChangesNothing) {
  ASSERT_EQ(command("prep", {kBead}).exit_code, 0);
  write_file(worktree() + "/worklog.md", "mine\n");
  const Outcome again = command("prep", {kBead});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_EQ(again.out, "");
  EXPECT_HAS(again.err, "already exists");
  EXPECT_HAS(again.err, "prepared");
  EXPECT_EQ(read_file(worktree() + "/worklog.md"), "mine\n");
  const Outcome run = run_bead();
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_HAS(run.err, "already exists");
  EXPECT_EQ(run_bead({"--resume"}).exit_code, 0);
}

TEST_P(Steps, PrepUsageErrorsAreOne) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {}, {kBead, "more"}, {kBead, "--frobnicate"}, {"../x"}, {"-rf"}, {"no-such-bead"}}) {
    SCOPED_TRACE(join(words));
    const Outcome outcome = command("prep", words);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.err, "");
    EXPECT_EQ(outcome.out, "");
  }
  expect_untouched();
}

TEST_P(Steps, APhasePrintsItsSignalAndReturnsItsStatus) {
  ASSERT_EQ(command("prep", {kBead}).exit_code, 0);
  const std::pair<const char*, int> rows[] = {{"PASS", 0}, {"NEEDS_WORK", 1}, {"ERROR", 2}};
  int n = 0;
  for (const auto& [status, code] : rows) {
    on("execute", ++n, "echo chatter; say " + std::string(status) + " words");
    const Outcome outcome = phase("execute");
    EXPECT_EQ(outcome.exit_code, code) << outcome.err;
    EXPECT_EQ(outcome.out, "{\"status\":\"" + std::string(status) +
                               "\",\"feedback\":\"words\",\"files_changed\":[],\"summary\":\"did "
                               "execute\"}\n");
  }
  EXPECT_EQ(logs_in(worktree() + "/.capsule/output").size(), 6U);
}

TEST_P(Steps, APhaseWithoutAUsableSignalIsAnError) {
  ASSERT_EQ(command("prep", {kBead}).exit_code, 0);
  on("execute", 1, "echo nothing");
  Outcome outcome = phase("execute");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out,
            "{\"status\":\"ERROR\",\"feedback\":\"No signal JSON found in phase output\","
            "\"files_changed\":[],\"summary\":\"Phase did not produce a signal\"}\n");
  on("execute", 2, "say MAYBE words");
  outcome = phase("execute");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_HAS(outcome.out, "Invalid status value: MAYBE (must be PASS, NEEDS_WORK, or ERROR)");
  on("execute", 3, "say PASS fine; exit 7");
  outcome = phase("execute");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(outcome.out.starts_with("{\"status\":\"PASS\"")) << "the signal is still printed";
  EXPECT_HAS(outcome.err, "exit status 7");
  on("execute", 4, "echo working; kill -KILL $$");
  on("execute", 5, "echo 'Credit balance is too low'; exit 1");
  on("execute", 6, "echo 'I am lost'; exit 1");
  outcome = phase("execute");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(
      outcome.out,
      "{\"status\":\"ERROR\",\"feedback\":\"the agent was ended by signal 9 (SIGKILL) before it "
      "printed a signal\",\"files_changed\":[],\"summary\":\"Phase did not produce a "
      "signal\"}\n");
  EXPECT_HAS(outcome.err, "signal 9 (SIGKILL)");
  outcome = phase("execute");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_HAS(outcome.out, "the agent has no credit left at its service: Credit balance is too low");
  EXPECT_LACKS(outcome.out, "No signal");
  outcome = phase("execute");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_HAS(outcome.out,
             "No signal JSON found in phase output (the agent ended with exit status 1)")
      << "words that nobody knows";
}

TEST_P(Steps, APhaseThatTakesTooLongIsASyntheticErrorThatNamesTheLimit) {
  ASSERT_EQ(command("prep", {kBead}).exit_code, 0);
  env()["CAPSULE_PHASE_TIMEOUT"] = "1";
  on("execute", "echo before; say PASS fine; sleep 300");
  const Outcome outcome = phase("execute");
  EXPECT_EQ(outcome.exit_code, 2);
  const auto signal = Json::parse(outcome.out, nullptr, false);
  ASSERT_TRUE(signal.is_object()) << outcome.out;
  EXPECT_EQ(signal["status"], "ERROR");
  EXPECT_HAS(signal["feedback"].get<std::string>(), "1 s");
  EXPECT_EQ(logs_in(worktree() + "/.capsule/output").size(), 2U);
}

TEST_P(Steps, FeedbackIsAppendedToThePrompt) {
  ASSERT_EQ(command("prep", {kBead}).exit_code, 0);
  const std::string feedback = "a \"b\" $(c) `d`\n\nsecond ü";
  ASSERT_EQ(phase("test-writer", {"--feedback=" + feedback}).exit_code, 0);
  const AgentCall call = agent_calls().front();
  std::string prompt = read_file(std::string(CAPSULE_SOURCE_DIR) + "/prompts/test-writer.md");
  while (prompt.ends_with('\n')) prompt.pop_back();
  EXPECT_EQ(call.args.at(1),
            prompt +
                "\n\n---\n\n## Previous Feedback\n\nThe previous review returned NEEDS_WORK "
                "with the following feedback. Address these issues:\n\n" +
                feedback);
  EXPECT_EQ(call.env.at("CAPSULE_BEAD"), "") << "outside a run";
  EXPECT_EQ(call.env.at("CAPSULE_PHASE"), "test-writer");
}

TEST_P(Steps, APhaseWorksInAnyFolderGivenInAnyWay) {
  fs::create_directories(path("plain folder"));
  Call call = calling("run-phase", {"execute", "../plain folder"});
  const Outcome outcome = run(call);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(agent_calls().front().cwd, path("plain folder"));
  EXPECT_EQ(read_file(path("plain folder/feature.txt")), "done\n");
  EXPECT_EQ(logs_in(path("plain folder/.capsule/output")).size(), 2U);
  EXPECT_FALSE(fs::exists(project() + "/.capsule"));
}

TEST_P(Steps, PhaseUsageErrorsAreTwo) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{},
                                             {"execute"},
                                             {"execute", ".", "more"},
                                             {"no-such-phase", "."},
                                             {"../x", "."},
                                             {"-rf", "."},
                                             {"execute", "/nonexistent"},
                                             {"execute", "README.md"}}) {
    SCOPED_TRACE(join(words));
    const Outcome outcome = command("run-phase", words);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err, "");
    EXPECT_EQ(outcome.out, "");
  }
  EXPECT_TRUE(phases().empty());
}

TEST_P(Steps, APhaseOrFolderThatIsNotThereIsNotFound) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"no-such-phase", "."},
                                             {"../x", "."},
                                             {"", "."},
                                             {"execute", "/nonexistent"},
                                             {"execute", "README.md"}})
    EXPECT_HAS(command("run-phase", words).err, "not found");
}

TEST_P(Steps, AProjectsOwnPromptIsUsedAsItIs) {
  write_file(project() + "/prompts/polish.md", "# Execute Phase\npolish\n\n");
  announce({GetParam() == Way::scripts ? "?? prompts/polish.md" : "?? prompts/"});
  fs::create_directories(path("w"));
  EXPECT_EQ(command("run-phase", {"polish", path("w")}).exit_code, 0);
  EXPECT_EQ(agent_calls().front().args.at(1), "# Execute Phase\npolish\n\n");
}

TEST_P(Steps, AllStepsByHandEndLikeARun) {
  ASSERT_EQ(command("prep", {kBead}).exit_code, 0);
  for (const char* name : {"test-writer", "test-review", "execute", "execute-review", "sign-off"})
    ASSERT_EQ(phase(name).exit_code, 0) << name;
  const Outcome unsigned_off = command("merge", {kBead});
  EXPECT_EQ(unsigned_off.exit_code, 1) << "the worklog has no verdict yet";
  EXPECT_HAS(unsigned_off.out + unsigned_off.err, "sign-off");
  sign_off_by_hand();
  const Outcome merged = command("merge", {kBead});
  ASSERT_EQ(merged.exit_code, 0) << merged.out << merged.err;
  EXPECT_EQ(agent_calls().back().env.at("CAPSULE_COMMIT_MSG"), "demo-1.1.1: Make it work");
  EXPECT_EQ(git_out({"log", "-1", "--format=%s", "main"}), "Merge demo-1.1.1: Make it work");
  EXPECT_EQ(git_out({"diff", "--name-only", "main^1", "main"}),
            "feature.txt\ntests/feature_test.sh");
  EXPECT_FALSE(fs::exists(worktree()));
  EXPECT_TRUE(fs::exists(archive() + "/worklog.md"));
  EXPECT_EQ(logs_in(archive()).size(), 12U);
  EXPECT_EQ(git_out({"branch", "--list", "capsule-*"}), "");
  EXPECT_TRUE(is_closed());
}

TEST_P(Steps, AResumedRunCountsThePhasesThatWereRunByHand) {
  ASSERT_EQ(command("prep", {kBead}).exit_code, 0);
  ASSERT_EQ(phase("test-writer").exit_code, 0);
  ASSERT_EQ(phase("test-review").exit_code, 0);
  const Outcome outcome = run_bead({"--resume"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(join(phases()), "test-writer test-review execute execute-review sign-off merge");
}

TEST_P(Steps, MergeNeedsAWorktree) {
  const Outcome outcome = command("merge", {kBead});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
  EXPECT_HAS(outcome.err, "no worktree");
  EXPECT_TRUE(phases().empty());
}

TEST_P(Steps, MergeHonoursOnlyAnExactVerdictOfTheLastSignOff) {
  ASSERT_EQ(command("prep", {kBead}).exit_code, 0);
  write_file(worktree() + "/feature.txt", "done\n");
  fs::create_directories(worktree() + "/tests");
  const std::string briefing = read_file(worktree() + "/worklog.md");
  for (const char* tail : {"", "Verdict: NEEDS_WORK\n", "Verdict: PASS | NEEDS_WORK\n",
                           "Verdict: PASS\n\nVerdict: NEEDS_WORK\n", "> Verdict: PASS\n",
                           "Verdict: PASSED\n", "## Phase 4: execute-review\n\nVerdict: PASS\n"}) {
    SCOPED_TRACE(tail);
    write_file(worktree() + "/worklog.md", briefing + "\n" + tail);
    const Outcome outcome = command("merge", {kBead});
    EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
    EXPECT_HAS(outcome.out + outcome.err, "sign-off");
  }
  EXPECT_TRUE(phases().empty()) << "the merge agent was paid";
  write_file(worktree() + "/worklog.md", briefing + "\n- **Verdict**: `PASS`\n");
  on("merge", "git add feature.txt; git commit -q -m x >&2; say PASS ok");
  EXPECT_EQ(command("merge", {kBead}).exit_code, 0);
}

TEST_P(Steps, MergeExitCodesFollowItsAgent) {
  const std::pair<const char*, int> rows[] = {{"say NEEDS_WORK 'a TODO is left'", 1},
                                              {"say ERROR broken", 2},
                                              {"echo nothing", 2},
                                              {"say PASS 'but nothing committed'", 1},
                                              {"work; say PASS ok; exit 1", 2}};
  ASSERT_EQ(command("prep", {kBead}).exit_code, 0);
  ASSERT_EQ(phase("test-writer").exit_code, 0);
  ASSERT_EQ(phase("execute").exit_code, 0);
  sign_off_by_hand();
  const std::string before = main_head();
  int n = 0;
  for (const auto& [script, code] : rows) {
    SCOPED_TRACE(script);
    on("merge", ++n, script);
    const Outcome outcome = command("merge", {kBead});
    EXPECT_EQ(outcome.exit_code, code) << outcome.out << outcome.err;
    EXPECT_EQ(main_head(), before);
    EXPECT_TRUE(fs::exists(worktree()));
    EXPECT_FALSE(is_closed());
  }
}

TEST_P(Steps, AConflictLeavesEverythingAndSaysHowToResolveIt) {
  commit_file("feature.txt", "original\n");
  ASSERT_EQ(command("prep", {kBead}).exit_code, 0);
  ASSERT_EQ(phase("test-writer").exit_code, 0);
  ASSERT_EQ(phase("execute").exit_code, 0);
  sign_off_by_hand();
  commit_file("feature.txt", "somebody else's\n");
  const std::string before = main_head();
  const Outcome outcome = command("merge", {kBead});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "conflict with main in feature.txt");
  EXPECT_HAS(outcome.out, "git merge main");
  EXPECT_HAS(outcome.out, "capsule merge demo-1.1.1");
  EXPECT_EQ(main_head(), before);
  EXPECT_EQ(read_file(project() + "/feature.txt"), "somebody else's\n");
  EXPECT_FALSE(is_closed());
  // Done as it says.
  git({"merge", "-q", "main"}, worktree());
  write_file(worktree() + "/feature.txt", "done\n");
  git_out({"add", "feature.txt"}, worktree());
  git_out({"commit", "-q", "-m", "Resolved"}, worktree());
  on("merge", 2, "say PASS 'committed before'");
  const Outcome again = command("merge", {kBead});
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
  EXPECT_EQ(read_file(project() + "/feature.txt"), "done\n");
  EXPECT_TRUE(is_closed());
}

TEST_P(Steps, AWorktreeMadeByTheOriginalScriptsIsMerged) {
  git_out({"worktree", "add", "-q", worktree(), "-b", "capsule-demo-1.1.1"});
  write_file(project() + "/.git/info/exclude", ".capsule/\n");
  write_file(worktree() + "/worklog.md", "# Worklog\n\n## Phase 5: sign-off\n\nVerdict: PASS\n");
  write_file(worktree() + "/feature.txt", "done\n");
  on("merge", "git add feature.txt; git commit -q -m \"$CAPSULE_COMMIT_MSG\" >&2; say PASS ok");
  const Outcome outcome = command("merge", {kBead});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(git_out({"diff", "--name-only", "main^1", "main"}), "feature.txt");
  EXPECT_FALSE(fs::exists(worktree()));
  EXPECT_EQ(git_out({"branch", "--list", "capsule-*"}), "");
  EXPECT_TRUE(is_closed());
}

TEST_P(Steps, AWorktreeMadeByTheOriginalScriptsIsRunOn) {
  git_out({"worktree", "add", "-q", worktree(), "-b", "capsule-demo-1.1.1"});
  write_file(project() + "/.git/info/exclude", ".capsule/\n");
  write_file(worktree() + "/worklog.md", "# Worklog\n\n## Phase 5: sign-off\n");
  const Outcome outcome = run_bead({"--resume"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_TRUE(is_closed());
}

TEST_P(Steps, MergeUsageErrorsAreTwo) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {}, {kBead, "more"}, {kBead, "--frobnicate"}, {"../x"}, {"-rf"}, {"no-such-bead"}}) {
    SCOPED_TRACE(join(words));
    const Outcome outcome = command("merge", words);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err, "");
  }
}

}  // namespace
}  // namespace capsule::test
