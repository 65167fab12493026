#include "world/folder_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

namespace capsule::world {

FolderWatch::~FolderWatch() {
  if (watch_) loop_.unwatch(*watch_);
}

void FolderWatch::watch(const std::string& folder, std::function<void()> appeared) {
  if (inotify_ || !make_folders(folder)) return;
  inotify_ = File(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!inotify_ || ::inotify_add_watch(inotify_.fd(), folder.c_str(), IN_CREATE | IN_MOVED_TO) < 0)
    return;
  const auto watch = loop_.watch(inotify_.fd(), [this, appeared = std::move(appeared)] {
    char buffer[4096];
    while (::read(inotify_.fd(), buffer, sizeof buffer) > 0) continue;
    appeared();
  });
  if (watch) watch_ = *watch;
}

}  // namespace capsule::world
