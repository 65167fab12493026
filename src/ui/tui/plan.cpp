// The plan as a graph: waves as columns. Lines are drawn for the chosen task and for the critical
// path alone: all of them at once tell nothing.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "canvas/width.h"
#include "ui/tui/draw.h"
#include "ui/tui/rows.h"

namespace capsule::tui {
namespace {

struct Spot {
  int x = 0, y = 0, end = 0;  // end: behind the box
  bool shown = false;
};

class Graph {
 public:
  Graph(Canvas& canvas, const Area& area, const view::Run& run, int chosen)
      : canvas_(canvas), area_(area), run_(run), chosen_(chosen), spots_(run.tasks.size()) {
    place();
  }

  void draw() {
    for (const view::Task& task : run_.tasks)
      for (const int need : task.needs)
        if (task.critical && known(need) && run_.tasks[index(need)].critical)
          connect(need, task.number, kCritical);
    for (const view::Task& task : run_.tasks)
      for (const int need : task.needs)
        if (known(need) && (task.number == chosen_ || need == chosen_))
          connect(need, task.number, kChosen);
    draw_lines_of(kCritical);
    draw_lines_of(kChosen);
    for (const view::Task& task : run_.tasks) draw_box(task);
    for (int wave = first_; wave < first_ + fits_ && wave <= waves_; ++wave)
      canvas_.put(column_x(wave), area_.y, "wave " + std::to_string(wave), kDim, width_ - 1);
  }

 private:
  enum Kind { kCritical, kChosen };
  enum Side : unsigned { kLeft = 1, kRight = 2, kUp = 4, kDown = 8 };
  static std::size_t index(int number) { return static_cast<std::size_t>(number); }
  bool known(int number) const {
    return number >= 0 && index(number) < spots_.size() && spots_[index(number)].shown;
  }
  int column_x(int wave) const { return area_.x + (wave - first_) * width_; }
  int wave_of(const view::Task& task) const { return std::max(1, task.wave); }

  void place() {
    waves_ = 1;
    for (const view::Task& task : run_.tasks) waves_ = std::max(waves_, wave_of(task));
    width_ = std::clamp(area_.columns / waves_, 18, 30);
    fits_ = std::max(1, area_.columns / width_);
    const int wave = chosen_ >= 0 && index(chosen_) < run_.tasks.size()
                         ? wave_of(run_.tasks[index(chosen_)])
                         : 1;
    first_ = 1 + first_shown(wave - 1, waves_, fits_);
    const int rows = area_.rows - 1;
    std::vector<int> count(index(waves_) + 1, 0);
    std::vector<int> place_in_wave(run_.tasks.size(), 0);
    for (const view::Task& task : run_.tasks)
      place_in_wave[index(task.number)] = count[index(wave_of(task))]++;
    const int row = chosen_ >= 0 ? place_in_wave[index(chosen_)] : 0;
    for (const view::Task& task : run_.tasks) {
      const int top = first_shown(row, count[index(wave_of(task))], rows);
      const int y = place_in_wave[index(task.number)] - top;
      const int column = wave_of(task);
      Spot& spot = spots_[index(task.number)];
      if (y < 0 || y >= rows || column < first_ || column >= first_ + fits_) continue;
      spot = {column_x(column), area_.y + 1 + y, 0, true};
      spot.end = spot.x + std::min(canvas::width_of(task.id) + 4, width_ - 6);
    }
  }

  void draw_box(const view::Task& task) {
    const Spot& spot = spots_[index(task.number)];
    if (!spot.shown) return;
    const bool chosen = task.number == chosen_;
    const Sign sign = sign_of(run_, task);
    int x = canvas_.put(spot.x, spot.y, "[", chosen ? kFocused : kDim);
    x = canvas_.put(x, spot.y, sign.mark(), sign.paint);
    x = canvas_.put(x + 1, spot.y, task.id,
                    {chosen ? Colour::cyan : Colour::none, task.critical || chosen, false, chosen},
                    spot.end - x - 2);
    canvas_.put(spot.end - 1, spot.y, "]", chosen ? kFocused : kDim);
  }

