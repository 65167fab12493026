// capsule run, as the command reference states it: order of phases, retries, exit codes, what the
// agents get, what is left behind. Every test runs through the binary and through the scripts.
#include <filesystem>

#include "tests/program/project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

const std::string kWhole = "test-writer test-review execute execute-review sign-off merge";

class Run : public ProjectTest, public ::testing::WithParamInterface<Way> {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(GetParam());
  }
  void expect_kept() {
    EXPECT_TRUE(fs::exists(worktree() + "/worklog.md"));
    EXPECT_FALSE(is_closed());
    EXPECT_EQ(git({"rev-parse", "--verify", "-q", "refs/heads/capsule-demo-1.1.1"}).exit_code, 0);
  }
};

INSTANTIATE_TEST_SUITE_P(Ways, Run, ::testing::Values(Way::binary, Way::scripts),
                         [](const auto& way) {
                           return way.param == Way::binary ? "Binary" : "Scripts";
                         });

TEST_P(Run, SixGoodPhasesEndInAMergeAnArchiveAndAClosedBead) {
  const std::string before = main_head();
  const Outcome outcome = run_bead();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(join(phases()), kWhole);
  // main: a merge commit with --no-ff, both messages, the trailer, and only the work.
  EXPECT_EQ(git_out({"log", "-1", "--format=%s", "main"}), "Merge demo-1.1.1: Make it work");
  EXPECT_EQ(git_out({"log", "-1", "--format=%s", "main^2"}), "demo-1.1.1: Make it work");
  EXPECT_EQ(git_out({"rev-parse", "main^1"}), before);
  EXPECT_EQ(git_out({"rev-parse", "main^2^"}), before);
  EXPECT_NE(git_out({"log", "-1", "--format=%(trailers:key=Capsule-Run,valueonly)", "main"}), "");
  EXPECT_EQ(git_out({"diff", "--name-only", before, "main"}), "feature.txt\ntests/feature_test.sh");
  // The checkout moved forward with main, and nothing is left of the worktree.
  EXPECT_EQ(read_file(project() + "/feature.txt"), "done\n");
  EXPECT_FALSE(fs::exists(worktree()));
  EXPECT_EQ(git_out({"branch", "--list", "capsule-*"}), "");
  EXPECT_EQ(lines_of(git_out({"worktree", "list"})).size(), 1U);
  EXPECT_TRUE(is_closed());
  // The archive: the worklog, and both logs of six phases.
  EXPECT_HAS(read_file(archive() + "/worklog.md"), "Make it work");
  EXPECT_EQ(logs_in(archive()).size(), 12U);
}

TEST_P(Run, PlainLinesNameTheStagesAndEveryVerdict) {
  on("test-review", 1, "say NEEDS_WORK 'cover empty input'");
  on("test-review", 2, "pass");
  const Outcome outcome = run_bead();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  std::vector<std::string> told;
  for (const std::string& line : lines_of(outcome.out)) {
    if (line.starts_with("\n") || line.empty()) break;
    if (line.starts_with("[") || line.find("PASS") != line.npos ||
        line.find("NEEDS_WORK") != line.npos)
      told.push_back(line);
  }
  EXPECT_EQ(told, (std::vector<std::string>{
                      "[1/5] Prep",
                      "[2/5] Phase pair: test-writer → test-review",
                      "  test-writer: PASS (attempt 1/3)",
                      "  test-review: NEEDS_WORK (attempt 1/3)",
                      "  test-writer: PASS (attempt 2/3)",
                      "  test-review: PASS (attempt 2/3)",
                      "[3/5] Phase pair: execute → execute-review",
                      "  execute: PASS (attempt 1/3)",
                      "  execute-review: PASS (attempt 1/3)",
                      "[4/5] Sign-off",
                      "  sign-off: PASS (attempt 1/3)",
                      "[5/5] Merge",
                      "  merge: PASS (attempt 1/3)",
                  }))
      << outcome.out;
  EXPECT_HAS(outcome.out, "    cover empty input\n");
}

