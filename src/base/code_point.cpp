#include "base/code_point.h"

#include "base/text.h"

namespace capsule {

bool is_hidden(char32_t point) {
  if (point < 0x20 || (point >= 0x7F && point < 0xA0)) return true;
  return point == 0x61C || point == 0x200E || point == 0x200F ||
         (point >= 0x2028 && point <= 0x202E) || (point >= 0x2066 && point <= 0x206F) ||
         point == 0xFEFF || (point >= 0xFFF9 && point <= 0xFFFB) ||
         (point >= 0xE0000 && point <= 0xE0FFF);
}

Point first_point(std::string_view text) {
  const std::size_t bytes = utf8_length(text);
  if (bytes == 0) return {};
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (bytes == 1) return {at(0), 1};
  char32_t point = at(0) & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) point = point << 6 | (at(i) & 0x3F);
  return {point, bytes};
}

}  // namespace capsule
