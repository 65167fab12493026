// What the readers of line-wise formats have in common: one gets whole lines, and collects.
// Single-threaded; pure.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "gate/report.h"

namespace capsule::gate {

class ReportReader::Lines {
 public:
  virtual ~Lines() = default;
  // `text` ends with its line feed, if it has one. Returns what a person should see of it.
  virtual std::string line(std::string_view text) = 0;
  virtual std::string line_of_err(std::string_view text) { return std::string(text); }
  // Nothing follows: what is still held back, and the last results.
  virtual std::string end() { return {}; }

  ReportBuilder found;
};

std::unique_ptr<ReportReader::Lines> gotest_lines();
std::unique_ptr<ReportReader::Lines> tap_lines();
std::unique_ptr<ReportReader::Lines> unittest_lines();
std::unique_ptr<ReportReader::Lines> cargo_lines();
std::unique_ptr<ReportReader::Lines> ctest_lines();
std::unique_ptr<ReportReader::Lines> node_lines();

}  // namespace capsule::gate