TEST_P(Run, AgentsGetTheSpecifiedCallInTheWorktreeWithTheirVariables) {
  on("execute-review", 1, "say NEEDS_WORK 'name it better'");
  on("execute-review", 2, "pass");
  ASSERT_EQ(run_bead().exit_code, 0);
  const std::vector<AgentCall> calls = agent_calls();
  ASSERT_EQ(calls.size(), 8U);
  std::map<std::string, int> seen;
  std::map<std::string, std::string> ids;  // of sessions, by phase
  std::string run;
  for (const AgentCall& call : calls) {
    SCOPED_TRACE(call.phase);
    const int attempt = ++seen[call.phase];
    std::string prompt =
        read_file(std::string(CAPSULE_SOURCE_DIR) + "/prompts/" + call.phase + ".md");
    const bool again = call.phase == "execute" && attempt == 2;
    const bool sessions = GetParam() == Way::binary;
    // Its session knows the rest.
    if (again && sessions)
      prompt =
          prompt.substr(0, prompt.find('\n')) +
          "\n\nYour work in this phase was sent back. Settle every point of the feedback below, "
          "and keep what it did not object to. The rules of your phase still hold: note what "
          "you did in worklog.md, as a new entry below the earlier ones, and end with one JSON "
          "object on a line of its own, as before.";
    if (again) {
      while (prompt.ends_with('\n')) prompt.pop_back();
      prompt +=
          "\n\n---\n\n## Previous Feedback\n\nThe previous review returned NEEDS_WORK with the "
          "following feedback. Address these issues:\n\nname it better";
    }
    std::vector<std::string> args{"-p", prompt, "--dangerously-skip-permissions"};
    // The scripts keep to these; a run reads the client's events.
    if (GetParam() == Way::binary)
      args.insert(args.end(), {"--output-format", "stream-json", "--verbose"});
    if (sessions) {
      ASSERT_EQ(call.args.size(), args.size() + 2);
      const std::string id = call.args.back();
      EXPECT_EQ(id.size(), 36U);
      EXPECT_EQ(ids.emplace(call.phase, id).first->second == id,
                attempt == 1 || call.phase == "execute")
          << "a writer goes on in its own, a reviewer looks anew";
      args.insert(args.end(), {again ? "--resume" : "--session-id", id});
    }
    EXPECT_EQ(call.args, args);
    EXPECT_EQ(call.input, "");
    EXPECT_EQ(call.cwd, worktree());
    EXPECT_EQ(call.env.at("CAPSULE_BEAD"), kBead);
    EXPECT_EQ(call.env.at("CAPSULE_PHASE"), call.phase);
    EXPECT_EQ(call.env.at("CAPSULE_ATTEMPT"), std::to_string(attempt));
    EXPECT_EQ(call.env.at("CAPSULE_WORKTREE"), worktree());
    EXPECT_EQ(call.env.at("HOME"), path("home")) << "agents inherit the environment";
    if (run.empty()) run = call.env.at("CAPSULE_RUN");
    EXPECT_EQ(call.env.at("CAPSULE_RUN"), run);
    EXPECT_NE(run, "");
    if (call.phase == "merge")
      EXPECT_EQ(call.env.at("CAPSULE_COMMIT_MSG"), "demo-1.1.1: Make it work");
    else
      EXPECT_FALSE(call.env.contains("CAPSULE_COMMIT_MSG"));
  }
  EXPECT_EQ(git_out({"log", "-1", "--format=%(trailers:key=Capsule-Run,valueonly)", "main"}), run);
}

TEST_P(Run, LogsAreNamedAfterPhaseTimeAndTheAgentsPid) {
  on("sign-off", "echo 'to stderr' >&2; echo 'to stdout'; pass");
  ASSERT_EQ(run_bead().exit_code, 0);
  for (const AgentCall& call : agent_calls()) {
    std::string found;
    for (const std::string& name : logs_in(archive()))
      if (name.ends_with("-" + call.pid + ".log")) found = name;
    ASSERT_NE(found, "") << call.phase << " " << call.pid;
    // <phase>-<YYYYMMDD-HHMMSS>-<pid>.log
    std::string stamp = found.substr(call.phase.size() + 1);
    EXPECT_EQ(found.substr(0, call.phase.size() + 1), call.phase + "-");
    ASSERT_GE(stamp.size(), 16U);
    for (std::size_t i = 0; i < 15; ++i)
      EXPECT_TRUE(i == 8 ? stamp[8] == '-' : std::isdigit(static_cast<unsigned char>(stamp[i])))
          << found;
    EXPECT_EQ(stamp.substr(15), "-" + call.pid + ".log");
    EXPECT_TRUE(fs::exists(archive() + "/" + found + ".stderr"));
    if (call.phase == "sign-off") {
      EXPECT_EQ(read_file(archive() + "/" + found + ".stderr"), "to stderr\n");
      EXPECT_TRUE(
          read_file(archive() + "/" + found).starts_with("to stdout\n{\"status\":\"PASS\""));
    }
  }
}

