// Holds the block parser against the reference. Used by the random test and by the fuzzer.
#pragma once

#include <string>

#include "tests/reference/random.h"

namespace capsule::reference {

// What the parser and the reference say of `input`: empty when they agree, otherwise the
// difference, for a person. Also holds the explanation to the result.
std::string block_disagreement(const std::string& input);

// Blocks, near misses and scraps of them in every order, plain or in a transcript.
std::string random_block_text(Random& random);

}  // namespace capsule::reference
