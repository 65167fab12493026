#include "ui/style.h"

#include "base/text.h"
#include "canvas/width.h"

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
  const std::string_view begin = cut(text, columns * 4 + 8);
  const std::string shown = printable(begin) + (begin.size() < text.size() ? "…" : "");
  return canvas::fitted(shown, static_cast<int>(columns));
}

std::string indented(std::string_view lines, std::string_view indent) {
  std::string text;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size() - 1) + 1;
    text.append(indent).append(lines.substr(0, end));
    lines.remove_prefix(end);
  }
  return text;
}

}  // namespace capsule::ui
