// Short programs of ours, run beside the dashboard: our own commands, and git. They are no trees
// with a guardian: what a person asks for here is a person's, and what it starts goes on when the
// dashboard is left. Single-threaded, on the thread of the Loop, which must outlive it.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "process/spawn.h"
#include "process/tree.h"

namespace capsule::dashboard {

struct JobEnd {
  bool good = false;  // it exited with 0
  int code = -1;      // with this; -1: it was killed
  std::string text;   // what it printed, on both streams, as it came
  bool cut = false;   // there was more: before it, of our own commands; behind it, of git
  std::int64_t took_ms = 0;
};

class Jobs {
 public:
  explicit Jobs(process::Loop& loop) : loop_(loop) {}
  // What still runs is left alone.
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  // Our own program with these words, or `git`, in `folder`. `done` is called from the loop, once.
  // Errors: those of starting it.
  Result<void> start_own(const std::vector<std::string>& words, const std::string& folder,
                         std::size_t max_bytes, std::function<void(const JobEnd&)> done);
  Result<void> start_git(const std::vector<std::string>& words, const std::string& folder,
                         std::size_t max_bytes, std::function<void(const JobEnd&)> done);
  std::size_t running() const { return jobs_.size(); }

 private:
  struct Job {
    pid_t pid = 0;
    File pipe;
    process::WatchId watch{};
    std::size_t max_bytes = 0;
    bool keeps_end = false;
    std::int64_t began_ms = 0;
    JobEnd end;
    std::function<void(const JobEnd&)> done;
  };
  Result<void> start(process::Start start, const std::string& folder, Job job);
  void read(std::list<Job>::iterator job);

  process::Loop& loop_;
  std::list<Job> jobs_;
};

}  // namespace capsule::dashboard
