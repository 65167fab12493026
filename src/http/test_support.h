// What the tests of this folder share: a server with a handler of theirs, and clients that are
// plain sockets on the same thread.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "http/server.h"
#include "process/tree.h"

namespace capsule::http::testing {

using namespace std::chrono_literals;

// Limits in time that a loaded machine does not reach by itself.
inline Limits patient() {
  Limits limits;
  limits.request = limits.body = limits.idle = limits.unread = 10min;
  return limits;
}

class Rig : public Handler {
 public:
  explicit Rig(Limits limits = patient(), std::string socket = {}) : path(std::move(socket)) {
    // A test that another user does brings a guardian that he is let in to.
    const char* copy = std::getenv("CAPSULE_TEST_GUARDIAN");
    auto made = process::Loop::create({copy == nullptr ? CAPSULE_BINARY : copy, 6s});
    EXPECT_TRUE(made) << made.error().message;
    loop = std::move(*made);
    auto listening = Server::listen(*loop, {0, path}, *this, limits);
    EXPECT_TRUE(listening) << listening.error().message;
    server = std::move(*listening);
  }

  void on_request(ExchangeId id, const Request& request) override {
    requests.push_back(request);
    if (handle) return handle(id, request);
    server->answer(id, {200, {}, "you said " + request.body + " to " + request.target});
  }
  void on_stream_end(ExchangeId) override { ++ended; }

  File connect() const {
    File file(::socket(path.empty() ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in loopback{};
    loopback.sin_family = AF_INET;
    loopback.sin_port = htons(static_cast<std::uint16_t>(server->port()));
    loopback.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockaddr_un local{};
    local.sun_family = AF_UNIX;
    path.copy(local.sun_path, sizeof local.sun_path - 1);
    const int failed =
        path.empty() ? ::connect(file.fd(), reinterpret_cast<sockaddr*>(&loopback), sizeof loopback)
                     : ::connect(file.fd(), reinterpret_cast<sockaddr*>(&local), sizeof local);
    EXPECT_EQ(failed, 0) << errno;
    return file;
  }

  // Turns until it is so. A test that waits for what never comes ends by its own time limit.
  void until(const std::function<bool()>& so) const {
    while (!so()) loop->turn(process::Clock::now() + 5ms);
  }

  // All of it, however slowly the server takes it; false: it has closed the connection.
  bool say(const File& client, std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t count =
          ::send(client.fd(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
      if (count < 0 && errno != EAGAIN) return false;
      loop->turn(process::Clock::now() + 1ms);
    }
    return true;
  }

  // Adds what has come; false at the end of the connection.
  static bool hear(const File& client, std::string& heard) {
    char piece[65536];
    for (;;) {
      const ssize_t count = ::recv(client.fd(), piece, sizeof piece, MSG_DONTWAIT);
      if (count > 0) heard.append(piece, static_cast<std::size_t>(count));
      if (count == 0 || (count < 0 && errno == ECONNRESET)) return false;
      if (count < 0 && errno == EAGAIN) return true;
    }
  }

  std::string hear_until(const File& client, std::string_view end) const {
    std::string heard;
    until([&] { return !hear(client, heard) || heard.find(end) != std::string::npos; });
    return heard;
  }
  std::string hear_all(const File& client) const {
    std::string heard;
    until([&] { return !hear(client, heard); });
    return heard;
  }

  // One whole conversation; the last request must ask for the connection to be closed, or be bad.
  std::string talk(std::string_view bytes) const {
    const File client = connect();
    say(client, bytes);
    return hear_all(client);
  }

  std::string path;
  std::unique_ptr<process::Loop> loop;
  std::unique_ptr<Server> server;
  std::function<void(ExchangeId, const Request&)> handle;
  std::vector<Request> requests;
  int ended = 0;
};

inline int status_in(std::string_view response) {
  return response.starts_with("HTTP/1.1 ") ? std::atoi(std::string(response.substr(9, 3)).c_str())
                                           : 0;
}

}  // namespace capsule::http::testing
