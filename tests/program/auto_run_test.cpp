// capsule auto run and auto continue: headless, with a scripted agent.

#include "tests/program/demo_project.h"

namespace capsule::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
// For tests that are about other phases.
const std::vector<std::string> kShort{"--skip-expansion", "--skip-qa", "--skip-reflect"};

class AutoRun : public DemoProject {
 protected:
  void SetUp() override {
    DemoProject::SetUp();
    make_project();
    agent("");
  }
  // An agent called claude that keeps each call in a folder of its own and then does what the lines
  // of `script` say for its phase and attempt; otherwise it does well.
  void agent(const std::string& script) const {
    program("claude", R"(
calls=')" + path("calls") +
                          R"('
mkdir -p "$calls"
dir=$(mktemp -d "$calls/XXXXXX")
date +%s%N > "$dir/at"
echo "$CAPSULE_PHASE" > "$dir/phase"
printf '%s' "$2" > "$dir/prompt"
shift 2
printf '%s ' "$@" > "$dir/words"
pwd > "$dir/cwd"
complete() { printf -- '---\nSIGNAL: %s_COMPLETE\nPHASE: %s\nSTATUS: complete\nTIMESTAMP: 2026-01-31T23:59:59Z\n---\n' "${CAPSULE_PHASE^^}" "$CAPSULE_PHASE"; }
error() { printf -- '---\nSIGNAL: PHASE_ERROR\nERROR: %s\nRECOVERABLE: %s\n---\n' "$1" "$2"; }
)" + script + kGoodInAuto);
  }
  // What the first agent of a phase does, whatever attempt that is.
  static std::string first_time(const std::string& phase, const std::string& does) {
    return "[ $CAPSULE_PHASE = " + phase +
           R"( ] && mkdir "$calls.$CAPSULE_PHASE" 2>/dev/null && )" + does;
  }
  struct Seen {
    std::string phase, prompt, words, cwd;
  };
  std::vector<Seen> calls() const {
    std::map<std::string, Seen> found;
    for (const auto& entry : std::filesystem::directory_iterator(path("calls"))) {
      const std::string dir = entry.path().string() + "/";
      const auto line = [&](const char* name) {
        std::string text = read_file(dir + name);
        while (text.ends_with('\n') || text.ends_with(' ')) text.pop_back();
        return text;
      };
      found[line("at") + dir] = {line("phase"), read_file(dir + "prompt"), line("words"),
                                 line("cwd")};
    }
    std::vector<Seen> list;
    for (auto& [at, call] : found) list.push_back(std::move(call));
    return list;
  }
  std::vector<std::string> phases() const {
    std::vector<std::string> names;
    for (const Seen& call : calls())
      if (!call.phase.starts_with("review-")) names.push_back(call.phase);
    return names;
  }
  Outcome auto_run(std::vector<std::string> more = {}) const {
    std::vector<std::string> args{"auto", "run", "Say hello"};
    args.insert(args.end(), more.begin(), more.end());
    return in(args);
  }
  Json state() const { return Json::parse(read_file(project() + "/.caw/auto-state.json")); }
  Json rounds() const {
    return Json::parse(read_file(project() + "/.caw/validation-results.json"))["rounds"];
  }
  std::string on_main(const std::string& file) const { return git({"show", "main:" + file}).out; }
  void configure(const std::string& yaml) const {
    write_file(project() + "/.capsule/config.yaml", yaml);
  }
};

TEST_F(AutoRun, WhoFailsIsCalledAnewAndCostsNeitherAnIterationNorARoundOfFixing) {
  agent(R"(case $CAPSULE_PHASE in planning | review-security)
  mkdir "$calls.$CAPSULE_PHASE" 2>/dev/null && kill -KILL $$ ;; esac)");
  const Outcome outcome = auto_run(kShort);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("planning: its agent was ended by signal 9 (SIGKILL)\n"));
  EXPECT_THAT(outcome.out,
              HasSubstr("planning: called again; that costs no attempt and no iteration"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("no signal")));
  EXPECT_THAT(phases(), ElementsAre("init", "planning", "planning", "execution", "check"));
  EXPECT_EQ(rounds().size(), 1U) << rounds();
}

