// The random choices of the simulated worlds.
#pragma once

#include <cstdint>
#include <iterator>

#include "tests/reference/random.h"

namespace capsule::test {

class Random : public reference::Random {
 public:
  using reference::Random::Random;
  int below(int n) {
    return static_cast<int>(reference::Random::below(static_cast<std::uint64_t>(n)));
  }
  bool chance(int percent) { return below(100) < percent; }
  template <class List>
  const auto& one_of(const List& list) {
    return *std::next(std::begin(list), below(static_cast<int>(std::size(list))));
  }
};

}  // namespace capsule::test
