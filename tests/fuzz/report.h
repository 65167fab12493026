// How a fuzz target says that parser and reference differ: the words that tests/fuzz/run looks for,
// the difference, and an abort, upon which libFuzzer keeps and prints the input.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace capsule::fuzz {

inline void expect_agreement(const std::string& difference) {
  if (difference.empty()) return;
  std::fprintf(stderr, "PARSER AND REFERENCE DISAGREE\n%s\n", difference.c_str());
  std::abort();
}

}  // namespace capsule::fuzz
