// The random numbers of the simulated worlds.
#pragma once

#include <cstdint>
#include <iterator>

namespace capsule::test {

// splitmix64: small, fast, and the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
  bool chance(int percent) { return below(100) < percent; }
  template <class List>
  const auto& one_of(const List& list) {
    return *std::next(std::begin(list), below(static_cast<int>(std::size(list))));
  }

 private:
  std::uint64_t state_;
};

}  // namespace capsule::test
