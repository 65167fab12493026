#include "canvas/canvas.h"

#include <algorithm>

#include "base/enum_count.h"
#include "base/text.h"
#include "canvas/width.h"

namespace capsule::canvas {
namespace {

constexpr std::string_view kUnknown = "\xEF\xBF\xBD";  // the stand-in for what is not shown

struct StandIn {
  std::string_view character, ascii;
};
// Every symbol that screens draw; what is not here, from a title say, is a question mark.
constexpr StandIn kStandIns[] = {
    {"│", "|"},  {"─", "-"},  {"╭", "+"}, {"╮", "+"}, {"╰", "+"}, {"╯", "+"}, {"├", "+"},
    {"┤", "+"},  {"┬", "+"},  {"┴", "+"}, {"┼", "+"}, {"═", "="}, {"╪", "+"}, {"╞", "+"},
    {"╡", "+"},  {"╧", "+"},  {"╤", "+"}, {"━", "="}, {"║", "|"}, {"╔", "+"}, {"╗", "+"},
    {"╚", "+"},  {"╝", "+"},  {"╠", "+"}, {"╣", "+"}, {"╦", "+"}, {"╩", "+"}, {"╬", "+"},
    {"▸", ">"},  {"▶", ">"},  {"▼", "v"}, {"•", "*"}, {"✓", "+"}, {"✗", "x"}, {"↻", "~"},
    {"○", "o"},  {"●", "@"},  {"…", "~"}, {"·", "."}, {"›", ">"}, {"‖", "="}, {"█", "#"},
    {"░", "."},  {"▒", "%"},  {"→", ">"}, {"←", "<"}, {"↑", "^"}, {"↓", "v"}, {"−", "-"},
    {"–", "-"},  {"—", "-"},  {"×", "x"}, {"◄", "<"}, {"►", ">"}, {"⏸", "="}, {"■", "#"},
    {"“", "\""}, {"”", "\""}, {"’", "'"}, {"‘", "'"}, {"⏎", "<"},
};

std::string_view stand_in_for(std::string_view cluster) {
  for (const StandIn& row : kStandIns)
    if (row.character == cluster) return row.ascii;
  return "?";
}

constexpr std::string_view kColourNames[] = {"black",   "red",  "green", "yellow", "blue",
                                             "magenta", "cyan", "white", "grey"};
static_assert(std::size(kColourNames) == enum_count<Colour>());

}  // namespace

Canvas::Canvas(int columns, int rows, Looks looks)
    : columns_(std::max(1, columns)), rows_(std::max(1, rows)), looks_(looks) {
  cells_.resize(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_));
}

// Half of a wide character cannot stay when the other half goes.
void Canvas::clear_halves(int x, int y) {
  const auto blank = [&](int column) {
    Cell& cell = cells_[index(column, y)];
    const Paint paint = cell.paint;
    cell = Cell{};
    cell.paint = paint;
  };
  const std::uint8_t width = at(x, y).width;
  if (width == 0 && x > 0) blank(x - 1);
  if (width == 2 && x + 1 < columns_) blank(x + 1);
}

void Canvas::set(int x, int y, std::string_view cluster, int width, bool joined, Paint paint) {
  if (!looks_.colour) paint.colour = Colour::none;
  clear_halves(x, y);
  if (width == 2) clear_halves(x + 1, y);
  Cell& cell = cells_[index(x, y)];
  cell = Cell{};
  cell.size = static_cast<std::uint8_t>(cluster.size());
  std::copy(cluster.begin(), cluster.end(), cell.bytes.begin());
  cell.width = static_cast<std::uint8_t>(width);
  cell.joined = joined;
  cell.paint = paint;
  if (width != 2) return;
  Cell& half = cells_[index(x + 1, y)];
  half = Cell{};
  half.width = 0;
  half.paint = paint;
}

