#include "ui/tui/rows.h"

#include <algorithm>

#include "base/text.h"
#include "ui/tui/parts.h"

namespace capsule::tui {
namespace {

using view::Life;

int rank(const view::Run& run) {
  switch (run.life) {
    case Life::working:
      return 0;
    case Life::waiting:
      return 1;
    case Life::paused:
    case Life::cut_off:
      return 2;
    case Life::ended:
      break;
  }
  return 3;
}

std::string chosen_key(const Focus& focus) {
  const auto found = focus.chosen.find(focus.screen);
  return found == focus.chosen.end() ? std::string() : found->second;
}

bool lists_steps(Screen screen) {
  return screen == Screen::board || screen == Screen::timeline || screen == Screen::plan;
}

std::string_view busy_key(const Shown& shown, const Focus& focus) {
  const view::Run* const run = view::find_run(*shown.project, focus.run);
  if (run == nullptr) return {};
  for (const view::Phase& phase : run->phases)
    if (phase.state == view::Phase::State::working) return phase.name;
  if (run->tasks.empty()) {  // where it ended
    for (auto it = run->phases.rbegin(); it != run->phases.rend(); ++it)
      if (it->state != view::Phase::State::to_come) return it->name;
    return {};
  }
  std::string_view works;
  for (const view::Task& task : run->tasks) {
    const Mark mark = sign_of(task).is;
    if (mark == Mark::asks) return task.id;
    if (works.empty() && mark == Mark::working) works = task.id;
  }
  return works;
}

}  // namespace

std::vector<const view::Run*> current_runs(const view::Project& project) {
  std::vector<const view::Run*> runs;
  for (auto it = project.runs.rbegin(); it != project.runs.rend(); ++it)
    if (!it->superseded) runs.push_back(&*it);
  std::stable_sort(runs.begin(), runs.end(),
                   [](const auto* a, const auto* b) { return rank(*a) < rank(*b); });
  return runs;
}

std::vector<const view::Run*> past_runs(const view::Project& project) {
  std::vector<const view::Run*> runs;
  for (auto it = project.runs.rbegin(); it != project.runs.rend(); ++it)
    if (it->life == Life::ended) runs.push_back(&*it);
  return runs;
}

std::vector<std::string_view> row_keys(const Focus& focus, const Shown& shown) {
  std::vector<std::string_view> keys;
  const std::string_view filter = focus.filter;
  if (focus.screen == Screen::home) {
    for (const view::Item& item : shown.project->inbox)
      if (passes(item.task + " " + item.title + " " + item.text, filter)) keys.push_back(item.key);
    for (const view::Run* run : current_runs(*shown.project))
      if (passes(run->name + " " + run->title, filter)) keys.push_back(run->run);
  } else if (focus.screen == Screen::history) {
    for (const view::Run* run : past_runs(*shown.project))
      if (passes(run->name + " " + run->title, filter)) keys.push_back(run->run);
  } else if (focus.screen == Screen::beads) {
    for (const TreeRow& row : bead_rows(focus, shown)) keys.push_back(row.bead->id);
  } else if (const view::Run* run = view::find_run(*shown.project, focus.run);
             run != nullptr && lists_steps(focus.screen)) {
    for (const view::Task& task : run->tasks)
      if (filter.empty() || passes(task.id + " " + task.title, filter)) keys.push_back(task.id);
    if (run->tasks.empty())
      for (const view::Phase& phase : run->phases)
        if (passes(phase.name, filter)) keys.push_back(phase.name);
  }
  return keys;
}

int chosen_row(const Focus& focus, const Shown& shown, const std::vector<std::string_view>& keys) {
  const std::string own = chosen_key(focus);
  const std::string_view key = !own.empty()                    ? std::string_view(own)
                               : lists_steps(focus.screen)     ? busy_key(shown, focus)
                               : focus.screen == Screen::beads ? busy_bead(shown, focus, keys)
                                                               : std::string_view();
  const auto found = std::find(keys.begin(), keys.end(), key);
  return found == keys.end() ? 0 : static_cast<int>(found - keys.begin());
}

namespace {
std::string_view key_chosen(const Focus& focus, const Shown& shown) {
  // Of ten thousand tasks no list is made to find one.
  if (focus.filter.empty() && lists_steps(focus.screen))
    if (const view::Run* run = view::find_run(*shown.project, focus.run);
        run != nullptr && !run->tasks.empty()) {
      const std::string own = chosen_key(focus);
      const view::Task* const task =
          view::find_task(*run, own.empty() ? busy_key(shown, focus) : std::string_view(own));
      return task == nullptr ? run->tasks.front().id : task->id;
    }
  const std::vector<std::string_view> keys = row_keys(focus, shown);
  return keys.empty() ? std::string_view()
                      : keys[static_cast<std::size_t>(chosen_row(focus, shown, keys))];
}
}  // namespace

const view::Item* chosen_item(const Focus& focus, const Shown& shown) {
  const std::string_view key = key_chosen(focus, shown);
  for (const view::Item& item : shown.project->inbox) {
    if (focus.screen == Screen::home && item.key == key) return &item;
    if (lists_steps(focus.screen) && item.run == focus.run &&
        (item.task == key || item.task.empty()))
      return &item;
  }
  if (const Bead* bead = chosen_bead(focus, shown)) {
    const auto [run, task] = work_on(shown, *bead);
    for (const view::Item& item : shown.project->inbox)
      if (run != nullptr && item.run == run->run && (task == nullptr || item.task == task->id))
        return &item;
  }
  return nullptr;
}

const view::Run* chosen_run(const Focus& focus, const Shown& shown) {
  if (lists_steps(focus.screen)) return view::find_run(*shown.project, focus.run);
  if (const Bead* bead = chosen_bead(focus, shown)) return work_on(shown, *bead).run;
  if (focus.screen != Screen::home && focus.screen != Screen::history) return nullptr;
  if (const view::Item* item = chosen_item(focus, shown))
    return view::find_run(*shown.project, item->run);
  return view::find_run(*shown.project, key_chosen(focus, shown));
}

const view::Task* chosen_task(const Focus& focus, const Shown& shown) {
  if (const Bead* bead = chosen_bead(focus, shown)) return work_on(shown, *bead).task;
  const view::Run* const run = chosen_run(focus, shown);
  return run == nullptr || !lists_steps(focus.screen)
             ? nullptr
             : view::find_task(*run, key_chosen(focus, shown));
}

const view::Phase* chosen_phase(const Focus& focus, const Shown& shown) {
  const view::Run* const run = chosen_run(focus, shown);
  if (run == nullptr || !run->tasks.empty() || !lists_steps(focus.screen)) return nullptr;
  const std::string_view key = key_chosen(focus, shown);
  for (const view::Phase& phase : run->phases)
    if (phase.name == key) return &phase;
  return nullptr;
}

const Bead* chosen_bead(const Focus& focus, const Shown& shown) {
  if (focus.screen != Screen::beads) return nullptr;
  const std::string_view key = key_chosen(focus, shown);
  for (const Bead& bead : shown.beads)
    if (bead.id == key) return &bead;
  return nullptr;
}

const view::Tree* chosen_tree(const Focus& focus, const Shown& shown) {
  const view::Run* const run = chosen_run(focus, shown);
  if (run == nullptr) return nullptr;
  const view::Task* const task = chosen_task(focus, shown);
  const view::Item* const item = chosen_item(focus, shown);
  const std::string_view id = task != nullptr ? std::string_view(task->id)
                              : item != nullptr && focus.screen == Screen::home
                                  ? std::string_view(item->task)
                                  : std::string_view();
  for (const view::Tree& tree : run->trees)
    if (tree.task == id || (run->tasks.empty() && !tree.folder.empty())) return &tree;
  return nullptr;
}

std::vector<const view::Attempt*> chosen_attempts(const Focus& focus, const Shown& shown) {
  std::vector<const view::Attempt*> attempts;
  const view::Run* const run = chosen_run(focus, shown);
  if (run == nullptr) return attempts;
  const auto add = [&](const std::vector<int>& places) {
    for (const int place : places)
      attempts.push_back(&run->attempts[static_cast<std::size_t>(place)]);
  };
  if (const view::Task* task = chosen_task(focus, shown))
    add(task->attempts);
  else if (const view::Phase* phase = chosen_phase(focus, shown))
    add(phase->attempts);
  return attempts;
}

const view::Attempt* chosen_attempt(const Focus& focus, const Shown& shown) {
  const auto attempts = chosen_attempts(focus, shown);
  for (const view::Attempt* attempt : attempts)
    if (attempt->agent == focus.agent) return attempt;
  if (focus.tab == Tab::diff)  // the newest that left something
    for (auto it = attempts.rbegin(); it != attempts.rend(); ++it)
      if (!(*it)->snapshot.empty()) return *it;
  return attempts.empty() ? nullptr : attempts.back();
}

std::vector<view::Action> actions(const Focus& focus, const Shown& shown) {
  std::vector<view::Action> all;
  if (const view::Item* item = chosen_item(focus, shown)) all = item->actions;
  const view::Run* const run = chosen_run(focus, shown);
  if (run == nullptr) return all;
  const view::Task* const task = chosen_task(focus, shown);
  for (view::Action action : run->actions) {
    if (task != nullptr && (action.verb == view::Verb::tell || action.verb == view::Verb::show))
      action.words.push_back(task->id);
    if (std::find(all.begin(), all.end(), action) == all.end()) all.push_back(std::move(action));
  }
  return all;
}

const view::Action* find_action(const std::vector<view::Action>& all, view::Verb verb) {
  for (const view::Action& action : all)
    if (action.verb == verb) return &action;
  return nullptr;
}

view::Action run_action(const Focus& focus, const Shown& shown, const Bead& bead) {
  view::Action action{view::Verb::go_on, {is_group(bead) ? "deliver" : "run", bead.id}, ""};
  if (focus.provider > 0 && focus.provider < shown.providers.size())
    action.words.push_back("--provider=" + shown.providers[focus.provider]);
  if (is_group(bead)) action.words.push_back("--wait");  // somebody looks on who can answer
  action.words.push_back("--detach");
  return action;
}

std::string command_shown(const Focus& focus, const Shown& shown) {
  if (const Bead* bead = chosen_bead(focus, shown))
    return view::command_of(run_action(focus, shown, *bead), shown.options);
  if (focus.screen == Screen::ledger)
    return view::command_of({view::Verb::show, {"ledger"}, ""}, shown.options);
  if (focus.screen == Screen::board && focus.tab == Tab::transcript)
    if (const Wish wish = transcript_wish(focus, shown); !wish.words.empty())
      return view::command_of({view::Verb::log, wish.words, ""}, shown.options);
  const auto all = actions(focus, shown);
  return all.empty() ? std::string() : view::command_of(all.front(), shown.options);
}

Wish diff_wish(const Focus& focus, const Shown& shown) {
  Wish wish{Wish::Kind::diff, {}};
  const view::Attempt* const attempt = chosen_attempt(focus, shown);
  if (attempt == nullptr || attempt->snapshot.empty() || attempt->snapshot[0] == '-') return wish;
  // Against what the attempt before it left; the first against where it began.
  std::string from;
  for (const view::Attempt* other : chosen_attempts(focus, shown)) {
    if (other == attempt) break;
    if (!other->snapshot.empty() && other->snapshot[0] != '-') from = other->snapshot;
  }
  wish.words = {from.empty() ? attempt->snapshot + "^" : from, attempt->snapshot};
  return wish;
}

Wish transcript_wish(const Focus& focus, const Shown& shown) {
  Wish wish{Wish::Kind::command, {}};
  const view::Run* const run = chosen_run(focus, shown);
  const view::Attempt* const attempt = chosen_attempt(focus, shown);
  if (run == nullptr || attempt == nullptr || run->name.starts_with('-')) return wish;
  // Its name would mean the newest run of its subject.
  wish.words = {"log", run->superseded ? run->run : run->name,
                "--agent=" + std::to_string(attempt->agent)};
  wish.printed = focus.replay ? 0 : attempt->printed;
  return wish;
}

std::vector<Wish> wishes(const Focus& focus, const Shown& shown) {
  std::vector<Wish> all;
  if (focus.screen == Screen::board && focus.tab == Tab::diff)
    all.push_back(diff_wish(focus, shown));
  else if (focus.screen == Screen::board && focus.tab == Tab::transcript)
    all.push_back(transcript_wish(focus, shown));
  else if (focus.screen == Screen::ledger)
    all.push_back({Wish::Kind::command, {"ledger"}});
  else if (const view::Run* run = chosen_run(focus, shown);
           run != nullptr && focus.screen == Screen::history) {
    all.push_back({Wish::Kind::command, {"status", run->run}});
    if (run->tasks.empty() && !run->phases.empty())
      all.push_back({Wish::Kind::archive, {run->subject, run->run}});
  }
  std::erase_if(all, [](const Wish& wish) { return wish.words.empty(); });
  return all;
}

}  // namespace capsule::tui
