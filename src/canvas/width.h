// How many columns of a terminal a text takes, by a table of our own: the C library's would need a
// locale, which a static program and a foreign host do not have. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/code_point.h"

namespace capsule::canvas {

// 0 for marks that belong to the character before, 2 for wide scripts and emoji, else 1. Control
// characters and those that turn the direction of a text have no width: see is_hidden.
int width_of(char32_t point);

// What a terminal shows as one: a character with its marks, a flag, emoji that are joined.
struct Cluster {
  std::size_t bytes = 0;  // of the text
  int width = 0;          // columns: 0 (a lone mark, nothing to see), 1 or 2
  int widest = 0;  // columns on a terminal that does not join: more than `width` is a disagreement
  bool shown = true;  // false: it is hidden, or no UTF-8; a stand-in is to be shown
};
// The first cluster of `text`. Requires: `text` is not empty.
Cluster first_cluster(std::string_view text);

// Columns of a text, stand-ins included.
int width_of(std::string_view text);

// At most `columns` of it, cut with "…". The text itself otherwise.
std::string fitted(std::string_view text, int columns);

}  // namespace capsule::canvas
