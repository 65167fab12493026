// HTTP/1.1 over the loop, for a page that one person looks at: keep-alive, streams of events, and
// limits on everything. Listens on 127.0.0.1 or on a unix socket, and nowhere else.
//
// Single-threaded, on the thread of the Loop, which must outlive it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/result.h"
#include "http/message.h"
#include "http/peer.h"
#include "process/tree.h"

namespace capsule::http {

struct Limits {
  std::size_t connections = 256;  // that are no streams
  std::size_t streams = 1024;
  // A stream with more than that unsent is closed when more is to be said; when all of them have
  // more than that, the one that is furthest behind. Nor are answers made while more than that
  // waits for those who do not read.
  std::size_t unsent_bytes = std::size_t{1} << 20;
  std::size_t unsent_of_all_bytes = std::size_t{32} << 20;
  std::chrono::milliseconds request = std::chrono::seconds(10);  // to the end of its headers
  std::chrono::milliseconds body = std::chrono::seconds(10);     // and from there to its end
  std::chrono::milliseconds idle = std::chrono::seconds(60);     // between requests
  std::chrono::milliseconds unread = std::chrono::seconds(30);   // an answer that nobody reads
};

enum class ExchangeId : std::uint64_t {};  // of a connection; one exchange at a time

// Who answers. Called from turns of the loop.
class Handler {
 public:
  virtual ~Handler() = default;
  // Exactly one answer() or stream() follows, now or later.
  virtual void on_request(ExchangeId exchange, const Request& request) = 0;
  // The stream has ended: the client left, or did not read. Nothing more can be sent.
  virtual void on_stream_end(ExchangeId) {}
};

class Server {
 public:
  struct Address {
    int port = 0;        // on 127.0.0.1; 0: any that is free
    std::string socket;  // a path; not empty: a unix socket of mode 0600 instead
  };
  // Errors: exists (the port or path is taken), usage (a path that is too long), io.
  static Result<std::unique_ptr<Server>> listen(process::Loop& loop, const Address& address,
                                                Handler& handler, Limits limits);
  // Closes everything; a socket file is removed. The handler is not called.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const { return port_; }  // 0: a unix socket

  // Each does nothing when the client is gone. Instead of an answer it gets 503 while too much
  // waits to be read.
  void answer(ExchangeId exchange, const Response& response);
  // False: there are too many; the client has got 503.
  bool stream(ExchangeId exchange, const std::vector<Header>& headers);
  // Adds to a stream. Where too much is unsent this one or another is ended; on_stream_end()
  // follows then, in this call.
  void send(ExchangeId exchange, std::string_view bytes);

  // Ends a stream once the other end has got everything; on_stream_end() does not follow.
  void end(ExchangeId exchange);

  // Who is behind an exchange that waits for its answer.
  Peer peer(ExchangeId exchange) const;
  std::size_t streams() const { return streams_; }
  std::size_t connections() const { return connections_.size(); }

 private:
  struct Connection;
  Server(process::Loop& loop, File listener, std::string path, int port, Handler& handler,
         Limits limits);
  void accept_all();
  void on_ready(ExchangeId id);
  bool read_some(Connection& connection);
  void parse(ExchangeId id);
  void refuse(ExchangeId id, int status);
  bool flush(Connection& connection);
  void settle(ExchangeId id);
  void wait(ExchangeId id, std::chrono::milliseconds delay);
  void on_late(ExchangeId id);
  void close(ExchangeId id);
  void close_one_behind();
  Connection* find(ExchangeId id);

  process::Loop& loop_;
  const File listener_;
  const std::string path_;
  const int port_;
  Handler& handler_;
  const Limits limits_;
  process::WatchId watch_{};
  std::optional<process::TimerId> retry_;  // to accept, when descriptors were used up
  std::map<std::uint64_t, std::unique_ptr<Connection>> connections_;
  std::uint64_t next_ = 1;
  std::size_t streams_ = 0;
  std::size_t unsent_ = 0;  // bytes, of all streams
};

}  // namespace capsule::http
