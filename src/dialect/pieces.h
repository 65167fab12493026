// Where the lines of a client's stream hold pieces of a longer text: what an agent says or a tool
// prints, told as it comes. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dialect/output.h"

namespace capsule::dialect {

struct Piece {
  std::string of;          // which text it is a piece of: the same for all of its pieces
  std::string_view value;  // where it stands in the line: a JSON string, or an array of bytes
};

// Whether a stream tells anything in pieces.
bool tells_pieces(Output output);
// In the order in which they stand. `line`: without its end. Views of it.
std::vector<Piece> pieces_of(Output output, std::string_view line);

}  // namespace capsule::dialect
