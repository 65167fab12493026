// The checksums of a journal's rows: hash.h. Each step is a bijection of the state, so a
// change in any one byte always shows; it is a guard against faults, not against forgers. Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/hash.h"

namespace capsule {

class Checksum {
 public:
  explicit Checksum(std::uint64_t seed = 0) { add(seed); }

  // The length goes in first: "ab" + "c" is not "a" + "bc".
  Checksum& add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    state_ = hash_of(text, state_);
    return *this;
  }
  Checksum& add(std::uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8)
      state_ = hash_step(state_, (number >> shift) & 0xFF);
    return *this;
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = kHashStart;
};

}  // namespace capsule
