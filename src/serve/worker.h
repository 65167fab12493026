// Runs what takes time (git, a command, a long file) beside the loop, one after the other, and
// hands what came of it back on the loop's thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "base/files.h"
#include "base/result.h"
#include "process/tree.h"

namespace capsule::serve {

class Worker {
 public:
  // Runs beside the loop, and returns what the loop's thread then calls.
  using Job = std::function<std::function<void()>()>;

  static Result<std::unique_ptr<Worker>> create(process::Loop& loop);
  // Waits for the job that runs; the others are dropped, and nothing is called any more.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // False: too many wait; nothing was added.
  bool add(Job job);
  static constexpr std::size_t kMostWaiting = 64;

 private:
  Worker(process::Loop& loop, File wake);
  void work();
  void deliver();

  process::Loop& loop_;
  const File wake_;
  process::WatchId watch_{};
  std::mutex mutex_;
  std::condition_variable added_;
  std::deque<Job> waiting_;
  std::deque<std::function<void()>> done_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace capsule::serve
