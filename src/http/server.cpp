#include "http/server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "http/admission.h"
#include "http/listen.h"
#include "http/parser.h"

namespace capsule::http {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kReceiveBytes = std::size_t{16} * 1024;
constexpr int kAcceptsATurn = 64;
// How long, and for how many bytes, a client that was refused may go on talking: were the
// connection closed at once, it would lose the answer that says why.
constexpr milliseconds kFarewell{2000};
constexpr std::size_t kFarewellBytes = std::size_t{1} << 20;
constexpr milliseconds kNoDescriptors{100};

Response plain_error(int status) {
  Response response;
  response.status = status;
  response.headers.assign(safety_headers().begin(), safety_headers().end());
  response.headers.push_back({"Content-Type", "text/plain; charset=utf-8"});
  response.body = std::string(status_words(status)) + "\n";
  return response;
}

}  // namespace

struct Server::Connection {
  enum class State {
    reading,    // the next request
    handling,   // it is complete, and not yet answered
    streaming,  // events, until the client leaves
    closing,    // once everything is sent
    draining,   // everything is sent; what the client still says is thrown away
  };
  File file;
  process::WatchId watch{};
  State state = State::reading;
  Parser parser;
  std::string in;   // received, and not yet parsed
  std::string out;  // to be sent
  std::optional<process::TimerId> timer;
  bool began = false;      // bytes of the next request are there
  bool continued = false;  // it was told to send its body
  bool parsing = false;    // parse() is below us on the stack
  bool head_only = false;  // of the request that is handled
  bool keep = false;
  std::size_t drained = 0;
  std::pair<bool, bool> wanted = {true, false};  // of the watch: readable, writable
};

Result<std::unique_ptr<Server>> Server::listen(process::Loop& loop, const Address& address,
                                               Handler& handler, Limits limits) {
  Listener listener = address.socket.empty() ? TRY(listen_on_loopback(address.port))
                                             : TRY(listen_on_socket(address.socket));
  std::unique_ptr<Server> server(
      new Server(loop, std::move(listener.file), address.socket, listener.port, handler, limits));
  server->watch_ =
      TRY(loop.watch(server->listener_.fd(), [raw = server.get()] { raw->accept_all(); }));
  return server;
}

Server::Server(process::Loop& loop, File listener, std::string path, int port, Handler& handler,
               Limits limits)
    : loop_(loop),
      listener_(std::move(listener)),
      path_(std::move(path)),
      port_(port),
      handler_(handler),
      limits_(limits) {}

Server::~Server() {
  if (retry_) loop_.cancel(*retry_);
  loop_.unwatch(watch_);
  for (const auto& [id, connection] : connections_) {
    loop_.unwatch(connection->watch);
    if (connection->timer) loop_.cancel(*connection->timer);
  }
  if (!path_.empty()) ::unlink(path_.c_str());
}

Server::Connection* Server::find(ExchangeId id) {
  const auto found = connections_.find(static_cast<std::uint64_t>(id));
  return found == connections_.end() ? nullptr : found->second.get();
}

