// What is shown of simulated runs: of any journal, cut off anywhere.
#include <gtest/gtest.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "base/text.h"
#include "engine/run.h"
#include "tests/simulation/auto.h"
#include "tests/simulation/delivery.h"
#include "tests/simulation/phases.h"
#include "ui/board.h"
#include "ui/face.h"
#include "ui/run_json.h"
#include "ui/tui/draw.h"
#include "ui/tui/parts.h"
#include "ui/view/fold.h"
#include "ui/web/rows.h"

namespace capsule::simulation {
namespace {

using view::Fold;
using view::Project;

struct Played {
  engine::RunHead head;
  std::vector<event::Fact> facts;
};

enum class Sort { phases, delivery, auto_run };

// Only some seeds have facts in their wire form.
Played play(Sort sort, std::uint64_t seed) {
  seed *= kByWire;
  const bool supplied = (seed / kByWire) % 2 == 1;
  Played played;
  played.head.run = "run-1";
  played.head.subject = "subject";
  if (sort == Sort::phases) {
    played.head.workflow = "pipeline";
    played.facts = simulate_phases(seed, PhasesBug::none, WorldBug::none, true, supplied).facts;
  } else if (sort == Sort::delivery) {
    played.head.workflow = engine::kDelivery;
    played.facts = simulate_delivery(seed, DeliveryBug::none, true, supplied).facts;
  } else {
    played.head.workflow = engine::kAuto;
    played.head.subject = engine::kAutoSubject;
    played.facts = simulate_auto(seed, AutoBug::none, true, supplied).facts;
  }
  return played;
}

Project folded(const Played& played) {
  Fold fold;
  fold.head(played.head);
  for (const event::Fact& fact : played.facts) fold.apply(fact);
  return fold.project();
}

// As a process shows it that works on it.
view::Run folded_by_holder(const Played& played) {
  view::OneRun shown(played.head);
  shown.recall(played.facts);
  return shown.run();
}

void expect_well_formed(const Project& project) {
  std::set<std::string> keys;
  for (std::size_t i = 0; i < project.inbox.size(); ++i) {
    const view::Item& item = project.inbox[i];
    EXPECT_TRUE(keys.insert(item.key).second) << item.key;
    EXPECT_FALSE(item.text.empty()) << item.key;
    EXPECT_FALSE(item.reason.empty()) << item.key;
    EXPECT_FALSE(item.since.empty()) << item.key;
    EXPECT_FALSE(item.actions.empty()) << item.key;
    if (i == 0) continue;
    const view::Item& before = project.inbox[i - 1];
    EXPECT_LE(std::tie(before.kind, before.since), std::tie(item.kind, item.since)) << item.key;
  }
  for (const view::Run& run : project.runs) {
    EXPECT_EQ(run.unreadable, "");
    for (const view::Attempt& attempt : run.attempts) {
      EXPECT_FALSE(attempt.began.empty()) << attempt.agent;
      EXPECT_EQ(attempt.running && !attempt.ended.empty(), false) << attempt.agent;
      EXPECT_TRUE(attempt.ended.empty() || attempt.began <= attempt.ended)
          << attempt.agent << ": " << attempt.began << " to " << attempt.ended;
    }
    for (const view::Wait& wait : run.waits) EXPECT_FALSE(wait.since.empty());
    for (const view::Task& task : run.tasks) EXPECT_GT(task.wave, 0) << task.id;
  }
}

// Rows are found where they were: nothing moves under who looks at them.
void expect_grown(const Project& before, const Project& after) {
  ASSERT_LE(before.runs.size(), after.runs.size());
  for (std::size_t i = 0; i < before.runs.size(); ++i) {
    const view::Run &old = before.runs[i], &now = after.runs[i];
    ASSERT_LE(old.attempts.size(), now.attempts.size());
    for (std::size_t k = 0; k < old.attempts.size(); ++k)
      EXPECT_EQ(old.attempts[k].agent, now.attempts[k].agent);
    ASSERT_LE(old.tasks.size(), now.tasks.size());
    for (std::size_t k = 0; k < old.tasks.size(); ++k) EXPECT_EQ(old.tasks[k].id, now.tasks[k].id);
  }
}

// Whatever is not told as changed is as it was.
void expect_told(const Project& before, const Project& after) {
  std::set<std::string> told;
  for (const view::Change& change : view::changes(before, after)) {
    EXPECT_TRUE(told.insert(change.key).second) << change.key;
  }
  for (const view::Item& item : after.inbox) {
    if (told.contains("inbox/" + item.key)) continue;
    EXPECT_EQ(std::count(before.inbox.begin(), before.inbox.end(), item), 1) << item.key;
  }
  for (std::size_t i = 0; i < before.runs.size(); ++i) {
    const view::Run &old = before.runs[i], &now = after.runs[i];
    const std::string prefix = "run/" + now.run;
    for (std::size_t k = 0; k < old.tasks.size(); ++k)
      EXPECT_NE(old.tasks[k] == now.tasks[k], told.contains(prefix + "/task/" + now.tasks[k].id));
    for (std::size_t k = 0; k < old.attempts.size(); ++k)
      EXPECT_NE(old.attempts[k] == now.attempts[k],
                told.contains(prefix + "/agent/" + std::to_string(now.attempts[k].agent)));
  }
}

class ViewOfSimulation : public testing::TestWithParam<Sort> {};

TEST_P(ViewOfSimulation, ShowsEveryPrefixAndAPrefixWithTheRestIsTheWhole) {
  const int runs = reference::test_rounds(60, 600);
  const std::uint64_t seed = first_seed();
  std::cout << "first seed " << seed << "\n";
  std::size_t facts = 0;
  for (int i = 0; i < runs; ++i) {
    const std::uint64_t one = seed + static_cast<std::uint64_t>(i);
    const Played played = play(GetParam(), one);
    SCOPED_TRACE("seed " + std::to_string(one));
    facts += played.facts.size();
    const Project whole = folded(played);
    Fold fold;
    fold.head(played.head);
    Project before = fold.project();
    for (const event::Fact& fact : played.facts) {
      fold.apply(fact);
      const Project& now = fold.project();
      expect_well_formed(now);
      expect_grown(before, now);
      expect_told(before, now);
      before = now;
      if (testing::Test::HasFailure()) return;
    }
    ASSERT_TRUE(before == whole);
  }
  EXPECT_GT(facts, 5u * static_cast<std::size_t>(runs)) << "the runs of the simulation end at once";
}

INSTANTIATE_TEST_SUITE_P(All, ViewOfSimulation,
                         testing::Values(Sort::phases, Sort::delivery, Sort::auto_run));

// What a program reads by `status --json`, what stands on the board below a run's lines, and what
// the workflow itself says: the same of every task, wait and agent.
void expect_one_story(const view::Run& run, const workflow::RunSummary& summary) {
  const auto json = nlohmann::json::parse(ui::runs_json({run}))[0];
  EXPECT_EQ(json["standing"], workflow::name_of(summary.standing));
  ASSERT_EQ(json["waits_for"].size(), summary.waits.size());
  for (std::size_t i = 0; i < summary.waits.size(); ++i) {
    const auto& wait = json["waits_for"][i];
    EXPECT_EQ(wait["for"], workflow::name_of(summary.waits[i].what));
    EXPECT_EQ(wait["question"].is_null() ? 0 : wait["question"].get<int>(),
              summary.waits[i].question);
    EXPECT_FALSE(wait["since"].is_null());
  }
  int complete = 0, failed = 0;
  for (std::size_t i = 0; i < summary.tasks.size(); ++i) {
    const workflow::TaskSummary& task = summary.tasks[i];
    EXPECT_EQ(json["tasks"][i]["stage"], task.stage) << task.id;
    EXPECT_EQ(json["tasks"][i]["standing"], task.words) << task.id;
    EXPECT_EQ(view::name_of(run.tasks[i].stage), task.stage) << task.id;
    EXPECT_FALSE(view::state_words(run, run.tasks[i]).empty()) << task.id;
    complete += task.standing == workflow::Standing::succeeded;
    failed += task.standing == workflow::Standing::failed;
  }
  if (!summary.tasks.empty()) {
    EXPECT_EQ(json["completed"].size(), static_cast<std::size_t>(complete));
    EXPECT_EQ(json["failed"].size(), static_cast<std::size_t>(failed));
    EXPECT_EQ(run.done, complete);
    EXPECT_EQ(run.failed, failed);
  }
  ui::Frame frame;
  frame.columns = frame.rows = 1000;
  frame.last_line = [](int agent) { return "agent-" + std::to_string(agent) + "-prints"; };
  const std::string board = ui::board(run, frame, {});
  if (!summary.tasks.empty() && summary.outcome.empty()) {
    EXPECT_NE(board.find(summary.now), board.npos) << board << "\nhas not: " << summary.now;
  }
  std::size_t working = 0;
  for (const workflow::AgentSummary& agent : summary.agents) {
    if (!agent.running || !summary.outcome.empty()) continue;
    ++working;
    const view::Attempt* const attempt = view::find_attempt(run, agent.number);
    ASSERT_NE(attempt, nullptr) << agent.number;
    if (attempt->held) continue;
    const std::string prints = "agent-" + std::to_string(agent.number) + "-prints";
    EXPECT_NE(board.find(prints), board.npos) << board << "\nhas not: " << prints;
  }
  EXPECT_EQ(json["working"].size(), working);
}

// The page's rows and the dashboard's screen: of every task and phase the stage, the words and what
// it waits for are those of the view, and so of every other face.
void expect_on_page_and_screen(const Project& project) {
  const view::Run& run = project.runs.front();
  std::map<std::string, nlohmann::json> rows;
  const auto page = nlohmann::json::parse(web::view_json(project, run.run));
  for (const auto& one : page.at("rows")) rows[one.at("key")] = one.at("row");
  for (const view::Item& item : project.inbox)
    EXPECT_EQ(rows["inbox/" + item.key].value("text", ""), item.text);
  tui::Shown shown;
  shown.project = &project;
  shown.now = project.newest.at;
  tui::Focus focus;
  focus.screen = tui::Screen::board;
  focus.run = run.run;
  const int columns = 300, count = static_cast<int>(run.tasks.size() + run.phases.size()) + 20;
  const std::string screen = tui::draw(focus, shown, columns, count, {}).text();
  const std::vector<std::string_view> lines = split(screen, '\n');
  const auto first = static_cast<std::size_t>(tui::panes(focus, columns, count).list.inner().y);
  for (std::size_t i = 0; i < run.tasks.size(); ++i) {
    const view::Task& task = run.tasks[i];
    const nlohmann::json& row = rows["run/" + run.run + "/task/" + task.id];
    EXPECT_EQ(row.value("stage", ""), view::name_of(task.stage)) << task.id;
    EXPECT_EQ(row.value("words", ""), task.words) << task.id;
    const auto waits = row.value("waits", nlohmann::json::array());
    ASSERT_EQ(waits.size(), task.waits.size()) << task.id;
    for (std::size_t k = 0; k < task.waits.size(); ++k) {
      EXPECT_EQ(waits[k].value("words", ""), view::words_of(task.waits[k]));
      EXPECT_EQ(waits[k].value("question", 0), task.waits[k].question);
    }
    const std::string_view line = lines.at(first + i);
    EXPECT_NE(line.find(task.id), line.npos) << line;
    // A column has room for so much of it.
    const std::string state = tui::one_line(view::state_words(run, task));
    EXPECT_NE(line.find(cut(state, 20)), line.npos) << line << "\nhas not: " << state;
  }
  if (!run.tasks.empty()) return;
  for (std::size_t i = 0; i < run.phases.size(); ++i) {
    const view::Phase& phase = run.phases[i];
    const std::string state(view::name_of(phase.state));
    EXPECT_EQ(rows["run/" + run.run + "/phase/" + phase.name].value("state", ""), state);
    const std::string_view line = lines.at(first + i);
    EXPECT_NE(line.find(phase.name), line.npos) << line;
    std::string words = state;
    std::replace(words.begin(), words.end(), '_', ' ');
    // Of a run that nobody works on, no phase is at work.
    if (phase.state != view::Phase::State::working) {
      EXPECT_NE(line.find(words), line.npos) << line << "\nhas not: " << words;
    }
  }
}

// What is asked of one agent alone is what its row says, and all calls are some agent's.
void expect_rows_alone(const Fold& fold, const view::Run& run) {
  int calls = 0;
  for (view::Attempt row : run.attempts) {
    calls += view::usage_of(row).calls;
    row.claims.clear();
    EXPECT_EQ(fold.attempt(run.run, row.agent), row) << row.agent;
  }
  EXPECT_EQ(calls, run.usage.calls);
  EXPECT_EQ(fold.attempt(run.run, 1'000'000), std::nullopt);
}

TEST_P(ViewOfSimulation, TellsOneStoryOnEveryFace) {
  const int runs = reference::test_rounds(20, 200);
  const std::uint64_t seed = first_seed();
  std::cout << "first seed " << seed << "\n";
  for (int i = 0; i < runs; ++i) {
    const std::uint64_t one = seed + static_cast<std::uint64_t>(i);
    const Played played = play(GetParam(), one);
    SCOPED_TRACE("seed " + std::to_string(one));
    Fold fold;
    fold.head(played.head);
    fold.holder(played.head.run, engine::Holder{});
    std::size_t facts = 0;
    for (const event::Fact& fact : played.facts) {
      fold.apply(fact);
      expect_one_story(fold.project().runs.front(), fold.summary(played.head.run));
      expect_rows_alone(fold, fold.project().runs.front());
      // Drawing a whole screen takes longer: some moments will do, and the last.
      if (++facts % 7 == 0 || facts == played.facts.size())
        expect_on_page_and_screen(fold.project());
      if (testing::Test::HasFailure()) return;
    }
  }
}

// A run that is told in two processes: lines for people from the first fact on, and --json of the
// second process, which has recalled what the first one recorded.
TEST_P(ViewOfSimulation, IsToldInLinesByWhoeverTakesItUp) {
  const int runs = reference::test_rounds(20, 200);
  const std::uint64_t seed = first_seed();
  std::cout << "first seed " << seed << "\n";
  for (int i = 0; i < runs; ++i) {
    const std::uint64_t one = seed + static_cast<std::uint64_t>(i);
    const Played played = play(GetParam(), one);
    SCOPED_TRACE("seed " + std::to_string(one));
    std::string lines, json;
    ui::Terminal people = ui::standard_terminal(), program = people;
    people.write = [&](const std::string& text) { lines += text; };
    program.write = [&](const std::string& text) { json += text; };
    ui::Face plain(ui::Look::plain, played.head, {}, nullptr, people);
    ui::Face second(ui::Look::json, played.head, {}, nullptr, program);
    const std::size_t half = played.facts.size() / 2;
    const auto middle = played.facts.begin() + static_cast<std::ptrdiff_t>(half);
    second.recall({played.facts.begin(), middle});
    for (std::size_t k = 0; k < played.facts.size(); ++k) {
      const event::Fact& fact = played.facts[k];
      const event::NewFact told[] = {{fact.kind, fact.at, fact.body}};
      plain.on_facts(told);
      if (k >= half) second.on_facts(told);
    }
    for (const char byte : lines)
      ASSERT_TRUE(byte == '\n' || static_cast<unsigned char>(byte) >= 32);
    EXPECT_EQ(plain.run(), folded_by_holder(played));
    EXPECT_EQ(second.run(), plain.run());
    for (const std::string_view line : split(json, '\n')) {
      if (line.empty()) continue;
      const auto object = nlohmann::json::parse(line);
      if (object.contains("agent") && object["agent"] > 0) {
        EXPECT_FALSE(object["role"].get<std::string>().empty()) << line;
        EXPECT_TRUE(object.contains("attempt")) << line;
      }
    }
  }
}

// Facts of several runs come in between each other.
TEST(ViewOfSimulation, IsTheSameInWhateverOrderRunsWereRead) {
  Played one = play(Sort::phases, first_seed()), other = play(Sort::delivery, first_seed());
  other.head.run = "run-2";
  other.head.subject = "another";
  for (event::Fact& fact : other.facts) fact.run = "run-2";
  Fold after, mixed;
  for (Fold* fold : {&after, &mixed}) {
    fold->head(one.head);
    fold->head(other.head);
  }
  for (const Played* played : {&one, &other})
    for (const event::Fact& fact : played->facts) after.apply(fact);
  for (std::size_t i = 0; i < std::max(one.facts.size(), other.facts.size()); ++i) {
    if (i < other.facts.size()) mixed.apply(other.facts[i]);
    if (i % 3 == 0) (void)mixed.project();
    if (i < one.facts.size()) mixed.apply(one.facts[i]);
  }
  EXPECT_EQ(after.project().runs, mixed.project().runs);
  EXPECT_EQ(after.project().inbox, mixed.project().inbox);
}

}  // namespace
}  // namespace capsule::simulation
