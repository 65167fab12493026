// What people read of runs: summaries, lines, pages.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ui/report.h"
#include "ui/run_json.h"
#include "ui/run_text.h"

namespace capsule::ui {
namespace {

std::vector<event::PipelineFact> merged_run() {
  using enum signal::Status;
  event::RunStarted started;
  started.bead = "demo-1.1.1";
  started.title = "Validate email";
  std::vector<event::PipelineFact> facts = {
      started,
      event::WorktreeReady{"/p/.capsule/worktrees/demo-1.1.1", "capsule-demo-1.1.1", "abc"}};
  int number = 0;
  const auto phase = [&](const char* which, int attempt, signal::Status status) {
    ++number;
    event::PhaseFinished f;
    f.phase = which;
    f.number = number;
    f.attempt = attempt;
    f.status = status;
    f.feedback = "ok";
    f.duration_ms = 1500;
    facts.emplace_back(event::PhaseStarted{which, number, attempt, "", "claude", "", false});
    facts.emplace_back(f);
    facts.emplace_back(
        event::SnapshotTaken{which, number, "r", "c", "t" + std::to_string(number), "h"});
    facts.emplace_back(event::PhaseChecked{which, number, true, "", {}});
  };
  phase("test-writer", 1, pass);
  phase("test-review", 1, needs_work);
  phase("test-writer", 2, pass);
  phase("test-review", 2, pass);
  phase("execute", 1, pass);
  phase("execute-review", 1, pass);
  phase("sign-off", 1, pass);
  phase("merge", 1, pass);
  facts.insert(facts.end(),
               {event::MergeIntended{"main", "abc"}, event::MergeDone{"0123456789abcdef", false},
                event::RunArchived{"/p/.capsule/logs/demo-1.1.1"}, event::WorktreeRemoved{},
                event::BeadClosed{}, event::RunEnded{event::Outcome::merged, "0123456789abcdef"}});
  return facts;
}

TEST(Summary, SaysWhatWasDoneHowOftenAndHowLong) {
  Surroundings around;
  around.main_branch = "main";
  around.progress = {"feature demo-1.1: 1 of 2 closed"};
  const std::string text = summary(report_of(merged_run()), around, {});
  EXPECT_NE(text.find("✓ merged into main as 0123456789ab"), std::string::npos) << text;
  EXPECT_NE(text.find("test-writer     ✓ PASS       2 runs   3.0s"), std::string::npos) << text;
  EXPECT_NE(text.find("feature demo-1.1: 1 of 2 closed"), std::string::npos);
  EXPECT_NE(text.find("Pipeline complete"), std::string::npos) << "scripts look for it";
  EXPECT_NE(text.find("git log"), std::string::npos);
}

TEST(Summary, OfAFailedRunKeepsTheReasonAndOffersCommandsToPaste) {
  std::vector<event::PipelineFact> facts = merged_run();
  facts.resize(2 + 8);  // up to the NEEDS_WORK
  facts.emplace_back(event::RunEnded{event::Outcome::interrupted, "Ctrl-C"});
  Surroundings around;
  around.project_option = " --project-dir=/p";
  const std::string text = summary(report_of(facts), around, {});
  EXPECT_NE(text.find("interrupted"), std::string::npos);
  EXPECT_EQ(text.find("Pipeline complete"), std::string::npos);
  EXPECT_NE(text.find("capsule run demo-1.1.1 --project-dir=/p --resume"), std::string::npos)
      << text;
  EXPECT_NE(text.find("worktree kept: /p/.capsule/worktrees/demo-1.1.1"), std::string::npos);
}

TEST(Summary, OfARunWhoseBudgetIsSpentSaysWhatItWaitsForAndHowToAnswer) {
  std::vector<event::PipelineFact> facts = merged_run();
  facts.resize(2 + 5);  // test-review is to begin
  Surroundings around;
  around.whole = phases::summary(report_of(facts).state);
  around.whole->standing = workflow::Standing::waiting;
  workflow::Waiting wait;
  wait.what = workflow::Waiting::For::budget;
  wait.question = 1001;
  around.whole->waits = {wait};
  const std::string text = summary(report_of(facts), around, {});
  EXPECT_NE(text.find("waits for a larger budget"), std::string::npos) << text;
  EXPECT_NE(text.find("What next:\n  capsule answer 1001 TEXT\n  capsule run demo-1.1.1\n"),
            std::string::npos)
      << text;
}

TEST(Summary, AnAgentThatWasEndedWithItsRunHasNotPassed) {
  std::vector<event::PipelineFact> facts = merged_run();
  facts.resize(2 + 5);  // test-review has begun
  facts.emplace_back(event::RunEnded{event::Outcome::aborted, ""});
  const std::string text = summary(report_of(facts), {}, {});
  EXPECT_NE(text.find("test-review     ✗ interrupted 1 run"), std::string::npos) << text;
}

TEST(Summary, OfAMergeThatCouldNotBeClearedUpSaysThatItIsOnMain) {
  std::vector<event::PipelineFact> facts = merged_run();
  while (!std::holds_alternative<event::MergeDone>(facts.back())) facts.pop_back();
  facts.emplace_back(event::RunEnded{event::Outcome::merge_error, "no space left"});
  const std::string text = summary(report_of(facts), {}, {});
  EXPECT_NE(text.find("merged as 0123456789ab, but not cleaned up\n    no space left\n"),
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

TEST(Summary, EveryOutcomeOfPhasesHasWordsOfItsOwn) {
  for (int i = 1; i < event::kOutcomes; ++i) {
    workflow::RunSummary run;
    run.workflow = "pipeline";
    run.outcome = name_of(static_cast<event::Outcome>(i));
    run.standing = workflow::Standing::failed;
    const OutcomeWords words = outcome_words(run);
    EXPECT_TRUE(words.tone != signal::Status::error || words.text.find(' ') != words.text.npos ||
                run.outcome == "interrupted")
        << run.outcome << ": " << words.text;
    EXPECT_EQ(words.text.find('_'), words.text.npos) << words.text;
  }
}

// A delivery as its summary tells it.
engine::Run a_delivery() {
  engine::Run run;
  run.head = {"run-9", "delivery", "/p/PLAN.md", "2026-01-01T10:00:00.000Z", "", "", 3, 3};
  run.summary.workflow = "delivery";
  run.summary.subject = "/p/PLAN.md";
  run.summary.title = "The \x1b[31mplan";
  run.summary.standing = workflow::Standing::waiting;
  run.summary.now = "1 of 3 tasks complete";
  run.summary.can_go_on = true;
  run.summary.tasks = {
      {"T-1", "First", workflow::Standing::succeeded, "complete", "complete", 3, "abc", ""},
      {"T-2", "Second", {}, "development", "waits for a person", 1, "", ""},
      {"T-3", "Third", {}, "blocked", "blocked", 0, "", ""}};
  workflow::Waiting wait;
  wait.what = workflow::Waiting::For::answer;
  wait.task = "T-2";
  wait.question = 4;
  wait.text = "Which colour?";
  run.summary.waits = {wait};
  return run;
}

TEST(RunLines, TellWhatARunWaitsFor) {
  const std::string text = run_lines({a_delivery()}, {});
  EXPECT_NE(text.find("PLAN.md"), text.npos) << text;
  EXPECT_NE(text.find("1 of 3 complete, 2 waiting; ? waits for T-2: an answer to question 4"),
            text.npos)
      << text;
  EXPECT_EQ(text.find('\x1b'), text.npos) << "a title reaches the terminal";
}

TEST(RunLines, ARunThatCannotBeReadSaysSoOnItsOwnLine) {
  engine::Run broken = a_delivery();
  broken.unreadable = "its facts cannot be read: no such kind";
  const std::string text = run_lines({broken, a_delivery()}, {});
  EXPECT_NE(text.find("its facts cannot be read: no such kind\n"), text.npos) << text;
  EXPECT_NE(text.find("question 4"), text.npos) << text;
}

TEST(RunPage, HasTheTasksTheQuestionsAndWhatToDoNext) {
  const RunWords words{"PLAN.md", "capsule deliver PLAN.md", ""};
  const std::string text = run_page(a_delivery(), words, {});
  EXPECT_NE(text.find("T-2           waits for a person"), text.npos) << text;
  EXPECT_NE(text.find("? question 4: Which colour?\n    capsule answer PLAN.md 4 TEXT"), text.npos)
      << text;
  EXPECT_NE(text.find("Go on with: capsule deliver PLAN.md"), text.npos) << text;
  const std::string task = task_page(a_delivery(), "T-2", words, {});
  EXPECT_NE(task.find("T-2: Second\n  waits for a person"), task.npos) << task;
  EXPECT_NE(task.find("capsule snapshots PLAN.md T-2"), task.npos) << task;
}

TEST(RunJson, HasOneFormForAllWorkflows) {
  engine::Run run = a_delivery();
  engine::Run pipeline;
  pipeline.head = {"run-1", "pipeline", "demo-1", "S", "E", "merged", 3, 3};
  pipeline.summary.workflow = "pipeline";
  pipeline.summary.standing = workflow::Standing::succeeded;
  pipeline.summary.outcome = "merged";
  const auto list = nlohmann::json::parse(runs_json({run, pipeline}));
  for (const auto& one : list)
    for (const char* key :
         {"run", "workflow", "subject", "title", "state", "outcome", "now", "waits_for",
          "can_go_on", "holder", "started_at", "ended_at", "merged_as", "on_branch", "usage"})
      EXPECT_TRUE(one.contains(key)) << key;
  EXPECT_EQ(list[0]["state"], "waiting");
  EXPECT_EQ(list[0]["waits_for"][0]["question"], 4);
  EXPECT_EQ(list[0]["completed"], nlohmann::json::array({"T-1"}));
  EXPECT_EQ(list[1]["state"], "ended");
  EXPECT_EQ(list[1]["bead"], "demo-1");
}

TEST(Fitted, ALongLineIsCutAndControlCharactersAreShownEscaped) {
  EXPECT_EQ(fitted("abcdef", 6), "abcdef");
  EXPECT_EQ(fitted("abcdefg", 6), "abcde…");
  EXPECT_EQ(fitted("a\x1b[2Jb", 40), "a\\x1b[2Jb");
  EXPECT_EQ(fitted("日本語", 4), "日…");
  EXPECT_LE(fitted(std::string(1'000'000, 'x'), 10).size(), 12U);
}

TEST(Duration, ReadsAsPeopleSayIt) {
  EXPECT_EQ(duration(420), "0.4s");
  EXPECT_EQ(duration(12'900), "12s");
  EXPECT_EQ(duration(185'000), "3m 05s");
  EXPECT_EQ(duration(3'725'000), "1h 02m");
}

}  // namespace
}  // namespace capsule::ui
