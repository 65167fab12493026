#include "base/fill.h"

#include <algorithm>

#include "base/text.h"

namespace capsule {

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string filled(std::string_view text, std::size_t columns, std::size_t column,
                   std::size_t indent) {
  std::string result;
  for (std::string_view word : split(text, ' ')) {
    if (word.empty()) continue;
    const std::size_t width = columns_of(word);
    if (!result.empty() && column + 1 + width > columns) {
      result += '\n';
      result.append(indent, ' ');
      column = indent;
    } else if (!result.empty()) {
      result += ' ';
      ++column;
    }
    result += word;
    column += width;
  }
  return result;
}

}  // namespace capsule
