#include "ui/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "base/clock.h"
#include "base/print.h"
#include "world/wall_clock.h"

namespace capsule::ui {
namespace {

bool is_dumb() {
  const char* term = std::getenv("TERM");
  return term == nullptr || std::string_view(term).empty() || std::string_view(term) == "dumb";
}

// Without a locale at all (a bare container) UTF-8 is the better guess.
bool speaks_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string_view text(value);
    return text.find("UTF-8") != text.npos || text.find("utf8") != text.npos;
  }
  return true;
}

winsize size_of_stdout() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) size = {24, 80, 0, 0};
  return size;
}

}  // namespace

Look look_for(bool json) {
  if (json) return Look::json;
  return ::isatty(STDOUT_FILENO) == 1 && !is_dumb() ? Look::live : Look::plain;
}

Style style_for(int fd) {
  const char* none = std::getenv("NO_COLOR");
  Style style;
  style.colour = ::isatty(fd) == 1 && !is_dumb() && (none == nullptr || *none == '\0');
  style.unicode = ::isatty(fd) != 1 || speaks_utf8();
  return style;
}

Terminal standard_terminal() {
  return {[](const std::string& text) { print(text); },
          [] { return std::size_t{size_of_stdout().ws_col}; },
          [] { return std::size_t{size_of_stdout().ws_row}; },
          monotonic_ms,
          world::epoch_ms,
          ::isatty(STDIN_FILENO) == 1};
}

}  // namespace capsule::ui
