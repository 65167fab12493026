// A project for tests: a delivery at work with something of everything, a pipeline, an ended run.
#pragma once

#include <algorithm>

#include "ui/tui/focus.h"

namespace capsule::tui::testing {

inline std::string minute(int n) {
  const std::string two = std::to_string(n);
  return "2026-01-31T12:" + std::string(two.size() < 2 ? "0" : "") + two + ":00.000Z";
}

inline int add_attempt(view::Run& run, std::string task, std::string role, int attempt, int began,
                       int ended, std::string said) {
  view::Attempt one;
  one.agent = static_cast<int>(run.attempts.size()) + 1;
  one.task = std::move(task);
  one.role = std::move(role);
  one.attempt = attempt;
  one.began = minute(began);
  one.running = ended == 0;
  if (ended > 0) one.ended = minute(ended);
  one.said = std::move(said);
  one.snapshot =
      one.role == "developer" && ended > 0 ? "refs/capsule/r1/" + std::to_string(one.agent) : "";
  run.attempts.push_back(std::move(one));
  return static_cast<int>(run.attempts.size()) - 1;
}

inline view::Task task_of(view::Run& run, std::string id, std::string title, view::Stage stage,
                          int wave, std::vector<int> needs) {
  view::Task task;
  task.id = std::move(id);
  task.title = std::move(title);
  task.stage = stage;
  task.number = static_cast<int>(run.tasks.size());
  task.wave = wave;
  task.needs = std::move(needs);
  return task;
}

inline view::Run delivery() {
  using For = workflow::Waiting::For;
  view::Run run;
  run.run = "20260131-120000-aaaaaa";
  run.workflow = "delivery";
  run.subject = run.name = "/srv/calculator/PLAN.md";
  run.title = "A calculator for shells";
  run.provider = "claude";
  run.life = view::Life::working;
  run.started = minute(0);
  run.done = 1;
  run.failed = 1;
  run.all = 6;
  run.at_work = 2;
  run.facts = 114;
  run.holder = view::Holder{4711, "here", minute(0)};
  run.usage.calls = 9;
  run.usage.cost_micros = 3'200'000;
  run.merge_queue = {"C-3", "C-2"};
  run.slots = {{"developers", 1, 4}, {"critics", 1, 4}, {"auditors", 0, 4}};
  run.critical_path = {"C-4", "C-5"};
  run.bands.push_back({view::Band::Kind::person, "C-4", 1, minute(4), ""});
  run.bands.push_back({view::Band::Kind::remediation, "", 0, minute(6), minute(7)});
  run.actions = {{view::Verb::pause, {"pause", run.name}, ""},
                 {view::Verb::tell, {"tell", run.name}, "TEXT"},
                 {view::Verb::abort, {"abort", run.name}, ""},
                 {view::Verb::show, {"status", run.name}, ""}};

  view::Task task = task_of(run, "C-1", "Addition", view::Stage::complete, 1, {});
  task.attempts = {add_attempt(run, "C-1", "developer", 1, 0, 2, "READY_FOR_REVIEW"),
                   add_attempt(run, "C-1", "critic", 1, 2, 3, "REVIEW_PASSED"),
                   add_attempt(run, "C-1", "auditor", 1, 3, 4, "AUDIT_PASSED")};
  task.commit = "8bd0a6b942eb9c58a8f3ea251bdb2a87e09abcc8";
  task.files = {"src/add.sh", "tests/add_test.sh"};
  task.began = minute(0);
  task.ended = minute(4);
  run.tasks.push_back(task);

  task = task_of(run, "C-2", "Subtraction", view::Stage::review, 1, {});
  const int first = add_attempt(run, "C-2", "developer", 1, 0, 3, "READY_FOR_REVIEW");
  const int sent_back = add_attempt(run, "C-2", "critic", 1, 3, 4, "REVIEW_FAILED");
  run.attempts[static_cast<std::size_t>(sent_back)].sent_back = "no test of a negative result";
  const int second = add_attempt(run, "C-2", "developer", 2, 4, 7, "READY_FOR_REVIEW");
  view::Attempt& checked = run.attempts[static_cast<std::size_t>(second)];
  checked.checked = view::Finding::held;
  checked.claims.push_back({"tests pass (GREEN)", event::Verdict::held, "12 pass"});
  event::CheckRun check;
  check.name = "test";
  check.command = "sh tests/run.sh";
  check.duration_ms = 1200;
  checked.checks.push_back(check);
  task.attempts = {first, sent_back, second, add_attempt(run, "C-2", "critic", 2, 7, 0, "")};
  task.began = minute(0);
  run.tasks.push_back(task);

  task = task_of(run, "C-3", "Multiplication \x1b[31m日本語\xE2\x80\xAE<b>", view::Stage::failed, 1,
                 {});
  task.attempts = {add_attempt(run, "C-3", "developer", 1, 1, 5, "")};
  run.attempts.back().fault = event::Fault::timed_out;
  task.detail = "three attempts were not enough";
  task.began = minute(1);
  task.ended = minute(5);
  run.tasks.push_back(task);

  task = task_of(run, "C-4", "Division", view::Stage::development, 1, {});
  task.critical = true;
  task.attempts = {add_attempt(run, "C-4", "developer", 1, 1, 4, "SEEKING_DIVINE_CLARIFICATION")};
  task.waits.push_back({For::answer, "C-4", "", "", 1, 8, 0, minute(4)});
  task.began = minute(1);
  run.tasks.push_back(task);

  task = task_of(run, "C-5", "Remainder", view::Stage::blocked, 2, {3});
  task.critical = true;
  task.waits.push_back({For::dependency, "C-5", "C-4", "", 0, 0, 0, ""});
  run.tasks.push_back(task);

  task = task_of(run, "C-6", "The program", view::Stage::development, 2, {0, 1});
  task.waits.push_back({For::file, "C-6", "src/calc.sh", "C-2", 0, 0, 0, ""});
  task.attempts = {add_attempt(run, "C-6", "developer", 1, 5, 7, "READY_FOR_REVIEW")};
  task.began = minute(5);
  run.tasks.push_back(task);
  return run;
}

inline view::Run pipeline() {
  using State = view::Phase::State;
  view::Run run;
  run.run = "20260131-120100-bbbbbb";
  run.workflow = "pipeline";
  run.subject = run.name = "demo-1.1.2";
  run.title = "Validate phone numbers";
  run.life = view::Life::working;
  run.started = minute(1);
  run.now = "execute (attempt 2/3)";
  run.done = 2;
  run.all = 5;
  run.at_work = 1;
  run.facts = 23;
  run.holder = view::Holder{4712, "here", minute(1)};
  run.bands.push_back({view::Band::Kind::person, "", 1, minute(2), minute(3)});
  run.phases = {
      {"test-writer", State::passed, 1, {add_attempt(run, "", "test-writer", 1, 1, 2, "PASS")}},
      {"test-review", State::passed, 2, {add_attempt(run, "", "test-review", 1, 3, 4, "PASS")}},
      {"execute",
       State::working,
       3,
       {add_attempt(run, "", "execute", 1, 4, 6, "PASS"),
        add_attempt(run, "", "execute", 2, 6, 0, "")}},
      {"execute-review", State::to_come, 4, {}},
      {"sign-off", State::to_come, 5, {}}};
  run.actions = {{view::Verb::pause, {"pause", run.name}, ""},
                 {view::Verb::abort, {"abort", run.name}, ""},
                 {view::Verb::show, {"status", run.name}, ""}};
  return run;
}

// What stands in the place of the pipeline where a test wants auto mode.
inline view::Run auto_run() {
  using State = view::Phase::State;
  view::Run run;
  run.run = "20260131-120100-dddddd";
  run.workflow = run.subject = run.name = "auto";
  run.title = "Say hello to whoever comes";
  run.life = view::Life::working;
  run.started = minute(1);
  run.now = "execution";
  run.done = 2;
  run.all = 4;
  run.at_work = 1;
  run.facts = 17;
  run.course = view::Course{run.title, "", "execution", 2, 10, "the checks failed", 3, 1, {}};
  run.phases = {
      {"init", State::passed, 2, {add_attempt(run, "", "init", 1, 1, 2, "INIT_COMPLETE")}},
      {"planning", State::passed, 3, {add_attempt(run, "", "planning", 1, 2, 4, "PLAN_COMPLETE")}},
      {"execution",
       State::working,
       4,
       {add_attempt(run, "", "execution", 1, 4, 6, ""),
        add_attempt(run, "", "execution", 2, 6, 0, "")},
       0,
       2},
      {"check", State::to_come, 8, {}}};
  run.attempts[2].fault = event::Fault::timed_out;
  run.course->left_out = {{"expansion", State::to_come, 1, {}}};
  run.actions = {{view::Verb::pause, {"pause", run.name}, ""},
                 {view::Verb::abort, {"abort", run.name}, ""},
                 {view::Verb::show, {"status", run.name}, ""}};
  return run;
}

inline view::Run ended() {
  view::Run run;
  run.run = "20260131-110000-cccccc";
  run.workflow = "pipeline";
  run.subject = run.name = "demo-1.1.1";
  run.title = "Validate mail addresses";
  run.life = view::Life::ended;
  run.standing = view::Standing::succeeded;
  run.started = "2026-01-31T11:00:00.000Z";
  run.ended = "2026-01-31T11:20:00.000Z";
  run.done = run.all = 5;
  run.phases = {{"execute", view::Phase::State::passed, 1, {}}};
  run.actions = {{view::Verb::show, {"status", run.name}, ""}};
  return run;
}

inline view::Project project() {
  view::Project all;
  all.runs = {ended(), delivery(), pipeline()};
  const view::Run& run = all.runs[1];
  view::Item item;
  item.key = run.run + "/question/1";
  item.kind = view::Attention::question;
  item.run = run.run;
  item.name = run.name;
  item.task = "C-4";
  item.question = 1;
  item.title = "Division";
  item.text = "What shall div do when B is 0?";
  item.context = "The criteria ask for it to be handled, and do not say how.";
  item.reason = "developer asks";
  item.since = minute(4);
  item.actions = {{view::Verb::answer, {"answer", run.name, "1"}, "TEXT"},
                  {view::Verb::show, {"status", run.name, "C-4"}, ""}};
  all.inbox.push_back(item);
  item = {};
  item.key = run.run + "/failed/C-3";
  item.kind = view::Attention::failed;
  item.run = run.run;
  item.name = run.name;
  item.task = "C-3";
  item.title = "Multiplication";
  item.text = "three attempts were not enough\n\x1b]0;title\x07";
  item.reason = "the task failed";
  item.since = minute(5);
  item.actions = {{view::Verb::show, {"status", run.name, "C-3"}, ""}};
  all.inbox.push_back(item);
  all.newest = {114, minute(8)};
  return all;
}

inline Result<int> does_nothing(const command_line::Args&) { return 0; }
inline constexpr command_line::Positional kRunWords[] = {{"RUN", "The run"},
                                                         {"TASK", "One task", false}};
inline constexpr command_line::Positional kBeadWords[] = {{"BEAD", "The bead"}};
inline constexpr command_line::Option kRunOptions[] = {{"detach", "", "Go on alone"},
                                                       {"provider", "NAME", "Which agent"}};
inline constexpr command_line::Option kLogOptions[] = {{"follow", "", "Keep printing"}};
inline const command_line::Command kCommands[] = {
    {"run", "Take one bead to main", "", kBeadWords, kRunOptions, does_nothing},
    {"status", "Show runs", "", kRunWords, {}, does_nothing},
    {"log", "Show what agents said", "", kRunWords, kLogOptions, does_nothing},
    {"bead list", "List beads", "", {}, {}, does_nothing},
    {"ui", "This", "", {}, {}, does_nothing, command_line::Errors::two, "dashboard"},
};

struct Sample {
  view::Project view = project();
  Shown shown;
  explicit Sample(view::Run third = pipeline()) {
    view.runs[2] = std::move(third);
    shown.project = &view;
    shown.folder = "~/calculator";
    shown.commands = kCommands;
    shown.now = "2026-01-31T12:08:00Z";
    shown.providers = {"claude", "codex"};
    shown.beads = {{"demo-1", "Contacts", "epic", "open", "", 1},
                   {"demo-1.1", "Validation", "feature", "open", "demo-1", 1},
                   {"demo-1.1.1", "Validate mail addresses", "task", "closed", "demo-1.1", 1},
                   {"demo-1.1.2", "Validate phone numbers", "task", "in_progress", "demo-1.1", 1,
                    "Numbers come from a form.", "- accepts +49 …\n- refuses letters"},
                   {"demo-1.1.3", "Validate 日本語 names", "task", "open", "demo-1.1", 2},
                   {"demo-2", "Tidy up", "chore", "open", "", 3}};
    const auto page = [&](Wish wish, std::vector<std::string> lines) {
      shown.pages[wish.key()].lines = std::move(lines);
    };
    page({Wish::Kind::command, {"ledger"}},
         {"model   role       claim  true", "claude  developer  tests  12"});
    page({Wish::Kind::command, {"status", "20260131-110000-cccccc"}},
         {"demo-1.1.1: complete", "merged as 1234567"});
    page({Wish::Kind::archive, {"demo-1.1.1", "20260131-110000-cccccc"}},
         {"worklog.md", "", "What was done, in words."});
    page({Wish::Kind::diff, {"refs/capsule/r1/4", "refs/capsule/r1/6"}},
         {"diff --git a/t b/t", "--- a/t", "+++ b/t", "@@ -1 +1,2 @@", " one", "+two"});
    page({Wish::Kind::command, {"log", "/srv/calculator/PLAN.md", "--agent=7"}},
         {"==> 7-critic.log <==", "I look at the \x1b[2J tests."});
  }
};

}  // namespace capsule::tui::testing
