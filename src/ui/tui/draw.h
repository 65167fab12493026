// The screens. Pure: the same values always give the same canvas.
#pragma once

#include <vector>

#include "canvas/canvas.h"
#include "ui/tui/focus.h"
#include "ui/tui/parts.h"

namespace capsule::tui {

inline constexpr int kLeastColumns = 60;
inline constexpr int kLeastRows = 16;

// A terminal that is too small is told so.
Canvas draw(const Focus& focus, const Shown& shown, int columns, int rows, canvas::Looks looks);

// Where the two panes of a screen are; the second may have no columns, when there is no room.
struct Panes {
  Area list, detail;
};
Panes panes(const Focus& focus, int columns, int rows);
// Below the header, above the help bar.
Area body(int columns, int rows);
// How many rows a page of the pane in focus has.
int page_rows(const Focus& focus, int columns, int rows);

// The two lists of the home screen.
struct HomeAreas {
  Area inbox, runs;
  int items = 0;  // rows of the first list
};
HomeAreas home_areas(const Focus& focus, const Shown& shown, int columns, int rows);

// What the second pane holds, and how far it can be scrolled.
std::vector<Line> detail_lines(const Focus& focus, const Shown& shown, int columns);
// The lines of a diff or transcript that hold what is looked for, in their order. The first line is
// a heading, and never one of them.
std::vector<int> hits(const Focus& focus, const std::vector<Line>& lines);

// What was said beside what was checked, of the chosen task or phase.
std::vector<Line> evidence_lines(const Focus& focus, const Shown& shown, int columns);
std::vector<Line> bead_lines(const Focus& focus, const Shown& shown, int columns);
std::vector<Line> history_lines(const Focus& focus, const Shown& shown, int columns);

// One file each.
void draw_home(Canvas& canvas, const Focus& focus, const Shown& shown);
void draw_board(Canvas& canvas, const Focus& focus, const Shown& shown);
void draw_timeline(Canvas& canvas, const Focus& focus, const Shown& shown);
void draw_plan(Canvas& canvas, const Focus& focus, const Shown& shown);
void draw_beads(Canvas& canvas, const Focus& focus, const Shown& shown);
void draw_history(Canvas& canvas, const Focus& focus, const Shown& shown);
void draw_ledger(Canvas& canvas, const Focus& focus, const Shown& shown);
void draw_dialog(Canvas& canvas, const Dialog& dialog, const Focus& focus, const Shown& shown);

// The lines of a page that was fetched, or why there are none.
std::vector<Line> page_lines(const Shown& shown, const Wish& wish, std::string_view none);

}  // namespace capsule::tui