// Everything of `text`, clipped at `end` and at the canvas.
int Canvas::put_all(int x, int y, std::string_view text, Paint paint, int end) {
  end = std::min(end, columns_);
  while (!text.empty() && x < end) {
    const Cluster found = first_cluster(text);
    std::string_view cluster = found.shown ? text.substr(0, found.bytes) : kUnknown;
    text.remove_prefix(found.bytes);
    int width = found.width;
    if (width == 0) continue;  // a mark without a character
    bool joined = found.widest > found.width;
    // A terminal that does not join would run over the edge; and a cell has an end, too.
    if (cluster.size() > Cell::kMaxBytes || (joined && x + found.widest > columns_)) {
      const Point base = first_point(cluster);
      cluster = cluster.substr(0, base.bytes);
      width = width_of(base.point);
      joined = false;
    }
    if (!looks_.unicode && (cluster.size() > 1 || !found.shown)) {
      const std::string_view ascii = stand_in_for(cluster);
      for (int i = 0; i < width && x < end; ++i, ++x)
        if (x >= 0) set(x, y, ascii, 1, false, paint);
      continue;
    }
    if (x + width > end) {
      set(x++, y, " ", 1, false, paint);  // half a character is none
      break;
    }
    if (x >= 0) set(x, y, cluster, width, joined, paint);
    x += width;
  }
  return x;
}

int Canvas::put(int x, int y, std::string_view text, Paint paint, int columns) {
  if (y < 0 || y >= rows_ || columns <= 0 || x >= columns_) return x;
  const int room = std::min(columns, columns_ - x);
  // Far more than fits is not even looked at: a line of an agent may be very long.
  if (text.size() > static_cast<std::size_t>(room) * 4 + 64)
    text = cut(text, static_cast<std::size_t>(room) * 4 + 64);
  return put_all(x, y, fitted(text, room), paint, x + room);
}

void Canvas::put_right(int end, int y, std::string_view text, Paint paint) {
  put(std::max(0, end - width_of(text)), y, text, paint, end);
}

void Canvas::fill(const Area& area, Paint paint) {
  for (int y = std::max(0, area.y); y < std::min(rows_, area.y + area.rows); ++y)
    for (int x = std::max(0, area.x); x < std::min(columns_, area.x + area.columns); ++x)
      set(x, y, " ", 1, false, paint);
}

void Canvas::paint(const Area& area, Paint paint) {
  if (!looks_.colour) paint.colour = Colour::none;
  for (int y = std::max(0, area.y); y < std::min(rows_, area.y + area.rows); ++y) {
    int begin = std::max(0, area.x);
    int end = std::min(columns_, area.x + area.columns);
    if (begin >= end) return;
    if (at(begin, y).width == 0) --begin;  // a character has one look
    if (at(end - 1, y).width == 2) ++end;
    for (int x = begin; x < end; ++x) cells_[index(x, y)].paint = paint;
  }
}

void Canvas::box(const Area& area, std::string_view title, Paint frame, Paint title_paint) {
  if (area.columns < 2 || area.rows < 2) return;
  const int right = area.x + area.columns - 1;
  const int bottom = area.y + area.rows - 1;
  for (int x = area.x + 1; x < right; ++x) {
    put(x, area.y, "─", frame);
    put(x, bottom, "─", frame);
  }
  for (int y = area.y + 1; y < bottom; ++y) {
    put(area.x, y, "│", frame);
    put(right, y, "│", frame);
  }
  put(area.x, area.y, "╭", frame);
  put(right, area.y, "╮", frame);
  put(area.x, bottom, "╰", frame);
  put(right, bottom, "╯", frame);
  if (title.empty() || area.columns < 8) return;
  put(area.x + 2, area.y, " ", frame);
  const int end = put(area.x + 3, area.y, title, title_paint, area.columns - 6);
  put(end, area.y, " ", frame);
}

std::string Canvas::text() const {
  std::string all;
  for (int y = 0; y < rows_; ++y) {
    std::string row;
    for (int x = 0; x < columns_; ++x)
      if (at(x, y).width > 0) row += at(x, y).text();
    row.erase(row.find_last_not_of(' ') + 1);
    all += row + "\n";
  }
  return all;
}

std::string words_of(const Paint& paint) {
  std::string words;
  const auto add = [&](std::string_view word) {
    words.append(words.empty() ? "" : " ").append(word);
  };
  if (paint.bold) add("bold");
  if (paint.dim) add("dim");
  if (paint.reverse) add("reverse");
  if (paint.colour != Colour::none) add(kColourNames[static_cast<std::size_t>(paint.colour)]);
  return words;
}

std::string Canvas::runs() const {
  std::string all;
  for (int y = 0; y < rows_; ++y)
    for (int x = 0; x < columns_;) {
      const Paint paint = at(x, y).paint;
      int end = x + 1;
      while (end < columns_ && at(end, y).paint == paint) ++end;
      if (paint != Paint{})
        all += std::to_string(y) + ":" + std::to_string(x) + "-" + std::to_string(end - 1) + " " +
               words_of(paint) + "\n";
      x = end;
    }
  return all;
}

}  // namespace capsule::canvas
