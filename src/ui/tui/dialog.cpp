// What stands over a screen: help, a confirmation, a line to type.
#include <algorithm>

#include "base/listed.h"
#include "base/text.h"
#include "canvas/width.h"
#include "ui/tui/commanding.h"
#include "ui/tui/draw.h"
#include "ui/tui/key_table.h"
#include "ui/tui/typing.h"

namespace capsule::tui {
namespace {

std::vector<Line> help_lines(const Focus& focus, const Shown& shown) {
  std::vector<Line> lines;
  const Reach reach = reach_of(focus, shown);
  for (const KeyRow& row : key_table()) {
    if ((row.screens & on(focus.screen)) == 0) continue;
    const std::string keys = listed(split(row.keys, ' '), shown_key, " ");
    const bool can = counts(row, focus) && available(row.does, reach);
    lines.push_back(
        {{" "},
         {keys, can ? kStrong : kDim},
         {std::string(static_cast<std::size_t>(std::max(1, 18 - canvas::width_of(keys))), ' ')},
         {std::string(row.words), can ? kPlain : kDim},
         {row.command.empty() ? "" : "   " + std::string(row.command), kDim}});
  }
  return lines;
}

// The line that is typed; of a long one the part around the cursor.
void draw_typed(Canvas& canvas, int x, int y, int columns, const Dialog& dialog) {
  x = canvas.put(x, y, "› ", kFocused);
  const int room = columns - 3;
  std::string_view before = before_cursor(dialog);
  for (int width = canvas::width_of(before); width > room;) {
    const canvas::Cluster first = canvas::first_cluster(before);
    width -= first.width;
    before.remove_prefix(first.bytes);
  }
  const int end = x + room + 1;
  x = canvas.put(x, y, before, kStrong);
  std::string_view behind = behind_cursor(dialog);
  const std::size_t under = behind.empty() ? 0 : canvas::first_cluster(behind).bytes;
  x = canvas.put(x, y, under == 0 ? " " : behind.substr(0, under),
                 {Colour::none, false, false, true}, end - x);
  canvas.put(x, y, behind.substr(under), kStrong, end - x);
}

// What a command line may become, or why it is not run.
std::vector<Line> proposal_lines(const Dialog& dialog, const Shown& shown, int columns,
                                 int& chosen) {
  constexpr int kWord = 26;
  std::vector<Line> lines;
  for (const std::string& text : dialog.lines)
    for (Line& line : wrapped(text, columns, kWarn)) lines.push_back(std::move(line));
  const std::string_view line =
      dialog.cycle >= 0 ? std::string_view(dialog.base) : before_cursor(dialog);
  const command_line::Completion found = completion_of(line, shown);
  chosen = dialog.cycle < 0 ? 0 : dialog.cycle + static_cast<int>(lines.size());
  for (std::size_t i = 0; i < found.proposals.size(); ++i) {
    const command_line::Proposal& one = found.proposals[i];
    const bool here = static_cast<int>(i) == dialog.cycle;
    const std::string word = canvas::fitted(one.word, columns / 2);
    const int pad = std::max(2, kWord - canvas::width_of(word));
    lines.push_back({{here ? "▸" : " ", kFocused},
                     {word, here ? kStrong : kPlain},
                     {std::string(static_cast<std::size_t>(pad), ' ') + one.help, kDim}});
  }
  if (lines.empty() && found.command != nullptr)
    lines.push_back(plain(" " + command_line::synopsis(*found.command), kDim));
  return lines;
}

// What a command has printed. One that failed says why at its end.
std::vector<Line> output_lines(const Dialog& dialog, int columns) {
  std::vector<Line> lines;
  for (const std::string& text : dialog.lines)
    for (Line& line : wrapped(replace_all(text, "\t", "    "), columns))
      lines.push_back(std::move(line));
  if (lines.empty()) lines.push_back(plain("It has printed nothing.", kDim));
  return lines;
}

void draw_end(Canvas& canvas, int x, int y, int columns, const Dialog& dialog) {
  const Sign sign = !dialog.ended           ? Sign{Mark::working, kBusy}
                    : dialog.exit_code == 0 ? Sign{Mark::done, kGood}
                                            : Sign{Mark::failed, kBad};
  const int end = canvas.put(x, y, sign.mark(), sign.paint) + 1;
  canvas.put(end, y,
             !dialog.ended           ? "runs; leave it with esc, and you are told what came of it"
             : dialog.exit_code == 0 ? "done"
             : dialog.exit_code > 0  ? "failed, exit code " + std::to_string(dialog.exit_code)
                                     : "was killed",
             sign.paint, columns - 2);
  canvas.put(x, y + 1, "esc back   : another command   y copy the command", kDim, columns);
}

}  // namespace

void draw_dialog(Canvas& canvas, const Dialog& dialog, const Focus& focus, const Shown& shown) {
  const bool wide = dialog.kind == Dialog::Kind::help || dialog.kind == Dialog::Kind::output;
  const bool types_command = dialog.kind == Dialog::Kind::input && dialog.use == Dialog::Use::line;
  const int columns = std::min(canvas.columns() - 4, wide ? 120 : 100);
  const int inside = columns - 4;
  constexpr int kFixed = 4;  // frame, what is typed or done, the command
  const int most = std::max(1, canvas.rows() - kFixed - 4);
  std::vector<Line> lines;
  int scroll = dialog.scroll;
  if (dialog.kind == Dialog::Kind::help) {
    lines = help_lines(focus, shown);
  } else if (dialog.kind == Dialog::Kind::output) {
    lines = output_lines(dialog, inside);
  } else if (types_command) {
    lines = proposal_lines(dialog, shown, inside, scroll);
  } else {
    for (const std::string& text : dialog.lines)
      for (Line& line : wrapped(text, inside)) lines.push_back(std::move(line));
    for (std::size_t i = 0; i < dialog.options.size(); ++i)
      lines.push_back(
          {{" " + std::to_string(i + 1) + " ", kStrong}, {one_line(dialog.options[i])}});
  }
  const int count = static_cast<int>(lines.size());
  // A command line keeps its place while what it proposes comes and goes.
  const int shown_rows = types_command ? std::min(10, most) : std::min(count, most);
  if (types_command) scroll = first_shown(scroll, count, shown_rows);
  const int extra = dialog.kind == Dialog::Kind::help ? 0 : 2;
  const Area area{(canvas.columns() - columns) / 2,
                  std::max(1, (canvas.rows() - shown_rows - extra - 2) / 2), columns,
                  shown_rows + extra + 2};
  canvas.fill(area);
  canvas.box(area, dialog.title, kFocused, kStrong);
  const int x = area.x + 2;
  int y = area.y + 1;
  if (types_command) {
    draw_typed(canvas, x, y, inside, dialog);
    canvas.put(x, y + 1, "enter runs, tab completes, ↑↓ earlier, esc keeps it", kDim, inside);
    draw_lines(canvas, {x, y + 2, inside, shown_rows}, lines, scroll);
    return;
  }
  draw_lines(canvas, {x, y, inside, shown_rows}, lines, scroll);
  y += shown_rows;
  if (dialog.kind == Dialog::Kind::output) {
    draw_end(canvas, x, y, inside, dialog);
  } else if (dialog.kind == Dialog::Kind::confirm) {
    const int end = canvas.put(x, y, dialog.yes, {Colour::none, true, false, true}, inside - 12);
    canvas.put(end + 3, y, "esc not now", kDim);
    canvas.put(x, y + 1, "same as: " + view::command_of(dialog.action, shown.options), kDim,
               inside);
  } else if (dialog.kind == Dialog::Kind::input) {
    draw_typed(canvas, x, y, inside, dialog);
    const bool filter = dialog.use == Dialog::Use::filter, find = dialog.use == Dialog::Use::find;
    const std::string same = filter || find
                                 ? std::string()
                                 : "   same as: " + view::command_of(dialog.action, shown.options);
    canvas.put(x, y + 1,
               (filter ? "enter keeps it, esc shows all"
                : find ? "enter goes to the first, n and N to others, esc ends it"
                       : "enter sends it, esc keeps it as a draft") +
                   same,
               kDim, inside);
  }
}

}  // namespace capsule::tui
