// Small functions over text. Pure; results own their bytes unless they are views of the argument.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace capsule {

// The parts of `text` between separators; views of `text`. An empty text has one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);
// Not of a text that is gone before its parts are read.
template <std::same_as<std::string> Temporary>
std::vector<std::string_view> split(Temporary&& text, char separator) = delete;

// Without blanks (space, tab, CR, LF) at both ends; a view of `text`.
std::string_view trimmed(std::string_view text);

// The mark at the start of some files is no part of the text: its length there, else 0.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t text_start(std::string_view text) {
  return text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
}

std::string replace_all(std::string_view text, std::string_view from, std::string_view to);

// `text` followed by at least one space, filled up to `width`.
std::string padded(std::string_view text, std::size_t width);

// What may be shown on a terminal: control characters and bytes that are not UTF-8 appear as \xNN,
// line feeds as \n. Hostile text can neither move the cursor nor forge a line.
std::string printable(std::string_view text);

// All of them, as they are, with `between` between them.
std::string joined(std::span<const std::string> texts, std::string_view between = ", ");
std::string joined(std::span<const std::string_view> texts, std::string_view between = ", ");

// A line for each, as it is, that begins with `mark`.
std::string bulleted(std::span<const std::string> texts, std::string_view mark = "- ");

// "1 task", "3 tasks".
std::string counted(std::integral auto count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

// The first of them, printable and parted by commas, and how many more there are.
std::string short_list(const std::vector<std::string>& names, std::size_t most = 10);

// A word as a shell would need it, for commands that people paste.
std::string shell_word(std::string_view word);

// How many single-character edits part two words.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The length of the UTF-8 sequence at the start of `text` (1 to 4), or 0 when it is not valid.
std::size_t utf8_length(std::string_view text);

// Requires: `point` is at most U+10FFFF.
void append_utf8(std::string& out, char32_t point);

// At most `bytes` of the beginning of `text`, ending before a UTF-8 sequence rather than in one.
std::string_view cut(std::string_view text, std::size_t bytes);

// ASCII, whatever the locale.
constexpr bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }
constexpr char lower(char byte) {
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte | 0x20) : byte;
}
constexpr bool is_letter(char byte) { return lower(byte) >= 'a' && lower(byte) <= 'z'; }
std::string lowered(std::string_view text);

}  // namespace capsule