struct Sequence {
  const char* name;
  std::map<std::string, std::string> scripts;  // "phase.k" → what it does
  std::vector<std::string> options;
  std::string phases;
  int exit_code;
};

TEST_P(Run, RetriesFollowTheDocumentedSequences) {
  const std::string needs = "work; say NEEDS_WORK \"again $k\" \"$files\"";
  const Sequence rows[] = {
      {"review exhausted",
       {{"test-review.1", needs}},
       {},
       "test-writer test-review test-writer test-review test-writer test-review",
       1},
      {"one attempt",
       {{"test-review.1", needs}},
       {"--max-retries=1"},
       "test-writer test-review",
       1},
      {"execute pair exhausted",
       {{"execute-review.1", needs}},
       {"--max-retries=2"},
       "test-writer test-review execute execute-review execute execute-review",
       1},
      {"sign-off re-runs execute, not its review",
       {{"sign-off.1", needs}, {"sign-off.2", "pass"}},
       {},
       "test-writer test-review execute execute-review sign-off execute sign-off merge",
       0},
      {"no execute after the last sign-off",
       {{"sign-off.1", needs}},
       {"--max-retries=2"},
       "test-writer test-review execute execute-review sign-off execute sign-off",
       1},
      {"attempts start anew in each pair",
       {{"test-review.1", needs},
        {"test-review.2", "pass"},
        {"execute-review.1", needs},
        {"execute-review.2", "pass"},
        {"sign-off.1", needs},
        {"sign-off.2", "pass"}},
       {"--max-retries=2"},
       "test-writer test-review test-writer test-review execute execute-review execute "
       "execute-review sign-off execute sign-off merge",
       0},
      {"writer needs work",
       {{"test-writer.1", "say NEEDS_WORK 'criteria contradict'"}},
       {},
       "test-writer",
       2},
      {"execute needs work",
       {{"execute.1", "say NEEDS_WORK no"}},
       {},
       "test-writer test-review execute",
       2},
      {"writer error", {{"test-writer.1", "say ERROR broken"}}, {}, "test-writer", 2},
      {"review error", {{"test-review.1", "say ERROR broken"}}, {}, "test-writer test-review", 2},
      {"execute-review error",
       {{"execute-review.1", "say ERROR broken"}},
       {},
       "test-writer test-review execute execute-review",
       2},
      {"sign-off error",
       {{"sign-off.1", "say ERROR broken"}},
       {},
       "test-writer test-review execute execute-review sign-off",
       2},
      {"the mending execute needs work",
       {{"sign-off.1", needs}, {"execute.2", "say NEEDS_WORK cannot"}},
       {},
       "test-writer test-review execute execute-review sign-off execute",
       2},
      {"merge needs work", {{"merge.1", "say NEEDS_WORK 'a TODO is left'"}}, {}, kWhole, 1},
      {"merge error", {{"merge.1", "say ERROR broken"}}, {}, kWhole, 2},
      {"nothing committed", {{"merge.1", "say PASS committed"}}, {}, kWhole, 1},
      {"no signal",
       {{"execute.1", "echo nothing to see"}},
       {},
       "test-writer test-review execute",
       2},
      {"no output at all", {{"execute.1", ":"}}, {}, "test-writer test-review execute", 2},
      {"PASS but exit 3",
       {{"execute.1", "pass; exit 3"}},
       {},
       "test-writer test-review execute",
       2},
      {"killed after PASS",
       {{"execute.1", "pass; kill -9 $$"}},
       {},
       "test-writer test-review execute",
       2},
  };
  for (const Sequence& row : rows) {
    SCOPED_TRACE(row.name);
    fs::remove_all(mock("on"));
    fs::remove_all(mock("calls"));
    for (const auto& entry : fs::directory_iterator(mock("")))
      if (entry.path().filename().string().starts_with("count") ||
          entry.path().filename() == "phases" || entry.path().filename() == "bd-calls")
        fs::remove(entry);
    fs::remove_all(project());
    make_project(GetParam());
    for (const auto& [file, script] : row.scripts) write_file(mock("on/" + file), script + "\n");
    const std::string before = main_head();
    const Outcome outcome = run_bead(row.options);
    EXPECT_EQ(join(phases()), row.phases) << outcome.out << outcome.err;
    EXPECT_EQ(outcome.exit_code, row.exit_code) << outcome.out << outcome.err;
    if (row.exit_code == 0) {
      EXPECT_TRUE(is_closed());
      continue;
    }
    expect_kept();
    EXPECT_EQ(main_head(), before);
    EXPECT_HAS(outcome.out, "worktree kept: " + worktree());
    EXPECT_HAS(outcome.out, "\nWhat next:\n");
  }
}

