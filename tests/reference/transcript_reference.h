// Which texts of an input count for the block dialect: the input itself, or the assistant's texts
// of a transcript since the last continuation, each read into a tree. Written for the reader.
#pragma once

#include <string>
#include <vector>

namespace capsule::reference {

std::vector<std::string> texts_that_count(const std::string& input);

}  // namespace capsule::reference
