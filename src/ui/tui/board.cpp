// The board of a run: its tasks, or its phases, and beside them the chosen one.
#include <algorithm>

#include "base/text.h"
#include "canvas/width.h"
#include "ui/tui/draw.h"
#include "ui/tui/key_table.h"
#include "ui/tui/rows.h"

namespace capsule::tui {
namespace {

struct BoardRow {
  Sign sign;
  std::string id, title, state, trail, time;
};

BoardRow row_of(const view::Run& run, const view::Task& task, const Shown& shown) {
  return {sign_of(run, task),
          task.id,
          task.title,
          view::state_words(run, task),
          trail(run, task.attempts, !task.commit.empty()),
          age(task.began, task.ended.empty() ? end_of(run, shown) : task.ended)};
}

BoardRow row_of(const view::Run& run, const view::Phase& phase, const Shown& shown) {
  std::string time;
  if (!phase.attempts.empty()) {
    const auto& first = run.attempts[static_cast<std::size_t>(phase.attempts.front())];
    const auto& last = run.attempts[static_cast<std::size_t>(phase.attempts.back())];
    time = age(first.began, last.running ? end_of(run, shown) : last.ended);
  }
  std::string state(name_of(phase.state));
  if (phase.state == view::Phase::State::to_come) state = "to come";
  if (phase.state == view::Phase::State::sent_back) state = "sent back";
  const bool left = phase.state == view::Phase::State::working && !goes_on(run);
  if (left) state = life_words(run);
  if (phase.attempts.size() > 1) state += ", " + counted(phase.attempts.size(), "attempt");
  return {left ? sign_of(run) : sign_of(phase.state), phase.name, "", state,
          trail(run, phase.attempts, false),          time};
}

void draw_row(Canvas& canvas, const Area& area, const BoardRow& row, bool chosen, int id_columns) {
  if (chosen) canvas.put(area.x, area.y, "▸", kFocused);
  canvas.put(area.x + 1, area.y, row.sign.mark(), row.sign.paint);
  int end = area.x + area.columns;
  canvas.put_right(end, area.y, row.time, kDim);
  end -= 7;
  if (area.columns >= 50) {
    const int columns = std::clamp(area.columns / 6, 7, 16);
    canvas.put(end - columns, area.y, row.trail, kPlain, columns);
    end -= columns + 1;
  }
  // Phases have no titles: the room is for how they are.
  const int state_columns = row.title.empty() ? end - (area.x + 3 + id_columns + 2)
                                              : std::clamp(area.columns / 4, 14, 30);
  canvas.put(end - state_columns, area.y, one_line(row.state), row.sign.paint, state_columns);
  end -= state_columns + 1;
  const int x = area.x + 3 + id_columns + 1;
  canvas.put(area.x + 3, area.y, row.id, chosen ? kStrong : kPlain, id_columns);
  canvas.put(x, area.y, one_line(row.title), chosen ? kStrong : kPlain, end - x);
}

void draw_steps(Canvas& canvas, const Area& area, const view::Run& run, const Focus& focus,
                const Shown& shown) {
  const std::vector<std::string_view> keys = row_keys(focus, shown);
  const int chosen = chosen_row(focus, shown, keys);
  const int count = static_cast<int>(keys.size());
  const int first = first_shown(chosen, count, area.rows);
  if (keys.empty())
    canvas.put(area.x + 1, area.y, run.unreadable.empty() ? "nothing yet" : run.unreadable, kDim,
               area.columns - 1);
  const bool tasks = !run.tasks.empty();
  const int shown_rows = std::min(area.rows, count - first);
  int id_columns = 3;
  for (int i = 0; i < shown_rows; ++i)
    id_columns = std::max(id_columns, canvas::width_of(keys[static_cast<std::size_t>(first + i)]));
  id_columns = std::min(id_columns, tasks ? std::max(6, area.columns / 4) : 18);
  for (int i = 0; i < shown_rows; ++i) {
    const std::string_view key = keys[static_cast<std::size_t>(first + i)];
    BoardRow row;
    if (tasks) {
      // Rows stand in the order of the plan: unless some are left out, the place is the number.
      const auto place = static_cast<std::size_t>(first + i);
      const view::Task* task = place < run.tasks.size() && run.tasks[place].id == key
                                   ? &run.tasks[place]
                                   : view::find_task(run, key);
      row = row_of(run, *task, shown);
    } else {
      for (const view::Phase& phase : run.phases)
        if (phase.name == key) row = row_of(run, phase, shown);
    }
    draw_row(canvas, {area.x, area.y + i, area.columns, 1}, row, first + i == chosen, id_columns);
  }
  if (count > area.rows)
    canvas.put_right(area.x + area.columns - 1, area.y + area.rows,
                     " " + std::to_string(chosen + 1) + "/" + std::to_string(count) + " ", kDim);
}

void draw_tabs(Canvas& canvas, const Area& area, Tab tab) {
  constexpr std::string_view kNames[] = {"1 Evidence", "2 Diff", "3 Transcript", "4 Task"};
  static_assert(std::size(kNames) == kTabs);
  int x = area.x + 1;
  for (int i = 0; i < kTabs; ++i)
    x = canvas.put(x, area.y, kNames[i],
                   static_cast<int>(tab) == i ? Paint{Colour::none, true, false, true} : kDim,
                   area.x + area.columns - x) +
        2;
}

// Of a long text only a part is here: what is not found may stand in the rest.
std::string where_it_looked(const Focus& focus, const Shown& shown) {
  const bool diff = focus.tab == Tab::diff;
  const auto page =
      shown.pages.find((diff ? diff_wish(focus, shown) : transcript_wish(focus, shown)).key());
  if (page == shown.pages.end() || !page->second.cut) return {};
  return diff ? " in the first 512 KiB" : " in the last 512 KiB";
}

}  // namespace

void draw_board(Canvas& canvas, const Focus& focus, const Shown& shown) {
  const Panes both = panes(focus, canvas.columns(), canvas.rows());
  const view::Run* const run = view::find_run(*shown.project, focus.run);
  if (run == nullptr) {
    canvas.put(1, 2, "This run is not in the journal.", kDim);
    return;
  }
  if (both.list.columns > 0) {
    draw_pane(canvas, both.list, run->tasks.empty() ? "Phases" : "Tasks", focus.pane == 0);
    draw_steps(canvas, both.list.inner(), *run, focus, shown);
  }
  if (both.detail.columns == 0) return;
  const view::Task* const task = chosen_task(focus, shown);
  const view::Phase* const phase = chosen_phase(focus, shown);
  const std::string title = task != nullptr    ? task->id + " " + one_line(task->title)
                            : phase != nullptr ? phase->name
                                               : run->name;
  draw_pane(canvas, both.detail, title, focus.pane == 1);
  Area inner = both.detail.inner();
  draw_tabs(canvas, inner, focus.tab);
  inner.y += 1;
  inner.rows -= 1;
  inner.x += 1;
  inner.columns -= 2;
  const std::vector<Line> lines = detail_lines(focus, shown, inner.columns);
  const bool follows = focus.tab == Tab::transcript && focus.at_end;
  draw_lines(canvas, inner, lines, follows ? static_cast<int>(lines.size()) : focus.scroll);
  if (!finding(focus)) return;
  const std::vector<int> found = hits(focus, lines);
  const auto place = std::find(found.begin(), found.end(), focus.hit);
  const std::string words = found.empty()          ? "nowhere"
                            : place != found.end() ? std::to_string(place - found.begin() + 1) +
                                                         " of " + std::to_string(found.size())
                                                   : counted(found.size(), "line");
  canvas.put(inner.x, inner.y + inner.rows,
             " " + canvas::fitted(one_line(focus.find), 20) + ": " + words +
                 where_it_looked(focus, shown) + " ",
             kWarn);
}

}  // namespace capsule::tui
