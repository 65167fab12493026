#include <gtest/gtest.h>

#include "ui/live.h"
#include "ui/plain.h"
#include "ui/report.h"

namespace capsule::ui {
namespace {

using namespace event;

std::vector<PipelineFact> merged_run() {
  const auto finished = [](Phase phase, int number, int attempt, signal::Status status,
                           const char* feedback) {
    PhaseFinished f;
    f.phase = phase;
    f.number = number;
    f.attempt = attempt;
    f.status = status;
    f.feedback = feedback;
    f.duration_ms = 1500;
    return f;
  };
  using enum signal::Status;
  std::vector<PipelineFact> facts = {
      RunStarted{"demo-1.1.1", "Validate email", "claude", 3, "stop"},
      WorktreeReady{"/p/.capsule/worktrees/demo-1.1.1", "capsule-demo-1.1.1", "abc"}};
  int number = 0;
  const auto phase = [&](Phase which, int attempt, signal::Status status,
                         const char* feedback = "ok") {
    ++number;
    facts.emplace_back(PhaseStarted{which, number, attempt, "", "claude", "", false});
    facts.emplace_back(finished(which, number, attempt, status, feedback));
    facts.emplace_back(SnapshotTaken{which, number, "r", "c", "t" + std::to_string(number), "h"});
    facts.emplace_back(PhaseChecked{which, number, true, "", {}});
  };
  phase(Phase::test_writer, 1, pass);
  phase(Phase::test_review, 1, needs_work, "cover \x1b[31mempty\ninput");
  phase(Phase::test_writer, 2, pass);
  phase(Phase::test_review, 2, pass);
  phase(Phase::execute, 1, pass);
  phase(Phase::execute_review, 1, pass);
  phase(Phase::sign_off, 1, pass);
  phase(Phase::merge, 1, pass);
  facts.insert(facts.end(), {MergeIntended{"main", "abc"}, MergeDone{"0123456789abcdef", false},
                             RunArchived{"/p/.capsule/logs/demo-1.1.1"}, WorktreeRemoved{},
                             BeadClosed{}, RunEnded{Outcome::merged, "0123456789abcdef"}});
  return facts;
}

std::string plain(const std::vector<PipelineFact>& facts) {
  std::string text;
  PlainView view({}, [&](const std::string& line) { text += line; });
  pipeline::State state;
  for (const PipelineFact& fact : facts) {
    state = pipeline::apply(std::move(state), fact);
    view.on_fact(fact, state, "t");
  }
  return text;
}

TEST(PlainView, ShowsTheFiveStagesAndEveryVerdictWithItsAttempt) {
  const std::string text = plain(merged_run());
  std::size_t at = 0;
  for (const char* line :
       {"[1/5] Prep\n", "[2/5] Phase pair: test-writer → test-review\n",
        "  test-writer: PASS (attempt 1/3)\n", "  test-review: NEEDS_WORK (attempt 1/3)\n",
        "  test-review: PASS (attempt 2/3)\n", "[3/5] Phase pair: execute → execute-review\n",
        "[4/5] Sign-off\n", "  sign-off: PASS (attempt 1/3)\n", "[5/5] Merge\n",
        "  merged as 0123456789ab\n", "  closed demo-1.1.1\n"}) {
    const std::size_t found = text.find(line, at);
    ASSERT_NE(found, std::string::npos) << line << "\nin\n" << text;
    at = found;
  }
}

TEST(PlainView, HostileFeedbackIsOneLineWithoutControlCharacters) {
  const std::string text = plain(merged_run());
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("    cover \\x1b[31mempty\n"), std::string::npos);
}

TEST(JsonView, EveryLineIsOneEventWithItsRunAndTime) {
  EXPECT_EQ(json_line(WorktreeRemoved{}, "r1", "T"),
            R"({"event":"worktree_removed","at":"T","run":"r1"})");
  EXPECT_EQ(json_line(RunArchived{"x\ny"}, "r1", "T"),
            R"({"event":"run_archived","at":"T","run":"r1","folder":"x\ny"})");
}

TEST(Summary, SaysWhatWasDoneHowOftenAndHowLong) {
  Surroundings around;
  around.main_branch = "main";
  around.progress = {"feature demo-1.1: 1 of 2 closed"};
  const std::string text = summary(report_of(merged_run()), around, {});
  EXPECT_NE(text.find("✓ merged into main as 0123456789ab"), std::string::npos) << text;
  EXPECT_NE(text.find("test-writer     ✓ PASS       2 runs   3.0s"), std::string::npos) << text;
  EXPECT_NE(text.find("feature demo-1.1: 1 of 2 closed"), std::string::npos);
  EXPECT_NE(text.find("git log"), std::string::npos);
}

TEST(Summary, OfAFailedRunKeepsTheReasonAndOffersCommandsToPaste) {
  std::vector<PipelineFact> facts = merged_run();
  facts.resize(2 + 8);  // up to the NEEDS_WORK
  facts.emplace_back(RunEnded{Outcome::interrupted, "Ctrl-C"});
  Surroundings around;
  around.project_option = " --project-dir=/p";
  const std::string text = summary(report_of(facts), around, {});
  EXPECT_NE(text.find("interrupted"), std::string::npos);
  EXPECT_NE(text.find("capsule run demo-1.1.1 --project-dir=/p --resume"), std::string::npos)
      << text;
  EXPECT_NE(text.find("worktree kept: /p/.capsule/worktrees/demo-1.1.1"), std::string::npos);
}

TEST(Summary, OfAMergeThatCouldNotBeClearedUpSaysThatItIsOnMain) {
  std::vector<PipelineFact> facts = merged_run();
  while (!std::holds_alternative<MergeDone>(facts.back())) facts.pop_back();
  facts.emplace_back(RunEnded{Outcome::merge_error, "no space left"});
  const std::string text = summary(report_of(facts), {}, {});
  EXPECT_NE(text.find("merged as 0123456789ab, but not cleared up\n    no space left\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("What next:\n  capsule run demo-1.1.1\n"), std::string::npos) << text;
}

TEST(Summary, ColoursAreUsedOnlyWhenAskedForAndNeverAlone) {
  const Report report = report_of(merged_run());
  EXPECT_EQ(summary(report, {}, {}).find('\x1b'), std::string::npos);
  const std::string coloured = summary(report, {}, {.colour = true});
  EXPECT_NE(coloured.find("\x1b[32m✓ merged\x1b[0m"), std::string::npos) << coloured;
}

TEST(LiveView, DrawsEveryStageAndTheLastLineWithinTheTerminal) {
  std::string screen;
  LiveView view({}, {[&](const std::string& text) { screen = text; },
                     [] { return std::size_t{40}; }, [] { return std::int64_t{61'000}; }});
  pipeline::State state;
  const auto facts = merged_run();
  for (std::size_t i = 0; i < 3; ++i) {
    state = pipeline::apply(std::move(state), facts[i]);
    view.on_fact(facts[i], state, "t");
  }
  view.on_output(
      "compiling\nrunning \x1b[1mtests with a very long line that does not fit into the screen");
  view.draw();
  EXPECT_TRUE(screen.starts_with("\x1b[7A\r\x1b[J")) << "the old picture is replaced";
  EXPECT_NE(screen.find("✓ [1/5] Prep"), std::string::npos);
  EXPECT_NE(screen.find("│ compiling"), std::string::npos)
      << "a line that is not complete is not shown: " << screen;
  for (std::size_t i = 3; i < 7; ++i) {  // up to the start of test-review
    state = pipeline::apply(std::move(state), facts[i]);
    view.on_fact(facts[i], state, "t");
  }
  EXPECT_EQ(screen.find("compiling"), std::string::npos)
      << "the next agent has not said it: " << screen;
}

TEST(LiveView, ALongLineIsCutAndControlCharactersAreShownEscaped) {
  EXPECT_EQ(fitted("abcdef", 6), "abcdef");
  EXPECT_EQ(fitted("abcdefg", 6), "abcde…");
  EXPECT_EQ(fitted("a\x1b[2Jb", 40), "a\\x1b[2Jb");
  EXPECT_EQ(fitted("日本語", 4), "日…");
  EXPECT_LE(fitted(std::string(1'000'000, 'x'), 10).size(), 12U);
}

TEST(LiveView, TheLastLineIsTheNewestCompleteOneHoweverTheOutputIsCut) {
  LastLine line;
  line.feed("one\ntw");
  EXPECT_EQ(line.take(), "one");
  line.feed("o\n\n\n");
  EXPECT_EQ(line.take(), "two");
  LastLine huge;
  huge.feed(std::string(10'000'000, 'x'));
  EXPECT_LE(huge.take().size(), 10'000U);
}

TEST(Duration, ReadsAsPeopleSayIt) {
  EXPECT_EQ(duration(420), "0.4s");
  EXPECT_EQ(duration(12'900), "12s");
  EXPECT_EQ(duration(185'000), "3m 05s");
  EXPECT_EQ(duration(3'725'000), "1h 02m");
}

}  // namespace
}  // namespace capsule::ui
