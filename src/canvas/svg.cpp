#include "canvas/svg.h"

#include "base/enum_count.h"

namespace capsule::canvas {
namespace {

constexpr int kCellWidth = 9;
constexpr int kCellHeight = 19;
constexpr int kMargin = 12;

constexpr std::string_view kInk[] = {"#6e7681", "#ff7b72", "#7ee787", "#e3b341", "#79c0ff",
                                     "#d2a8ff", "#76e3ea", "#e6edf3", "#8b949e"};
static_assert(std::size(kInk) == enum_count<Colour>());
constexpr std::string_view kPlainInk = "#d0d7de";
constexpr std::string_view kGround = "#0d1117";

std::string escaped_xml(std::string_view text) {
  std::string out;
  for (const char byte : text) {
    if (byte == '<')
      out += "&lt;";
    else if (byte == '>')
      out += "&gt;";
    else if (byte == '&')
      out += "&amp;";
    else if (byte == '"')
      out += "&quot;";
    else
      out += byte;
  }
  return out;
}

std::string number(int value) { return std::to_string(value); }

std::string_view ink_of(const Paint& paint) {
  return paint.colour == Colour::none ? kPlainInk : kInk[static_cast<std::size_t>(paint.colour)];
}

// Cells of one row that look the same.
void add_run(std::string& out, const Canvas& canvas, int y, int x, int end) {
  const Paint paint = canvas.at(x, y).paint;
  const auto is_blank = [&](int column) { return canvas.at(column, y).text() == " "; };
  if (!paint.reverse) {
    while (x < end && is_blank(x)) ++x;
    while (end > x && is_blank(end - 1)) --end;
    if (x == end) return;
  }
  // Blanks would be taken as one, and none at the ends.
  std::string text;
  for (int i = x; i < end; ++i)
    if (canvas.at(i, y).width > 0) text += is_blank(i) ? "\xC2\xA0" : canvas.at(i, y).text();
  const int left = kMargin + x * kCellWidth;
  const int columns = end - x;
  if (paint.reverse)
    out += "<rect x=\"" + number(left) + "\" y=\"" + number(kMargin + y * kCellHeight) +
           "\" width=\"" + number(columns * kCellWidth) + "\" height=\"" + number(kCellHeight) +
           "\" fill=\"" + std::string(ink_of(paint)) + "\"/>\n";
  out += "<text x=\"" + number(left) + "\" y=\"" + number(kMargin + y * kCellHeight + 14) +
         "\" textLength=\"" + number(columns * kCellWidth) + "\" fill=\"" +
         std::string(paint.reverse ? kGround : ink_of(paint)) + "\"" +
         (paint.bold ? " font-weight=\"bold\"" : "") + (paint.dim ? " opacity=\"0.65\"" : "") +
         ">" + escaped_xml(text) + "</text>\n";
}

}  // namespace

std::string svg_of(const Canvas& canvas, std::string_view title) {
  const std::string width = number(canvas.columns() * kCellWidth + 2 * kMargin);
  const std::string height = number(canvas.rows() * kCellHeight + 2 * kMargin);
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + width + " " +
                    height + "\" width=\"" + width + "\" height=\"" + height +
                    "\" role=\"img\">\n<title>" + escaped_xml(title) +
                    "</title>\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"" +
                    std::string(kGround) +
                    "\"/>\n<g font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, "
                    "monospace\" font-size=\"14\">\n";
  for (int y = 0; y < canvas.rows(); ++y)
    for (int x = 0; x < canvas.columns();) {
      int end = x + 1;
      while (end < canvas.columns() && canvas.at(end, y).paint == canvas.at(x, y).paint) ++end;
      add_run(out, canvas, y, x, end);
      x = end;
    }
  return out + "</g>\n</svg>\n";
}

}  // namespace capsule::canvas
