#include "base/text.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "base/code_point.h"

namespace capsule {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  result.reserve(text.size());
  for (;;) {
    const std::size_t found = from.empty() ? text.npos : text.find(from);
    result += text.substr(0, found);
    if (found == text.npos) return result;
    result += to;
    text.remove_prefix(found + from.size());
  }
}

std::string padded(std::string_view text, std::size_t width) {
  std::string result(text);
  result.append(std::max<std::size_t>(1, width > text.size() ? width - text.size() : 1), ' ');
  return result;
}

std::string printable(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Point first = first_point(text);
    const std::string_view bytes = text.substr(0, std::max<std::size_t>(1, first.bytes));
    text.remove_prefix(bytes.size());
    if (bytes == "\n") {
      result += "\\n";
    } else if (first.bytes != 0 && !is_hidden(first.point)) {
      result += bytes;
    } else if (first.point > 0xFF) {
      char code[16];
      std::snprintf(code, sizeof code, "\\u{%x}", static_cast<unsigned>(first.point));
      result += code;
    } else {
      for (const char byte : bytes) {
        const auto raw = static_cast<unsigned char>(byte);
        result += {'\\', 'x', kHex[raw >> 4], kHex[raw & 15]};
      }
    }
  }
  return result;
}

namespace {
template <class Text>
std::string join(std::span<const Text> texts, std::string_view between) {
  std::string all;
  for (std::size_t i = 0; i < texts.size(); ++i) all.append(i == 0 ? "" : between).append(texts[i]);
  return all;
}
}  // namespace

std::string joined(std::span<const std::string> texts, std::string_view between) {
  return join(texts, between);
}
std::string joined(std::span<const std::string_view> texts, std::string_view between) {
  return join(texts, between);
}

std::string bulleted(std::span<const std::string> texts, std::string_view mark) {
  std::string all;
  for (const std::string& text : texts) all.append(mark).append(text).append("\n");
  return all;
}

std::string short_list(const std::vector<std::string>& names, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < most; ++i)
    text += (i == 0 ? "" : ", ") + printable(names[i]);
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@%+";
  if (!word.empty() && word.find_first_not_of(kSafe) == word.npos) return std::string(word);
  return "'" + replace_all(word, "'", "'\\''") + "'";
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto follows = [&](std::size_t i) { return i < text.size() && (at(i) & 0xC0) == 0x80; };
  const unsigned lead = at(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return follows(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    if (!follows(1) || !follows(2)) return 0;
    if (lead == 0xE0 && at(1) < 0xA0) return 0;  // overlong
    if (lead == 0xED && at(1) > 0x9F) return 0;  // surrogates
    return 3;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    if (lead == 0xF0 && at(1) < 0x90) return 0;  // overlong
    if (lead == 0xF4 && at(1) > 0x8F) return 0;  // above U+10FFFF
    return 4;
  }
  return 0;
}

void append_utf8(std::string& out, char32_t point) {
  const auto rest = [&](int shift) { return static_cast<char>(0x80 | (point >> shift & 0x3F)); };
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += {static_cast<char>(0xC0 | point >> 6), rest(0)};
  } else if (point < 0x10000) {
    out += {static_cast<char>(0xE0 | point >> 12), rest(6), rest(0)};
  } else {
    out += {static_cast<char>(0xF0 | point >> 18), rest(12), rest(6), rest(0)};
  }
}

std::string lowered(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = lower(c);
  return result;
}

std::string_view cut(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

}  // namespace capsule