TEST_P(Run, FeedbackOfAWriterThatGivesUpIsShown) {
  on("test-writer", "say NEEDS_WORK 'criteria contradict each other'");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_HAS(outcome.out, "criteria contradict each other");
  EXPECT_LACKS(outcome.out, "Pipeline complete");
  EXPECT_HAS(outcome.out, "capsule run demo-1.1.1 --resume");
}

TEST_P(Run, TheSummaryTellsWhatWasDone) {
  const Outcome outcome = run_bead();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_HAS(outcome.out, "merged into main as " + main_head().substr(0, 12));
  EXPECT_HAS(outcome.out, "Pipeline complete");
  for (const char* phase :
       {"test-writer", "test-review", "execute", "execute-review", "sign-off", "merge"})
    EXPECT_HAS(outcome.out, std::string("\n  ") + phase + " ");
  EXPECT_HAS(outcome.out, "archive: " + archive());
  EXPECT_HAS(outcome.out, "Pipeline complete");
  EXPECT_HAS(outcome.out, "no test command is configured");
}

TEST_P(Run, JsonLinesAllParseAndNothingElseIsPrinted) {
  on("test-review", 1, "say NEEDS_WORK 'quotes \\\" and \\u001b[31m'");
  on("test-review", 2, "pass");
  const Outcome outcome = run_bead({"--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  const auto events = events_of(outcome.out);
  ASSERT_FALSE(events.empty());
  std::vector<std::string> finished;
  for (const auto& event : events) {
    EXPECT_TRUE(event.contains("event") && event.contains("at") && event.contains("run"));
    EXPECT_EQ(event["run"], events.front()["run"]);
    if (event["event"] != "phase_finished") continue;
    finished.push_back(event["phase"]);
    EXPECT_EQ(event["task"], kBead);
    EXPECT_EQ(event["role"], event["phase"]);
  }
  EXPECT_EQ(finished, phases());
  EXPECT_EQ(events.front()["event"], "run_started");
  EXPECT_EQ(events[events.size() - 2]["event"], "run_ended");
  EXPECT_EQ(events[events.size() - 2]["outcome"], "merged");
  EXPECT_EQ(events.back()["event"], "run_finished");
  EXPECT_EQ(events.back()["workflow"], "pipeline");
  EXPECT_EQ(events.back()["subject"], kBead);
  EXPECT_EQ(events.back()["outcome"], "merged");
  EXPECT_EQ(events.back()["exit_code"], 0);
  EXPECT_EQ(events.back()["merged_as"], main_head());
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos);
}

TEST_P(Run, WrongWordsAreUsageErrors) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{},
                                             {kBead, "more"},
                                             {kBead, "--max-retries=0"},
                                             {kBead, "--max-retries=-1"},
                                             {kBead, "--max-retries=two"},
                                             {kBead, "--max-retries=1.5"},
                                             {kBead, "--max-retries="},
                                             {kBead, "--max-retries=99999999999999999999"},
                                             {kBead, "--frobnicate"},
                                             {kBead, "--provider=nobody"},
                                             {"../x"},
                                             {"-rf"},
                                             {"--", "-rf"},
                                             {""},
                                             {"a/b"},
                                             {"a..b"},
                                             {"a b"},
                                             {std::string(101, 'a')}}) {
    SCOPED_TRACE(join(words));
    const Outcome outcome = command("run", words);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
    EXPECT_NE(outcome.err, "");
    EXPECT_EQ(outcome.out, "");
  }
  EXPECT_TRUE(phases().empty());
  expect_untouched();
}

TEST_P(Run, WorksFromElsewhereWithProjectDir) {
  Call call = calling("run", {kBead, "--project-dir=" + project()});
  call.cwd = dir();
  const Outcome outcome = run(call);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_TRUE(is_closed());
}

}  // namespace
}  // namespace capsule::test
