// What the tests of this folder share: sockets on this machine's loopback, on the test's own
// thread. Time is the test's: whoever waits is told what time it is.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "contain/net/address.h"

namespace capsule::contain::testing {

// Whether something happens on it before a person would call it stuck.
inline bool becomes(int fd, short events, int limit_ms = 20000) {
  pollfd ready{fd, events, 0};
  return ::poll(&ready, 1, limit_ms) > 0;
}

inline SocketAddress loopback(std::uint16_t port) {
  return socket_address(*address_of("127.0.0.1"), port);
}

inline std::uint16_t port_of(const File& socket) {
  sockaddr_in own{};
  socklen_t size = sizeof own;
  EXPECT_EQ(::getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&own), &size), 0);
  return ntohs(own.sin_port);
}

inline File bound(int kind, std::uint16_t port = 0) {
  File socket(::socket(AF_INET, kind | SOCK_CLOEXEC, 0));
  const SocketAddress here = loopback(port);
  if (::bind(socket.fd(), here.get(), here.size) != 0) return {};
  if (kind == SOCK_STREAM && ::listen(socket.fd(), 512) != 0) return {};
  return socket;
}

// Blocking, with a limit, and it does not wait for the other side to accept.
inline File connected(std::uint16_t port) {
  File socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const SocketAddress there = loopback(port);
  EXPECT_EQ(::connect(socket.fd(), there.get(), there.size), 0);
  return socket;
}

inline File accepted(const File& listener) {
  if (!becomes(listener.fd(), POLLIN)) return {};
  return File(::accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC));
}

inline void say(const File& socket, std::string_view bytes) {
  EXPECT_EQ(::send(socket.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(bytes.size()));
}

// What is there now, without waiting. Nothing at the end either.
inline std::string heard_by(const File& socket) {
  std::string all;
  char part[65536];
  for (ssize_t count; (count = ::recv(socket.fd(), part, sizeof part, MSG_DONTWAIT)) > 0;)
    all.append(part, static_cast<std::size_t>(count));
  return all;
}

// The other side has closed, or reset, the connection. What it said before has been heard.
inline bool is_closed(const File& socket) {
  char byte = 0;
  const ssize_t count = ::recv(socket.fd(), &byte, 1, MSG_DONTWAIT | MSG_PEEK);
  return count == 0 || (count < 0 && errno != EAGAIN);
}

class TemporaryFolder {
 public:
  TemporaryFolder() : path_(::testing::TempDir() + "contain-net-XXXXXX") {
    EXPECT_NE(::mkdtemp(path_.data()), nullptr);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  std::string put(const std::string& name, const std::string& text) const {
    std::ofstream(path_ + "/" + name, std::ios::binary) << text;
    return path_ + "/" + name;
  }

 private:
  std::string path_;
};

}  // namespace capsule::contain::testing
