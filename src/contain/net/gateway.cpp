#include "contain/net/gateway.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace capsule::contain {
namespace {

constexpr int kAcceptsATurn = 16;
constexpr int kEventsATurn = 64;
constexpr auto kNoDescriptors = std::chrono::milliseconds(100);

}  // namespace

Result<std::unique_ptr<Gateway>> Gateway::create(const GatewayRules& rules,
                                                 std::vector<Opened> doors,
                                                 const Patience& patience) {
  File poll(::epoll_create1(EPOLL_CLOEXEC));
  if (!poll) return tl::unexpected(io_error("make", "an epoll descriptor", errno));
  return std::unique_ptr<Gateway>(new Gateway(rules, std::move(doors), patience, std::move(poll)));
}

Gateway::Gateway(const GatewayRules& rules, std::vector<Opened> doors, const Patience& patience,
                 File poll)
    : doors_(std::move(doors)),
      context_{rules, patience, [this](const Refusal& refusal) { count(refusal); }},
      poll_(std::move(poll)),
      next_key_(doors_.size()) {
  listen_for_more(true);
}

Gateway::~Gateway() = default;

// Waits for one descriptor as it is said, whatever it waited for on it before. One that was closed
// meanwhile has left the list by itself.
void Gateway::wait_for(int fd, std::uint32_t events, std::uint64_t key) const {
  if (fd < 0) return;
  epoll_event event{};
  event.events = events;
  event.data.u64 = key;
  // Of one that nothing is wanted of, the end would be told again and again.
  if (events == 0)
    ::epoll_ctl(poll_.fd(), EPOLL_CTL_DEL, fd, &event);
  else if (::epoll_ctl(poll_.fd(), EPOLL_CTL_MOD, fd, &event) != 0)
    ::epoll_ctl(poll_.fd(), EPOLL_CTL_ADD, fd, &event);
}

void Gateway::listen_for_more(bool more) {
  if (more == listening_) return;
  listening_ = more;
  for (std::size_t door = 0; door < doors_.size(); ++door)
    wait_for(doors_[door].listener.fd(), more ? EPOLLIN : 0U, door);
}

Clock::time_point Gateway::deadline() const {
  Clock::time_point first = listen_at_;
  for (const auto& [key, one] : connections_) first = std::min(first, one->deadline());
  return first;
}

int Gateway::timeout_ms(Clock::time_point now) const {
  const Clock::time_point at = deadline();
  if (at == Clock::time_point::max()) return -1;
  if (at <= now) return 0;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(at - now).count();
  return static_cast<int>(std::min<std::int64_t>(left, 1'000'000));
}

void Gateway::work(Clock::time_point now) {
  epoll_event events[kEventsATurn];
  const int count = ::epoll_wait(poll_.fd(), events, kEventsATurn, 0);
  for (int i = 0; i < count; ++i) {
    const std::uint64_t key = events[i].data.u64;
    if (key < doors_.size())
      accept_at(key, now);
    else
      serve(key, now);
  }
  std::vector<std::uint64_t> late;
  for (const auto& [key, one] : connections_)
    if (one->deadline() <= now) late.push_back(key);
  for (const std::uint64_t key : late) serve(key, now);
  if (now >= listen_at_) {
    listen_at_ = Clock::time_point::max();
    listen_for_more(connections_.size() < kMaxConnections);
  }
}

void Gateway::accept_at(std::size_t door, Clock::time_point now) {
  for (int count = 0; count < kAcceptsATurn && listening_; ++count) {
    File client(
        ::accept4(doors_[door].listener.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!client) {
      if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM) return;
      listen_for_more(false);
      listen_at_ = now + kNoDescriptors;
      return;
    }
    const std::uint64_t key = next_key_++;
    connections_[key] =
        std::make_unique<Connection>(std::move(client), doors_[door].door, context_, now);
    if (connections_.size() >= kMaxConnections) listen_for_more(false);
    serve(key, now);
  }
}

void Gateway::serve(std::uint64_t key, Clock::time_point now) {
  const auto found = connections_.find(key);
  if (found == connections_.end()) return;  // it ended in this very turn
  found->second->work(now);
  if (found->second->over()) {
    connections_.erase(found);
    if (listen_at_ == Clock::time_point::max()) listen_for_more(true);
    return;
  }
  for (const Connection::Wait& wait : found->second->waits()) wait_for(wait.fd, wait.events, key);
}

void Gateway::count(const Refusal& refusal) {
  const auto same = [&](const Refusal& one) {
    return one.target == refusal.target && one.why == refusal.why;
  };
  const auto found = std::find_if(refusals_.begin(), refusals_.end(), same);
  if (found != refusals_.end())
    ++found->count;
  else if (refusals_.size() < kMaxRefusals)
    refusals_.push_back(refusal);
  else
    ++other_refusals_;
}

}  // namespace capsule::contain
