// Holds the line parser against the reference. Used by the random test and by the fuzzer.
#pragma once

#include <string>

#include "tests/reference/random.h"

namespace capsule::reference {

// What the parser and the reference say of `input`, with the role and task that `seed` chooses:
// empty when they agree, otherwise the difference, for a person. Also holds the explanation to the
// result.
std::string line_disagreement(const std::string& input, std::uint64_t seed);

// Text in which signals, near misses, labels, prompts and line ends meet in every order.
std::string random_line_text(Random& random);

}  // namespace capsule::reference
