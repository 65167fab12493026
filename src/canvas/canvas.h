// A terminal's screen as a value: cells that hold a character each. Drawing is pure, so a screen
// can be compared, kept as text and turned into bytes (diff.h) or a picture (svg.h).
//
// What is put here may be hostile: controls and turned text never reach a cell.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace capsule::canvas {

// The sixteen colours that the user's own theme defines, and three ways to stand out without them.
enum class Colour : std::uint8_t {
  none = 16,
  black = 0,
  red,
  green,
  yellow,
  blue,
  magenta,
  cyan,
  white,
  grey,
};

struct Paint {
  Colour colour = Colour::none;
  bool bold = false, dim = false, reverse = false;
  bool operator==(const Paint&) const = default;
};

struct Cell {
  static constexpr std::size_t kMaxBytes = 25;
  std::array<char, kMaxBytes> bytes{' '};
  std::uint8_t size = 1;
  std::uint8_t width = 1;  // 2: the next cell is its right half; 0: it is such a half
  bool joined = false;     // terminals disagree about its width
  Paint paint = {};
  std::string_view text() const { return {bytes.data(), size}; }
  bool operator==(const Cell&) const = default;
};

struct Looks {
  bool colour = true;   // false: NO_COLOR; bold, dim and reverse stay
  bool unicode = true;  // false: all that is not ASCII has a stand-in
  bool operator==(const Looks&) const = default;
};

struct Area {
  int x = 0, y = 0, columns = 0, rows = 0;
  Area inner() const { return {x + 1, y + 1, columns - 2, rows - 2}; }
  bool has(int column, int row) const {
    return column >= x && row >= y && column < x + columns && row < y + rows;
  }
};

class Canvas {
 public:
  Canvas() = default;
  Canvas(int columns, int rows, Looks looks = {});  // at least 1×1
  int columns() const { return columns_; }
  int rows() const { return rows_; }
  Looks looks() const { return looks_; }
  Area area() const { return {0, 0, columns_, rows_}; }
  // Requires: it is on the canvas.
  const Cell& at(int x, int y) const { return cells_[index(x, y)]; }

  // Draws `text` from (x, y) on, at most `columns` wide, and returns the column behind it. What
  // does not fit ends in "…"; what lies outside of the canvas is left out.
  int put(int x, int y, std::string_view text, Paint paint = {}, int columns = 1 << 20);
  // The same, ending before column `end`.
  void put_right(int end, int y, std::string_view text, Paint paint = {});
  void fill(const Area& area, Paint paint = {});
  // Changes how cells look, not what they hold.
  void paint(const Area& area, Paint paint);
  // A frame with round corners, and a title in its upper edge.
  void box(const Area& area, std::string_view title, Paint frame = {}, Paint title_paint = {});

  // Rows without blanks at their ends, each with a line feed.
  std::string text() const;
  // Where the text is painted: "3:1-5 bold red" a line, rows and columns from 0.
  std::string runs() const;
  bool operator==(const Canvas&) const = default;

 private:
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(columns_) +
           static_cast<std::size_t>(x);
  }
  void clear_halves(int x, int y);
  void set(int x, int y, std::string_view cluster, int width, bool joined, Paint paint);
  int put_all(int x, int y, std::string_view text, Paint paint, int end);

  int columns_ = 0, rows_ = 0;
  Looks looks_;
  std::vector<Cell> cells_;
};

std::string words_of(const Paint& paint);  // "bold red"; empty: plain

}  // namespace capsule::canvas