TEST_F(AutoRun, AReviewerThatKeepsFailingApprovesNothingAndNobodyMends) {
  agent("[ $CAPSULE_PHASE = review-quality ] && echo 'VERDICT: APPROVED' && exit 3");
  const Outcome outcome = auto_run(kShort);
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
  const std::string why =
      "the quality reviewer has failed 2 times without a verdict: it ended with exit status 3";
  EXPECT_THAT(outcome.out + outcome.err, HasSubstr(why));
  EXPECT_THAT(phases(), ElementsAre("init", "planning", "execution"));
  agent("");
  const Outcome again = in({"auto", "continue"});
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
}

TEST_F(AutoRun, NinePhasesEndInAMergeOnMain) {
  const Outcome outcome = auto_run();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex(R"(\[4/9\] execution … ✓ \([0-9]+s\))"));
  EXPECT_THAT(outcome.out, HasSubstr("[7/9] fix … skipped"));
  EXPECT_THAT(phases(),
              ElementsAre("expansion", "init", "planning", "execution", "qa", "check", "reflect"));
  EXPECT_EQ(on_main("greeting.txt"), "hello\n");
  EXPECT_THAT(git({"log", "-1", "--format=%s%n%b", "main"}).out,
              HasSubstr("Merge auto: Say hello\n"));
  EXPECT_EQ(git({"status", "--porcelain"}).out, "");
  const Json ended = state();
  EXPECT_EQ(ended["active"], false);
  EXPECT_EQ(ended["phase"], "complete");
  EXPECT_EQ(ended["exit_reason"], "all_phases_complete");
  EXPECT_EQ(ended["fix"]["skipped"], true);
  EXPECT_EQ(ended["fix"]["signal_detected"], false);
  EXPECT_EQ(ended["review"]["signal_detected"], true);
  EXPECT_TRUE(std::filesystem::is_empty(project() + "/.capsule/worktrees"));
}

TEST_F(AutoRun, OneSessionIsContinuedFromPhaseToPhase) {
  ASSERT_EQ(auto_run(kShort).exit_code, 0);
  const std::vector<Seen> all = calls();
  ASSERT_THAT(all[0].words, HasSubstr("--session-id "));
  const std::string id = all[0].words.substr(all[0].words.find("--session-id ") + 13);
  EXPECT_EQ(id.size(), 36U);
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].phase.starts_with("review-")) {
      EXPECT_THAT(all[i].words, Not(HasSubstr(id)));
    } else {
      EXPECT_THAT(all[i].words, HasSubstr("--resume " + id));
    }
    EXPECT_EQ(all[i].cwd, all[0].cwd);
  }
  EXPECT_THAT(all[0].cwd, HasSubstr("/.capsule/worktrees/"));
}

TEST_F(AutoRun, EveryPromptShowsTheExactSignalOfItsPhase) {
  ASSERT_EQ(auto_run().exit_code, 0);
  for (const Seen& call : calls()) {
    EXPECT_THAT(call.prompt, Not(HasSubstr("{{")));
    if (call.phase.starts_with("review-")) {
      EXPECT_THAT(call.prompt, HasSubstr("VERDICT: APPROVED"));
      continue;
    }
    std::string signal = call.phase;
    for (char& c : signal) c = static_cast<char>(c - 32);
    EXPECT_THAT(call.prompt, HasSubstr("SIGNAL: " + signal + "_COMPLETE\nPHASE: " + call.phase +
                                       "\nSTATUS: complete\n"));
  }
}

TEST_F(AutoRun, ASessionIsToldTheTaskOnceAndEachReviewerToo) {
  ASSERT_EQ(auto_run().exit_code, 0);
  for (const Seen& call : calls()) {
    const bool begins = call.phase == "expansion" || call.phase.starts_with("review-");
    EXPECT_EQ(call.prompt.find("Say hello") != std::string::npos, begins) << call.prompt;
  }
}

