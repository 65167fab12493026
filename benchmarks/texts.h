// Texts to measure with, made from a fixed seed. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace capsule::bench {

inline constexpr std::size_t kTextBytes = 100'000'000;

// What agents print in long phases: prose, code in several languages, listings, test logs and tool
// results in JSON, then `ending`. About kTextBytes long.
std::string realistic_output(std::string_view ending);

// `piece` again and again, up to kTextBytes.
std::string repeated(std::string_view piece);

}  // namespace capsule::bench
