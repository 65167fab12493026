// The stream of events that a client printed, as a text to read: what the agent said, its tools and
// what came of them, waiting, failures, and what it used. Line by line as they come, in whatever
// pieces. Pure; single-threaded. All that comes out is harmless on a terminal.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "dialect/reader.h"
#include "ui/style.h"

namespace capsule::ui {

class Transcript {
 public:
  Transcript(dialect::Output output, const Style& style);
  ~Transcript();
  Transcript(Transcript&&) noexcept;
  Transcript& operator=(Transcript&&) noexcept;

  // Whole lines; what is not complete yet is held back.
  std::string feed(std::string_view bytes);
  // What was held back. More may follow.
  std::string flush();

 private:
  class Teller;
  void line(std::string_view text);

  std::unique_ptr<Teller> teller_;
  dialect::Reader reader_;
  std::string partial_;
  bool too_long_ = false;
};

// A line of a log as it may be shown.
std::string harmless_line(std::string_view line);

}  // namespace capsule::ui
