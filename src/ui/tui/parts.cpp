#include "ui/tui/parts.h"

#include <algorithm>

#include "base/enum_count.h"
#include "base/moment.h"
#include "base/text.h"
#include "canvas/width.h"
#include "ui/usage_text.h"

namespace capsule::tui {

using view::Attention;
using view::Life;
using view::Stage;
using view::Standing;

std::string Wish::key() const {
  constexpr std::string_view kNames[] = {"command", "diff", "archive"};
  static_assert(std::size(kNames) == enum_count<Kind>());
  return std::string(kNames[static_cast<std::size_t>(kind)]) + "\n" + joined(words, "\n");
}

std::string_view Sign::mark() const {
  constexpr std::string_view kMarks[] = {" ", "○", "▶", "?", "…", "‖",
                                         "✓", "↻", "✗", "–", "·", "!"};
  static_assert(std::size(kMarks) == enum_count<Mark>());
  return kMarks[static_cast<std::size_t>(is)];
}

Sign sign_of(const view::Task& task) {
  switch (task.stage) {
    case Stage::complete:
      return {Mark::done, kGood};
    case Stage::failed:
      return {Mark::failed, kBad};
    case Stage::removed:
      return {Mark::dropped, kDim};
    default:
      break;
  }
  using For = workflow::Waiting::For;
  for (const view::Wait& wait : task.waits)
    if (wait.kind == For::answer || wait.kind == For::approval) return {Mark::asks, kWarn};
  if (task.stage == Stage::blocked) return {Mark::open, kDim};
  for (const view::Wait& wait : task.waits)
    if (wait.kind != For::slot) return {Mark::waits, kWarn};
  return task.attempts.empty() ? Sign{Mark::open, kDim} : Sign{Mark::working, kBusy};
}

Sign sign_of(const view::Run& run, const view::Task& task) {
  const Sign sign = sign_of(task);
  if (sign.is != Mark::working || run.life == Life::working || run.life == Life::waiting)
    return sign;
  return run.life == Life::ended ? Sign{Mark::dropped, kDim} : sign_of(run);
}

Sign sign_of(const view::Run& run) {
  switch (run.life) {
    case Life::working:
      return {Mark::working, kBusy};
    case Life::waiting:
      return {Mark::asks, kWarn};
    case Life::cut_off:
      return {Mark::alarm, kBad};
    case Life::paused:
      return {Mark::paused, kWarn};
    case Life::ended:
      break;
  }
  if (run.standing == Standing::succeeded) return {Mark::done, kGood};
  return run.standing == Standing::stopped ? Sign{Mark::dropped, kDim} : Sign{Mark::failed, kBad};
}

Sign sign_of(Attention kind) {
  switch (kind) {
    case Attention::question:
    case Attention::choice:
    case Attention::approval:
      return {Mark::asks, kWarn};
    case Attention::failed:
      return {Mark::failed, kBad};
    default:
      return {Mark::alarm, kBad};
  }
}

Sign sign_of(view::Phase::State state) {
  using State = view::Phase::State;
  switch (state) {
    case State::to_come:
      return {Mark::open, kDim};
    case State::working:
      return {Mark::working, kBusy};
    case State::passed:
      return {Mark::done, kGood};
    case State::sent_back:
      return {Mark::sent_back, kWarn};
    case State::failed:
      break;
  }
  return {Mark::failed, kBad};
}

Sign sign_of(const view::Attempt& attempt) {
  if (attempt.running && !attempt.idle.empty()) return {Mark::alarm, kBad};
  if (attempt.running) return attempt.held ? Sign{Mark::waits, kWarn} : Sign{Mark::working, kBusy};
  if (attempt.fault != event::Fault::none) return {Mark::failed, kBad};
  if (attempt.checked == view::Finding::refused) return {Mark::failed, kBad};
  if (!attempt.sent_back.empty()) return {Mark::sent_back, kWarn};
  return attempt.said.empty() ? Sign{Mark::silent, kDim} : Sign{Mark::done, kGood};
}

std::string_view word_of(Attention kind) {
  switch (kind) {
    case Attention::question:
      return "question";
    case Attention::choice:
      return "choice";
    case Attention::approval:
      return "approval";
    case Attention::failed:
      return "failed";
    case Attention::refused_merge:
      return "merge refused";
    case Attention::stalled:
      return "stands still";
    case Attention::cut_off:
      return "cut off";
    case Attention::budget:
      return "budget";
    case Attention::disk:
      return "disk";
    case Attention::quota:
      break;
  }
  return "quota";
}

std::string_view word_of(Life life) {
  switch (life) {
    case Life::working:
      return "at work";
    case Life::waiting:
      return "waits for you";
    case Life::cut_off:
      return "cut off";
    case Life::paused:
      return "paused";
    case Life::ended:
      break;
  }
  return "ended";
}

std::string life_words(const view::Run& run) {
  if (run.life != Life::ended) return std::string(word_of(run.life));
  return run.standing == Standing::succeeded ? "done" : std::string(name_of(run.standing));
}

std::string end_of(const view::Run& run, const Shown& shown) {
  if (!run.ended.empty()) return run.ended;
  if (std::string left = view::left_since(run); !left.empty()) return left;
  return run.life == Life::ended ? run.newest.at : shown.now;
}

std::int64_t span_ms(const std::string& from, const std::string& to) {
  const auto begin = milliseconds_of(from);
  const auto end = milliseconds_of(to);
  return begin && end ? std::max<std::int64_t>(0, *end - *begin) : 0;
}

std::string age(const std::string& from, const std::string& to) {
  if (!milliseconds_of(from) || !milliseconds_of(to)) return {};
  const std::int64_t seconds = span_ms(from, to) / 1000;
  if (seconds < 60) return std::to_string(seconds) + "s";
  if (seconds < 3600) return std::to_string(seconds / 60) + "m";
  if (seconds < 48 * 3600) {
    const std::string minutes = std::to_string(seconds / 60 % 60);
    return std::to_string(seconds / 3600) + "h " + (minutes.size() < 2 ? "0" : "") + minutes + "m";
  }
  return std::to_string(seconds / 86400) + "d";
}

std::string money(const view::Spending& spent) {
  if (spent.cost_micros == 0 && (spent.calls == 0 || spent.calls_without_cost > 0)) return {};
  return "cost " + ui::money_text(spent.cost_micros) + (spent.calls_without_cost > 0 ? "+" : "");
}

std::string bar(int done, int all, int columns) {
  const int full = all > 0 ? std::clamp(done * columns / all, 0, columns) : 0;
  std::string text;
  for (int i = 0; i < columns; ++i) text += i < full ? "█" : "░";
  return text;
}

char letter_of(const view::Attempt& attempt) {
  const char first = attempt.role.empty() ? '?' : attempt.role[0];
  return is_letter(first) ? static_cast<char>(lower(first) - 'a' + 'A') : '?';
}

std::string trail(const view::Run& run, const std::vector<int>& attempts, bool merged) {
  std::string text;
  for (const int place : attempts) {
    const view::Attempt& attempt = run.attempts[static_cast<std::size_t>(place)];
    text += letter_of(attempt);
    if (!attempt.running && (!attempt.sent_back.empty() || attempt.fault != event::Fault::none ||
                             attempt.checked == view::Finding::refused))
      text += "✗";
  }
  return text + (merged ? "●" : "");
}

Line plain(std::string text, Paint paint) { return {{std::move(text), paint}}; }

namespace {

// How much of a line fits, ending at a blank where there is one.
std::size_t fitting_bytes(std::string_view line, int columns) {
  std::size_t bytes = 0;
  std::size_t blank = 0;
  for (int used = 0; bytes < line.size();) {
    const canvas::Cluster cluster = canvas::first_cluster(line.substr(bytes));
    used += cluster.width;
    if (used > columns) return blank > 0 ? blank : std::max<std::size_t>(bytes, 1);
    if (line[bytes] == ' ') blank = bytes;
    bytes += cluster.bytes;
  }
  return bytes;
}

}  // namespace

std::vector<Line> wrapped(std::string_view text, int columns, Paint paint) {
  std::vector<Line> lines;
  columns = std::max(1, columns);
  for (std::string_view rest : split(text, '\n')) {
    if (rest.ends_with('\r')) rest.remove_suffix(1);
    do {
      const std::size_t bytes = fitting_bytes(rest, columns);
      lines.push_back(plain(std::string(rest.substr(0, bytes)), paint));
      rest.remove_prefix(bytes);
      if (rest.starts_with(' ')) rest.remove_prefix(1);
    } while (!rest.empty());
  }
  return lines;
}

int last_scroll(int lines, int rows) { return std::max(0, lines - rows); }

void draw_lines(Canvas& canvas, const Area& area, const std::vector<Line>& lines, int scroll) {
  const int count = static_cast<int>(lines.size());
  const int first = std::clamp(scroll, 0, last_scroll(count, area.rows));
  for (int row = 0; row < area.rows && first + row < count; ++row) {
    int x = area.x;
    for (const Span& span : lines[static_cast<std::size_t>(first + row)])
      x = canvas.put(x, area.y + row, span.text, span.paint, area.x + area.columns - x);
  }
  if (count <= area.rows) return;
  const std::string where =
      " " + std::to_string(std::min(count, first + area.rows)) + "/" + std::to_string(count) + " ";
  canvas.put_right(area.x + area.columns - 1, area.y + area.rows, where, kDim);
}

int first_shown(int chosen, int count, int rows) {
  return std::clamp(chosen - rows / 2, 0, std::max(0, count - rows));
}

void draw_pane(Canvas& canvas, const Area& area, std::string_view title, bool focused) {
  canvas.box(area, title, focused ? kFocused : kFrame, kStrong);
}

bool passes(std::string_view text, std::string_view filter) {
  if (filter.empty()) return true;
  const auto found = std::search(text.begin(), text.end(), filter.begin(), filter.end(),
                                 [](char a, char b) { return lower(a) == lower(b); });
  return found != text.end();
}

std::string one_line(std::string_view text) {
  std::string line(trimmed(text.substr(0, std::min<std::size_t>(text.size(), 4096))));
  for (char& byte : line)
    if (byte == '\n' || byte == '\t' || byte == '\r') byte = ' ';
  return line;
}

}  // namespace capsule::tui
