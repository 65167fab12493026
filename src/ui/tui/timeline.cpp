// The timeline of a run: a row a task or phase, a stretch of letters an attempt; and replay.
#include <algorithm>

#include "base/moment.h"
#include "base/text.h"
#include "ui/tui/draw.h"
#include "ui/tui/rows.h"

namespace capsule::tui {
namespace {

struct Scale {
  std::int64_t begin = 0, end = 1;
  int x = 0, columns = 1;
  // The column of a time; what is not known is where it ends.
  int at(const std::string& time) const {
    const std::int64_t ms = milliseconds_of(time).value_or(end);
    const std::int64_t span = std::max<std::int64_t>(1, end - begin);
    const auto column = (ms - begin) * (columns - 1) / span;
    return x + static_cast<int>(std::clamp<std::int64_t>(column, 0, columns - 1));
  }
};

std::string clock_at(std::int64_t ms) {
  const auto two = [](std::int64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  const std::int64_t seconds = ms / 1000 % 86400;
  return two(seconds / 3600) + ":" + two(seconds / 60 % 60) + ":" + two(seconds % 60);
}

void draw_axis(Canvas& canvas, const Scale& scale, int y) {
  constexpr int kStep = 20;
  for (int column = 0; column + 8 <= scale.columns; column += kStep) {
    const std::int64_t ms =
        scale.begin + (scale.end - scale.begin) * column / std::max(1, scale.columns - 1);
    canvas.put(scale.x + column, y, clock_at(ms), kDim);
  }
}

void draw_stretch(Canvas& canvas, const Scale& scale, int y, const std::string& began,
                  const std::string& ended, std::string_view what, Paint paint) {
  const int from = scale.at(began);
  const int to = ended.empty() ? scale.x + scale.columns - 1 : scale.at(ended);
  for (int x = from; x <= to; ++x) canvas.put(x, y, what, paint);
}

void draw_attempts(Canvas& canvas, const Scale& scale, int y, const view::Run& run,
                   const std::vector<int>& attempts) {
  for (const int place : attempts) {
    const view::Attempt& attempt = run.attempts[static_cast<std::size_t>(place)];
    const Sign sign = sign_of(attempt);
    const std::string letter(1, letter_of(attempt));
    const bool open = attempt.ended.empty() && !attempt.running;  // cut off
    draw_stretch(canvas, scale, y, attempt.began, open ? attempt.began : attempt.ended, letter,
                 sign.paint);
  }
  for (const int place : attempts) {  // over what begins in the same column
    const view::Attempt& attempt = run.attempts[static_cast<std::size_t>(place)];
    const Mark mark = sign_of(attempt).is;
    if (mark == Mark::failed || mark == Mark::sent_back)
      canvas.put(scale.at(attempt.ended), y, "✗", kBad);
  }
}

// A wait of the run as a whole is one of each row.
bool is_of(const view::Band& band, std::string_view key) {
  return band.task.empty() || band.task == key;
}

// Below the attempts; over the rounds of remediation, where both are.
void draw_bands(Canvas& canvas, const Scale& scale, int y, const view::Run& run,
                std::string_view key) {
  for (const view::Band& band : run.bands)
    if (band.kind == view::Band::Kind::remediation && is_of(band, key))
      draw_stretch(canvas, scale, y, band.began, band.ended, "▒", kDim);
  for (const view::Band& band : run.bands)
    if (band.kind != view::Band::Kind::remediation && is_of(band, key))
      draw_stretch(canvas, scale, y, band.began, band.ended, "·", kWarn);
}

// Over the attempts: where a wait began.
void draw_waits(Canvas& canvas, const Scale& scale, int y, const view::Run& run,
                std::string_view key) {
  for (const view::Band& band : run.bands)
    if (is_of(band, key) && band.kind != view::Band::Kind::remediation)
      canvas.put(scale.at(band.began), y, band.kind == view::Band::Kind::person ? "?" : "…", kWarn);
  for (const view::Mark& mark : run.marks)
    if (mark.kind == view::Mark::Kind::paused) canvas.put(scale.at(mark.when.at), y, "‖", kWarn);
}

void draw_replay(Canvas& canvas, const Area& area, const Focus& focus, const view::Run& run) {
  const std::uint64_t all = focus.replay ? focus.facts : run.facts;
  const std::uint64_t at = focus.replay.value_or(all);
  const std::string words = " fact " + std::to_string(at) + " of " + std::to_string(all) + " ";
  const int y = area.y + area.rows - 1;
  const int columns = std::max(4, area.columns - static_cast<int>(words.size()) - 16);
  int x = canvas.put(area.x + 2, y, " replay ◄");
  const int knob =
      all == 0 ? 0 : static_cast<int>(at * static_cast<std::uint64_t>(columns - 1) / all);
  for (int i = 0; i < columns; ++i)
    x = canvas.put(x, y, i == knob ? "●" : "━", i == knob ? kFocused : kDim);
  x = canvas.put(x, y, "►");
  canvas.put(x, y, words, kStrong);
}

}  // namespace

void draw_timeline(Canvas& canvas, const Focus& focus, const Shown& shown) {
  const Area all = body(canvas.columns(), canvas.rows());
  draw_pane(canvas, all, "Timeline", true);
  const view::Run* const run = view::find_run(*shown.project, focus.run);
  Area inner = all.inner();
  if (run == nullptr) {
    canvas.put(inner.x + 1, inner.y, "This run is not in the journal.", kDim, inner.columns - 1);
    return;
  }
  const int label = std::clamp(inner.columns / 4, 16, 34);
  Scale scale;
  scale.x = inner.x + label + 1;
  scale.columns = std::max(1, inner.columns - label - 2);
  scale.begin = milliseconds_of(run->started).value_or(0);
  scale.end =
      std::max(milliseconds_of(end_of(*run, shown)).value_or(scale.begin + 1), scale.begin + 1);
  draw_axis(canvas, scale, inner.y);
  inner.y += 1;
  inner.rows -= 2;
  const std::vector<std::string_view> keys = row_keys(focus, shown);
  const int chosen = chosen_row(focus, shown, keys);
  const int count = static_cast<int>(keys.size());
  const int first = first_shown(chosen, count, inner.rows);
  auto task = run->tasks.begin();  // rows are in the order of the plan
  for (int i = 0; i < inner.rows && first + i < count; ++i) {
    const int y = inner.y + i;
    const std::string_view key = keys[static_cast<std::size_t>(first + i)];
    draw_bands(canvas, scale, y, *run, key);
    Sign sign;
    std::string title;
    task = std::find_if(task, run->tasks.end(), [&](const auto& one) { return one.id == key; });
    if (task != run->tasks.end()) {
      sign = sign_of(*run, *task);
      title = one_line(task->title);
      draw_attempts(canvas, scale, y, *run, task->attempts);
      if (!task->commit.empty() && !task->ended.empty())
        canvas.put(scale.at(task->ended), y, "●", kGood);
    } else {
      for (const view::Phase& phase : run->phases)
        if (phase.name == key) {
          sign = sign_of(phase.state);
          draw_attempts(canvas, scale, y, *run, phase.attempts);
        }
    }
    draw_waits(canvas, scale, y, *run, key);
    if (first + i == chosen) canvas.put(inner.x, y, "▸", kFocused);
    canvas.put(inner.x + 1, y, sign.mark(), sign.paint);
    const int x =
        canvas.put(inner.x + 3, y, key, first + i == chosen ? kStrong : kPlain, label - 4);
    canvas.put(x + 1, y, title, kDim, inner.x + label - x - 1);
  }
  canvas.put(inner.x + 1, inner.y + inner.rows,
             "letters: what agents were  ✗ sent back  ● merged  ? waited for you  … held  ‖ paused "
             " ▒ remediation",
             kDim, inner.columns - 2);
  draw_replay(canvas, all, focus, *run);
}

}  // namespace capsule::tui
