// How text for people looks: colours only where they are wanted, and always with a symbol and a
// word, so that nothing is said by colour alone. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "signal/contract.h"

namespace capsule::ui {

struct Style {
  bool colour = false;
  bool unicode = true;  // false: plain ASCII symbols, for terminals without UTF-8
};

enum class Tone { good, warn, bad, quiet, strong, plain };

std::string toned(const Style& style, Tone tone, std::string_view text);

// "✓", "↻", "✗" and friends; ASCII without unicode.
std::string_view mark(const Style& style, signal::Status status);
std::string_view arrow(const Style& style);

Tone tone_of(signal::Status status);

// "0.4s", "12s", "3m 05s", "1h 02m".
std::string duration(std::int64_t milliseconds);

// At most `columns` wide on a terminal, cut with "…". Control characters are shown escaped.
std::string fitted(std::string_view text, std::size_t columns);
// Lines, each ended by a line feed, with `indent` before each.
std::string indented(std::string_view lines, std::string_view indent);

}  // namespace capsule::ui
