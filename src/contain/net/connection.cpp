#include "contain/net/connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace capsule::contain {
namespace {

constexpr int kRounds = 16;  // of one connection, before the others have their turn
constexpr std::size_t kFarewellBytes = std::size_t{1} << 20;

void set_option(int fd, int level, int name) {
  const int on = 1;
  (void)::setsockopt(fd, level, name, &on, sizeof on);
}

// Whether packets to it would never leave this machine. Nothing is sent to find out.
bool is_this_machine(const Address& address) {
  const SocketAddress to = socket_address(address, 9);
  const File probe(::socket(to.storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!probe || ::connect(probe.fd(), to.get(), to.size) != 0) return false;
  SocketAddress own;
  own.size = sizeof own.storage;
  if (::getsockname(probe.fd(), reinterpret_cast<sockaddr*>(&own.storage), &own.size) != 0)
    return true;
  // The same address, whatever the port.
  const SocketAddress same = socket_address(address, 0);
  const std::size_t at =
      address.six ? offsetof(sockaddr_in6, sin6_addr) : offsetof(sockaddr_in, sin_addr);
  return std::memcmp(reinterpret_cast<const char*>(&own.storage) + at,
                     reinterpret_cast<const char*>(&same.storage) + at, address.six ? 16 : 4) == 0;
}

bool may_dial(const GatewayRules& rules, const Address& address, std::uint16_t port) {
  if (rules.any_address || allows(rules.allow, {text_of(address), port, address})) return true;
  return is_public(address) && !is_this_machine(address);
}

constexpr const char* kBad = "400 Bad Request";
constexpr const char* kUnreached = "502 Bad Gateway";

}  // namespace

Connection::Connection(File client, const Door& door, const ConnectionRules& context,
                       Clock::time_point now)
    : context_(context), door_(door), deadline_(now + context.patience.head) {
  set_option(client.fd(), IPPROTO_TCP, TCP_NODELAY);
  client_ = std::make_unique<PlainStream>(std::move(client));
  if (door.kind != Door::Kind::forward) return;
  target_ = {"127.0.0.1", door.port};
  addresses_ = {*address_of("127.0.0.1"), *address_of("::1")};
  dial_next(now);
}

void Connection::become(State state, Clock::time_point deadline) {
  state_ = state;
  deadline_ = deadline;
}

void Connection::work(Clock::time_point now) {
  if (now >= deadline_ && !again_ && state_ != State::lookup) return time_out(now);
  for (State before = State::over; before != state_;) {
    before = state_;
    step(now);
  }
}

void Connection::step(Clock::time_point now) {
  switch (state_) {
    case State::head:
      return read_head(now);
    case State::lookup:
      return look_up(now);
    case State::dialing:
      return dial(now);
    case State::greeting:
      return greet(now);
    case State::relaying:
      return relay(now);
    case State::leaving:
      return say_farewell();
    case State::over:
      return;
  }
}

void Connection::time_out(Clock::time_point now) {
  if (state_ == State::dialing) return dial_next(now);
  if (state_ == State::greeting)
    return leave("504 Gateway Timeout", text_of(target_) + " begins no secure connection", now);
  if (state_ != State::head || in_.empty()) return become(State::over, now);
  leave("408 Request Timeout", "the request did not come to its end", now);
}

void Connection::read_head(Clock::time_point now) {
  char part[4096];
  std::size_t bytes = 0;
  while (bytes == 0 && in_.size() < kMaxHead) {
    const Stream::Moved got = client_->read(part, sizeof part);
    if (got.state == Stream::State::later) return;
    if (got.state != Stream::State::moved) return become(State::over, now);
    in_.append(part, got.bytes);
    bytes = head_bytes(in_);
  }
  if (bytes == 0 || bytes > kMaxHead)
    return leave("431 Request Header Fields Too Large", "the request is too long", now);
  const auto head = head_of(std::string_view(in_).substr(0, bytes));
  in_.erase(0, bytes);
  if (!head) return leave(kBad, "this is no request", now);
  if (door_.kind == Door::Kind::service) return take_request_of_service(*head, now);
  take_request(*head, now);
}

bool Connection::begin_request(const Head& head, std::string first) {
  body_ = Body::of(head);
  if (!body_) return false;
  request_ = true;
  to_host_ = std::move(first);
  to_host_ += std::string_view(in_).substr(0, body_->take(in_));
  in_.clear();
  return !body_->broken();
}

// The user chose the service: no list has to allow it, wherever it is.
void Connection::take_request_of_service(const Head& head, Clock::time_point now) {
  const KeptService& kept = *context_.rules.kept;
  auto first = request_to(kept.service, head, kept.fields);
  if (!first) return leave(kBad, "this service wants a usual method, and a path", now);
  if (!begin_request(head, std::move(*first)))
    return leave(kBad, "the length of the request is not clear", now);
  target_ = kept.service.target;
  seek(now);
}

void Connection::take_request(const Head& head, Clock::time_point now) {
  if (head.method == "CONNECT") {
    const auto target = target_of(head.target);
    if (!target) return leave(kBad, "CONNECT wants HOST:PORT, by the host's exact name", now);
    to_host_ = std::move(in_);
    to_client_ = "HTTP/1.1 200 Connection established\r\n\r\n";
    return approach(*target, now);
  }
  const auto url = url_of(head.target);
  if (!url) return leave(kBad, "a proxy wants CONNECT, or a URL that begins with http://", now);
  if (!begin_request(head, request_to(head, host_field(url->target, 80), url->path)))
    return leave(kBad, "the length of the request is not clear", now);
  approach(url->target, now);
}

void Connection::approach(const Target& target, Clock::time_point now) {
  target_ = target;
  const auto& kept = context_.rules.kept;
  // To a service whose key is kept there is no other way, whatever the list says.
  const bool is_kept = kept && kept->service.target == target;
  if (!context_.rules.any_host && (is_kept || !allows(context_.rules.allow, target)))
    return refuse(Refused::not_allowed, "", now);
  seek(now);
}

void Connection::seek(Clock::time_point now) {
  if (target_.address) return choose({*target_.address}, now);
  lookup_.emplace(target_.host, context_.rules.names, now);
  become(State::lookup, lookup_->deadline());
}

void Connection::look_up(Clock::time_point now) {
  lookup_->work(now);
  deadline_ = lookup_->deadline();
  if (!lookup_->addresses()) return;
  const std::vector<Address> found = *lookup_->addresses();
  lookup_.reset();
  if (found.empty())
    return leave(kUnreached, text_of(target_) + " has no address, or nobody knows it", now);
  choose(found, now);
}

// One look at the name, and these addresses are the ones that are dialled: a name that leads
// elsewhere a moment later leads nowhere here.
void Connection::choose(const std::vector<Address>& addresses, Clock::time_point now) {
  for (const Address& one : addresses)
    if (door_.kind == Door::Kind::service || may_dial(context_.rules, one, target_.port))
      addresses_.push_back(one);
  if (addresses_.empty()) return refuse(Refused::not_public, text_of(addresses.front()), now);
  dial_next(now);
}

void Connection::dial_next(Clock::time_point now) {
  while (dialled_ < addresses_.size()) {
    const SocketAddress to = socket_address(addresses_[dialled_++], target_.port);
    dialling_ = File(::socket(to.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!dialling_) continue;
    if (::connect(dialling_.fd(), to.get(), to.size) == 0 || errno == EINPROGRESS)
      return become(State::dialing, now + context_.patience.dial);
  }
  dialling_ = File();
  if (door_.kind == Door::Kind::forward) return become(State::over, now);
  leave(kUnreached, text_of(target_) + " does not answer", now);
}

void Connection::dial(Clock::time_point now) {
  pollfd ready{dialling_.fd(), POLLOUT, 0};
  if (::poll(&ready, 1, 0) <= 0) return;
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(dialling_.fd(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return dial_next(now);
  set_option(dialling_.fd(), IPPROTO_TCP, TCP_NODELAY);
  set_option(dialling_.fd(), SOL_SOCKET, SO_KEEPALIVE);
  if (door_.kind != Door::Kind::service || !context_.rules.kept->service.secure)
    return begin_relay(std::make_unique<PlainStream>(std::move(dialling_)), now);
  auto made = TlsStream::create(std::move(dialling_), target_.host, context_.rules.kept->tls);
  if (!made) return leave(kUnreached, made.error().message, now);
  greeting_ = std::move(*made);
  become(State::greeting, now + context_.patience.dial);
}

void Connection::greet(Clock::time_point now) {
  const Stream::State state = greeting_->greet();
  if (state == Stream::State::later) return;
  if (state == Stream::State::moved) return begin_relay(std::move(greeting_), now);
  leave(kUnreached, "no secure connection to " + text_of(target_) + ": " + greeting_->why(), now);
}

void Connection::begin_relay(std::unique_ptr<Stream> host, Clock::time_point now) {
  host_ = std::move(host);
  up_ = Flow(std::move(to_host_), body_);
  down_ = Flow(std::move(to_client_));
  become(State::relaying, now + context_.patience.idle);
}

void Connection::relay(Clock::time_point now) {
  bool any = false;
  bool more = true;
  for (int round = 0; round < kRounds && more; ++round) {
    // A host that hears nothing more may still have something to say.
    const bool up = !up_.broken() && up_.move(*client_, *host_);
    const bool down = !down_.broken() && down_.move(*host_, *client_);
    more = up || down;
    any |= more;
  }
  const bool up_over = up_.over() || up_.broken();
  if (down_.broken() || (down_.over() && (request_ || up_over))) return become(State::over, now);
  const bool closing = down_.over() || (up_over && !request_) || up_.broken();
  again_ = more;
  if (any) deadline_ = now + (closing ? context_.patience.closing : context_.patience.idle);
}

void Connection::refuse(Refused why, const std::string& address, Clock::time_point now) {
  const Refusal refusal{target_, why, address};
  context_.refused(refusal);
  const std::string line = line_that_allows(refusal);
  leave("403 Forbidden",
        sentence_of(refusal) + (line.empty() ? "" : "; it could be allowed by " + line), now);
}

void Connection::leave(std::string_view status, const std::string& words, Clock::time_point now) {
  const std::string body = "capsule: " + words + "\n";
  greeting_.reset();
  to_client_ = "HTTP/1.1 " + std::string(status) +
               "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n"
               "Content-Length: " +
               std::to_string(body.size()) + "\r\n\r\n" + body;
  become(State::leaving, now + context_.patience.farewell);
}

// What the client still says is thrown away: were the connection closed at once, it would lose the
// words that say why.
void Connection::say_farewell() {
  while (!to_client_.empty()) {
    const Stream::Moved sent = client_->write(to_client_);
    if (sent.state == Stream::State::later) return;
    if (sent.state != Stream::State::moved) return become(State::over, deadline_);
    to_client_.erase(0, sent.bytes);
    if (to_client_.empty()) client_->finish();
  }
  char part[4096];
  for (;;) {
    const Stream::Moved got = client_->read(part, sizeof part);
    if (got.state == Stream::State::later) return;
    drained_ += got.bytes;
    if (got.state != Stream::State::moved || drained_ > kFarewellBytes)
      return become(State::over, deadline_);
  }
}

std::array<Connection::Wait, 2> Connection::waits() const {
  const auto client = [&](bool reads, bool writes) {
    return Wait{client_->fd(), client_->events(reads, writes)};
  };
  switch (state_) {
    case State::head:
      return {client(true, false)};
    case State::lookup:
      return {client(false, false),
              Wait{lookup_->fd(), lookup_->wants_writing() ? EPOLLOUT : EPOLLIN}};
    case State::dialing:
      return {client(false, false), Wait{dialling_.fd(), EPOLLOUT}};
    case State::greeting:
      return {client(false, false), Wait{greeting_->fd(), greeting_->events(false, false)}};
    case State::relaying:
      return {client(!up_.broken() && up_.wants_reading(), down_.wants_writing()),
              Wait{host_->fd(),
                   host_->events(down_.wants_reading(), !up_.broken() && up_.wants_writing())}};
    case State::leaving:
      return {client(true, !to_client_.empty())};
    case State::over:
      break;
  }
  return {};
}

}  // namespace capsule::contain
