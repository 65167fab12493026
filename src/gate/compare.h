// What became of the tests of a suite between two runs of it, by their names. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gate/report.h"

namespace capsule::gate {

// Names, in their order. A test that was skipped before counts as one that was not there: nobody
// relied on it.
struct Compared {
  std::vector<std::string> broken;         // passed before, fails now
  std::vector<std::string> gone;           // ran before, and does not exist now
  std::vector<std::string> skipped;        // ran before, and is skipped now
  std::vector<std::string> still_failing;  // failed before, too
  std::vector<std::string> mended;         // failed before, passes now
  std::vector<std::string> new_failing, new_passing, new_skipped;
  std::size_t still_passing = 0;
};
Compared compare(const TestReport& before, const TestReport& now);

// The test without what it was given: "test_mul" of "test_mul[3-4]". Empty: it was given nothing.
std::string_view without_parameters(std::string_view name);

// The words (letters, digits and _) of a text, each once, in their order.
std::vector<std::string> words_in(std::string_view text);

// Whether the source of a test was taken away or renamed: a word of its name is among those that
// vanished from the files of tests. `vanished` is sorted.
bool explained_by(const std::string& test, const std::vector<std::string>& vanished);

}  // namespace capsule::gate
