#include "run/worker_calls.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.h"

namespace capsule::run {
namespace {

// A worker may miss many before its lease is over.
constexpr int kBeatsALease = 20;
constexpr int kSoonMilliseconds = 500;

void ring(const File& bell) {
  const std::uint64_t one = 1;
  (void)!::write(bell.fd(), &one, sizeof one);
}
void clear(const File& bell) {
  std::uint64_t count = 0;
  (void)!::read(bell.fd(), &count, sizeof count);
}

}  // namespace

using What = WorkerNews::What;

WorkerCalls::WorkerCalls(std::unique_ptr<engine::Work> work, std::int64_t number, Wish wish,
                         int most)
    : work_(std::move(work)),
      wish_(std::move(wish)),
      fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      number_(number),
      left_(most == 0 ? -1 : most),
      thread_([this] { run(); }) {}

WorkerCalls::~WorkerCalls() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  ring(wake_);
  thread_.join();
}

std::vector<WorkerNews> WorkerCalls::news() {
  clear(fd_);
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, {});
}

void WorkerCalls::report(std::int64_t token, std::string result) {
  {
    const std::lock_guard lock(mutex_);
    reports_[token] = std::move(result);
  }
  ring(wake_);
}

void WorkerCalls::give_back(std::int64_t token) {
  {
    const std::lock_guard lock(mutex_);
    returned_.insert(token);
  }
  ring(wake_);
}

void WorkerCalls::drain() {
  {
    const std::lock_guard lock(mutex_);
    draining_ = true;
  }
  ring(wake_);
}

bool WorkerCalls::idle() const {
  const std::lock_guard lock(mutex_);
  return held_.empty() && news_.empty() && (draining_ || left_ == 0);
}

void WorkerCalls::run() {
  std::unique_lock lock(mutex_);
  while (!ended_) turn(lock);
  hand_in(lock);
  lock.unlock();
  (void)work_->leave(number_);
}

// The mutex is free while the database is asked.
void WorkerCalls::turn(std::unique_lock<std::mutex>& lock) {
  clear(wake_);
  if (monotonic_ms() >= next_beat_ms_ || draining_ != told_draining_) attend(lock);
  hand_in(lock);
  if (!take(lock)) sleep(lock);
}

// It looks for work whenever it says that it lives; knocks only hasten that.
void WorkerCalls::sleep(std::unique_lock<std::mutex>& lock) {
  const std::int64_t pause =
      away_ ? kSoonMilliseconds : std::max<std::int64_t>(1, next_beat_ms_ - monotonic_ms());
  lock.unlock();
  const engine::Knocks came =
      work_->wait({.work = true, .ended = true}, wake_.fd(), static_cast<int>(pause));
  lock.lock();
  if (came.ended) next_beat_ms_ = 0;
}

void WorkerCalls::tell(WorkerNews news) {
  news_.push_back(std::move(news));
  ring(fd_);
}

// Always false, to be returned.
bool WorkerCalls::failed(const Error& error) {
  next_beat_ms_ = monotonic_ms() + kSoonMilliseconds;
  if (!std::exchange(away_, true)) tell({What::away, 0, {}, error.message});
  return false;
}

void WorkerCalls::attend(std::unique_lock<std::mutex>& lock) {
  const bool draining = draining_;
  lock.unlock();
  const auto heard = work_->attend(number_, draining);
  lock.lock();
  if (!heard && heard.error().reason == Reason::conflict) return be_born_again(lock);
  next_beat_ms_ = monotonic_ms() + kSoonMilliseconds;
  if (!heard) {
    failed(heard.error());
    return;
  }
  if (std::exchange(away_, false)) tell({What::back});
  told_draining_ = draining;
  next_beat_ms_ = monotonic_ms() + std::max(heard->lease_milliseconds / kBeatsALease, 1);
  // A claim whose answer was cut off: nobody is at it.
  for (const std::int64_t token : heard->tokens)
    if (!held_.contains(token)) returned_.insert(token);
  for (const std::int64_t token : std::set<std::int64_t>(held_)) {
    if (std::find(heard->tokens.begin(), heard->tokens.end(), token) != heard->tokens.end())
      continue;
    if (reports_.contains(token)) continue;  // hand_in() says what became of it
    held_.erase(token);
    returned_.erase(token);
    tell({What::lost, token});
  }
}

// All that it had is somebody else's.
void WorkerCalls::be_born_again(std::unique_lock<std::mutex>& lock) {
  for (const std::int64_t token : std::exchange(held_, {}))
    tell({reports_.contains(token) ? What::refused : What::lost, token});
  reports_.clear();
  returned_.clear();
  tell({What::reborn});
  lock.unlock();
  const auto number = work_->enlist(wish_.name, wish_.labels, wish_.slots);
  lock.lock();
  next_beat_ms_ = monotonic_ms() + kSoonMilliseconds;
  if (number)
    number_ = *number;
  else
    failed(number.error());
}

void WorkerCalls::hand_in(std::unique_lock<std::mutex>& lock) {
  for (const auto& [token, result] : std::map(reports_)) {
    lock.unlock();
    const auto counted = work_->report(number_, token, result);
    lock.lock();
    if (!counted) {
      failed(counted.error());
      return;
    }
    reports_.erase(token);
    if (held_.erase(token) > 0) tell({*counted ? What::counted : What::refused, token});
  }
  for (const std::int64_t token : std::set(returned_)) {
    lock.unlock();
    const auto given = work_->give_back(number_, token);
    lock.lock();
    if (!given) {
      failed(given.error());
      return;
    }
    returned_.erase(token);
    if (held_.erase(token) > 0) tell({What::counted, token});
  }
}

bool WorkerCalls::take(std::unique_lock<std::mutex>& lock) {
  if (ended_ || draining_ || away_ || left_ == 0 ||
      held_.size() >= static_cast<std::size_t>(wish_.slots))
    return false;
  lock.unlock();
  auto claim = work_->take(number_);
  lock.lock();
  if (!claim) return failed(claim.error());
  if (!*claim) return false;
  held_.insert((*claim)->token);
  if (left_ > 0) --left_;
  const std::int64_t token = (*claim)->token;
  tell({What::taken, token, *std::move(*claim)});
  return true;
}

}  // namespace capsule::run
