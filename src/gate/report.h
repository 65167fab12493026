// Test results by name: what the project's own test runner says about each of its tests, whatever
// runner it is. Names are the same in every run and on every machine: no durations, no temporary
// folders, no order. All that is read here was written by code that an agent may have written:
// memory is bounded, names are made printable and short, and nothing is expanded or followed.
// Pure; results own their bytes. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace capsule::gate {

enum class TestState : std::uint8_t { passed, failed, skipped };

struct TestResult {
  std::string name;
  TestState state{};
  bool operator==(const TestResult&) const = default;
};

// Sorted by name, each name once. Of several results for one name the worst counts: failed, then
// passed, then skipped.
struct TestReport {
  std::vector<TestResult> tests = {};

  const TestState* find(std::string_view name) const;  // nullptr: there is none
  std::size_t count(TestState state) const;
  bool operator==(const TestReport&) const = default;
};

// Whether `whole` is the package, module or file that `test` is a part of: "pkg" of "pkg.TestA",
// "tests.test_a" of "tests.test_a::test_x". What cannot be built or loaded fails as a whole, and
// its tests are then not named.
bool is_part_of(std::string_view test, std::string_view whole);

inline constexpr std::size_t kMaxReportBytes = std::size_t{128} << 20;
inline constexpr std::size_t kMaxTests = 500'000;
inline constexpr std::size_t kMaxTestNameBytes = 1'000;  // longer ones end in a hash of the whole

// Collects results, in any order.
class ReportBuilder {
 public:
  void add(std::string_view name, TestState state);
  void add(const TestReport& report);
  // Error: damaged (more than kMaxTests).
  Result<TestReport> finish();

 private:
  void compact();
  std::vector<TestResult> tests_;
};

enum class ReportFormat : std::uint8_t {
  none,
  junit,     // XML, as most runners can write it
  gotest,    // go test -json
  tap,       // the Test Anything Protocol
  unittest,  // python -m unittest -v, on stderr
  cargo,     // cargo test, on both streams
  ctest,     // ctest, on stdout
  node,      // our own reporter of node --test
  jest,      // jest --json
};
std::string_view name_of(ReportFormat format);  // for people: "JUnit XML", "go test -json"

// Reads what a runner prints as it comes, in pieces of any size, in bounded memory. For a format
// that is no stream (none, junit, jest) it hands everything on and finds nothing.
class ReportReader {
 public:
  class Lines;  // of one format

  explicit ReportReader(ReportFormat format);
  ~ReportReader();
  ReportReader(ReportReader&&) noexcept;
  ReportReader& operator=(ReportReader&&) noexcept;

  // What a person should see of it: the same bytes, or what they stand for.
  std::string take(std::string_view bytes) { return take(bytes, false); }
  // The other stream, for a format that needs both (cargo).
  std::string take_err(std::string_view bytes) { return take(bytes, true); }
  // The rest of that, and what was found. Call it once, at the end.
  std::string rest();
  Result<TestReport> finish();

 private:
  struct Pending {
    std::string text = {};
    bool cut = false;  // the line that is being read is too long to be one of ours
  };
  std::string take(std::string_view bytes, bool err);
  std::string line(std::string_view text, bool err);

  std::unique_ptr<Lines> lines_;
  Pending out_, err_;
};

// A whole JUnit file: <testcase> elements, wherever they stand. A file without one is a report of
// no tests. Error: damaged (not XML, too large).
Result<TestReport> read_junit(std::string_view xml);

// What jest --json wrote. Error: damaged.
Result<TestReport> read_jest(std::string_view json);

}  // namespace capsule::gate
