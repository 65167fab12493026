#include "terminal/screen.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "canvas/diff.h"

namespace capsule::terminal {
namespace {

// How long after the key Escape something that belongs to it may come, on a slow line.
constexpr auto kEscapeWait = std::chrono::milliseconds(40);

sigset_t watched_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : {SIGWINCH, SIGTSTP, SIGCONT, SIGINT, SIGTERM, SIGHUP, SIGTTOU, SIGTTIN})
    ::sigaddset(&set, number);
  return set;
}

}  // namespace

Result<void> can_show() {
  if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDOUT_FILENO) != 1)
    return fail(Reason::refused, "the dashboard needs a terminal",
                "in a pipe or a script: capsule status, capsule inbox, or --json with either");
  const char* term = std::getenv("TERM");
  if (term == nullptr || std::string_view(term).empty() || std::string_view(term) == "dumb")
    return fail(Reason::refused, "this terminal cannot move its cursor (TERM is dumb or not set)",
                "capsule status shows the same as lines; in a terminal that can do more, try "
                "TERM=xterm capsule ui");
  return {};
}

Screen::Screen(process::Loop& loop, Events events) : loop_(loop), events_(std::move(events)) {}

Result<std::unique_ptr<Screen>> Screen::open(process::Loop& loop, Events events) {
  TRY_VOID(can_show());
  std::unique_ptr<Screen> screen(new Screen(loop, std::move(events)));
  if (::tcgetattr(STDIN_FILENO, &screen->modes_.before) != 0)
    return tl::unexpected(io_error("read the modes of", "the terminal", errno));
  screen->modes_.raw = screen->modes_.before;
  ::cfmakeraw(&screen->modes_.raw);
  const sigset_t set = watched_signals();
  if (::sigprocmask(SIG_BLOCK, &set, nullptr) != 0)
    return tl::unexpected(io_error("watch for", "signals", errno));
  screen->signals_ = File(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!screen->signals_) return tl::unexpected(io_error("watch for", "signals", errno));
  screen->keeper_ = TRY(Keeper::start(screen->modes_));
  TRY_VOID(screen->take());
  Screen* const raw = screen.get();
  screen->input_watch_ = TRY(loop.watch(STDIN_FILENO, [raw] { raw->read_keys(); }));
  screen->signal_watch_ = TRY(loop.watch(screen->signals_.fd(), [raw] { raw->read_signals(); }));
  screen->watching_ = true;
  return screen;
}

Screen::~Screen() {
  if (escape_) loop_.cancel(*escape_);
  if (watching_) {
    loop_.unwatch(input_watch_);
    loop_.unwatch(signal_watch_);
  }
  give_back();
}

Result<void> Screen::take() {
  if (::tcsetattr(STDIN_FILENO, TCSADRAIN, &modes_.raw) != 0)
    return tl::unexpected(io_error("set the modes of", "the terminal", errno));
  taken_ = true;
  send(canvas::enter());
  shown_ = {};
  return {};
}

void Screen::give_back() {
  if (!taken_) return;
  send(canvas::leave());
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &modes_.before);
  taken_ = false;
}

Size Screen::size() const {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
    return {};
  return {size.ws_col, size.ws_row};
}

void Screen::show(const canvas::Canvas& canvas) {
  if (!taken_) return;
  send(canvas::bytes_between(shown_, canvas));
  shown_ = canvas;
}

void Screen::send(std::string_view bytes) {
  if (!bytes.empty()) (void)write_all(STDOUT_FILENO, bytes, "the terminal");
}

void Screen::suspend() {
  give_back();
  ::raise(SIGSTOP);  // returns when it is continued
  (void)take();
  events_.resized();
}

void Screen::lend(const std::function<void()>& work) {
  give_back();
  keeper_.reset();
  work();
  if (auto keeper = Keeper::start(modes_)) keeper_ = std::move(*keeper);
  (void)take();
  events_.resized();
}

void Screen::hand(const std::vector<canvas::Key>& keys) {
  for (const canvas::Key& key : keys) {
    if (key.kind == canvas::Key::Kind::control && key.text == "z")
      suspend();
    else
      events_.key(key);
  }
  if (!keys.empty()) events_.handed();
}

void Screen::read_keys() {
  char buffer[4096];
  const ssize_t got = ::read(STDIN_FILENO, buffer, sizeof buffer);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got <= 0) {  // the terminal is gone
    loop_.unwatch(input_watch_);
    loop_.unwatch(signal_watch_);
    watching_ = false;
    events_.end();
    return;
  }
  if (escape_) loop_.cancel(*escape_);
  escape_.reset();
  hand(reader_.feed({buffer, static_cast<std::size_t>(got)}));
  if (!reader_.pending()) return;
  escape_ = loop_.after(kEscapeWait, [this] {
    escape_.reset();
    hand(reader_.flush());
  });
}

void Screen::read_signals() {
  signalfd_siginfo info{};
  while (::read(signals_.fd(), &info, sizeof info) == sizeof info) {
    const int number = static_cast<int>(info.ssi_signo);
    if (number == SIGINT || number == SIGTERM || number == SIGHUP) {
      events_.end();
    } else if (number == SIGTSTP) {
      suspend();
    } else if (number == SIGCONT) {
      // It may have been stopped by a signal that nobody can catch, and a shell may have changed
      // the terminal since.
      if (taken_) (void)take();
      events_.resized();
    } else if (number == SIGWINCH) {
      events_.resized();
    }
  }
}

}  // namespace capsule::terminal
