// libFuzzer target: the line parser against its reference.
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/fuzz/report.h"
#include "tests/reference/line_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  // Role and task are taken from the text, so that a found input fails again when it is replayed.
  std::uint64_t seed = size;
  for (std::size_t i = 0; i < size; ++i) seed = seed * 31 + data[i];
  capsule::fuzz::expect_agreement(capsule::reference::line_disagreement(input, seed));
  return 0;
}