TEST_F(AutoRun, SkippedPhasesAreLeftOut) {
  ASSERT_EQ(
      auto_run({"--skip-expansion", "--skip-qa", "--skip-review", "--skip-reflect"}).exit_code, 0);
  EXPECT_THAT(phases(), ElementsAre("init", "planning", "execution"));
  EXPECT_EQ(calls().size(), 3U);
  EXPECT_EQ(on_main("greeting.txt"), "hello\n");
}

TEST_F(AutoRun, AMissingSignalIsAskedForInTheSameSession) {
  agent(first_time("planning", "echo 'I planned.' && exit 0"));
  const Outcome outcome = auto_run();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::vector<Seen> all = calls();
  EXPECT_EQ(all[3].phase, "planning");
  EXPECT_THAT(all[3].prompt, ::testing::StartsWith("## Auto Mode Continuation\n"));
  EXPECT_THAT(all[3].prompt, HasSubstr("- Iteration: 1/20\n"));
  EXPECT_THAT(all[3].words, HasSubstr("--resume"));
}

TEST_F(AutoRun, TheLimitEndsIt) {
  agent("[ $CAPSULE_PHASE = planning ] && echo 'no signal' && exit 0");
  const Outcome outcome = auto_run({"--max-iterations=2", "--skip-expansion"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_THAT(phases(), ElementsAre("init", "planning", "planning", "planning"));
  EXPECT_EQ(state()["phase"], "failed");
  EXPECT_EQ(state()["exit_reason"], "max_iterations_reached");
  EXPECT_EQ(git({"log", "-1", "--format=%s", "main"}).out, git({"log", "-1", "--format=%s"}).out);
  // A person mends the agent, and the run goes on where it was.
  agent("");
  const Outcome again = in({"auto", "continue"});
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
  EXPECT_EQ(on_main("greeting.txt"), "hello\n");
  EXPECT_EQ(in({"auto", "continue"}).exit_code, 1);
}

TEST_F(AutoRun, OutsideARepositoryOnlyASessionHasAutoMode) {
  const std::string folder = path("plain");
  std::filesystem::create_directories(folder);
  const std::string there = "--project-dir=" + folder;
  const Outcome outcome = in({"auto", "run", "x", there});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("git repository"));
  ASSERT_EQ(in({"auto", "start", "x", there}).exit_code, 0);
  ASSERT_EQ(in({"auto", "cancel", there}).exit_code, 0);
  EXPECT_EQ(in({"auto", "continue", there}).exit_code, 0);
}

TEST_F(AutoRun, ARecoverableErrorIsTriedOnceMoreWithTheErrorAsContext) {
  agent("[ $CAPSULE_PHASE-$CAPSULE_ATTEMPT = init-1 ] && error 'port 80 is taken' true && exit 0");
  ASSERT_EQ(auto_run({"--skip-review"}).exit_code, 0);
  const std::vector<Seen> all = calls();
  EXPECT_EQ(all[2].phase, "init");
  EXPECT_THAT(all[2].prompt, HasSubstr("port 80 is taken"));
}

TEST_F(AutoRun, ASecondErrorAsksAPerson) {
  agent("[ $CAPSULE_PHASE = init ] && error 'port 80 is taken' true && exit 0");
  const Outcome outcome = auto_run();
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("port 80 is taken"));
  EXPECT_THAT(outcome.out, HasSubstr("a person has to decide"));
  EXPECT_THAT(phases(), ElementsAre("expansion", "init", "init"));
  EXPECT_EQ(state()["exit_reason"], "critical_error");
  EXPECT_EQ(state()["last_error"], "port 80 is taken");
}

TEST_F(AutoRun, AnErrorThatIsNotRecoverableAsksAPersonAtOnce) {
  agent("[ $CAPSULE_PHASE = init ] && error 'no licence' false && exit 0");
  EXPECT_EQ(auto_run().exit_code, 1);
  EXPECT_THAT(phases(), ElementsAre("expansion", "init"));
}

TEST_F(AutoRun, AnAgentThatFailsHasSaidNothing) {
  agent(first_time("init", "complete && exit 3"));
  ASSERT_EQ(auto_run({"--skip-review"}).exit_code, 0);
  const std::vector<Seen> all = calls();
  EXPECT_EQ(all[2].phase, "init");
  EXPECT_THAT(all[2].words, HasSubstr("--resume")) << "expansion was answered in it";
  EXPECT_THAT(all[2].prompt, ::testing::StartsWith("Your last run was cut short"));
}

