#include "signal/line_match.h"

#include <array>
#include <cstdint>

#include "signal/find.h"

namespace capsule::signal {
namespace {

// Which rows begin with a letter, as bits from the first row of the dialect on.
using LetterIndex = std::array<std::uint32_t, 26>;

LetterIndex make_index() {
  LetterIndex index{};
  const auto rows = vocabulary(Dialect::line);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!rows[i].wire.empty()) index[static_cast<std::size_t>(rows[i].wire[0] - 'A')] |= 1U << i;
  return index;
}

struct Table {
  std::span<const Row> rows = vocabulary(Dialect::line);
  LetterIndex index = make_index();
};

const Table& table() {
  static const Table kTable;
  return kTable;
}

std::string_view next_word(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && !is_blank(text[end])) ++end;
  return text.substr(0, end);
}

LineMatch match_row(const Row& row, std::string_view line) {
  if (row.capture == Capture::line) {
    if (without_trailing_blanks(line) != row.wire) return {};
    return {LineKind::signal, &row};
  }
  if (line.size() <= row.wire.size() || line[row.wire.size()] != ':') return {};
  std::string_view rest = line.substr(row.wire.size() + 1);
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  const std::string_view argument =
      row.capture == Capture::word ? next_word(rest) : without_trailing_blanks(rest);
  if (argument.empty()) return {LineKind::no_argument, &row};
  return {LineKind::signal, &row, argument};
}

}  // namespace

LineMatch match_line(std::string_view line) {
  if (line.size() < 2) return {};
  if (line[0] == '-') {
    if (line.starts_with(kPromptStart)) return {LineKind::prompt_start};
    if (line.starts_with(kPromptEnd)) return {LineKind::prompt_end};
    return {};
  }
  if (line[0] < 'A' || line[0] > 'Z') return {};
  const Table& known = table();
  for (std::uint32_t bits = known.index[static_cast<std::size_t>(line[0] - 'A')]; bits != 0;
       bits &= bits - 1) {
    const Row& row = known.rows[static_cast<std::size_t>(__builtin_ctz(bits))];
    // The second letter already tells most lines of prose apart.
    if (line[1] != row.wire[1] || !line.starts_with(row.wire)) continue;
    const LineMatch match = match_row(row, line);
    if (match.kind != LineKind::other) return match;
  }
  return {};
}

}  // namespace capsule::signal
