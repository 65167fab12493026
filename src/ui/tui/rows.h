// Which rows a screen has, which of them is chosen, and what can be done about it. Pure; pointers
// and views are into what was given.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ui/tui/focus.h"

namespace capsule::tui {

// Runs of the home screen: what works and waits first, then what has ended, newest first; not those
// that a later run has replaced.
std::vector<const view::Run*> current_runs(const view::Project& project);
// All that have ended, newest first.
std::vector<const view::Run*> past_runs(const view::Project& project);

struct TreeRow {
  const Bead* bead = nullptr;
  int depth = 0;
  int children = 0, open = 0;  // below it: all, and those that are not closed
  bool unfolded = false;
};
std::vector<TreeRow> bead_rows(const Focus& focus, const Shown& shown);
// The tasks that running it would work on: itself, or all below it that are open.
int open_tasks(const Shown& shown, const Bead& bead);
bool is_group(const Bead& bead);  // an epic or a feature
// What is done about a bead: its own run, or that of a feature or an epic above it and the task
// there. Nothing: nobody has worked on it.
struct BeadWork {
  const view::Run* run = nullptr;
  const view::Task* task = nullptr;
};
std::map<std::string_view, BeadWork> work_on_beads(const view::Project& project);
BeadWork work_on(const Shown& shown, const Bead& bead);
// Where the cursor is while nobody moves it: what asks for a person, or works, below the bead that
// was run last; that bead itself when nothing does.
std::string_view busy_bead(const Shown& shown, const Focus& focus,
                           const std::vector<std::string_view>& keys);
// A process works on it, or it waits for a person.
bool goes_on(const view::Run& run);

// The keys of the rows of the list that the screen shows.
std::vector<std::string_view> row_keys(const Focus& focus, const Shown& shown);
// The place of the chosen one; 0 when there is none. Where nobody has chosen, what is at work.
int chosen_row(const Focus& focus, const Shown& shown, const std::vector<std::string_view>& keys);

const view::Item* chosen_item(const Focus& focus, const Shown& shown);
const view::Run* chosen_run(const Focus& focus, const Shown& shown);
const view::Task* chosen_task(const Focus& focus, const Shown& shown);
const view::Phase* chosen_phase(const Focus& focus, const Shown& shown);
const Bead* chosen_bead(const Focus& focus, const Shown& shown);
// The worktree of what is chosen; null: it has none.
const view::Tree* chosen_tree(const Focus& focus, const Shown& shown);
// Of the chosen task or phase, oldest first; of the run when it has neither.
std::vector<const view::Attempt*> chosen_attempts(const Focus& focus, const Shown& shown);
// Whose diff and transcript are shown; null: there is none.
const view::Attempt* chosen_attempt(const Focus& focus, const Shown& shown);

// What can be done about what is chosen; what can be done to its run comes last.
std::vector<view::Action> actions(const Focus& focus, const Shown& shown);
const view::Action* find_action(const std::vector<view::Action>& actions, view::Verb verb);
// The command of what the screen shows, ready to be pasted.
std::string command_shown(const Focus& focus, const Shown& shown);
// What running a bead comes to.
view::Action run_action(const Focus& focus, const Shown& shown, const Bead& bead);

// The texts that the screen needs.
std::vector<Wish> wishes(const Focus& focus, const Shown& shown);
// From what to what the diff goes; no words: nothing was kept.
Wish diff_wish(const Focus& focus, const Shown& shown);
Wish transcript_wish(const Focus& focus, const Shown& shown);

}  // namespace capsule::tui