TEST_F(AutoRun, OneTurnMayEndSeveralPhases) {
  agent(
      "[ $CAPSULE_PHASE = expansion ] && complete && CAPSULE_PHASE=init complete && "
      "CAPSULE_PHASE=planning complete && exit 0");
  ASSERT_EQ(auto_run({"--skip-review"}).exit_code, 0);
  EXPECT_THAT(phases(), ElementsAre("expansion", "execution", "qa", "reflect"));
}

TEST_F(AutoRun, AutoCompleteEndsTheWorkflow) {
  agent(
      "[ $CAPSULE_PHASE = planning ] && echo hi > greeting.txt && echo 'SIGNAL: AUTO_COMPLETE' && "
      "exit 0");
  ASSERT_EQ(auto_run().exit_code, 0);
  EXPECT_EQ(state()["exit_reason"], "auto_complete_signal");
  EXPECT_EQ(on_main("greeting.txt"), "hi\n");
}

TEST_F(AutoRun, FailedChecksGoBackToTheAgent) {
  configure("verify:\n  baseline: red-allowed\n  test: [grep, -qx, good, greeting.txt]\n");
  agent(
      "[ $CAPSULE_PHASE-$CAPSULE_ATTEMPT = qa-1 ] && echo good > greeting.txt && complete && exit "
      "0");
  const Outcome outcome = auto_run();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(phases(),
              ElementsAre("expansion", "init", "planning", "execution", "qa", "check", "reflect"));
  EXPECT_THAT(calls()[4].prompt, HasSubstr("grep -qx good greeting.txt"));
  EXPECT_EQ(on_main("greeting.txt"), "good\n");
  // Refuted after the execution; true after qa, and again before the merge.
  std::map<std::string, std::pair<int, int>> claims;
  for (const Json& row : Json::parse(in({"ledger", "--by=workflow", "--json"}).out))
    if (row.contains("claim") && row["workflow"] == "auto")
      claims[row["claim"]] = {row["true"], row["false"]};
  EXPECT_EQ(claims["the project's checks pass"], (std::pair(2, 1)));
}

TEST_F(AutoRun, ChecksThatPassNeedNoAgent) {
  configure(
      "verify:\n  baseline: red-allowed\n  build: [test, -f, greeting.txt]\n  test: [grep, -q, "
      "hello, greeting.txt]\n");
  ASSERT_EQ(auto_run().exit_code, 0);
  EXPECT_THAT(phases(), Not(::testing::Contains("qa")));
}

TEST_F(AutoRun, AfterABuildThatFailsTheTestsRunAllTheSameAndItIsMended) {
  configure(
      "verify:\n  baseline: red-allowed\n  build: \"! grep -qs hello greeting.txt\"\n"
      "  test: \"test ! -e greeting.txt || cat greeting.txt >>'" +
      path("tested") + "'\"\n");
  agent(
      "[ $CAPSULE_PHASE-$CAPSULE_ATTEMPT = qa-1 ] && echo good > greeting.txt && complete && exit "
      "0");
  const Outcome outcome = auto_run();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(phases(), ::testing::Contains("qa"));
  EXPECT_THAT(calls()[4].prompt, HasSubstr("! grep -qs hello greeting.txt"));
  const std::string tested = read_file(path("tested"));
  EXPECT_THAT(tested, ::testing::StartsWith("hello\ngood\n")) << "what the build refuted, too";
  EXPECT_EQ(on_main("greeting.txt"), "good\n");
}

TEST_F(AutoRun, ChecksAreMendedAtMostTwice) {
  configure("verify:\n  baseline: red-allowed\n  test: [\"false\"]\n");
  EXPECT_EQ(auto_run().exit_code, 1);
  EXPECT_THAT(phases(), ElementsAre("expansion", "init", "planning", "execution", "qa", "qa"));
  EXPECT_EQ(state()["exit_reason"], "critical_error");
}

