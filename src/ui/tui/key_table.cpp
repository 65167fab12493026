#include "ui/tui/key_table.h"

#include <algorithm>

#include "base/enum_count.h"
#include "base/text.h"
#include "ui/tui/rows.h"

namespace capsule::tui {
namespace {

constexpr unsigned kOfRun = on(Screen::board) | on(Screen::timeline) | on(Screen::plan);
constexpr unsigned kWithRun = kOfRun | on(Screen::home) | on(Screen::history);
constexpr unsigned kLists = kWithRun | on(Screen::beads);
constexpr unsigned kActs = kLists;  // what can be steered is chosen there

// Rows that come first stand first in the help bar. Where a key has two meanings, the screens
// differ, or one of them counts only in a part of the screen.
constexpr KeyRow kTable[] = {
    {"up k", Does::up, "move", "choose", "one up; with the second pane in focus: scroll", ""},
    {"down j", Does::down, "move", "", "one down", ""},
    {"page-up", Does::page_up, "move", "", "a page up", ""},
    {"page-down space", Does::page_down, "move", "", "a page down", ""},
    {"home g", Does::top, "move", "", "to the first", ""},
    {"end G", Does::bottom, "move", "", "to the last", ""},
    {"enter", Does::enter, "open", "open", "open what is chosen", "capsule status RUN",
     on(Screen::home) | on(Screen::history)},
    {"enter", Does::other_pane, "pane", "look", "into the pane beside it", "", on(Screen::board)},
    {"enter", Does::board, "open", "open", "open the task or phase on the board",
     "capsule status RUN TASK", on(Screen::timeline) | on(Screen::plan)},
    {"enter", Does::run, "run", "run",
     "run the chosen bead, once you have confirmed it; at work: its board",
     "capsule run BEAD --detach", on(Screen::beads)},
    {"/", Does::find, "find", "find", "in a diff or transcript in focus: find words", "",
     on(Screen::board), When::in_text},
    {"n", Does::next_hit, "find", "next", "while words are looked for: where they stand next", "",
     on(Screen::board), When::finding},
    {"N", Does::earlier_hit, "find", "", "while words are looked for: where they stand before", "",
     on(Screen::board), When::finding},
    {"1", Does::evidence, "tab", "", "evidence: what was said beside what was checked",
     "capsule status RUN TASK", on(Screen::board)},
    {"2", Does::diff, "tab", "", "diff of an attempt", "", on(Screen::board)},
    {"3", Does::transcript, "tab", "", "transcript of an attempt", "capsule log RUN --agent=N",
     on(Screen::board)},
    {"4", Does::task, "tab", "", "the task or phase itself", "capsule status RUN TASK",
     on(Screen::board)},
    {"a", Does::answer, "answer", "answer", "answer, choose or approve",
     "capsule answer RUN N TEXT", kActs},
    {"X", Does::reject, "reject", "reject", "reject what waits for approval",
     "capsule reject RUN --because=TEXT", kActs},
    {"P", Does::pause, "pause", "pause", "pause where nothing is lost", "capsule pause RUN", kActs},
    {"R", Does::go_on, "go_on", "go on", "go on with a run that nobody works on",
     "capsule run BEAD --resume --detach", kActs},
    {"r", Does::retry, "retry", "retry", "try what failed again", "capsule deliver PLAN --detach",
     kActs},
    {"M", Does::merge, "merge", "merge", "try the merge again", "capsule merge BEAD --detach",
     kActs},
    {"u", Does::lift, "lift", "lift", "let agents of a parked provider start again",
     "capsule agents resume PROVIDER", kActs},
    {"m", Does::tell, "tell", "tell", "tell an agent at work, or the next one",
     "capsule tell RUN TASK TEXT", kActs},
    {"x", Does::abort, "abort", "abort", "end the run now, once you have confirmed it; all is kept",
     "capsule abort RUN", kActs},
    {"[", Does::older_attempt, "attempt", "", "the attempt before", "", on(Screen::board)},
    {"]", Does::newer_attempt, "attempt", "", "the attempt after", "", on(Screen::board)},
    {"F", Does::follow, "follow", "", "follow what happens now", "", kOfRun | on(Screen::beads)},
    {"+", Does::full, "room", "", "one pane has all the room", "",
     on(Screen::board) | on(Screen::beads) | on(Screen::history)},
    {"left", Does::earlier, "replay", "replay", "a fact earlier: replay", "", on(Screen::timeline)},
    {"right", Does::later, "replay", "", "a fact later", "", on(Screen::timeline)},
    {"right l", Does::unfold, "fold", "unfold", "show what is below a bead", "", on(Screen::beads)},
    {"left h", Does::fold, "fold", "fold", "hide it, or go to the bead above", "",
     on(Screen::beads)},
    {"p", Does::provider, "provider", "provider", "another provider for what is run next",
     "capsule run BEAD --provider=NAME --detach", on(Screen::beads)},
    {"tab shift-tab", Does::other_pane, "pane", "pane", "the other pane", "",
     on(Screen::board) | on(Screen::beads) | on(Screen::history)},
    {"i", Does::inbox, "screen", "", "home: what needs you, and the runs", "capsule inbox"},
    {"b", Does::board, "screen", "board", "the board of the run", "capsule status RUN",
     kLists & ~on(Screen::board)},
    {"t", Does::timeline, "screen", "timeline", "the timeline of the run, and replay", "",
     kLists & ~on(Screen::timeline)},
    {"p", Does::plan, "screen", "plan", "the plan as a graph, with its critical path",
     "capsule plan check PLAN", kWithRun & ~on(Screen::plan)},
    {"n", Does::beads, "screen", "beads", "the beads: start something", "capsule bead list",
     kEverywhere & ~on(Screen::beads)},
    {":", Does::command, "command", "command", "type any command of Capsule, with completion", ""},
    {"H", Does::history, "screen", "history", "what has ended", "capsule status",
     kEverywhere & ~on(Screen::history)},
    {"L", Does::ledger, "screen", "ledger", "how often agents said what is so", "capsule ledger",
     kEverywhere & ~on(Screen::ledger)},
    {"/", Does::filter, "filter", "filter", "show only rows that hold a text", "", kLists},
    {"y", Does::copy, "copy", "copy", "copy the command of what is chosen", "",
     kLists | on(Screen::ledger)},
    {"o", Does::shell, "shell", "shell", "a shell in the worktree; its end brings you back", "",
     kActs},
    {"e", Does::editor, "editor", "", "your editor in the worktree: $VISUAL, $EDITOR, vi or nano",
     "", kActs},
    {"escape backspace", Does::back, "back", "back", "back; never ends anything", ""},
    {"?", Does::help, "help", "keys", "all keys of this screen", ""},
    {"q ctrl-c", Does::leave, "leave", "leave", "leave; everything goes on", ""},
};

constexpr std::string_view kKindNames[] = {
    "",        "",          "enter", "escape", "tab",      "shift-tab", "backspace",
    "delete",  "up",        "down",  "left",   "right",    "home",      "end",
    "page-up", "page-down", "paste", "press",  "wheel-up", "wheel-down"};
static_assert(std::size(kKindNames) == enum_count<canvas::Key::Kind>());
static_assert(kScreens == enum_count<Screen>() && kTabs == enum_count<Tab>() &&
              kDoes == enum_count<Does>());

bool has_action(const Reach& reach, view::Verb verb) {
  return find_action(reach.actions, verb) != nullptr;
}

}  // namespace

std::span<const KeyRow> key_table() { return kTable; }

std::string name_of(const canvas::Key& key) {
  using KeyKind = canvas::Key::Kind;
  if (key.kind == KeyKind::text) return key.text == " " ? "space" : key.text;
  if (key.kind == KeyKind::control) return "ctrl-" + key.text;
  return std::string(kKindNames[static_cast<std::size_t>(key.kind)]);
}

std::vector<canvas::Key> keys_named(std::string_view names) {
  using KeyKind = canvas::Key::Kind;
  std::vector<canvas::Key> keys;
  for (std::string_view name : split(names, ' ')) {
    const auto* const kind = std::find(std::begin(kKindNames), std::end(kKindNames), name);
    if (name.empty()) continue;
    if (kind != std::end(kKindNames)) {
      keys.push_back({static_cast<KeyKind>(kind - std::begin(kKindNames))});
    } else if (name == "space") {
      keys.push_back({KeyKind::text, " "});
    } else if (name.starts_with("ctrl-") && name.size() == 6) {
      keys.push_back({KeyKind::control, std::string(name.substr(5))});
    } else {
      for (; !name.empty(); name.remove_prefix(std::max<std::size_t>(1, utf8_length(name))))
        keys.push_back({KeyKind::text, std::string(name.substr(0, utf8_length(name)))});
    }
  }
  return keys;
}

std::string shown_key(std::string_view name) {
  if (name == "up") return "↑";
  if (name == "down") return "↓";
  if (name == "left") return "←";
  if (name == "right") return "→";
  if (name == "escape") return "esc";
  return std::string(name);
}

bool in_text(const Focus& focus) {
  return focus.screen == Screen::board && focus.pane == 1 &&
         (focus.tab == Tab::diff || focus.tab == Tab::transcript);
}

bool finding(const Focus& focus) { return in_text(focus) && !focus.find.empty(); }

bool counts(const KeyRow& row, const Focus& focus) {
  if ((row.screens & on(focus.screen)) == 0) return false;
  switch (row.when) {
    case When::in_text:
      return in_text(focus);
    case When::finding:
      return finding(focus);
    case When::always:
      break;
  }
  if (row.does == Does::filter) return !in_text(focus);
  return row.does != Does::beads || !finding(focus);
}

const KeyRow* find_row(const Focus& focus, const canvas::Key& key) {
  const std::string name = name_of(key);
  for (const KeyRow& row : kTable) {
    if (!counts(row, focus)) continue;
    const auto names = split(row.keys, ' ');
    if (std::find(names.begin(), names.end(), name) != names.end()) return &row;
  }
  return nullptr;
}

Reach reach_of(const Focus& focus, const Shown& shown) {
  Reach reach;
  reach.run = chosen_run(focus, shown);
  if (!focus.replay) reach.actions = actions(focus, shown);  // the past cannot be steered
  const Bead* const bead = chosen_bead(focus, shown);
  reach.can_run = bead != nullptr && open_tasks(shown, *bead) > 0;
  reach.has_tree = chosen_tree(focus, shown) != nullptr;
  reach.can_change = shown.providers.size() > 1;
  reach.can_go_back = focus.screen != Screen::home || focus.pane != 0 || !focus.filter.empty();
  reach.has_command = bead != nullptr || reach.run != nullptr || focus.screen == Screen::ledger;
  return reach;
}

bool available(Does does, const Reach& reach) {
  switch (does) {
    case Does::answer:
      return has_action(reach, view::Verb::answer) || has_action(reach, view::Verb::approve);
    case Does::reject:
      return has_action(reach, view::Verb::reject);
    case Does::tell:
      return has_action(reach, view::Verb::tell);
    case Does::pause:
      return has_action(reach, view::Verb::pause);
    case Does::go_on:
      return has_action(reach, view::Verb::go_on);
    case Does::abort:
      return has_action(reach, view::Verb::abort);
    case Does::retry:
      return has_action(reach, view::Verb::retry);
    case Does::merge:
      return has_action(reach, view::Verb::merge);
    case Does::lift:
      return has_action(reach, view::Verb::lift);
    case Does::run:
      return reach.can_run;
    case Does::shell:
    case Does::editor:
      return reach.has_tree;
    case Does::provider:
      return reach.can_change;
    case Does::board:
    case Does::timeline:
    case Does::enter:
      return reach.run != nullptr;
    case Does::plan:
      return reach.run != nullptr && !reach.run->tasks.empty();
    case Does::copy:
      return reach.has_command;
    case Does::back:
      return reach.can_go_back;
    default:
      return true;
  }
}

std::string_view word_of(Screen screen) {
  switch (screen) {
    case Screen::home:
      return "home";
    case Screen::board:
      return "board";
    case Screen::timeline:
      return "timeline";
    case Screen::plan:
      return "plan";
    case Screen::beads:
      return "beads";
    case Screen::history:
      return "history";
    case Screen::ledger:
      break;
  }
  return "ledger";
}

std::string key_page() {
  std::string page = "| key | does | where | the same as |\n|---|---|---|---|\n";
  for (const KeyRow& row : kTable) {
    std::string keys;
    for (const std::string_view key : split(row.keys, ' '))
      keys += (keys.empty() ? "`" : " `") + shown_key(key) + "`";
    std::string where;
    for (int i = 0; row.screens != kEverywhere && i < kScreens; ++i)
      if ((row.screens & on(static_cast<Screen>(i))) != 0)
        where += (where.empty() ? "" : ", ") + std::string(word_of(static_cast<Screen>(i)));
    page += "| " + keys + " | " + std::string(row.words) + " | " +
            (where.empty() ? "everywhere" : where) + " | " +
            (row.command.empty() ? "" : "`" + std::string(row.command) + "`") + " |\n";
  }
  return page;
}

}  // namespace capsule::tui
