#include "canvas/diff.h"

namespace capsule::canvas {
namespace {

std::string paint_bytes(const Paint& paint) {
  std::string bytes = "\x1b[0";
  if (paint.bold) bytes += ";1";
  if (paint.dim) bytes += ";2";
  if (paint.reverse) bytes += ";7";
  const int colour = static_cast<int>(paint.colour);
  if (colour < 8)
    bytes += ";" + std::to_string(30 + colour);
  else if (colour < 16)
    bytes += ";" + std::to_string(90 + colour - 8);
  return bytes + "m";
}

// Writes cells, moving the cursor and changing the paint only where it must.
struct Pen {
  std::string out;
  int x = -1, y = -1;  // where the cursor is; -1: not known
  Paint paint = {};
  bool painted = false;

  void draw(const Cell& cell, int column, int row) {
    if (x != column || y != row)
      out += "\x1b[" + std::to_string(row + 1) + ";" + std::to_string(column + 1) + "H";
    if (!painted || paint != cell.paint) out += paint_bytes(cell.paint);
    painted = true;
    paint = cell.paint;
    out += cell.text();
    x = cell.joined ? -1 : column + cell.width;
    y = row;
  }
};

void draw_row(Pen& pen, const Canvas* before, const Canvas& after, int y) {
  // Where a terminal does not join characters, they cover what stands behind them: all of the row
  // from the first such cell on is drawn again, now and when the cell goes.
  bool unsure = false;
  for (int x = 0; x < after.columns(); ++x) {
    const Cell& cell = after.at(x, y);
    const bool same = before != nullptr && before->at(x, y) == cell;
    if (!same && (cell.joined || (before != nullptr && before->at(x, y).joined))) unsure = true;
    if (cell.width == 0 || (same && !unsure)) continue;
    pen.draw(cell, x, y);
    if (x + cell.width >= after.columns()) pen.x = -1;  // at the edge cursors differ
  }
}

}  // namespace

std::string bytes_between(const Canvas& before, const Canvas& after) {
  const bool anew = before.columns() != after.columns() || before.rows() != after.rows();
  Pen pen;
  for (int y = 0; y < after.rows(); ++y) draw_row(pen, anew ? nullptr : &before, after, y);
  if (pen.out.empty()) return {};
  return "\x1b[?2026h" + std::string(anew ? "\x1b[0m\x1b[2J" : "") + pen.out + "\x1b[0m\x1b[?2026l";
}

std::string_view enter() {
  // The other screen, no cursor, no wrapping, mouse by SGR, marked pastes, an empty title stack
  // entry for ours.
  return "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?1000h\x1b[?1006h\x1b[?2004h\x1b[2J\x1b[H";
}

std::string_view leave() {
  return "\x1b[?2026l\x1b[0m\x1b[?2004l\x1b[?1006l\x1b[?1000l\x1b[?7h\x1b[?25h\x1b[?1049l";
}

std::string copy_bytes(std::string_view text) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out = "\x1b]52;c;";
  for (std::size_t i = 0; i < text.size(); i += 3) {
    const auto byte = [&](std::size_t k) {
      return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0U;
    };
    const unsigned bits = byte(0) << 16 | byte(1) << 8 | byte(2);
    const std::size_t left = text.size() - i;
    out += kDigits[bits >> 18];
    out += kDigits[bits >> 12 & 63];
    out += left > 1 ? kDigits[bits >> 6 & 63] : '=';
    out += left > 2 ? kDigits[bits & 63] : '=';
  }
  return out + "\x1b\\";
}

}  // namespace capsule::canvas
