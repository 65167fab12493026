// 64-bit FNV-1a: tells names and rows apart, on any machine and in any version; no guard against
// forgers. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace capsule {

inline constexpr std::uint64_t kHashStart = 0xCBF29CE484222325ULL;

constexpr std::uint64_t hash_step(std::uint64_t hash, std::uint64_t byte) {
  return (hash ^ byte) * 0x100000001B3ULL;
}
constexpr std::uint64_t hash_of(std::string_view text, std::uint64_t hash = kHashStart) {
  for (const char c : text) hash = hash_step(hash, static_cast<unsigned char>(c));
  return hash;
}

}  // namespace capsule