TEST_F(AutoRun, WhatBreaksTheChecksAfterwardsIsNotMerged) {
  configure("verify:\n  baseline: red-allowed\n  test: [grep, -q, hello, greeting.txt]\n");
  agent("[ $CAPSULE_PHASE = check ] && echo broken > greeting.txt");
  const Outcome outcome = auto_run(kShort);
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out;
  EXPECT_EQ(on_main("greeting.txt"), "");
}

TEST_F(AutoRun, ThreeReviewersWorkAtTheSameTime) {
  // Each one waits for the two others, so that they end only if they overlap.
  agent(
      "case $CAPSULE_PHASE in review-*) touch \"$calls/../$CAPSULE_PHASE\"; while [ \"$(ls "
      "\"$calls\"/.. | grep -c ^review-)\" -lt 3 ]; do sleep 0.02; done ;; esac");
  ASSERT_EQ(auto_run(kShort).exit_code, 0);
  const Json round = rounds()[0];
  EXPECT_EQ(round["all_approved"], true);
  ASSERT_EQ(round["verdicts"].size(), 3U);
  for (const Json& one : round["verdicts"])
    for (const Json& other : round["verdicts"])
      EXPECT_LT(one["started_at"].get<std::string>(), other["ended_at"].get<std::string>());
  EXPECT_EQ(round["verdicts"][0]["type"], "functional");
  EXPECT_EQ(round["verdicts"][1]["type"], "security");
  EXPECT_EQ(round["verdicts"][2]["type"], "quality");
}

TEST_F(AutoRun, ReviewersCanTakeTurns) {
  agent(
      "case $CAPSULE_PHASE in review-*) mkdir \"$calls/../reviewing\" && sleep 0.05 && rmdir "
      "\"$calls/../reviewing\" || exit 1 ;; esac");
  EXPECT_EQ(
      auto_run({"--no-parallel-validation", "--skip-expansion", "--skip-qa", "--skip-reflect"})
          .exit_code,
      0);
}

TEST_F(AutoRun, IssuesAreMendedAndReviewedAgain) {
  agent(
      "[ $CAPSULE_PHASE-$CAPSULE_ATTEMPT = review-security-1 ] && printf -- '- greeting.txt:1 "
      "leaks\\n- and more\\nVERDICT: NEEDS_FIX\\n' && exit 0");
  const Outcome outcome = auto_run();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  ASSERT_EQ(rounds().size(), 2U);
  EXPECT_EQ(rounds()[0]["all_approved"], false);
  EXPECT_EQ(rounds()[0]["verdicts"][1]["verdict"], "NEEDS_FIX");
  EXPECT_EQ(rounds()[0]["verdicts"][1]["issues"],
            Json::array({"greeting.txt:1 leaks", "and more"}));
  EXPECT_EQ(rounds()[1]["all_approved"], true);
  EXPECT_THAT(phases(), ElementsAre("expansion", "init", "planning", "execution", "qa", "fix",
                                    "check", "reflect"));
  EXPECT_EQ(state()["fix"]["signal_detected"], true);
  for (const Seen& call : calls())
    if (call.phase == "fix") {
      EXPECT_THAT(call.prompt, HasSubstr("greeting.txt:1 leaks"));
    }
}

TEST_F(AutoRun, AfterThreeRoundsItIsNotApproved) {
  agent("[ $CAPSULE_PHASE = review-quality ] && echo 'VERDICT: REJECTED' && exit 0");
  const Outcome outcome = auto_run(kShort);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(rounds().size(), 3U);
  EXPECT_THAT(outcome.out, HasSubstr("did not approve"));
  EXPECT_EQ(on_main("greeting.txt"), "");
}

TEST_F(AutoRun, WhatAReviewerChangesIsTakenBackAndReported) {
  agent("[ $CAPSULE_PHASE-$CAPSULE_ATTEMPT = review-quality-1 ] && echo mine > greeting.txt");
  const Outcome outcome = auto_run(kShort);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  ASSERT_EQ(rounds().size(), 1U);
  EXPECT_EQ(rounds()[0]["note"],
            "a reviewer changed files; the changes were taken back: greeting.txt");
  EXPECT_THAT(outcome.out, HasSubstr("a reviewer changed files"));
  EXPECT_EQ(on_main("greeting.txt"), "hello\n");
}

