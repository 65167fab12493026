// The checksums of the journal's rows: 64-bit FNV-1a. Each step is a bijection of the state, so a
// change in any one byte always shows; it is a guard against faults, not against forgers. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace capsule::store {

class Checksum {
 public:
  explicit Checksum(std::uint64_t seed = 0) { add(seed); }

  // The length goes in first: "ab" + "c" is not "a" + "bc".
  Checksum& add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    for (const char c : text) step(static_cast<unsigned char>(c));
    return *this;
  }
  Checksum& add(std::uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) step((number >> shift) & 0xFF);
    return *this;
  }
  std::uint64_t value() const { return state_; }

 private:
  void step(std::uint64_t byte) { state_ = (state_ ^ byte) * 0x100000001B3ULL; }

  std::uint64_t state_ = 0xCBF29CE484222325ULL;
};

}  // namespace capsule::store
