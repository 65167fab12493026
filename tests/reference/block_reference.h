// The block dialect once more, written for the reader alone: slow, with copies everywhere, rule by
// rule; transcripts are read into a tree. It shares no code and no table with src/signal.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace capsule::reference {

struct BlockAnswer {
  std::string signal;  // empty: none
  std::vector<std::pair<std::string, std::string>> fields;
  std::vector<std::string> sequence;  // valid completions and errors that stand, in order
};

BlockAnswer block(const std::string& text);

}  // namespace capsule::reference
