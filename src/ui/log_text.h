// What agents printed, written on: the bytes as they are into a pipe or file; on a terminal whole
// lines, harmless.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace capsule::ui {

class LogPrinter {
 public:
  using Write = std::function<Result<void>(std::string_view)>;
  LogPrinter(bool terminal, Write write) : terminal_(terminal), write_(std::move(write)) {}

  // What follows comes from this file; said once until another one is named.
  Result<void> file(const std::string& name);
  Result<void> bytes(std::string_view text);
  // Ends a line that the agent did not end, so that what follows stands by itself.
  Result<void> flush();

 private:
  bool terminal_;
  Write write_;
  std::string current_;
  bool at_line_start_ = true;
  std::string held_;
};

}  // namespace capsule::ui