void Server::accept_all() {
  for (int i = 0; i < kAcceptsATurn; ++i) {
    File file(::accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!file) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      if (errno == EAGAIN) return;
      // No descriptors are left: looking again at once would only burn time.
      loop_.watch_for(watch_, {.readable = false});
      retry_ = loop_.after(kNoDescriptors, [this] {
        retry_.reset();
        loop_.watch_for(watch_, {});
      });
      return;
    }
    const int yes = 1;
    if (port_ != 0) ::setsockopt(file.fd(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (connections_.size() - streams_ >= limits_.connections) {
      const std::string full = bytes_of(plain_error(503), false, false);
      (void)!::send(file.fd(), full.data(), full.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      ::shutdown(file.fd(), SHUT_WR);
      continue;
    }
    const ExchangeId id{next_++};
    auto watch = loop_.watch(file.fd(), [this, id] { on_ready(id); });
    if (!watch) continue;
    auto connection = std::make_unique<Connection>();
    connection->file = std::move(file);
    connection->watch = *watch;
    connections_.emplace(static_cast<std::uint64_t>(id), std::move(connection));
    wait(id, limits_.request);
  }
}

void Server::wait(ExchangeId id, milliseconds delay) {
  Connection* const connection = find(id);
  if (connection->timer) loop_.cancel(*connection->timer);
  connection->timer = loop_.after(delay, [this, id] { on_late(id); });
}

void Server::on_late(ExchangeId id) {
  Connection* const connection = find(id);
  if (connection == nullptr) return;
  connection->timer.reset();
  if (connection->state == Connection::State::reading && connection->began &&
      connection->out.empty()) {
    refuse(id, 408);
    settle(id);
  } else {
    close(id);
  }
}

void Server::on_ready(ExchangeId id) {
  Connection* const connection = find(id);
  if (connection == nullptr) return;
  using State = Connection::State;
  // Nothing is wanted of it, so the other end is gone.
  if (connection->state == State::handling && connection->out.empty()) return close(id);
  const bool sending = !connection->out.empty() && connection->state != State::streaming;
  if (!sending && !read_some(*connection)) return close(id);
  if (connection->state == State::reading) parse(id);
  settle(id);
}

// One piece. False when the other end has closed, or is no longer listened to.
bool Server::read_some(Connection& connection) {
  char piece[kReceiveBytes];
  const ssize_t count = ::recv(connection.file.fd(), piece, sizeof piece, 0);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  if (count == 0) return false;
  if (connection.state == Connection::State::reading) {
    connection.in.append(piece, static_cast<std::size_t>(count));
    return true;
  }
  connection.drained += static_cast<std::size_t>(count);
  return connection.drained <= kFarewellBytes;
}

// Requests, one after the other, as long as each is answered at once and its answer is sent.
void Server::parse(ExchangeId id) {
  using State = Connection::State;
  for (Connection* connection = find(id);
       connection != nullptr && connection->state == State::reading && connection->out.empty() &&
       !connection->in.empty();
       connection = find(id)) {
    if (!connection->began) wait(id, limits_.request);
    connection->began = true;
    const bool had_headers = connection->parser.headers_complete();
    const Parser::Step step = connection->parser.feed(connection->in);
    connection->in.erase(0, step.used);
    if (step.error != 0) return refuse(id, step.error);
    if (!step.complete) {
      if (!had_headers && connection->parser.headers_complete()) wait(id, limits_.body);
      if (!connection->continued && connection->parser.expects_continue()) {
        connection->continued = true;
        connection->out += "HTTP/1.1 100 Continue\r\n\r\n";
      }
      return;
    }
    const Request request = connection->parser.take();
    connection->began = false;
    connection->continued = false;
    connection->state = State::handling;
    connection->head_only = request.method == Method::head;
    connection->keep = request.keep_alive;
    if (connection->timer) loop_.cancel(*connection->timer);
    connection->timer.reset();
    connection->parsing = true;
    handler_.on_request(id, request);
    connection = find(id);
    if (connection != nullptr) connection->parsing = false;
  }
}

void Server::refuse(ExchangeId id, int status) {
  Connection* const connection = find(id);
  connection->in.clear();
  connection->out += bytes_of(plain_error(status), false, false);
  connection->state = Connection::State::closing;
}

void Server::answer(ExchangeId id, const Response& response) {
  Connection* const connection = find(id);
  if (connection == nullptr || connection->state != Connection::State::handling) return;
  std::size_t waiting = 0;
  for (const auto& [other, one] : connections_) waiting += one->out.size();
  const bool full = waiting > limits_.unsent_of_all_bytes;
  connection->out +=
      bytes_of(full ? plain_error(503) : response, connection->head_only, connection->keep);
  connection->state = connection->keep ? Connection::State::reading : Connection::State::closing;
  if (!flush(*connection)) return close(id);
  if (connection->parsing) return;
  parse(id);
  settle(id);
}

bool Server::stream(ExchangeId id, const std::vector<Header>& headers) {
  Connection* const connection = find(id);
  if (connection == nullptr || connection->state != Connection::State::handling) return false;
  if (streams_ >= limits_.streams) {
    answer(id, plain_error(503));
    return false;
  }
  ++streams_;
  connection->in = {};
  connection->out += stream_head(headers);
  connection->state = Connection::State::streaming;
  unsent_ += connection->out.size();
  if (!connection->parsing) settle(id);
  return true;
}

void Server::send(ExchangeId id, std::string_view bytes) {
  Connection* const connection = find(id);
  if (connection == nullptr || connection->state != Connection::State::streaming) return;
  const bool waited = !connection->out.empty();
  // Only who is behind: one event may be larger than what many small ones may come to.
  if (connection->out.size() > limits_.unsent_bytes) return close(id);
  connection->out += bytes;
  unsent_ += bytes.size();
  if (!waited && !connection->parsing) settle(id);
  while (unsent_ > limits_.unsent_of_all_bytes) close_one_behind();
}

void Server::close_one_behind() {
  const auto behind = [](const auto& entry) {
    const Connection& one = *entry.second;
    return one.state == Connection::State::streaming ? one.out.size() : 0;
  };
  const auto most =
      std::max_element(connections_.begin(), connections_.end(),
                       [&](const auto& a, const auto& b) { return behind(a) < behind(b); });
  close(ExchangeId{most->first});
}

void Server::end(ExchangeId id) {
  Connection* const connection = find(id);
  if (connection == nullptr || connection->state != Connection::State::streaming) return;
  --streams_;
  unsent_ -= connection->out.size();
  connection->state = Connection::State::closing;
  if (!connection->parsing) settle(id);
}

// As much as the other end takes now. False: it is gone.
bool Server::flush(Connection& connection) {
  std::size_t sent = 0;
  bool open = true;
  while (sent < connection.out.size()) {
    const ssize_t count = ::send(connection.file.fd(), connection.out.data() + sent,
                                 connection.out.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      open = errno == EAGAIN;
      break;
    }
    sent += static_cast<std::size_t>(count);
  }
  if (connection.state == Connection::State::streaming) unsent_ -= sent;
  if (sent == connection.out.size())
    connection.out = {};  // with its memory: most connections say nothing most of the time
  else
    connection.out.erase(0, sent);
  return open;
}

// What is waited for now.
void Server::settle(ExchangeId id) {
  Connection* const connection = find(id);
  if (connection == nullptr) return;
  using State = Connection::State;
  if (!flush(*connection)) return close(id);
  const bool streaming = connection->state == State::streaming;
  const bool unsent = !connection->out.empty();
  if (connection->state == State::closing && !unsent) {
    ::shutdown(connection->file.fd(), SHUT_WR);
    connection->state = State::draining;
    wait(id, kFarewell);
  }
  const bool listening = streaming || connection->state == State::draining ||
                         (connection->state == State::reading && !unsent);
  if (connection->wanted != std::pair(listening, unsent))
    loop_.watch_for(connection->watch, {.readable = listening, .writable = unsent});
  connection->wanted = {listening, unsent};
  if (unsent && !streaming)
    wait(id, limits_.unread);
  else if (connection->state == State::reading && !connection->began)
    wait(id, limits_.idle);
}

void Server::close(ExchangeId id) {
  Connection* const connection = find(id);
  if (connection == nullptr) return;
  const bool streaming = connection->state == Connection::State::streaming;
  if (streaming) unsent_ -= connection->out.size();
  loop_.unwatch(connection->watch);
  if (connection->timer) loop_.cancel(*connection->timer);
  connections_.erase(static_cast<std::uint64_t>(id));
  if (!streaming) return;
  --streams_;
  handler_.on_stream_end(id);
}

Peer Server::peer(ExchangeId id) const {
  const auto found = connections_.find(static_cast<std::uint64_t>(id));
  return found == connections_.end() ? Peer::unknown : peer_of(found->second->file.fd());
}

}  // namespace capsule::http
