// Which files are tests, by their names.
#include <algorithm>
#include <iterator>

#include "gate/gates.h"
#include "git/exclusion.h"

namespace capsule::gate {
namespace {

constexpr const char* kUsualTestFiles[] = {
    // Go, C and C++, Rust, Python, Ruby, Elixir
    "*_test.*",
    "*_tests.*",
    "test_*",
    "*_spec.*",
    "conftest.py",
    // JavaScript and TypeScript
    "*.test.*",
    "*.spec.*",
    "__tests__/",
    "__snapshots__/",
    "__mocks__/",
    // Java, Kotlin, Scala, C#, Swift, PHP
    "*Test.*",
    "*Tests.*",
    "*Spec.*",
    "*IT.java",
    // folders
    "test/",
    "tests/",
    "spec/",
    "specs/",
    "testdata/",
    "fixtures/",
    "*.feature",
};

}  // namespace

bool is_test_file(std::string_view path, const std::vector<std::string>& patterns) {
  if (!patterns.empty())
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
      return git::matches_pattern(pattern, path);
    });
  return std::any_of(std::begin(kUsualTestFiles), std::end(kUsualTestFiles),
                     [&](const char* pattern) { return git::matches_pattern(pattern, path); });
}

}  // namespace capsule::gate
