// The rows of tests/cases/signals.jsonl: inputs with the result that the rules demand. Values;
// loading aborts when the file is missing or a row is damaged, since no test could go on.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace capsule::test {

struct Case {
  std::string id;
  std::string dialect;
  std::string input;
  std::string expected;  // the JSON text of the expectation, compact, in the order of the file
  std::string reason;    // why, for the reader of a failure
};

// How GoogleTest shows a row in a failure.
void PrintTo(const Case& row, std::ostream* out);

// All rows of one dialect ("contract", "line", "block"), in the order of the file.
std::vector<Case> load_cases(std::string_view dialect);

}  // namespace capsule::test
