#include "serve/worker.h"

#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>

namespace capsule::serve {

Result<std::unique_ptr<Worker>> Worker::create(process::Loop& loop) {
  File wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) return tl::unexpected(io_error("make", "an event", errno));
  std::unique_ptr<Worker> worker(new Worker(loop, std::move(wake)));
  worker->watch_ = TRY(loop.watch(worker->wake_.fd(), [raw = worker.get()] { raw->deliver(); }));
  // Signals are the loop's.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  worker->thread_ = std::thread([raw = worker.get()] { raw->work(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return worker;
}

Worker::Worker(process::Loop& loop, File wake) : loop_(loop), wake_(std::move(wake)) {}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    waiting_.clear();
  }
  added_.notify_one();
  if (thread_.joinable()) thread_.join();
  loop_.unwatch(watch_);
}

bool Worker::add(Job job) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kMostWaiting) return false;
    waiting_.push_back(std::move(job));
  }
  added_.notify_one();
  return true;
}

void Worker::work() {
  for (;;) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      added_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
      if (ending_) return;
      job = std::move(waiting_.front());
      waiting_.pop_front();
    }
    std::function<void()> done = job();
    const std::lock_guard lock(mutex_);
    done_.push_back(std::move(done));
    const std::uint64_t one = 1;
    (void)!::write(wake_.fd(), &one, sizeof one);
  }
}

void Worker::deliver() {
  std::uint64_t count = 0;
  (void)!::read(wake_.fd(), &count, sizeof count);
  std::deque<std::function<void()>> done;
  {
    const std::lock_guard lock(mutex_);
    done.swap(done_);
  }
  for (const auto& one : done) one();
}

}  // namespace capsule::serve
