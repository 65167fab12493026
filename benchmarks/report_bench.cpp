// Test results by name: big reports.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "benchmarks/rows.h"
#include "gate/report.h"

namespace capsule::bench {
namespace {

void junit(std::string_view text) {
  auto report = gate::read_junit(text);
  benchmark::DoNotOptimize(report);
}

void gotest(std::string_view text) {
  gate::ReportReader reader(gate::ReportFormat::gotest);
  for (; !text.empty(); text.remove_prefix(std::min(std::size_t{65536}, text.size())))
    benchmark::DoNotOptimize(reader.take(text.substr(0, 65536)));
  benchmark::DoNotOptimize(reader.rest());
  auto report = reader.finish();
  benchmark::DoNotOptimize(report);
}

// As pytest writes it, one test in a hundred failing.
std::string junit_of(int tests) {
  std::string text =
      R"(<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest">)";
  for (int i = 0; i < tests; ++i) {
    text += "<testcase classname=\"tests.unit.test_module_" + std::to_string(i % 997) +
            ".TestSomething\" name=\"test_case_number_" + std::to_string(i) + "\" time=\"0.001\"";
    if (i % 100 == 0) {
      text +=
          "><failure message=\"AssertionError: assert 1 == 2\">def test():\n&gt;  assert 1 == 2\n"
          "E  AssertionError\n</failure></testcase>\n";
    } else {
      text += " />\n";
    }
  }
  return text + "</testsuite></testsuites>";
}

std::string gotest_of(int tests) {
  std::string text;
  for (int i = 0; i < tests; ++i) {
    const std::string test =
        R"("Package":"example.com/module/package","Test":"TestNumber)" + std::to_string(i) + "\"";
    for (const char* action : {"run", "output", "output", "pass"})
      text += R"({"Time":"2026-01-01T00:00:00.000000000Z","Action":")" + std::string(action) +
              "\"," + test + R"(,"Output":"--- PASS: TestNumber (0.00s)\n"})" + "\n";
  }
  return text;
}

const Rows kReports([] {
  add_rate({"report: JUnit, 100,000 tests", [] { return junit_of(100'000); }, 100, junit});
  add_rate({"report: go test -json, 100,000 tests", [] { return gotest_of(100'000); }, 20, gotest});
});

}  // namespace
}  // namespace capsule::bench
