#include "tests/reference/random.h"

#include <algorithm>
#include <cstdlib>
#include <random>

namespace capsule::reference {

std::uint64_t test_seed() {
  if (const char* given = std::getenv("CAPSULE_TEST_SEED"))
    return std::strtoull(given, nullptr, 10);
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

int test_rounds(int reduced, int full) {
  const char* asked = std::getenv("CAPSULE_TEST_FULL");
  if (asked != nullptr && std::string_view(asked) == "1") return full;
#ifdef CAPSULE_SANITIZED
  reduced = std::max(1, reduced / 5);
#endif
  return reduced;
}

}  // namespace capsule::reference
