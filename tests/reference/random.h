// Random choices that a seed repeats exactly, on every machine.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace capsule::reference {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBULL;
    return mixed ^ (mixed >> 31);
  }

  // From 0 to `count` - 1. Requires: count > 0.
  std::uint64_t below(std::uint64_t count) { return next() % count; }
  bool once_in(std::uint64_t count) { return below(count) == 0; }
  std::string_view one_of(std::span<const std::string_view> words) {
    return words[below(words.size())];
  }

 private:
  std::uint64_t state_;
};

// The seed of a random test: CAPSULE_TEST_SEED, or one from the system. Print it.
std::uint64_t test_seed();

// How many rounds a random test plays: `full` with CAPSULE_TEST_FULL=1, otherwise `reduced`, and a
// fifth of that under a sanitizer, where each round takes ten times as long.
int test_rounds(int reduced, int full);

}  // namespace capsule::reference
