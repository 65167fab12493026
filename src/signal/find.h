// Where a signal could begin, found sixteen bytes at a time. These searches let the parsers pass
// over output that holds nothing for them at the speed of memory. Pure; linear for every input.
#pragma once

#include <cstddef>
#include <string_view>

namespace capsule::signal {

// Blanks within a line. A line ends at a line feed alone, so that a carriage return is a blank.
constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

// `text` without blanks and line feeds at its ends; without blanks at its right end alone.
std::string_view without_blanks(std::string_view text);
std::string_view without_trailing_blanks(std::string_view text);

// The end of the line that holds `from`: the place of its line feed, or the end of the text.
std::size_t line_end(std::string_view text, std::size_t from);

// The first line after `from` that begins with two bytes out of A to Z and '-', as every signal of
// the line dialect and both marks of a delegation prompt do; the size of the text if none does.
std::size_t find_line_head(std::string_view text, std::size_t from);

// The first "SIGNAL:" at or after `from`, in any case; the size of the text if there is none.
std::size_t find_signal_key(std::string_view text, std::size_t from);

// The first byte at or after `from` that cannot simply be passed over inside a JSON string: a
// quote, a backslash or a control character; the size of the text if there is none.
std::size_t find_string_stop(std::string_view text, std::size_t from);

}  // namespace capsule::signal
