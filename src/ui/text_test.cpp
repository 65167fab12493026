// What people read of runs: summaries, lines, pages.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ui/report.h"
#include "ui/run_json.h"
#include "ui/run_text.h"
#include "ui/view/fold.h"
#include "workflow/phases/phases.h"

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

std::vector<event::Fact> recorded(const std::vector<event::PipelineFact>& facts) {
  std::vector<event::Fact> result;
  for (const event::PipelineFact& fact : facts)
    result.push_back({result.size() + 1, "run-1", std::string(event::kind_of(fact)),
                      "2026-01-31T12:00:00.000Z", event::body_of(fact)});
  return result;
}

view::Run shown(const std::vector<event::PipelineFact>& facts) {
  engine::RunHead head;
  head.run = "run-1";
  head.workflow = phases::kPipeline;
  head.subject = "demo-1.1.1";
  view::Fold fold;
  fold.head(head);
  for (const event::Fact& fact : recorded(facts)) fold.apply(fact);
  return fold.project().runs.front();
}

TEST(Summary, SaysWhatWasDoneHowOftenAndHowLong) {
  Surroundings around;
  around.main_branch = "main";
  around.progress = {"feature demo-1.1: 1 of 2 closed"};
  const std::string text = summary(shown(merged_run()), around, {});
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
  const std::string text = summary(shown(facts), around, {});
  EXPECT_NE(text.find("interrupted"), std::string::npos);
  EXPECT_EQ(text.find("Pipeline complete"), std::string::npos);
  EXPECT_NE(text.find("capsule run demo-1.1.1 --project-dir=/p --resume"), std::string::npos)
      << text;
  EXPECT_NE(text.find("worktree kept: /p/.capsule/worktrees/demo-1.1.1"), std::string::npos);
}

TEST(Summary, OfARunWhoseBudgetIsSpentSaysWhatItWaitsForAndHowToAnswer) {
  std::vector<event::PipelineFact> facts = merged_run();
  facts.resize(2 + 5);  // test-review is to begin
  view::Run run = shown(facts);
  run.life = view::Life::waiting;
  run.standing = workflow::Standing::waiting;
  view::Wait wait;
  wait.kind = workflow::Waiting::For::budget;
  wait.question = 1001;
  run.waits = {wait};
  const std::string text = summary(run, {}, {});
  EXPECT_NE(text.find("waits for a larger budget"), std::string::npos) << text;
  EXPECT_NE(text.find("What next:\n  capsule answer 1001 TEXT\n  capsule run demo-1.1.1\n"),
            std::string::npos)
      << text;
}

TEST(Summary, AnAgentThatWasEndedWithItsRunHasNotPassed) {
  std::vector<event::PipelineFact> facts = merged_run();
  facts.resize(2 + 5);  // test-review has begun
  facts.emplace_back(event::RunEnded{event::Outcome::aborted, ""});
  const std::string text = summary(shown(facts), {}, {});
  EXPECT_NE(text.find("test-review     ✗ interrupted 1 run"), std::string::npos) << text;
}

TEST(Summary, OfAMergeThatCouldNotBeClearedUpSaysThatItIsOnMain) {
  std::vector<event::PipelineFact> facts = merged_run();
  while (!std::holds_alternative<event::MergeDone>(facts.back())) facts.pop_back();
  facts.emplace_back(event::RunEnded{event::Outcome::merge_error, "no space left"});
  const std::string text = summary(shown(facts), {}, {});
  EXPECT_NE(text.find("merged as 0123456789ab, but not cleaned up\n    no space left\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("What next:\n  capsule run demo-1.1.1\n"), std::string::npos) << text;
}

TEST(Summary, ColoursAreUsedOnlyWhenAskedForAndNeverAlone) {
  const view::Run run = shown(merged_run());
  EXPECT_EQ(summary(run, {}, {}).find('\x1b'), std::string::npos);
  const std::string coloured = summary(run, {}, {.colour = true});
  EXPECT_NE(coloured.find("\x1b[32m✓ merged\x1b[0m"), std::string::npos) << coloured;
}

TEST(Summary, EveryOutcomeOfPhasesHasWordsOfItsOwn) {
  for (int i = 1; i < event::kOutcomes; ++i) {
    const std::string outcome(name_of(static_cast<event::Outcome>(i)));
    const OutcomeWords words = outcome_words("pipeline", outcome, workflow::Standing::failed);
    EXPECT_TRUE(words.tone != signal::Status::error || words.text.find(' ') != words.text.npos ||
                outcome == "interrupted")
        << outcome << ": " << words.text;
    EXPECT_EQ(words.text.find('_'), words.text.npos) << words.text;
  }
}

// A delivery that waits for a person.
view::Run a_delivery() {
  view::Run run;
  run.run = "run-9";
  run.workflow = "delivery";
  run.subject = run.name = "/p/PLAN.md";
  run.started = "2026-01-01T10:00:00.000Z";
  run.title = "The \x1b[31mplan";
  run.life = view::Life::waiting;
  run.standing = workflow::Standing::waiting;
  run.now = "1 of 3 tasks complete";
  run.can_go_on = true;
  run.done = 1;
  run.all = 3;
  const auto add = [&](const char* id, const char* title, view::Stage stage, const char* words) {
    view::Task& task = run.tasks.emplace_back();
    task.id = id;
    task.title = title;
    task.stage = stage;
    task.words = words;
    if (stage == view::Stage::complete) task.standing = workflow::Standing::succeeded;
  };
  add("T-1", "First", view::Stage::complete, "complete");
  add("T-2", "Second", view::Stage::development, "waits for a person");
  add("T-3", "Third", view::Stage::blocked, "blocked");
  view::Wait wait;
  wait.kind = workflow::Waiting::For::answer;
  wait.task = "T-2";
  wait.question = 4;
  wait.text = "Which colour?";
  run.waits = {wait};
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
  view::Run broken = a_delivery();
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
  view::Run run = a_delivery();
  view::Run pipeline;
  pipeline.run = "run-1";
  pipeline.workflow = "pipeline";
  pipeline.subject = "demo-1";
  pipeline.life = view::Life::ended;
  pipeline.standing = workflow::Standing::succeeded;
  pipeline.outcome = "merged";
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

TEST(RunJson, TheListSaysWhatAgentsDoAsThePageOfARunDoes) {
  view::Run run = a_delivery();
  view::Attempt agent;
  agent.agent = 7;
  agent.role = "developer";
  agent.running = true;
  agent.doing.emplace();
  agent.doing->what = dialect::Activity::What::thinking;
  agent.doing->since_ms = 2'000;
  run.attempts = {agent};
  run.attempts[0].snapshot = "refs/capsule/run-1/7-developer";
  run.holder = view::Holder{4711, "host", ""};
  const auto list = nlohmann::json::parse(runs_json({run}, 5'000));
  const auto page = nlohmann::json::parse(run_json(run, "", 5'000));
  ASSERT_EQ(list[0]["working"].size(), 1U);
  EXPECT_EQ(list[0]["working"][0]["doing"]["what"], "thinking");
  EXPECT_EQ(list[0]["working"][0]["doing"]["elapsed_ms"], 3'000);
  EXPECT_EQ(list[0]["working"], page["agents"]);
  EXPECT_EQ(page["agents"][0]["snapshot"], "refs/capsule/run-1/7-developer");
  run.holder.reset();
  const auto without = nlohmann::json::parse(runs_json({run}));
  EXPECT_TRUE(without[0]["working"].empty()) << "nobody works on it";
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
