// The contract dialect once more, written for the reader alone: slow, byte by byte, with a tree and
// copies everywhere. It shares no code with src/signal. Where the two differ, one of them is wrong.
#pragma once

#include <string>

namespace capsule::reference {

struct ContractAnswer {
  int exit = 0;
  std::string line;  // what parse-signal prints, without the line feed
};

ContractAnswer contract(const std::string& output);

}  // namespace capsule::reference
