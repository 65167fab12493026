#include "ui/tui/draw.h"

#include <algorithm>

#include "base/text.h"
#include "canvas/width.h"
#include "ui/tui/key_table.h"
#include "ui/tui/rows.h"
#include "ui/usage_text.h"

namespace capsule::tui {
namespace {

std::string clock_of(const std::string& at) { return at.size() >= 19 ? at.substr(11, 8) : ""; }

// The right of the header: whether what is shown is now.
std::string moment_of(const Canvas& canvas, const Focus& focus, const Shown& shown) {
  if (focus.replay)
    return " replay: fact " + std::to_string(*focus.replay) + " of " + std::to_string(focus.facts) +
           ", F: now ";
  return canvas.columns() < 100 ? "● " + clock_of(shown.now)
                                : "● live  " + clock_of(shown.now) + " UTC";
}

// The left of it: each figure whole, or not at all. Half of a sum or of a time is another one.
class Figures {
 public:
  Figures(Canvas& canvas, int limit) : canvas_(canvas), limit_(limit) {}
  void put(int gap, const std::string& text, Paint paint = {}) {
    if (text.empty() || x_ + gap + canvas::width_of(text) > limit_) return;
    x_ = canvas_.put(x_ + gap, 0, text, paint);
  }

 private:
  Canvas& canvas_;
  int limit_;
  int x_ = 0;
};

void put_home_figures(Figures& figures, const Canvas& canvas, const Shown& shown) {
  int working = 0;
  int agents = 0;
  for (const view::Run& run : shown.project->runs) {
    working += run.life == view::Life::working && !run.superseded ? 1 : 0;
    agents += run.at_work;
  }
  figures.put(1, "capsule", kStrong);
  figures.put(2, canvas::fitted(shown.folder, canvas.columns() / 3), kDim);
  figures.put(3, "▶ " + counted(working, "run"), working > 0 ? kBusy : kDim);
  if (agents > 0) figures.put(3, counted(agents, "agent"), kPlain);
  const auto& days = shown.project->days;
  if (!days.empty() && days.back().cost_micros > 0 && shown.now.starts_with(days.back().day))
    figures.put(3, "cost " + ui::money_text(days.back().cost_micros) + " today", kPlain);
}

void put_run_figures(Figures& figures, const Canvas& canvas, const view::Run& run,
                     const Shown& shown) {
  const Sign sign = sign_of(run);
  figures.put(1, std::string(sign.mark()), sign.paint);
  figures.put(
      1, canvas::fitted(one_line(run.title.empty() ? run.name : run.title), canvas.columns() / 3),
      kStrong);
  if (run.all > 0 && canvas.columns() >= 76)
    figures.put(2, bar(run.done, run.all, canvas.columns() >= 110 ? 20 : 10), kGood);
  if (run.all > 0) figures.put(1, std::to_string(run.done) + "/" + std::to_string(run.all));
  figures.put(2,
              run.life == view::Life::working ? counted(run.at_work, "agent") + " at work"
                                              : life_words(run),
              sign.paint);
  figures.put(2, age(run.started, end_of(run, shown)));
  if (canvas.columns() >= 100) figures.put(2, money(run.usage));
}

void draw_header(Canvas& canvas, const Focus& focus, const Shown& shown) {
  const std::string moment = moment_of(canvas, focus, shown);
  Figures figures(canvas, canvas.columns() - canvas::width_of(moment) - 3);
  const view::Run* const run = view::find_run(*shown.project, focus.run);
  const bool of_run = focus.screen == Screen::board || focus.screen == Screen::timeline ||
                      focus.screen == Screen::plan;
  if (of_run && run != nullptr)
    put_run_figures(figures, canvas, *run, shown);
  else
    put_home_figures(figures, canvas, shown);
  canvas.put_right(canvas.columns() - 1, 0, moment,
                   focus.replay ? Paint{Colour::none, true, false, true} : kDim);
}

// As many keys as there is room for; `?` and `q` always.
void draw_help_bar(Canvas& canvas, const Focus& focus, const Shown& shown) {
  const int y = canvas.rows() - 1;
  const Reach reach = reach_of(focus, shown);
  const auto text_of = [&](const KeyRow& row) {
    const std::string_view first = row.keys.substr(0, row.keys.find(' '));
    return std::pair((row.does == Does::up        ? "↑↓"
                      : row.does == Does::earlier ? "←→"
                                                  : shown_key(first)),
                     row.does == Does::run && reach.run != nullptr && goes_on(*reach.run)
                         ? "board"
                         : std::string(row.label));
  };
  int room = canvas.columns() - 2;
  std::vector<const KeyRow*> rows;
  const auto width_of = [&](const KeyRow& row) {
    const auto [key, label] = text_of(row);
    return canvas::width_of(key) + canvas::width_of(label) + 3;
  };
  const auto wanted = [&](const KeyRow& row) {
    return !row.label.empty() && counts(row, focus) && available(row.does, reach);
  };
  const auto last = [](const KeyRow& row) {
    return row.does == Does::help || row.does == Does::leave || row.does == Does::back;
  };
  for (const KeyRow& row : key_table())
    if (wanted(row) && last(row)) room -= width_of(row);
  for (const KeyRow& row : key_table()) {
    if (!wanted(row)) continue;
    if (!last(row)) {
      if (width_of(row) > room) continue;
      room -= width_of(row);
    }
    rows.push_back(&row);
  }
  int x = 1;
  for (const KeyRow* row : rows) {
    const auto [key, label] = text_of(*row);
    x = canvas.put(x, y, key, kStrong);
    x = canvas.put(x + 1, y, label, kDim) + 2;
  }
}

void draw_status(Canvas& canvas, const Focus& focus, const Shown& shown) {
  const int y = canvas.rows() - 2;
  if (!focus.note.empty()) {
    canvas.put(1, y, one_line(focus.note), kWarn, canvas.columns() - 2);
    return;
  }
  if (!shown.trouble.empty()) {
    canvas.put(1, y, "The journal cannot be read: " + one_line(shown.trouble), kBad,
               canvas.columns() - 2);
    return;
  }
  if (!focus.filter.empty()) {
    canvas.put(1, y, "filter: " + focus.filter + "   (esc shows all)", kWarn, canvas.columns() - 2);
    return;
  }
  const view::Run* const run = view::find_run(*shown.project, focus.run);
  if (focus.screen != Screen::board || run == nullptr) return;
  std::vector<std::string> parts;
  if (!run->merge_queue.empty()) parts.push_back("merge queue: " + joined(run->merge_queue, " › "));
  if (run->remediation > 0)
    parts.push_back("remediation: round " + std::to_string(run->remediation));
  std::string slots;
  for (const view::Slot& slot : run->slots)
    slots += " " + slot.role + " " + std::to_string(slot.busy) + "/" + std::to_string(slot.all);
  if (!slots.empty()) parts.push_back("slots:" + slots);
  if (!run->merged_as.empty() && run->tasks.empty())
    parts.push_back("merged as " + run->merged_as.substr(0, 12));
  else if (!run->detail.empty())
    parts.push_back(one_line(run->detail));
  canvas.put(1, y, joined(parts, "   "), kDim, canvas.columns() - 2);
}

}  // namespace

Area body(int columns, int rows) { return {0, 1, columns, rows - 3}; }

Panes panes(const Focus& focus, int columns, int rows) {
  const Area all = body(columns, rows);
  // Side by side, one above the other, or only the one that has the keys.
  constexpr int kSideBySide = 100;
  constexpr int kStacked = 20;
  if (!focus.full && columns >= kSideBySide) {
    const int left = std::clamp(columns * (focus.screen == Screen::board ? 48 : 42) / 100, 34, 100);
    return {{0, all.y, left, all.rows}, {left, all.y, columns - left, all.rows}};
  }
  if (!focus.full && rows >= kStacked) {
    const int upper = all.rows * 2 / 5;
    return {{0, all.y, columns, upper}, {0, all.y + upper, columns, all.rows - upper}};
  }
  return focus.pane == 0 ? Panes{all, {columns, all.y, 0, all.rows}}
                         : Panes{{0, all.y, 0, all.rows}, all};
}

int page_rows(const Focus& focus, int columns, int rows) {
  return std::max(1, panes(focus, columns, rows).list.inner().rows);
}

std::vector<Line> page_lines(const Shown& shown, const Wish& wish, std::string_view none) {
  if (wish.words.empty()) return {plain(std::string(none), kDim)};
  const auto found = shown.pages.find(wish.key());
  if (found == shown.pages.end()) return {plain("…", kDim)};
  const Page& page = found->second;
  std::vector<Line> lines;
  if (!page.error.empty()) lines.push_back(plain(page.error, kBad));
  for (const std::string& line : page.lines) lines.push_back(plain(line));
  if (lines.empty()) lines.push_back(plain(page.loading ? "…" : std::string(none), kDim));
  return lines;
}

Canvas draw(const Focus& focus, const Shown& shown, int columns, int rows, canvas::Looks looks) {
  Canvas canvas(columns, rows, looks);
  if (columns < kLeastColumns || rows < kLeastRows) {
    canvas.put(0, 0,
               "The dashboard needs " + std::to_string(kLeastColumns) + "×" +
                   std::to_string(kLeastRows) + ".");
    canvas.put(0, 1,
               "This terminal is " + std::to_string(columns) + "×" + std::to_string(rows) + ".");
    canvas.put(0, 2, "q leaves; all goes on.");
    return canvas;
  }
  draw_header(canvas, focus, shown);
  switch (focus.screen) {
    case Screen::home:
      draw_home(canvas, focus, shown);
      break;
    case Screen::board:
      draw_board(canvas, focus, shown);
      break;
    case Screen::timeline:
      draw_timeline(canvas, focus, shown);
      break;
    case Screen::plan:
      draw_plan(canvas, focus, shown);
      break;
    case Screen::beads:
      draw_beads(canvas, focus, shown);
      break;
    case Screen::history:
      draw_history(canvas, focus, shown);
      break;
    case Screen::ledger:
      draw_ledger(canvas, focus, shown);
      break;
  }
  draw_status(canvas, focus, shown);
  draw_help_bar(canvas, focus, shown);
  if (focus.dialog) draw_dialog(canvas, *focus.dialog, focus, shown);
  return canvas;
}

}  // namespace capsule::tui
