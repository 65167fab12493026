#include "gate/report.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "base/text.h"

namespace capsule::gate {
namespace {

// The worst of two results has the higher rank.
int rank_of(TestState state) {
  switch (state) {
    case TestState::failed:
      return 2;
    case TestState::passed:
      return 1;
    case TestState::skipped:
      break;
  }
  return 0;
}

bool is_plain_name(std::string_view name) {
  return name.size() <= kMaxTestNameBytes &&
         std::all_of(name.begin(), name.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
}

// A name as it is kept, shown and compared: printable, and of a bounded length.
std::string kept_name(std::string_view name) {
  if (name.empty()) return "(no name)";
  if (is_plain_name(name)) return std::string(name);
  constexpr std::size_t kHashDigits = 16;
  constexpr char kHex[] = "0123456789abcdef";
  std::string kept = printable(name.substr(0, kMaxTestNameBytes + 1));
  if (name.size() <= kMaxTestNameBytes && kept.size() <= kMaxTestNameBytes) return kept;
  kept = cut(kept, kMaxTestNameBytes - kHashDigits - 1);
  kept += '#';
  const std::uint64_t hash = hash_of(name);
  for (std::size_t i = 0; i < kHashDigits; ++i) kept += kHex[(hash >> (60 - 4 * i)) & 15];
  return kept;
}

}  // namespace

const TestState* TestReport::find(std::string_view name) const {
  const auto place = std::lower_bound(
      tests.begin(), tests.end(), name,
      [](const TestResult& test, std::string_view wanted) { return test.name < wanted; });
  return place != tests.end() && place->name == name ? &place->state : nullptr;
}

std::size_t TestReport::count(TestState state) const {
  return static_cast<std::size_t>(std::count_if(
      tests.begin(), tests.end(), [state](const TestResult& test) { return test.state == state; }));
}

bool is_part_of(std::string_view test, std::string_view whole) {
  if (test.size() <= whole.size() || !test.starts_with(whole)) return false;
  const std::string_view rest = test.substr(whole.size());
  return rest.starts_with('.') || rest.starts_with("::") || rest.starts_with('/');
}

void ReportBuilder::add(std::string_view name, TestState state) {
  tests_.push_back({kept_name(name), state});
  if (tests_.size() >= 2 * kMaxTests) compact();
}

void ReportBuilder::add(const TestReport& report) {
  for (const TestResult& test : report.tests) add(test.name, test.state);
}

void ReportBuilder::compact() {
  const auto before = [](const TestResult& a, const TestResult& b) {
    const int order = a.name.compare(b.name);
    return order != 0 ? order < 0 : rank_of(a.state) > rank_of(b.state);
  };
  const auto same_name = [](const TestResult& a, const TestResult& b) { return a.name == b.name; };
  std::sort(tests_.begin(), tests_.end(), before);
  tests_.erase(std::unique(tests_.begin(), tests_.end(), same_name), tests_.end());
  // One too many says it: there is no need to keep the others.
  if (tests_.size() > kMaxTests + 1) tests_.resize(kMaxTests + 1);
}

Result<TestReport> ReportBuilder::finish() {
  compact();
  if (tests_.size() > kMaxTests)
    return fail(Reason::damaged,
                "the report names more than " + std::to_string(kMaxTests) + " tests");
  return TestReport{std::exchange(tests_, {})};
}

std::string_view name_of(ReportFormat format) {
  switch (format) {
    case ReportFormat::none:
      break;
    case ReportFormat::junit:
      return "JUnit XML";
    case ReportFormat::gotest:
      return "go test -json";
    case ReportFormat::tap:
      return "TAP";
    case ReportFormat::unittest:
      return "unittest -v";
    case ReportFormat::cargo:
      return "cargo test";
    case ReportFormat::ctest:
      return "ctest";
    case ReportFormat::node:
      return "node --test";
    case ReportFormat::jest:
      return "jest --json";
  }
  return "none";
}

}  // namespace capsule::gate
