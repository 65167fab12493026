// Holds the contract parser against the reference. Used by the random test and by the fuzzer.
#pragma once

#include <cstdint>
#include <string>

#include "tests/reference/random.h"

namespace capsule::reference {

// What parse_contract, ContractScanner (fed in pieces that `seed` cuts) and the reference say of
// `input`: empty when they agree, otherwise the difference, for a person.
std::string contract_disagreement(const std::string& input, std::uint64_t seed);

// Text in which signals, pieces of signals, brackets, quotes, escapes, bad bytes and line ends
// meet in every order.
std::string random_contract_text(Random& random);

}  // namespace capsule::reference
