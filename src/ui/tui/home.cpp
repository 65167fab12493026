// Home: what needs a person, and the runs.
#include <algorithm>

#include "base/text.h"
#include "canvas/width.h"
#include "ui/tui/draw.h"
#include "ui/tui/rows.h"

namespace capsule::tui {
namespace {

// The runs get what the inbox leaves, and a third at least.
int inbox_rows(int items, int all) {
  return std::clamp(items + 2, 3, std::max(3, all - std::max(4, all / 3)));
}

void draw_item(Canvas& canvas, const Area& row, const view::Item& item, const Shown& shown,
               bool chosen) {
  const Sign sign = sign_of(item.kind);
  if (chosen) canvas.put(row.x, row.y, "▸", kFocused);
  canvas.put(row.x + 1, row.y, sign.mark(), sign.paint);
  const int right = row.x + row.columns;
  const std::string since = age(item.since, shown.now);
  canvas.put_right(right, row.y, since, kDim);
  int end = right - 8;
  if (row.columns >= 84) {
    const std::string reason = item.answered ? "answered, not taken up" : item.reason;
    canvas.put(right - 34, row.y, one_line(reason), kDim, 25);
    end = right - 35;
  }
  const std::string who =
      item.task.empty() ? item.name.substr(item.name.rfind('/') + 1) : item.task;
  int x = canvas.put(row.x + 3, row.y, who, kStrong, 16);
  x = std::max(x + 1, row.x + 12);
  x = canvas.put(x, row.y, std::string(word_of(item.kind)) + ": ", sign.paint, end - x);
  canvas.put(x, row.y, one_line(item.text), chosen ? kStrong : kPlain, end - x);
}

void draw_run_row(Canvas& canvas, const Area& row, const view::Run& run, const Shown& shown,
                  bool chosen) {
  const Sign sign = sign_of(run);
  if (chosen) canvas.put(row.x, row.y, "▸", kFocused);
  canvas.put(row.x + 1, row.y, sign.mark(), sign.paint);
  const int right = row.x + row.columns;
  const bool wide = row.columns >= 100;
  const std::string time = age(run.started, end_of(run, shown));
  canvas.put_right(right, row.y, time, kDim);
  int end = right - 8;
  if (const std::string cost = money(run.usage); wide) {
    canvas.put_right(end, row.y, cost, kDim);
    end -= 13;
  }
  std::string state = life_words(run);
  const Paint paint = sign.paint;
  if (run.life != view::Life::ended && run.tasks.empty() && !run.now.empty())
    state = one_line(run.now);
  else if (run.life != view::Life::ended && run.at_work > 0)
    state = std::to_string(run.at_work) + " at work";
  const int state_columns = wide ? 26 : 20;
  canvas.put(end - state_columns, row.y, state, paint, state_columns - 1);
  end -= state_columns;
  const std::string count = std::to_string(run.done) + "/" + std::to_string(run.all);
  if (run.all > 0) canvas.put_right(end - 1, row.y, count, kPlain);
  end -= 7;
  if (wide && run.all > 0) {
    canvas.put(end - 21, row.y, bar(run.done, run.all, 20), kGood);
    end -= 22;
  }
  const std::string name = run.name.substr(run.name.rfind('/') + 1);
  const int x = canvas.put(row.x + 3, row.y, name, kStrong, 18);
  canvas.put(x + 1, row.y, one_line(run.title), chosen ? kStrong : kPlain, end - x - 2);
}

}  // namespace

HomeAreas home_areas(const Focus& focus, const Shown& shown, int columns, int rows) {
  const Area all = body(columns, rows);
  int items = 0;
  for (const view::Item& item : shown.project->inbox)
    items += passes(item.task + " " + item.title + " " + item.text, focus.filter) ? 1 : 0;
  const int upper = inbox_rows(items, all.rows);
  return {{0, all.y, all.columns, upper}, {0, all.y + upper, all.columns, all.rows - upper}, items};
}

void draw_home(Canvas& canvas, const Focus& focus, const Shown& shown) {
  const std::vector<std::string_view> keys = row_keys(focus, shown);
  const int chosen = chosen_row(focus, shown, keys);
  std::vector<const view::Item*> items;
  std::vector<const view::Run*> runs;
  for (const std::string_view key : keys) {
    const auto item = std::find_if(shown.project->inbox.begin(), shown.project->inbox.end(),
                                   [&](const view::Item& one) { return one.key == key; });
    if (item != shown.project->inbox.end())
      items.push_back(&*item);
    else if (const view::Run* run = view::find_run(*shown.project, key))
      runs.push_back(run);
  }
  const auto [inbox, list, item_count] = home_areas(focus, shown, canvas.columns(), canvas.rows());
  const int run_count = static_cast<int>(runs.size());
  const bool in_inbox = chosen < item_count;
  draw_pane(canvas, inbox, "Needs you (" + std::to_string(item_count) + ")", in_inbox);
  draw_pane(canvas, list, "Runs", !in_inbox);
  Area row = inbox.inner();
  if (items.empty() && !shown.trouble.empty())
    canvas.put(row.x + 1, row.y, "What needs you is not known.", kWarn, row.columns - 1);
  else if (items.empty())
    canvas.put(row.x + 1, row.y,
               "Nothing needs you, as of " +
                   (shown.now.size() >= 19 ? shown.now.substr(11, 8) + " UTC." : "now."),
               kDim, row.columns - 1);
  int first = first_shown(in_inbox ? chosen : 0, item_count, row.rows);
  for (int i = 0; i < row.rows && first + i < item_count; ++i)
    draw_item(canvas, {row.x, row.y + i, row.columns, 1},
              *items[static_cast<std::size_t>(first + i)], shown, first + i == chosen);
  row = list.inner();
  if (runs.empty() && shown.trouble.empty())
    canvas.put(row.x + 1, row.y, "No runs yet. n shows the beads; or: capsule run BEAD", kDim,
               row.columns - 1);
  first = first_shown(chosen - item_count, run_count, row.rows);
  for (int i = 0; i < row.rows && first + i < run_count; ++i)
    draw_run_row(canvas, {row.x, row.y + i, row.columns, 1},
                 *runs[static_cast<std::size_t>(first + i)], shown,
                 first + i == chosen - item_count);
}

}  // namespace capsule::tui
