// What agents printed, written on. A client's stream of events as a transcript, unless it is wanted
// raw; anything else as it is: the bytes into a pipe or file, on a terminal whole lines, harmless.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ui/style.h"
#include "ui/transcript.h"

namespace capsule::ui {

class LogPrinter {
 public:
  struct Look {
    bool terminal = false;
    bool raw = false;     // streams as they are
    bool follow = false;  // files grow, and speak in turns
    Style style = {};
  };
  using Write = std::function<Result<void>(std::string_view)>;
  LogPrinter(const Look& look, Write write) : look_(look), write_(std::move(write)) {}

  // What comes next from the file of this name; it is named once until another one speaks.
  Result<void> bytes(const std::string& name, std::string_view text);
  // Text of ours under a heading of its own.
  Result<void> section(const std::string& name, std::string_view text);
  // What was held back, and the end of a line that an agent did not end, so that what follows
  // stands by itself.
  Result<void> flush();

 private:
  // Whether it is a stream is known when its first event comes, or enough lines without one.
  struct File {
    std::string held;
    int lines = 0;
    bool is_text = false;
    std::optional<Transcript> transcript;
  };
  Result<void> heading(const std::string& name);
  Result<void> of_unknown(const std::string& name, File& file);
  Result<void> as_it_is(const std::string& name, std::string_view text);
  Result<void> readable(const std::string& name, const std::string& text);
  Result<void> release(const std::string& name);
  Result<void> end_line();

  const Look look_;
  const Write write_;
  std::map<std::string, File> files_;
  std::string newest_;   // that spoke
  std::string current_;  // whose heading was written last
  bool at_line_start_ = true;
  std::string held_;
};

}  // namespace capsule::ui
