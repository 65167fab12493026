// What has ended, and how often agents said what is so.
#include <algorithm>

#include "base/text.h"
#include "ui/tui/draw.h"
#include "ui/tui/rows.h"

namespace capsule::tui {

std::vector<Line> history_lines(const Focus& focus, const Shown& shown, int columns) {
  std::vector<Line> lines;
  for (const Wish& wish : wishes(focus, shown))
    for (const Line& line : page_lines(shown, wish, ""))
      for (const Span& span : line)
        for (Line& part : wrapped(span.text, columns, span.paint)) lines.push_back(std::move(part));
  return lines;
}

void draw_history(Canvas& canvas, const Focus& focus, const Shown& shown) {
  const Panes both = panes(focus, canvas.columns(), canvas.rows());
  if (both.list.columns > 0) {
    draw_pane(canvas, both.list, "History", focus.pane == 0);
    const Area area = both.list.inner();
    const std::vector<std::string_view> keys = row_keys(focus, shown);
    const int chosen = chosen_row(focus, shown, keys);
    const int count = static_cast<int>(keys.size());
    const int first = first_shown(chosen, count, area.rows);
    if (keys.empty()) canvas.put(area.x + 1, area.y, "Nothing has ended yet.", kDim);
    for (int i = 0; i < area.rows && first + i < count; ++i) {
      const view::Run* const run =
          view::find_run(*shown.project, keys[static_cast<std::size_t>(first + i)]);
      if (run == nullptr) continue;
      const int y = area.y + i;
      const bool here = first + i == chosen;
      const Sign sign = sign_of(*run);
      if (here) canvas.put(area.x, y, "▸", kFocused);
      canvas.put(area.x + 1, y, sign.mark(), sign.paint);
      const int end = area.x + area.columns;
      canvas.put_right(end, y, age(end_of(*run, shown), shown.now) + " ago", kDim);
      const int x = canvas.put(area.x + 3, y, run->name.substr(run->name.rfind('/') + 1),
                               here ? kStrong : kPlain, area.columns / 3);
      canvas.put(x + 1, y, one_line(run->title), here ? kStrong : kPlain, end - 12 - x);
    }
  }
  if (both.detail.columns == 0) return;
  const view::Run* const run = chosen_run(focus, shown);
  draw_pane(canvas, both.detail, run == nullptr ? "" : run->name, focus.pane == 1);
  Area inner = both.detail.inner();
  inner.x += 1;
  inner.columns -= 2;
  draw_lines(canvas, inner, history_lines(focus, shown, inner.columns), focus.scroll);
}

void draw_ledger(Canvas& canvas, const Focus& focus, const Shown& shown) {
  const Area all = body(canvas.columns(), canvas.rows());
  draw_pane(canvas, all, "Ledger: what agents said, held against what was found", true);
  Area inner = all.inner();
  inner.x += 1;
  inner.columns -= 2;
  const std::vector<Wish> wanted = wishes(focus, shown);
  if (!wanted.empty())
    draw_lines(canvas, inner, page_lines(shown, wanted.front(), "No claims yet."), focus.scroll);
}

}  // namespace capsule::tui
