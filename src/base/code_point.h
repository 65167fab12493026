// Characters of a text, one by one, and which of them nobody sees. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace capsule {

// One code point; 0 and no bytes when it is not UTF-8.
struct Point {
  char32_t point = 0;
  std::size_t bytes = 0;
};
Point first_point(std::string_view text);

// Must never reach a terminal as it is: controls, C1 included, and what changes the direction of a
// text, by which a line could show something that is not in it. printable() shows their numbers.
bool is_hidden(char32_t point);

}  // namespace capsule
