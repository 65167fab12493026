// What one agent does now, read from the end of its log while that grows. Reads only; one caller at
// a time.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/files.h"
#include "dialect/activity.h"
#include "dialect/reader.h"
#include "world/logs.h"

namespace capsule::world {

class ActivityTail {
 public:
  explicit ActivityTail(LogFile log) : log_(std::move(log)) {}
  ActivityTail(const ActivityTail&) = delete;
  ActivityTail& operator=(const ActivityTail&) = delete;

  const LogFile& log() const { return log_; }
  // Reads what has come since the last call, at most as much as a log may hold; whether there was
  // something. Whoever printed last did so when the file was changed last: nothing tells when the
  // events came.
  bool read();
  // Of an agent that prints text its newest line counts as what it said.
  const dialect::Activity& activity() const { return activity_; }

 private:
  void take(std::string_view bytes, std::int64_t at);

  LogFile log_;
  std::optional<File> file_;
  std::size_t read_ = 0;
  std::string begin_;  // of what was printed, until it is known in which dialect that is
  bool text_ = false;  // in none: then the end of it
  std::unique_ptr<dialect::Reader> reader_;
  std::int64_t at_ = 0;
  dialect::Activity activity_;
};

}  // namespace capsule::world
