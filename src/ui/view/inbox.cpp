// What needs a person, and the commands that settle it.
#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "event/auto.h"
#include "event/pipeline.h"
#include "ui/view/run_fold.h"

namespace capsule::view {
namespace {

using For = workflow::Waiting::For;

bool is_delivery(const Run& run) { return run.workflow == engine::kDelivery; }
// It goes on where its client is: no command takes it up.
bool is_session(const Run& run) { return run.workflow == engine::kAutoSession; }

Action go_on(const Run& run, Verb verb = Verb::go_on) {
  if (run.subject == engine::kAutoSubject) return {verb, {"auto", "continue"}, ""};
  if (is_delivery(run)) return {verb, {"deliver", run.name}, ""};
  const bool ended = run.life == Life::ended || run.life == Life::paused;
  Action action{verb, {"run", run.name}, ""};
  if (ended) action.words.push_back("--resume");
  return action;
}

Action about(Verb verb, const char* command, const Run& run, const std::string& task) {
  Action action{verb, {command, run.name}, ""};
  if (is_delivery(run) && !task.empty()) action.words.push_back(task);
  return action;
}

Item item_of(const Run& run, Attention kind, const std::string& key) {
  Item item;
  item.key = run.run + "/" + key;
  item.kind = kind;
  item.run = run.run;
  item.name = run.name;
  item.title = run.title;
  return item;
}

void set_task(Item& item, const Run& run, const std::string& task) {
  const Task* const found = find_task(run, task);
  if (found == nullptr) return;
  item.task = task;
  item.title = found->title;
}

Attention kind_of(const Wait& wait) {
  switch (wait.kind) {
    case For::approval:
      return Attention::approval;
    case For::provider:
      return Attention::quota;
    case For::budget:
      return Attention::budget;
    case For::disk:
      return Attention::disk;
    default:
      break;
  }
  if (wait.about == event::Approval::merge) return Attention::refused_merge;
  return wait.options.empty() ? Attention::question : Attention::choice;
}

void add_actions(Item& item, const Run& run) {
  if (item.kind == Attention::approval) {
    item.actions.push_back(about(Verb::approve, "approve", run, item.task));
    item.actions.push_back(about(Verb::reject, "reject", run, item.task));
    item.actions.back().wants = "TEXT";
  } else if (item.question > 0) {
    const Action answer{Verb::answer, {"answer", run.name, std::to_string(item.question)}, ""};
    for (const std::string& option : item.options) {
      item.actions.push_back(answer);
      std::vector<std::string>& words = item.actions.back().words;
      if (option.starts_with('-')) words.push_back("--");
      words.push_back(option);
    }
    if (item.options.empty()) {
      item.actions.push_back(answer);
      item.actions.back().wants = "TEXT";
    }
  }
  // Nobody is there to take it up.
  if (!run.holder && run.can_go_on) item.actions.push_back(go_on(run));
  item.actions.push_back(about(Verb::show, "status", run, item.task));
}

std::string reason_of(const Wait& wait, const Run& run) {
  if (const Attempt* const attempt = find_attempt(run, wait.agent);
      attempt != nullptr && wait.kind == For::answer)
    return attempt->role + " asks";
  switch (wait.kind) {
    case For::approval:
      return wait.about == event::Approval::guard   ? "changes what checks do"
             : wait.about == event::Approval::merge ? "ready to be merged"
                                                    : "a phase waits for approval";
    case For::provider:
      return printable(wait.what) + " is parked";
    case For::budget:
      return "the budget is spent";
    case For::disk:
      return "the disk is nearly full";
    default:
      break;
  }
  return wait.word.empty() ? "a person has to decide" : wait.word;
}

// Where the wait is over by itself, until when it lasts.
std::string supply_words(const Wait& wait) {
  const std::string until = wait.until > 0 ? time_words(wait.until) : "";
  if (wait.kind == For::budget)
    return "Nothing starts until a larger budget is allowed" +
           (until.empty() ? "" : ", or a new day begins: " + until) + ".";
  return "Nobody works with " + printable(wait.what) +
         (until.empty() ? " for now" : " until " + until) + ".";
}

void add_wait(const Run& run, const Wait& wait, const std::set<int>& answered,
              std::vector<Item>& items) {
  const bool asks = wait.question > 0 || wait.kind == For::answer;
  const bool supply =
      wait.kind == For::provider || wait.kind == For::budget || wait.kind == For::disk;
  // A pause of some seconds after a fault is nobody's business.
  const bool parked = wait.kind == For::provider && wait.fault != event::Fault::none;
  if (!asks && !parked && wait.kind != For::budget && wait.kind != For::disk) return;
  Item item = item_of(run, kind_of(wait),
                      wait.question > 0 ? "question/" + std::to_string(wait.question)
                      : supply          ? std::string(name_of(wait.kind)) + "/" + wait.what
                                        : "person");
  // Several agents may wait for one provider.
  for (const Item& other : items)
    if (other.key == item.key) return;
  set_task(item, run, wait.task);
  item.question = wait.question;
  item.text = wait.text;
  item.context = wait.context;
  item.options = wait.options;
  item.until = wait.until;
  item.answered = answered.contains(wait.question);
  item.since = wait.question > 0 || supply ? wait.since : run.since;
  item.agent = wait.question > 0 ? wait.agent : 0;
  item.reason = reason_of(wait, run);
  if (item.text.empty() && supply) item.text = supply_words(wait);
  if (item.text.empty()) item.text = "It asks, and does not say what.";
  if (parked && wait.question == 0)
    item.actions.push_back({Verb::lift, {"agents", "resume", wait.what}, ""});
  add_actions(item, run);
  items.push_back(std::move(item));
}

void add_failed_tasks(const Run& run, std::vector<Item>& items) {
  for (const Task& task : run.tasks) {
    if (task.stage != Stage::failed) continue;
    // What failed because of another is settled with that one.
    const bool behind = std::any_of(task.needs.begin(), task.needs.end(), [&](int other) {
      return run.tasks[static_cast<std::size_t>(other)].stage == Stage::failed;
    });
    if (behind && task.attempts.empty()) continue;
    Item item = item_of(run, Attention::failed, "failed/" + task.id);
    set_task(item, run, task.id);
    item.text = task.detail.empty() ? "the task failed" : task.detail;
    item.since = task.ended.empty() ? run.since : task.ended;
    item.reason = "the task failed";
    if (!task.attempts.empty()) {
      const Attempt& last = run.attempts[static_cast<std::size_t>(task.attempts.back())];
      item.agent = last.agent;
      item.context = last.sent_back.empty() ? last.found : last.sent_back;
    }
    if (!run.holder) item.actions.push_back(go_on(run, Verb::retry));
    item.actions.push_back(about(Verb::show, "status", run, task.id));
    item.actions.push_back(about(Verb::log, "log", run, task.id));
    items.push_back(std::move(item));
  }
}

// Runs of phases and auto mode end so; in a delivery it is a task.
bool merge_refused(const Run& run) {
  namespace auto_run = event::auto_run;
  return run.outcome == event::name_of(event::Outcome::merge_refused) ||
         run.outcome == auto_run::name_of(auto_run::Outcome::merge_refused);
}

void add_failed_run(const Run& run, std::vector<Item>& items) {
  const bool refused = merge_refused(run);
  Item item = item_of(run, refused ? Attention::refused_merge : Attention::failed,
                      refused ? "merge" : "failed");
  item.text = run.detail.empty() ? "ended: " + run.outcome : run.detail;
  item.reason = refused ? "the merge was refused" : "the run failed";
  item.since = run.since;
  if (!run.attempts.empty()) {
    item.agent = run.attempts.back().agent;
    item.context = run.attempts.back().found;
  }
  if (refused && run.can_merge) item.actions.push_back({Verb::merge, {"merge", run.name}, ""});
  if (is_session(run))
    item.context += "To go on, in a session of its client: capsule auto continue";
  else if (run.can_go_on || is_delivery(run))
    item.actions.push_back(go_on(run, Verb::retry));
  item.actions.push_back(about(Verb::show, "status", run, ""));
  item.actions.push_back(about(Verb::log, "log", run, ""));
  items.push_back(std::move(item));
}

void add_cut_off(const Run& run, std::vector<Item>& items) {
  Item item = item_of(run, Attention::cut_off, "cut_off");
  item.text = "It has not ended, and no process works on it.";
  item.context = !run.unreadable.empty() ? run.unreadable
                 : run.now.empty()       ? ""
                                         : "Where it was: " + run.now;
  item.reason = "nobody works on it";
  item.since = run.since;
  item.actions.push_back(go_on(run));
  item.actions.push_back(about(Verb::show, "status", run, ""));
  items.push_back(std::move(item));
}

}  // namespace

std::string name_for(const engine::RunHead& head) {
  if (head.subject == engine::kAutoSubject) return std::string(engine::kAuto);
  if (head.subject.starts_with(engine::kDeliveredBead))
    return head.subject.substr(engine::kDeliveredBead.size());
  return head.subject;
}

std::vector<Action> actions_of(const Run& run) {
  std::vector<Action> actions;
  if (run.holder) {
    actions.push_back(about(Verb::pause, "pause", run, ""));
    actions.push_back(about(Verb::tell, "tell", run, ""));
    actions.back().wants = "TEXT";
    actions.push_back(about(Verb::abort, "abort", run, ""));
  } else if (!run.superseded && !is_session(run)) {
    const bool failed = run.standing == Standing::failed;
    if (run.can_go_on || (is_delivery(run) && failed))
      actions.push_back(go_on(run, failed ? Verb::retry : Verb::go_on));
  }
  actions.push_back(about(Verb::show, "status", run, ""));
  return actions;
}

void add_items(const Run& run, const std::set<int>& answered, std::vector<Item>& items) {
  std::vector<Item> mine;
  if (run.outcome.empty() || run.standing == Standing::waiting)
    for (const Wait& wait : run.waits) add_wait(run, wait, answered, mine);
  add_failed_tasks(run, mine);
  const bool tasks_failed = run.failed > 0 && is_delivery(run);
  if (run.standing == Standing::failed && run.life == Life::ended && !tasks_failed &&
      run.unreadable.empty())
    add_failed_run(run, mine);
  if (run.life == Life::cut_off) add_cut_off(run, mine);
  for (const Attempt& attempt : run.attempts) {
    if (attempt.idle.empty() || !run.holder) continue;
    Item item = item_of(run, Attention::stalled, "stalled/" + std::to_string(attempt.agent));
    set_task(item, run, attempt.task);
    item.agent = attempt.agent;
    item.text = attempt.role + " prints nothing, uses no processor and changes no file";
    item.reason = "an agent stands still";
    item.since = attempt.idle;
    item.actions.push_back(about(Verb::log, "log", run, attempt.task));
    item.actions.push_back(about(Verb::tell, "tell", run, attempt.task));
    item.actions.back().wants = "TEXT";
    mine.push_back(std::move(item));
  }
  std::move(mine.begin(), mine.end(), std::back_inserter(items));
}

void sort_items(std::vector<Item>& items) {
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
    return std::tie(a.kind, a.since, a.run) < std::tie(b.kind, b.since, b.run);
  });
}

}  // namespace capsule::view
