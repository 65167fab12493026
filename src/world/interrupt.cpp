#include "world/interrupt.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

namespace capsule::world {
namespace {

// How long agents may take to end by themselves.
std::chrono::seconds first_grace() {
#ifdef CAPSULE_TEST_HOOKS
  if (const char* given = std::getenv("CAPSULE_TEST_GRACE_SECONDS"); given != nullptr)
    return std::chrono::seconds(std::atoi(given));
#endif
  return std::chrono::seconds(5);
}

}  // namespace

Result<std::unique_ptr<Interrupt>> Interrupt::create(process::Loop& loop,
                                                     std::function<void()> drain) {
  sigset_t set;
  ::sigemptyset(&set);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&set, signal);
  if (::sigprocmask(SIG_BLOCK, &set, nullptr) != 0)
    return tl::unexpected(io_error("watch for", "signals", errno));
  File fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd) return tl::unexpected(io_error("watch for", "signals", errno));
  std::unique_ptr<Interrupt> self(new Interrupt(loop, std::move(fd), std::move(drain)));
  self->watch_ = TRY(loop.watch(self->fd_.fd(), [raw = self.get()] { raw->take(); }));
  return self;
}

Interrupt::~Interrupt() { loop_.unwatch(watch_); }

bool Interrupt::requested() {
  take();
  return count_ > 0;
}

void Interrupt::take() {
  signalfd_siginfo info{};
  while (::read(fd_.fd(), &info, sizeof info) == sizeof info) {
    if (drain_) {
      std::exchange(drain_, {})();
      continue;
    }
    ++count_;
    signal_ = static_cast<int>(info.ssi_signo);
    loop_.end_all(count_ == 1 ? first_grace() : std::chrono::seconds(0));
  }
}

}  // namespace capsule::world
