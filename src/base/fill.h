// Filling text into lines. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace capsule {

// How many characters `text` (UTF-8) has: its width on a terminal, for the texts that we write.
std::size_t columns_of(std::string_view text);

// The words of `text` in lines of at most `columns`; the first line begins in `column`, the others
// are indented. A word that is longer than a line stays whole. No line feed at the end.
std::string filled(std::string_view text, std::size_t columns, std::size_t column = 0,
                   std::size_t indent = 0);

}  // namespace capsule
