#include "world/journal_watch.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

namespace capsule::world {

JournalWatch::JournalWatch(const std::string& project)
    : inotify_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  constexpr std::uint32_t kWritten = IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_DELETE;
  if (inotify_ && ::inotify_add_watch(inotify_.fd(), (project + "/.capsule").c_str(), kWritten) < 0)
    inotify_ = File();
}

void JournalWatch::wait(std::chrono::milliseconds most) {
  pollfd look{inotify_ ? inotify_.fd() : -1, POLLIN, 0};
  if (::poll(&look, 1, static_cast<int>(most.count())) <= 0) return;
  char buffer[4096];
  while (::read(inotify_.fd(), buffer, sizeof buffer) > 0) continue;
}

}  // namespace capsule::world
