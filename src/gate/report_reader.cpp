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
      break;
    case ReportFormat::gotest:
      return gotest_lines();
  }
  return nullptr;
}

}  // namespace

ReportReader::ReportReader(ReportFormat format) : lines_(lines_of(format)) {}
ReportReader::~ReportReader() = default;
ReportReader::ReportReader(ReportReader&&) noexcept = default;
ReportReader& ReportReader::operator=(ReportReader&&) noexcept = default;

std::string ReportReader::take(std::string_view bytes) {
  if (lines_ == nullptr) return std::string(bytes);
  std::string shown;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end == bytes.npos ? end : end + 1);
    bytes.remove_prefix(part.size());
    if (cut_ || pending_.size() + part.size() > kMaxLineBytes) {
      shown += std::exchange(pending_, {});
      shown += part;
      cut_ = end == part.npos;
    } else if (end == part.npos) {
      pending_ += part;
    } else if (pending_.empty()) {
      shown += lines_->line(part);
    } else {
      pending_ += part;
      shown += lines_->line(std::exchange(pending_, {}));
    }
  }
  return shown;
}

std::string ReportReader::rest() {
  if (lines_ == nullptr) return {};
  std::string shown;
  if (!pending_.empty()) shown = lines_->line(std::exchange(pending_, {}));
  return shown + lines_->end();
}

Result<TestReport> ReportReader::finish() {
  if (lines_ == nullptr) return TestReport{};
  return lines_->found.finish();
}

}  // namespace capsule::gate