TEST_F(AutoRun, LearningsAreAppended) {
  write_file(project() + "/.caw/learnings.md", "# Mine\n");
  agent(
      "[ $CAPSULE_PHASE = reflect ] && printf '## Learnings\\n- Use make check\\n- Mind the "
      "gap\\n' "
      "&& complete && exit 0");
  ASSERT_EQ(auto_run({"--skip-review"}).exit_code, 0);
  const std::string text = read_file(project() + "/.caw/learnings.md");
  EXPECT_THAT(text, ::testing::StartsWith("# Mine\n"));
  EXPECT_THAT(text, HasSubstr("Say hello"));
  EXPECT_THAT(text, HasSubstr("- Use make check\n- Mind the gap\n"));
}

TEST_F(AutoRun, InPlaceItWorksInTheCheckoutAndMergesNothing) {
  const std::string before = git({"rev-parse", "main"}).out;
  ASSERT_EQ(auto_run({"--in-place", "--skip-qa", "--skip-reflect"}).exit_code, 0);
  EXPECT_EQ(read_file(project() + "/greeting.txt"), "hello\n");
  EXPECT_EQ(git({"rev-parse", "main"}).out, before);
  EXPECT_EQ(calls()[0].cwd, std::filesystem::canonical(project()).string());
}

TEST_F(AutoRun, ACommandIsAnAgentToo) {
  program("my-agent",
          "cat > /dev/null; case $CAPSULE_PHASE in review-*) echo 'VERDICT: APPROVED';; "
          "*) echo \"SIGNAL: ${CAPSULE_PHASE}_complete\";; esac; echo x > \"$CAPSULE_PHASE.txt\"");
  configure("providers:\n  mine:\n    command: [" + path("bin/my-agent") + "]\n");
  const Outcome outcome = auto_run({"--provider=mine", "--skip-review"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(on_main("execution.txt"), "x\n");
}

TEST_F(AutoRun, TheRehearsalNeedsNoModel) {
  const Outcome outcome = auto_run({"--provider=rehearsal", "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  std::vector<std::string> kinds;
  for (std::size_t at = 0; at < outcome.out.size(); at = outcome.out.find('\n', at) + 1)
    kinds.push_back(Json::parse(outcome.out.substr(at, outcome.out.find('\n', at) - at))["event"]);
  EXPECT_EQ(kinds.front(), "auto_started");
  EXPECT_EQ(kinds[kinds.size() - 2], "auto_ended");
  EXPECT_EQ(kinds.back(), "run_finished");
  EXPECT_THAT(kinds, ::testing::Contains("auto_reviewed"));
  EXPECT_THAT(on_main("capsule-rehearsal/auto.md"), HasSubstr("rehearsal"));
}

TEST_F(AutoRun, AConflictWithMainIsNotMerged) {
  configure("on_main_moved: tell\n");
  agent("[ $CAPSULE_PHASE = check ] && (cd '" + project() +
        "' && echo other > greeting.txt && git add greeting.txt && git -c user.name=a -c "
        "user.email=a@b commit -qm other)");
  const Outcome outcome = auto_run(kShort);
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("conflict"));
  EXPECT_EQ(on_main("greeting.txt"), "other\n");
}

TEST_F(AutoRun, ItIsWordedAsUsageWhenItIsWrong) {
  EXPECT_EQ(in({"auto", "run"}).exit_code, 2);
  EXPECT_EQ(in({"auto", "run", ""}).exit_code, 2);
  EXPECT_EQ(auto_run({"--max-iterations=none"}).exit_code, 2);
  EXPECT_EQ(auto_run({"--provider=nobody"}).exit_code, 2);
  EXPECT_EQ(in({"auto", "continue"}).exit_code, 1);
}

TEST_F(AutoRun, ASessionInAutoModeIsNotReplaced) {
  ASSERT_EQ(in({"auto", "start", "Something else"}).exit_code, 0);
  const Outcome outcome = auto_run();
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("active in a session"));
  EXPECT_EQ(state()["task_description"], "Something else");
}

}  // namespace
}  // namespace capsule::test
