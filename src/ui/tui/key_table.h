// The one table of keys: help bar, help page, the page of the documentation and what a key does all
// come from it. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "canvas/keys.h"
#include "ui/tui/focus.h"

namespace capsule::tui {

enum class Does {
  up,
  down,
  page_up,
  page_down,
  top,
  bottom,
  enter,
  back,
  other_pane,
  unfold,
  fold,
  earlier,
  later,
  inbox,
  board,
  timeline,
  plan,
  beads,
  history,
  ledger,
  evidence,
  diff,
  transcript,
  task,
  older_attempt,
  newer_attempt,
  full,
  follow,
  filter,
  find,
  next_hit,
  earlier_hit,
  answer,
  reject,
  tell,
  pause,
  go_on,
  abort,
  retry,
  merge,
  lift,
  run,
  provider,
  copy,
  command,
  shell,
  editor,
  help,
  leave,
};
inline constexpr int kDoes = 49;

// Screens as a set: one bit each.
constexpr unsigned on(Screen screen) { return 1U << static_cast<unsigned>(screen); }
inline constexpr unsigned kEverywhere = (1U << kScreens) - 1;

// Where on its screens a row counts. There it takes the key from another row of the screen.
enum class When {
  always,
  in_text,  // a diff or a transcript is in focus
  finding,  // and words are looked for in it
};

struct KeyRow {
  std::string_view keys;  // names, parted by blanks: "up k"
  Does does{};
  std::string_view verb;     // of the view, or a word for what only the dashboard does
  std::string_view label;    // in the help bar: "answer"; empty: it is not there
  std::string_view words;    // for the help page
  std::string_view command;  // that does the same; empty: it only moves
  unsigned screens = kEverywhere;
  When when = When::always;
};
std::span<const KeyRow> key_table();

// "a", "enter", "ctrl-s", "page-up", "space".
std::string name_of(const canvas::Key& key);
// The other way round: "b down enter" are three keys; a word that names none is typed.
std::vector<canvas::Key> keys_named(std::string_view names);
// As people read it: "↑", "enter".
std::string shown_key(std::string_view name);

bool in_text(const Focus& focus);
bool finding(const Focus& focus);
// Whether the row counts where the person is.
bool counts(const KeyRow& row, const Focus& focus);
// The row that a key means there; null: none.
const KeyRow* find_row(const Focus& focus, const canvas::Key& key);

// What is within reach where the person is; made once for all keys.
struct Reach {
  const view::Run* run = nullptr;
  std::vector<view::Action> actions = {};
  bool can_run = false;  // the chosen bead
  bool has_tree = false;
  bool can_change = false;  // another provider is there
  bool can_go_back = false;
  bool has_command = false;  // there is something to copy
};
Reach reach_of(const Focus& focus, const Shown& shown);
// Whether it would do anything.
bool available(Does does, const Reach& reach);

// The table of the documentation, as Markdown.
std::string key_page();

std::string_view word_of(Screen screen);  // "home", …

}  // namespace capsule::tui