  // From the right of one to the left of another, by a corner in the gap before the other. Both
  // kinds of lines have a column of their own for it.
  void connect(int from, int to, Kind kind) {
    const Spot& a = spots_[index(from)];
    const Spot& b = spots_[index(to)];
    const int corner = b.x - (kind == kCritical ? 4 : 2);
    if (corner <= a.end) return;
    const auto mark = [&](int x, int y, unsigned to_sides) { lines_[kind][{x, y}] |= to_sides; };
    for (int x = a.end; x < corner; ++x) mark(x, a.y, kLeft | kRight);
    for (int x = corner + 1; x < b.x; ++x) mark(x, b.y, kLeft | kRight);
    mark(corner, a.y, kLeft);
    mark(corner, b.y, kRight);
    for (int y = std::min(a.y, b.y); y <= std::max(a.y, b.y); ++y) {
      if (y > std::min(a.y, b.y)) mark(corner, y, kUp);
      if (y < std::max(a.y, b.y)) mark(corner, y, kDown);
    }
  }

  void draw_lines_of(Kind kind) {
    constexpr std::string_view kSingle[] = {" ", "─", "─", "─", "│", "╯", "╰", "┴",
                                            "│", "╮", "╭", "┬", "│", "┤", "├", "┼"};
    constexpr std::string_view kDouble[] = {" ", "═", "═", "═", "║", "╝", "╚", "╩",
                                            "║", "╗", "╔", "╦", "║", "╣", "╠", "╬"};
    for (const auto& [at, sides] : lines_[kind])
      canvas_.put(at.first, at.second, (kind == kCritical ? kDouble : kSingle)[sides & 15],
                  kind == kCritical ? kStrong : kFocused);
  }

  Canvas& canvas_;
  const Area area_;
  const view::Run& run_;
  const int chosen_;
  std::vector<Spot> spots_;
  std::map<std::pair<int, int>, unsigned> lines_[2];  // by kind: the sides that a cell leads to
  int waves_ = 1, width_ = 18, fits_ = 1, first_ = 1;
};

std::string ids_of(const view::Run& run, const std::vector<int>& numbers) {
  std::string ids;
  for (const int number : numbers)
    if (number >= 0 && static_cast<std::size_t>(number) < run.tasks.size())
      ids += (ids.empty() ? "" : ", ") + run.tasks[static_cast<std::size_t>(number)].id;
  return ids;
}

}  // namespace

void draw_plan(Canvas& canvas, const Focus& focus, const Shown& shown) {
  const Area all = body(canvas.columns(), canvas.rows());
  draw_pane(canvas, all, "Plan", true);
  const view::Run* const run = view::find_run(*shown.project, focus.run);
  Area inner = all.inner();
  if (run == nullptr) {
    canvas.put(inner.x + 1, inner.y, "This run is not in the journal.", kDim, inner.columns - 1);
    return;
  }
  inner.x += 1;
  inner.columns -= 2;
  if (run->tasks.empty()) {
    canvas.put(inner.x, inner.y, "This run has phases, and no plan: b shows them.", kDim);
    return;
  }
  const view::Task* const task = chosen_task(focus, shown);
  Area graph = inner;
  graph.rows -= 3;
  Graph(canvas, graph, *run, task == nullptr ? -1 : task->number).draw();
  if (task == nullptr) return;
  std::vector<int> behind;
  for (const view::Task& other : run->tasks)
    if (std::find(other.needs.begin(), other.needs.end(), task->number) != other.needs.end())
      behind.push_back(other.number);
  const std::string needs = ids_of(*run, task->needs);
  const std::string waiting = ids_of(*run, behind);
  const int y = graph.y + graph.rows;
  const int x = canvas.put(inner.x, y, task->id + " ", kStrong);
  canvas.put(x, y, one_line(task->title), kPlain, inner.x + inner.columns - x);
  canvas.put(inner.x, y + 1,
             (needs.empty() ? "needs nothing" : "needs " + needs) +
                 (waiting.empty() ? "; nothing waits for it" : "; " + waiting + " after it") +
                 (task->critical ? "; on the critical path" : ""),
             kDim, inner.columns);
  canvas.put(inner.x, y + 2, "═ critical path: " + joined(run->critical_path, " › "), kDim,
             inner.columns);
}

}  // namespace capsule::tui
