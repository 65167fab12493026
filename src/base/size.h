// Amounts of bytes, for people. Pure.
#pragma once

#include <cstdint>
#include <string>

namespace capsule {

// "4 GB", "1.5 GB", "480 MB", "12 KB", "7 bytes": rounded down to a tenth of a GB or whole units.
std::string size_words(std::uint64_t bytes);

}  // namespace capsule
