#include "ui/tui/press.h"

#include <algorithm>

#include "base/text.h"
#include "ui/tui/asking.h"
#include "ui/tui/commanding.h"
#include "ui/tui/draw.h"
#include "ui/tui/key_table.h"
#include "ui/tui/rows.h"

namespace capsule::tui {
namespace {

using Kind = canvas::Key::Kind;
using view::Verb;

struct Here {
  const Shown& shown;
  int columns, rows;
};

void choose(Focus& focus, const Here& here, int by, bool whole) {
  const std::vector<std::string_view> keys = row_keys(focus, here.shown);
  if (keys.empty()) return;
  const int last = static_cast<int>(keys.size()) - 1;
  const int from = whole ? (by < 0 ? 0 : last) : chosen_row(focus, here.shown, keys) + by;
  focus.chosen[focus.screen] =
      std::string(keys[static_cast<std::size_t>(std::clamp(from, 0, last))]);
  focus.scroll = focus.hit = 0;
  focus.agent = 0;
  focus.at_end = true;
}

bool has_detail(Screen screen) {
  return screen == Screen::board || screen == Screen::beads || screen == Screen::history;
}

// How far the second pane, or the ledger, can be scrolled: known well enough without drawing.
int lines_of(const Focus& focus, const Here& here) {
  if (focus.screen == Screen::board)
    return static_cast<int>(
        detail_lines(focus, here.shown, panes(focus, here.columns, here.rows).detail.columns - 4)
            .size());
  if (focus.screen == Screen::beads)
    return static_cast<int>(
        bead_lines(focus, here.shown, panes(focus, here.columns, here.rows).detail.columns - 4)
            .size());
  if (focus.screen == Screen::history)
    return static_cast<int>(
        history_lines(focus, here.shown, panes(focus, here.columns, here.rows).detail.columns - 4)
            .size());
  const std::vector<Wish> wanted = wishes(focus, here.shown);
  if (!wanted.empty()) return static_cast<int>(page_lines(here.shown, wanted.front(), "").size());
  return 400;
}

void move(Focus& focus, const Here& here, int by, bool whole = false) {
  const bool scrolls =
      focus.screen == Screen::ledger || (focus.pane == 1 && has_detail(focus.screen));
  if (!scrolls) {
    choose(focus, here, by, whole);
    return;
  }
  const Area pane = focus.screen == Screen::ledger ? body(here.columns, here.rows)
                                                   : panes(focus, here.columns, here.rows).detail;
  const int visible = pane.inner().rows - (focus.screen == Screen::board ? 1 : 0);
  const int last = last_scroll(lines_of(focus, here), visible);
  const int from = focus.tab == Tab::transcript && focus.at_end ? last : focus.scroll;
  focus.scroll = whole ? (by < 0 ? 0 : last) : std::clamp(from + by, 0, last);
  focus.at_end = focus.scroll >= last;
}

// To the next line that holds what is looked for, or the one before; after the last comes the
// first.
void seek(Focus& focus, const Here& here, bool next) {
  const Area pane = panes(focus, here.columns, here.rows).detail;
  const std::vector<Line> lines = detail_lines(focus, here.shown, pane.columns - 4);
  const std::vector<int> found = hits(focus, lines);
  if (found.empty()) {
    focus.note = "not there: " + focus.find;
    return;
  }
  const auto after = std::upper_bound(found.begin(), found.end(), focus.hit);
  const auto here_or_after = std::lower_bound(found.begin(), found.end(), focus.hit);
  if (next)
    focus.hit = after == found.end() ? found.front() : *after;
  else
    focus.hit = here_or_after == found.begin() ? found.back() : *(here_or_after - 1);
  const int visible = pane.inner().rows - 1;
  focus.scroll =
      std::clamp(focus.hit - visible / 2, 0, last_scroll(static_cast<int>(lines.size()), visible));
  focus.at_end = false;
}

void ask_for_words(Focus& focus, Dialog::Use use) {
  const bool find = use == Dialog::Use::find;
  Dialog dialog;
  dialog.kind = Dialog::Kind::input;
  dialog.use = use;
  dialog.title = find ? "Find" : "Show only rows with";
  dialog.text = find ? "" : focus.filter;
  if (find) {
    focus.find.clear();
    focus.hit = 0;
  }
  focus.dialog = std::move(dialog);
}

void go(Focus& focus, Screen screen, const std::string& run) {
  if (focus.screen == screen && focus.run == run) return;
  focus.back.push_back({focus.screen, focus.run});
  constexpr std::size_t kMaxBack = 50;
  if (focus.back.size() > kMaxBack) focus.back.erase(focus.back.begin());
  const bool other = run != focus.run;
  focus.screen = screen;
  focus.run = run;
  focus.pane = 0;
  focus.scroll = focus.hit = 0;
  focus.full = false;
  focus.filter.clear();
  if (screen != Screen::board && screen != Screen::timeline && screen != Screen::plan)
    focus.replay.reset();
  if (!other) return;
  focus.replay.reset();
  focus.agent = 0;
  for (const Screen of_run : {Screen::board, Screen::timeline, Screen::plan})
    focus.chosen.erase(of_run);
}

void go_to_run(Focus& focus, const Here& here, Screen screen) {
  const view::Run* const run = chosen_run(focus, here.shown);
  if (run == nullptr) return;
  const view::Item* const item =
      focus.screen == Screen::home ? chosen_item(focus, here.shown) : nullptr;
  const std::string task = item != nullptr ? item->task : std::string();
  const auto same = focus.chosen.find(focus.screen);
  const view::Task* const of_bead =
      focus.screen == Screen::beads ? chosen_task(focus, here.shown) : nullptr;
  const bool other_rows = focus.screen == Screen::home || focus.screen == Screen::history ||
                          focus.screen == Screen::beads;
  const std::string row = of_bead != nullptr                         ? of_bead->id
                          : other_rows || same == focus.chosen.end() ? task
                                                                     : same->second;
  go(focus, screen, run->run);
  if (!row.empty()) focus.chosen[screen] = row;
}

void go_back(Focus& focus) {
  if (finding(focus)) {
    focus.find.clear();
    focus.hit = 0;
  } else if (!focus.filter.empty()) {
    focus.filter.clear();
  } else if (focus.full) {
    focus.full = false;
  } else if (focus.pane != 0) {
    focus.pane = 0;
  } else if (!focus.back.empty()) {
    const PassedScreen place = focus.back.back();
    focus.back.pop_back();
    const bool other = place.run != focus.run;
    focus.screen = place.screen;
    focus.run = place.run;
    focus.scroll = 0;
    if (other || focus.screen == Screen::home) focus.replay.reset();
  } else {
    focus.screen = Screen::home;
  }
}

void set_tab(Focus& focus, Tab tab) {
  focus.tab = tab;
  focus.scroll = focus.hit = 0;
  focus.at_end = true;
}

void other_attempt(Focus& focus, const Here& here, int by) {
  const auto attempts = chosen_attempts(focus, here.shown);
  const view::Attempt* const now = chosen_attempt(focus, here.shown);
  if (now == nullptr) return;
  const auto place = std::find(attempts.begin(), attempts.end(), now) - attempts.begin();
  const auto next = std::clamp<std::ptrdiff_t>(place + by, 0, std::ssize(attempts) - 1);
  focus.agent = attempts[static_cast<std::size_t>(next)]->agent;
  focus.scroll = focus.hit = 0;
}

void scrub(Focus& focus, const Here& here, int by) {
  const view::Run* const run = view::find_run(*here.shown.project, focus.run);
  if (run == nullptr) return;
  if (!focus.replay) {
    if (by > 0) return;
    focus.facts = run->facts;
  }
  const std::uint64_t at = focus.replay.value_or(focus.facts);
  const std::uint64_t next = by < 0 ? at - std::min<std::uint64_t>(at > 0 ? at - 1 : 0, 1) : at + 1;
  if (next >= focus.facts)
    focus.replay.reset();
  else
    focus.replay = std::max<std::uint64_t>(1, next);
}

// The worktree of what is chosen, for a shell or an editor.
std::optional<Effect> open_tree(Focus& focus, const Here& here, bool editor) {
  const view::Run* const run = chosen_run(focus, here.shown);
  const view::Tree* const tree = chosen_tree(focus, here.shown);
  if (run == nullptr || tree == nullptr) {
    const view::Task* const task = chosen_task(focus, here.shown);
    focus.note = task != nullptr && !task->commit.empty()
                     ? task->id + " is merged: its worktree is gone"
                 : task != nullptr ? task->id + " has no worktree"
                 : run != nullptr && !run->tasks.empty()
                     ? "each task has a worktree of its own: choose one on the board"
                     : "there is no worktree";
    return {};
  }
  return Effect{
      editor ? Effect::Kind::editor : Effect::Kind::shell, {run->run, tree->task}, tree->folder};
}

void fold_bead(Focus& focus, const Here& here, bool open) {
  const Bead* const bead = chosen_bead(focus, here.shown);
  if (bead == nullptr) return;
  bool has_children = false;
  for (const Bead& other : here.shown.beads) has_children |= other.parent == bead->id;
  if (open) {
    if (!focus.closed.erase(bead->id) && has_children) choose(focus, here, 1, false);
  } else if (has_children && !focus.closed.contains(bead->id)) {
    focus.closed.insert(bead->id);
    focus.chosen[Screen::beads] = bead->id;
  } else {
    for (const Bead& other : here.shown.beads)
      if (other.id == bead->parent) focus.chosen[Screen::beads] = other.id;
  }
}

// A click on a row chooses it; on the other pane, it goes there.
void click(Focus& focus, const Here& here, int x, int y) {
  const std::vector<std::string_view> keys = row_keys(focus, here.shown);
  if (keys.empty()) return;
  const int chosen = chosen_row(focus, here.shown, keys);
  const auto pick = [&](const Area& area, int offset, int count, int at) {
    const int row = first_shown(at, count, area.rows) + y - area.y;
    if (!area.has(x, y) || row < 0 || row >= count) return;
    focus.chosen[focus.screen] = std::string(keys[static_cast<std::size_t>(offset + row)]);
    focus.pane = 0;
  };
  const int count = static_cast<int>(keys.size());
  if (has_detail(focus.screen)) {
    const Panes both = panes(focus, here.columns, here.rows);
    if (both.detail.has(x, y))
      focus.pane = 1;
    else
      pick(both.list.inner(), 0, count, chosen);
  } else if (focus.screen == Screen::home) {
    const HomeAreas areas = home_areas(focus, here.shown, here.columns, here.rows);
    pick(areas.inbox.inner(), 0, areas.items, chosen < areas.items ? chosen : 0);
    pick(areas.runs.inner(), areas.items, count - areas.items, chosen - areas.items);
  }
}

std::optional<Effect> do_it(Focus& focus, const Here& here, Does does) {
  const int page = page_rows(focus, here.columns, here.rows) - 1;
  switch (does) {
    case Does::up:
      move(focus, here, -1);
      break;
    case Does::down:
      move(focus, here, 1);
      break;
    case Does::page_up:
      move(focus, here, -page);
      break;
    case Does::page_down:
      move(focus, here, page);
      break;
    case Does::top:
      move(focus, here, -1, true);
      break;
    case Does::bottom:
      move(focus, here, 1, true);
      break;
    case Does::enter:
    case Does::board:
      go_to_run(focus, here, Screen::board);
      break;
    case Does::back:
      go_back(focus);
      break;
    case Does::other_pane:
      focus.pane = 1 - focus.pane;
      break;
    case Does::unfold:
    case Does::fold:
      fold_bead(focus, here, does == Does::unfold);
      break;
    case Does::earlier:
    case Does::later:
      scrub(focus, here, does == Does::earlier ? -1 : 1);
      break;
    case Does::inbox:
      go(focus, Screen::home, focus.run);
      break;
    case Does::timeline:
      go_to_run(focus, here, Screen::timeline);
      break;
    case Does::plan:
      go_to_run(focus, here, Screen::plan);
      break;
    case Does::beads:
      go(focus, Screen::beads, focus.run);
      break;
    case Does::history:
      go(focus, Screen::history, focus.run);
      break;
    case Does::ledger:
      go(focus, Screen::ledger, focus.run);
      break;
    case Does::evidence:
      set_tab(focus, Tab::evidence);
      break;
    case Does::diff:
      set_tab(focus, Tab::diff);
      break;
    case Does::transcript:
      set_tab(focus, Tab::transcript);
      break;
    case Does::task:
      set_tab(focus, Tab::task);
      break;
    case Does::older_attempt:
      other_attempt(focus, here, -1);
      break;
    case Does::newer_attempt:
      other_attempt(focus, here, 1);
      break;
    case Does::full:
      focus.full = !focus.full;
      break;
    case Does::follow:
      focus.replay.reset();
      focus.at_end = true;
      focus.chosen.erase(focus.screen);
      break;
    case Does::filter:
      ask_for_words(focus, Dialog::Use::filter);
      break;
    case Does::find:
      ask_for_words(focus, Dialog::Use::find);
      break;
    case Does::next_hit:
    case Does::earlier_hit:
      seek(focus, here, does == Does::next_hit);
      break;
    case Does::answer:
    case Does::reject:
      ask_answer(focus, here.shown, does == Does::reject);
      break;
    case Does::tell:
      ask_tell(focus, here.shown);
      break;
    case Does::pause:
    case Does::lift:
      if (const auto action =
              action_for(focus, here.shown, does == Does::lift ? Verb::lift : Verb::pause)) {
        focus.note = "…";
        return Effect{Effect::Kind::command, action->words, {}};
      }
      break;
    case Does::go_on:
      ask_verb(focus, here.shown, Verb::go_on);
      break;
    case Does::abort:
      ask_verb(focus, here.shown, Verb::abort);
      break;
    case Does::retry:
      ask_verb(focus, here.shown, Verb::retry);
      break;
    case Does::merge:
      ask_verb(focus, here.shown, Verb::merge);
      break;
    case Does::run:
      if (const view::Run* run = chosen_run(focus, here.shown); run != nullptr && goes_on(*run))
        go_to_run(focus, here, Screen::board);
      else
        ask_to_run(focus, here.shown);
      break;
    case Does::provider:
      if (!here.shown.providers.empty())
        focus.provider = (focus.provider + 1) % here.shown.providers.size();
      break;
    case Does::copy: {
      const std::string command = command_shown(focus, here.shown);
      focus.note = "copied: " + command;
      return Effect{Effect::Kind::copy, {}, command};
    }
    case Does::help: {
      Dialog dialog;
      dialog.kind = Dialog::Kind::help;
      dialog.title = "Keys of this screen (" + std::string(word_of(focus.screen)) + ")";
      focus.dialog = std::move(dialog);
      break;
    }
    case Does::command:
      ask_command(focus);
      break;
    case Does::shell:
    case Does::editor:
      return open_tree(focus, here, does == Does::editor);
    case Does::leave:
      return Effect{Effect::Kind::leave, {}, {}};
  }
  return {};
}

}  // namespace

Step press(Focus focus, const canvas::Key& key, const Shown& shown, int columns, int rows) {
  const Here here{shown, columns, rows};
  if (focus.dialog) {
    const bool find = focus.dialog->use == Dialog::Use::find;
    Step step = press_dialog(std::move(focus), key, shown);
    if (find && !step.focus.dialog && finding(step.focus)) seek(step.focus, here, true);
    return step;
  }
  focus.note.clear();
  if (key.kind == Kind::wheel_up || key.kind == Kind::wheel_down) {
    move(focus, here, key.kind == Kind::wheel_up ? -3 : 3);
    return {std::move(focus)};
  }
  if (key.kind == Kind::press) {
    click(focus, here, key.x, key.y);
    return {std::move(focus)};
  }
  const KeyRow* const row = find_row(focus, key);
  if (row == nullptr) return {std::move(focus)};
  const bool says_why =
      row->does == Does::run || row->does == Does::shell || row->does == Does::editor;  // by itself
  if (!says_why && !available(row->does, reach_of(focus, shown))) {
    if (row->does != Does::back) focus.note = "not now: " + std::string(row->words);
    return {std::move(focus)};
  }
  std::optional<Effect> effect = do_it(focus, here, row->does);
  return {std::move(focus), std::move(effect)};
}

}  // namespace capsule::tui
