#include "gate/telltale.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "gate/compare.h"

namespace capsule::gate {
namespace {

// In a source that is no test. What stands in quotes here stands in quotes there, too.
constexpr std::string_view kTelltaleWords[] = {
    "unittest",       "pytest",    "PYTEST_CURRENT_TEST", "PYTEST_ADDOPTS",
    "junitxml",       "node:test", "NODE_OPTIONS",        "NODE_TEST_CONTEXT",
    "JEST_WORKER_ID", "VITEST",    "\"testing\"",         "testing.Testing",
    "CAPSULE_",       ".capsule",  "capsule-report",      "RUST_TEST_THREADS",
};
constexpr std::string_view kSources[] = {
    ".py", ".js",  ".mjs", ".cjs", ".ts",   ".tsx", ".jsx", ".go",  ".rs", ".c",
    ".cc", ".cpp", ".h",   ".hpp", ".java", ".kt",  ".rb",  ".php", ".cs", ".swift",
};
constexpr std::size_t kLongEnough = 8;  // shorter names of tests are words like any other

bool is_source(std::string_view path) {
  return std::any_of(std::begin(kSources), std::end(kSources),
                     [&](std::string_view end) { return path.ends_with(end); });
}

bool is_name_of_a_test(const std::string& word, const TestReport& tests) {
  if (word.size() < kLongEnough || !(word.starts_with("test") || word.starts_with("Test")))
    return false;
  return std::any_of(tests.tests.begin(), tests.tests.end(), [&](const TestResult& test) {
    const std::size_t at = test.name.rfind(word);
    return at != test.name.npos && at + word.size() == test.name.size();
  });
}

}  // namespace

Result<std::vector<std::string>> telltales_in(
    const std::vector<Changed>& changes, const std::string& from, const std::string& to,
    const std::function<bool(std::string_view)>& is_test_file, const TextOf& text_of,
    const TestReport* tests) {
  std::vector<std::string> found;
  for (const Changed& change : changes) {
    if (change.status == 'D' || !is_source(change.path) || is_test_file(change.path)) continue;
    const std::string now = TRY(text_of(to, change.path));
    std::vector<std::string> telling;
    for (const std::string_view word : kTelltaleWords)
      if (now.find(word) != now.npos) telling.emplace_back(word);
    if (tests != nullptr)
      for (const std::string& word : words_in(now))
        if (is_name_of_a_test(word, *tests)) telling.push_back(word);
    if (telling.empty()) continue;
    const std::string before =
        change.status == 'A' ? std::string()
                             : TRY(text_of(from, change.from.empty() ? change.path : change.from));
    std::erase_if(telling,
                  [&](const std::string& word) { return before.find(word) != before.npos; });
    if (!telling.empty()) found.push_back(change.path + ": " + joined(telling, " "));
  }
  return found;
}

}  // namespace capsule::gate
