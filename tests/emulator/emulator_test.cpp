// What is sent to a terminal makes it show the canvas: random frames through a real emulator.
#include <gtest/gtest.h>
#include <vterm.h>

#include <random>
#include <string>

#include "base/text.h"
#include "canvas/canvas.h"
#include "canvas/diff.h"
#include "canvas/width.h"

namespace capsule::canvas {
namespace {

class Emulator {
 public:
  Emulator(int columns, int rows) : vt_(vterm_new(rows, columns)) {
    vterm_set_utf8(vt_, 1);
    screen_ = vterm_obtain_screen(vt_);
    vterm_screen_enable_altscreen(screen_, 1);
    vterm_screen_reset(screen_, 1);
    write(enter());
  }
  ~Emulator() { vterm_free(vt_); }
  Emulator(const Emulator&) = delete;
  Emulator& operator=(const Emulator&) = delete;

  void write(std::string_view bytes) { vterm_input_write(vt_, bytes.data(), bytes.size()); }
  void resize(int columns, int rows) { vterm_set_size(vt_, rows, columns); }

  VTermScreenCell cell(int x, int y) const {
    VTermScreenCell cell;
    vterm_screen_get_cell(screen_, {y, x}, &cell);
    return cell;
  }
  int colour(const VTermScreenCell& cell) const {
    return VTERM_COLOR_IS_DEFAULT_FG(&cell.fg) ? 16 : cell.fg.indexed.idx;
  }

 private:
  VTerm* vt_;
  VTermScreen* screen_ = nullptr;
};

// All code points of a cell: its letter, and the marks and joined ones behind it.
std::u32string points_of(std::string_view text) {
  std::u32string points;
  while (!text.empty()) {
    const auto point = first_point(text);
    points += point.point;
    text.remove_prefix(point.bytes);
  }
  return points;
}
std::u32string points_of(const VTermScreenCell& cell) {
  constexpr std::uint32_t kRightHalf = 0xFFFFFFFF;
  std::u32string points;
  for (const std::uint32_t point : cell.chars) {
    if (point == 0 || point == kRightHalf) break;
    points += static_cast<char32_t>(point);
  }
  return points.empty() && cell.chars[0] == 0 ? U" " : points;
}
std::string named(const std::u32string& points) {
  std::string text;
  for (const char32_t point : points) {
    char name[16];
    std::snprintf(name, sizeof name, " U+%04X", static_cast<unsigned>(point));
    text += name;
  }
  return text;
}

// Bold is left out of the comparison of colours: some emulators draw it as the bright colour.
std::string difference(const Canvas& canvas, const Emulator& emulator) {
  for (int y = 0; y < canvas.rows(); ++y)
    for (int x = 0; x < canvas.columns(); ++x) {
      const Cell& cell = canvas.at(x, y);
      if (cell.width == 0) continue;
      const VTermScreenCell shown = emulator.cell(x, y);
      std::u32string expected = points_of(cell.text()), found = points_of(shown);
      if (cell.width == 2) found += points_of(emulator.cell(x + 1, y));  // a flag is two letters
      if (cell.joined) {  // what is joined to the first is drawn by each terminal in its way
        expected.resize(1);
        found.resize(1);
      }
      const bool same =
          expected == found && cell.paint.bold == (shown.attrs.bold != 0) &&
          cell.paint.reverse == (shown.attrs.reverse != 0) &&
          (cell.paint.bold || static_cast<int>(cell.paint.colour) == emulator.colour(shown));
      if (!same)
        return "at " + std::to_string(x) + "," + std::to_string(y) + ":" + named(expected) +
               " is shown as" + named(found) + "\n" + canvas.text();
    }
  return {};
}

constexpr std::string_view kTexts[] = {"plain",
                                       "日本語のタイトル",
                                       "e\xCC\x81t\xC3\xA9",
                                       "👩‍🚀 joined",
                                       "🇩🇪🇫🇷",
                                       "👍🏽 tone",
                                       "✓ ✗ ▶ …",
                                       "🙂🙂🙂",
                                       "\x1b[31mred\x07",
                                       "한국어",
                                       "a",
                                       "⚠️ mark",
                                       "│─╭╮╰╯",
                                       "████░░░░",
                                       "\xE2\x80\xAEturned",
                                       " ",
                                       "",
                                       "x日x日x"};

void scribble(Canvas& canvas, std::mt19937& random) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  Paint paint;
  if (below(2) == 0) paint.colour = static_cast<Colour>(below(9));
  paint.bold = below(3) == 0;
  paint.reverse = below(5) == 0;
  const int x = below(canvas.columns() + 4) - 2;
  const int y = below(canvas.rows());
  const Area area{x, y, below(canvas.columns()), below(canvas.rows())};
  switch (below(6)) {
    case 0:
      canvas.box(area, kTexts[random() % std::size(kTexts)], paint);
      break;
    case 1:
      canvas.fill(area, paint);
      break;
    case 2:
      canvas.paint(area, paint);
      break;
    default:
      canvas.put(x, y, kTexts[random() % std::size(kTexts)], paint, 1 + below(20));
  }
}

// A frame in so many is of the largest terminal, whose cells take a hundred times as long.
constexpr int kLargestEach = 200, kLargestColumns = 300, kLargestRows = 100;

TEST(Emulator, ShowsEveryFrameThatIsSentToIt) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  int columns = 40;
  int rows = 10;
  Emulator emulator(columns, rows);
  Canvas before;
  for (int frame = 0; frame < 10'000; ++frame) {
    Canvas after = before;
    const bool largest = frame % kLargestEach == kLargestEach - 1;
    if (frame == 0 || random() % 50 == 0 || largest || columns == kLargestColumns) {
      columns = largest ? kLargestColumns : 2 + static_cast<int>(random() % 70);
      rows = largest ? kLargestRows : 1 + static_cast<int>(random() % 20);
      emulator.resize(columns, rows);
      after = Canvas(columns, rows, {random() % 4 != 0, random() % 4 != 0});
    }
    for (unsigned i = 0; i < 1 + random() % 6; ++i) scribble(after, random);
    emulator.write(bytes_between(before, after));
    ASSERT_EQ(difference(after, emulator), "") << "frame " << frame;
    before = std::move(after);
  }
}

}  // namespace
}  // namespace capsule::canvas
