#include "ui/style.h"

#include <array>

#include "base/text.h"

namespace capsule::ui {
namespace {

constexpr std::string_view code_of(Tone tone) {
  switch (tone) {
    case Tone::good:
      return "\x1b[32m";
    case Tone::warn:
      return "\x1b[33m";
    case Tone::bad:
      return "\x1b[31m";
    case Tone::quiet:
      return "\x1b[2m";
    case Tone::strong:
      return "\x1b[1m";
    case Tone::plain:
      break;
  }
  return "";
}

// Scripts whose characters take two columns. Good enough to keep a line from wrapping.
bool is_wide(std::string_view sequence) {
  if (sequence.size() == 4) return true;
  if (sequence.size() != 3) return false;
  const auto lead = static_cast<unsigned char>(sequence[0]);
  return (lead >= 0xE3 && lead <= 0xED) || lead == 0xEF;
}

std::string two_digits(std::int64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); }

}  // namespace

std::string toned(const Style& style, Tone tone, std::string_view text) {
  const std::string_view code = code_of(tone);
  if (!style.colour || code.empty()) return std::string(text);
  return std::string(code) + std::string(text) + "\x1b[0m";
}

std::string_view mark(const Style& style, signal::Status status) {
  switch (status) {
    case signal::Status::pass:
      return style.unicode ? "✓" : "+";
    case signal::Status::needs_work:
      return style.unicode ? "↻" : "~";
    case signal::Status::error:
      break;
  }
  return style.unicode ? "✗" : "x";
}

std::string_view arrow(const Style& style) { return style.unicode ? "→" : "->"; }

Tone tone_of(signal::Status status) {
  switch (status) {
    case signal::Status::pass:
      return Tone::good;
    case signal::Status::needs_work:
      return Tone::warn;
    case signal::Status::error:
      break;
  }
  return Tone::bad;
}

std::string duration(std::int64_t milliseconds) {
  if (milliseconds < 10'000)
    return std::to_string(milliseconds / 1000) + "." + std::to_string(milliseconds % 1000 / 100) +
           "s";
  const std::int64_t seconds = milliseconds / 1000;
  if (seconds < 60) return std::to_string(seconds) + "s";
  if (seconds < 3600) return std::to_string(seconds / 60) + "m " + two_digits(seconds % 60) + "s";
  return std::to_string(seconds / 3600) + "h " + two_digits(seconds / 60 % 60) + "m";
}

std::string fitted(std::string_view text, std::size_t columns) {
  // Far more than fits is not even looked at: an agent's line may be very long.
  const std::string shown = printable(text.substr(0, columns * 4 + 8));
  std::string result;
  std::size_t used = 0;
  for (std::string_view rest = shown; !rest.empty();) {
    const std::size_t length = utf8_length(rest);
    const std::size_t width = is_wide(rest.substr(0, length)) ? 2 : 1;
    const bool last = rest.size() == length && text.size() <= columns * 4 + 8;
    if (used + width > columns || (used + width == columns && !last)) return result + "…";
    result += rest.substr(0, length);
    used += width;
    rest.remove_prefix(length);
  }
  return result;
}

}  // namespace capsule::ui
