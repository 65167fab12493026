// Inside the line dialect: what a single line is. Shared by the parser and its explanation.
#pragma once

#include <string_view>

#include "signal/vocabulary.h"

namespace capsule::signal {

enum class LineKind {
  other,
  signal,
  no_argument,   // a signal's name and colon, but nothing where its argument belongs
  prompt_start,  // of a delegation prompt
  prompt_end,
};

struct LineMatch {
  LineKind kind = LineKind::other;
  const Row* row = nullptr;        // of signal and no_argument
  std::string_view argument = {};  // of signal; empty for a bare one
};

// `line` is a whole line without its line feed. Costs little when it is nothing.
LineMatch match_line(std::string_view line);

}  // namespace capsule::signal
