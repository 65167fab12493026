#include "contain/net/stream.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace capsule::contain {
namespace {

Stream::Moved moved(ssize_t count) {
  if (count > 0) return {Stream::State::moved, static_cast<std::size_t>(count)};
  if (count == 0) return {Stream::State::ended};
  return {errno == EAGAIN || errno == EINTR ? Stream::State::later : Stream::State::broken};
}

}  // namespace

Stream::Moved PlainStream::read(char* into, std::size_t room) {
  return moved(::recv(socket_.fd(), into, room, 0));
}

Stream::Moved PlainStream::write(std::string_view bytes) {
  return moved(::send(socket_.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL));
}

void PlainStream::finish() { ::shutdown(socket_.fd(), SHUT_WR); }

std::uint32_t PlainStream::events(bool reads, bool writes) const {
  return (reads ? EPOLLIN : 0U) | (writes ? EPOLLOUT : 0U);
}

bool Flow::fill(Stream& from) {
  if (!wants_reading()) return false;
  char part[kRoom];
  const Stream::Moved got = from.read(part, kRoom - bytes_.size());
  broken_ |= got.state == Stream::State::broken;
  ended_ |= got.state == Stream::State::ended;
  if (got.state != Stream::State::moved) return ended_ || broken_;
  const std::string_view bytes(part, got.bytes);
  bytes_ += body_ ? bytes.substr(0, body_->take(bytes)) : bytes;
  broken_ |= body_ && body_->broken();
  return true;
}

bool Flow::drain(Stream& to) {
  if (!bytes_.empty()) {
    const Stream::Moved sent = to.write(bytes_);
    bytes_.erase(0, sent.bytes);
    broken_ |= sent.state == Stream::State::broken;
    return sent.state == Stream::State::moved || broken_;
  }
  if (!ended_ || finished_ || is_complete()) return false;
  to.finish();
  return finished_ = true;
}

bool Flow::move(Stream& from, Stream& to) {
  const bool filled = !broken_ && fill(from);
  const bool drained = !broken_ && drain(to);
  return filled || drained;
}

}  // namespace capsule::contain
