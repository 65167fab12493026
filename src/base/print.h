// Words for the caller, on the program's own streams.
#pragma once

#include <string_view>

namespace capsule {

void print(std::string_view text);        // to stdout, at once
void print_error(std::string_view text);  // to stderr

}  // namespace capsule
