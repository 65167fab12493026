// Ctrl-C and termination, as something to ask rather than something that happens: the first request
// ends the agents gently and lets the run record where it stands, the second ends them at once.
#pragma once

#include <functional>
#include <memory>

#include "base/files.h"
#include "base/result.h"
#include "process/tree.h"

namespace capsule::world {

class Interrupt {
 public:
  // From now on SIGINT, SIGTERM and SIGHUP no longer end this process. `loop` must outlive it.
  // `drain`: is called at the first request, from a turn of the loop or from requested(), and
  // nothing is ended by it; what is said above holds from the second on.
  static Result<std::unique_ptr<Interrupt>> create(process::Loop& loop,
                                                   std::function<void()> drain = {});
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool requested();  // also looks for what came while nobody waited
  int exit_code() const { return 128 + signal_; }

 private:
  Interrupt(process::Loop& loop, File fd, std::function<void()> drain)
      : loop_(loop), fd_(std::move(fd)), drain_(std::move(drain)) {}
  void take();
  process::Loop& loop_;
  File fd_;
  std::function<void()> drain_;
  process::WatchId watch_{};
  int count_ = 0;
  int signal_ = 0;
};

}  // namespace capsule::world
