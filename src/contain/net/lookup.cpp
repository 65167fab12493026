#include "contain/net/lookup.h"

#include <sys/random.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace capsule::contain {
namespace {

constexpr std::size_t kMaxHostsBytes = std::size_t{16} << 20;
constexpr std::size_t kMaxResolvBytes = std::size_t{1} << 16;
constexpr std::size_t kMaxPacket = 65535;
constexpr int kMaxPackets = 32;  // from one server; two would do
// A server that says nothing about one kind of address does not hold up what it said about the
// other.
constexpr auto kSecondAnswer = std::chrono::seconds(1);

std::uint16_t random_number() {
  std::uint16_t number = 0;
  (void)!::getrandom(&number, sizeof number, 0);
  return number;
}

bool has_addresses(const auto& asked) { return asked.found && !asked.found->empty(); }

}  // namespace

Lookup::Lookup(std::string name, const NameFiles& files, Clock::time_point now)
    : port_(files.port) {
  const auto known = addresses_in(read_file(files.hosts, kMaxHostsBytes).value_or(""), name);
  if (!known.empty()) {
    addresses_ = known;
    return;
  }
  servers_ = name_servers_in(read_file(files.resolv, kMaxResolvBytes).value_or(""));
  const std::uint16_t id = random_number();
  const auto other = static_cast<std::uint16_t>(random_number() | 1);
  asked_.push_back({{id, name, RecordType::a}});
  asked_.push_back({{static_cast<std::uint16_t>(id ^ other), name, RecordType::aaaa}});
  next_server(now);
}

// The first that can be asked, of those that have not been.
void Lookup::next_server(Clock::time_point now) {
  const std::size_t most = servers_.servers.size() * static_cast<std::size_t>(servers_.rounds);
  while (tries_ < most) {
    ++tries_;
    if (ask(SOCK_DGRAM, now)) return;
  }
  finish();
}

// Asks the current server what is not known yet.
bool Lookup::ask(int kind, Clock::time_point now) {
  const Address& server = servers_.servers[(tries_ - 1) % servers_.servers.size()];
  const SocketAddress to = socket_address(server, port_);
  socket_ = File(::socket(to.storage.ss_family, kind | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  stream_ = kind == SOCK_STREAM;
  packets_ = kMaxPackets;
  in_.clear();
  out_.clear();
  deadline_ = now + servers_.patience;
  if (!socket_) return false;
  if (::connect(socket_.fd(), to.get(), to.size) != 0 && errno != EINPROGRESS) return false;
  for (Asked& one : asked_) {
    one.failed = false;
    if (one.found) continue;
    const std::string packet = packet_of(one.question);
    if (stream_) {
      out_ += {static_cast<char>(packet.size() >> 8), static_cast<char>(packet.size() & 0xFF)};
      out_ += packet;
    } else if (::send(socket_.fd(), packet.data(), packet.size(), MSG_NOSIGNAL) < 0) {
      return false;
    }
  }
  return true;
}

// The answers to a question that is still open. False: the answer is too long for a datagram.
bool Lookup::hear(std::string_view packet) {
  for (Asked& one : asked_) {
    if (one.found) continue;
    Answer answer = answer_to(one.question, packet);
    switch (answer.kind) {
      case Answer::Kind::foreign:
        continue;
      case Answer::Kind::addresses:
        one.found = std::move(answer.addresses);
        break;
      case Answer::Kind::no_such_name:
        for (Asked& each : asked_)
          if (!each.found) each.found.emplace();
        break;
      case Answer::Kind::truncated:
        if (!stream_) return false;
        one.failed = true;
        break;
      case Answer::Kind::failed:
        one.failed = true;
        break;
    }
  }
  return true;
}

// False: the next server has to be asked.
bool Lookup::hear_datagrams(Clock::time_point now) {
  char packet[4096];
  while (packets_-- > 0) {
    const ssize_t count = ::recv(socket_.fd(), packet, sizeof packet, 0);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    if (!hear({packet, static_cast<std::size_t>(count)})) return ask(SOCK_STREAM, now);
  }
  return false;
}

bool Lookup::hear_stream() {
  if (!out_.empty()) {
    const ssize_t count = ::send(socket_.fd(), out_.data(), out_.size(), MSG_NOSIGNAL);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    out_.erase(0, static_cast<std::size_t>(count));
    return true;
  }
  char part[4096];
  const ssize_t count = ::recv(socket_.fd(), part, sizeof part, 0);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  if (count == 0) return false;
  in_.append(part, static_cast<std::size_t>(count));
  while (in_.size() >= 2) {
    const std::size_t size = static_cast<std::size_t>(static_cast<unsigned char>(in_[0])) << 8 |
                             static_cast<unsigned char>(in_[1]);
    if (in_.size() < 2 + size) break;
    if (packets_-- <= 0) return false;
    hear(std::string_view(in_).substr(2, size));
    in_.erase(0, 2 + size);
  }
  return in_.size() <= kMaxPacket + 2;
}

void Lookup::work(Clock::time_point now) {
  if (addresses_) return;
  if (now < deadline_ && (stream_ ? hear_stream() : hear_datagrams(now))) return conclude(now);
  if (std::any_of(asked_.begin(), asked_.end(), has_addresses<Asked>)) return finish();
  next_server(now);
}

void Lookup::conclude(Clock::time_point now) {
  const auto is_over = [](const Asked& one) { return one.found || one.failed; };
  const bool some = std::any_of(asked_.begin(), asked_.end(), has_addresses<Asked>);
  const bool all = std::all_of(asked_.begin(), asked_.end(),
                               [](const Asked& one) { return one.found.has_value(); });
  if (all) return finish();
  if (std::all_of(asked_.begin(), asked_.end(), is_over)) return some ? finish() : next_server(now);
  if (some) deadline_ = std::min(deadline_, now + kSecondAnswer);
}

void Lookup::finish() {
  addresses_.emplace();
  for (const Asked& one : asked_)
    if (one.found) addresses_->insert(addresses_->end(), one.found->begin(), one.found->end());
  socket_ = File();
  out_.clear();
  deadline_ = Clock::time_point::max();
}

}  // namespace capsule::contain
