// libFuzzer target: the readers of test reports. Whatever the text is: whole and in pieces it says
// the same, what is handed on is what came in (but for go, whose events stand for text), and names
// are sorted, printable and bounded.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/text.h"
#include "gate/report.h"
#include "tests/fuzz/report.h"

namespace capsule::fuzz {
namespace {

using gate::ReportFormat;

struct Read {
  std::string shown;
  gate::TestReport report;
};

Read read(ReportFormat format, std::string_view text, std::size_t piece) {
  gate::ReportReader reader(format);
  Read result;
  for (std::size_t at = 0; at < text.size(); at += piece)
    result.shown += reader.take(text.substr(at, piece));
  const std::string err = std::string(text) + "\n";
  for (std::size_t at = 0; at < err.size(); at += piece)
    (void)reader.take_err(std::string_view(err).substr(at, piece));
  result.shown += reader.rest();
  auto report = reader.finish();
  if (report) result.report = std::move(*report);
  return result;
}

std::string fault_of(const gate::TestReport& report) {
  for (const gate::TestResult& test : report.tests)
    if (test.name.empty() || test.name.size() > gate::kMaxTestNameBytes ||
        printable(test.name) != test.name)
      return "a bad name: " + printable(test.name);
  if (!std::is_sorted(report.tests.begin(), report.tests.end(),
                      [](const auto& a, const auto& b) { return a.name < b.name; }))
    return "not sorted";
  return {};
}

std::string difference(std::string_view text, std::size_t piece) {
  for (const ReportFormat format : {ReportFormat::gotest, ReportFormat::tap, ReportFormat::unittest,
                                    ReportFormat::cargo, ReportFormat::ctest, ReportFormat::node}) {
    const Read whole = read(format, text, text.size() + 1);
    const Read pieces = read(format, text, piece);
    const std::string name(gate::name_of(format));
    if (whole.report != pieces.report)
      return name + " differs in pieces of " + std::to_string(piece);
    if (whole.shown != pieces.shown) return name + " shows something else in pieces";
    if (format != ReportFormat::gotest && format != ReportFormat::node && whole.shown != text)
      return name + " does not hand on what came in";
    if (std::string fault = fault_of(whole.report); !fault.empty()) return name + ": " + fault;
  }
  for (const auto& report : {gate::read_junit(text), gate::read_jest(text)})
    if (report)
      if (std::string fault = fault_of(*report); !fault.empty()) return fault;
  return {};
}

}  // namespace
}  // namespace capsule::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  // Where to cut is taken from the text, so that a found input fails again when it is replayed.
  std::size_t sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += data[i];
  capsule::fuzz::expect_agreement(capsule::fuzz::difference(input, 1 + sum % 37));
  return 0;
}
