// What the tests of blocks read from their answers.
#pragma once

#include <string>
#include <vector>

#include "signal/block.h"

namespace capsule::signal {

// The name of the signal that was found, or "(none)".
inline std::string read_block(std::string_view text, const BlockOptions& options = {}) {
  const BlockResult result = parse_block(text, options);
  return result.signal ? std::string(row(*result.signal).name) : "(none)";
}

// The names of all that were seen, in their order.
inline std::vector<std::string> sequence(const BlockResult& result) {
  std::vector<std::string> names;
  for (const BlockSighting& seen : result.sequence) names.emplace_back(row(seen.signal).name);
  return names;
}

}  // namespace capsule::signal
