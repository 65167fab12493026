// libFuzzer target: the block parser, on plain text and transcripts, against its reference.
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/fuzz/report.h"
#include "tests/reference/block_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  capsule::fuzz::expect_agreement(capsule::reference::block_disagreement(input));
  return 0;
}
