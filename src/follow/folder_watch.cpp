#include "follow/folder_watch.h"

#include <unistd.h>

#include <array>

namespace capsule::follow {

bool read_events(int inotify, const std::function<void(const inotify_event&)>& take) {
  alignas(inotify_event) std::array<char, 16384> buffer;
  bool any = false;
  for (;;) {
    const ssize_t size = ::read(inotify, buffer.data(), buffer.size());
    if (size <= 0) return any;
    any = true;
    for (ssize_t at = 0; at < size;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
      take(*event);
    }
  }
}

FolderWatch::FolderWatch(std::string folder, std::uint32_t mask, std::function<void()> between)
    : folder_(std::move(folder)),
      parent_(folder_.substr(0, folder_.rfind('/'))),
      name_(folder_.substr(folder_.rfind('/') + 1)),
      mask_(mask | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR),
      between_(std::move(between)) {}

bool FolderWatch::renew(int inotify) {
  own_ = ::inotify_add_watch(inotify, folder_.c_str(), mask_);
  if (own_ < 0) {
    if (between_) between_();
    above_ = ::inotify_add_watch(inotify, parent_.c_str(), IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
    if (above_ < 0) return false;
    // It may have come between the two.
    own_ = ::inotify_add_watch(inotify, folder_.c_str(), mask_);
  }
  if (own_ >= 0 && above_ >= 0) {
    ::inotify_rm_watch(inotify, above_);
    above_ = -1;
  }
  return true;
}

FolderWatch::Change FolderWatch::change_of(const inotify_event& event) const {
  if (event.wd == own_ && own_ >= 0)
    return (event.mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED)) != 0 ? Change::other
                                                                            : Change::inside;
  if (event.wd == above_ && above_ >= 0 && event.len > 0 && name_ == event.name)
    return Change::other;
  return Change::nothing;
}

}  // namespace capsule::follow
