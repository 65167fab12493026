// A folder that may come and go, watched by inotify: as long as it is not there, what it is in is.
// Owns no descriptor; whoever has the inotify reads its events, and shows them here.
#pragma once

#include <sys/inotify.h>

#include <cstdint>
#include <functional>
#include <string>

namespace capsule::follow {

// Reads all events that an inotify, which does not block, has now. Returns whether there were any.
bool read_events(int inotify, const std::function<void(const inotify_event&)>& take);

class FolderWatch {
 public:
  // `mask`: what is heard of in the folder; that it goes away is heard of anyway. `between` is
  // called when the folder was not there, before what it is in is watched: for tests.
  FolderWatch(std::string folder, std::uint32_t mask, std::function<void()> between = {});

  // Watches what is there now. To be called at first, and after it has come or is gone; before the
  // folder is read, so that nothing is missed. False: nothing will be heard of it.
  bool renew(int inotify);

  enum class Change {
    nothing,  // it is about something else
    inside,   // something in the folder
    other,    // it has come, or is gone
  };
  Change change_of(const inotify_event& event) const;

 private:
  std::string folder_, parent_, name_;
  std::uint32_t mask_;
  std::function<void()> between_;
  int own_ = -1, above_ = -1;
};

}  // namespace capsule::follow
