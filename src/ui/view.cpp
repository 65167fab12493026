#include "ui/view.h"

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <clocale>
#include <cstdlib>

#include "base/clock.h"
#include "base/print.h"
#include "ui/plain.h"

namespace capsule::ui {
namespace {

constexpr std::chrono::milliseconds kFrame{100};

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

std::size_t columns() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace

Face face_for(bool json) {
  if (json) return Face::json;
  return ::isatty(STDOUT_FILENO) == 1 && !is_dumb() ? Face::live : Face::plain;
}

Style style_for(int fd) {
  const char* none = std::getenv("NO_COLOR");
  Style style;
  style.colour = ::isatty(fd) == 1 && !is_dumb() && (none == nullptr || *none == '\0');
  style.unicode = ::isatty(fd) != 1 || speaks_utf8();
  return style;
}

View::View(Face face, std::string run, process::Loop& loop) : loop_(loop) {
  const Style style = style_for(STDOUT_FILENO);
  const auto write = [](const std::string& text) { print(text); };
  switch (face) {
    case Face::quiet:
      listener_ = std::make_unique<PlainView>(style, [](const std::string&) {});
      break;
    case Face::plain:
      listener_ = std::make_unique<PlainView>(style, write);
      break;
    case Face::json:
      listener_ = std::make_unique<JsonView>(std::move(run), write);
      break;
    case Face::live: {
      auto live =
          std::make_unique<LiveView>(style, LiveView::Terminal{write, columns, monotonic_ms});
      live_ = live.get();
      listener_ = std::move(live);
      timer_ = loop_.after(kFrame, [this] { tick(); });
      break;
    }
  }
}

View::~View() { close(); }

void View::tick() {
  live_->draw();
  timer_ = loop_.after(kFrame, [this] { tick(); });
}

void View::on_fact(const event::PipelineFact& fact, const pipeline::State& after,
                   const std::string& at) {
  listener_->on_fact(fact, after, at);
}

void View::on_output(std::string_view bytes) {
  if (live_ != nullptr) live_->on_output(bytes);
}

void View::close() {
  if (live_ == nullptr) return;
  loop_.cancel(timer_);
  live_->close();
  live_ = nullptr;
}

}  // namespace capsule::ui
