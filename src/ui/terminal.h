// Where the words of a run go, and how much of a terminal that is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "ui/style.h"

namespace capsule::ui {

enum class Look {
  plain,  // lines, for pipes and logs
  live,   // a picture that is drawn anew, on a terminal that can move its cursor
  json,   // one event a line
  quiet,
};

// --json; else live on a terminal that can move its cursor; else plain.
Look look_for(bool json);
// Colours on a terminal, unless NO_COLOR is set or TERM is dumb; ASCII symbols where the locale is
// not UTF-8.
Style style_for(int fd);

struct Terminal {
  std::function<void(const std::string&)> write;
  std::function<std::size_t()> columns, rows;
  std::function<std::int64_t()> now_ms;    // never jumps
  std::function<std::int64_t()> epoch_ms;  // since 1970
  bool typed_at = false;                   // a person may type here while a run goes on
};
Terminal standard_terminal();  // stdout, and stdin

}  // namespace capsule::ui
