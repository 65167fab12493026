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
  // Nothing follows: what is still held back, and the last results.
  virtual std::string end() { return {}; }

  ReportBuilder found;
};

std::unique_ptr<ReportReader::Lines> gotest_lines();

}  // namespace capsule::gate
