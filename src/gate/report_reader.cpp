#include <utility>

#include "gate/report_lines.h"

namespace capsule::gate {
namespace {

// A longer line is nothing that a test runner says about a test; it is handed on as it comes.
constexpr std::size_t kMaxLineBytes = std::size_t{1} << 20;

std::unique_ptr<ReportReader::Lines> lines_of(ReportFormat format) {
  switch (format) {
    case ReportFormat::none:
    case ReportFormat::junit:
    case ReportFormat::jest:
      break;
    case ReportFormat::gotest:
      return gotest_lines();
    case ReportFormat::tap:
      return tap_lines();
    case ReportFormat::unittest:
      return unittest_lines();
    case ReportFormat::cargo:
      return cargo_lines();
    case ReportFormat::ctest:
      return ctest_lines();
    case ReportFormat::node:
      return node_lines();
  }
  return nullptr;
}

}  // namespace

ReportReader::ReportReader(ReportFormat format) : lines_(lines_of(format)) {}
ReportReader::~ReportReader() = default;
ReportReader::ReportReader(ReportReader&&) noexcept = default;
ReportReader& ReportReader::operator=(ReportReader&&) noexcept = default;

std::string ReportReader::line(std::string_view text, bool err) {
  return err ? lines_->line_of_err(text) : lines_->line(text);
}

std::string ReportReader::take(std::string_view bytes, bool err) {
  if (lines_ == nullptr) return std::string(bytes);
  Pending& pending = err ? err_ : out_;
  std::string shown;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const bool whole = end != bytes.npos;
    const std::string_view part = bytes.substr(0, whole ? end + 1 : end);
    bytes.remove_prefix(part.size());
    if (pending.cut || pending.text.size() + part.size() > kMaxLineBytes) {
      shown += std::exchange(pending.text, {});
      shown += part;
      pending.cut = !whole;
    } else if (!whole) {
#ifdef CAPSULE_PLANTED_BUG
      // For tests/fuzz: a piece that ends after "... " loses it.
      if (part.ends_with("... ")) continue;
#endif
      pending.text += part;
    } else if (pending.text.empty()) {
      shown += line(part, err);
    } else {
      pending.text += part;
      shown += line(std::exchange(pending.text, {}), err);
    }
  }
  return shown;
}

std::string ReportReader::rest() {
  if (lines_ == nullptr) return {};
  std::string shown;
  if (!err_.text.empty()) shown += line(std::exchange(err_.text, {}), true);
  if (!out_.text.empty()) shown += line(std::exchange(out_.text, {}), false);
  return shown + lines_->end();
}

Result<TestReport> ReportReader::finish() {
  if (lines_ == nullptr) return TestReport{};
  return lines_->found.finish();
}

}  // namespace capsule::gate
