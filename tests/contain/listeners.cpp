// Who listens: the user's services on this machine, and another host. Whoever calls by a socket
// file is told a secret; what callers say is written down. And one who calls from outside.
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "tests/contain/parts.h"

namespace capsule::test::contain {
namespace {

constexpr const char* kCatchUp = "catch up\n";

struct Socket {
  int fd = -1;
  std::string secret = {};  // told to who connects
  bool datagrams = false;
  bool accepted = false;
};

Socket on_port(int kind, int port) {
  const int fd = socket(AF_INET6, kind | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in6 any{};
  any.sin6_family = AF_INET6;
  any.sin6_port = htons(static_cast<std::uint16_t>(port));
  const int off = 0;  // for IPv4 too
  setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  must(bind(fd, reinterpret_cast<sockaddr*>(&any), sizeof any) == 0, "bind");
  if (kind == SOCK_STREAM) must(listen(fd, 64) == 0, "listen");
  return {.fd = fd, .datagrams = kind == SOCK_DGRAM};
}

struct UnixAddress {
  sockaddr_un name{};
  socklen_t size = 0;
};
UnixAddress unix_address(const std::string& path, bool abstract) {
  UnixAddress address;
  address.name.sun_family = AF_UNIX;
  must(path.size() + 2 < sizeof address.name.sun_path, path);
  std::memcpy(address.name.sun_path + (abstract ? 1 : 0), path.data(), path.size());
  address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
  return address;
}

Socket on_name(int kind, const std::string& path, const std::string& secret,
               bool abstract = false) {
  const int fd = socket(AF_UNIX, kind | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  UnixAddress address = unix_address(path, abstract);
  must(bind(fd, reinterpret_cast<sockaddr*>(&address.name), address.size) == 0, "bind " + path);
  if (kind == SOCK_STREAM) must(listen(fd, 64) == 0, "listen " + path);
  return {.fd = fd, .secret = secret, .datagrams = kind == SOCK_DGRAM};
}

// Takes in whatever has come, until nothing more is there.
void take_in(std::vector<Socket>& sockets, std::vector<int>& asked, int log, const std::string& who,
             int wait_ms) {
  for (;; wait_ms = 0) {
    std::vector<pollfd> polled;
    for (const Socket& one : sockets) polled.push_back({one.fd, POLLIN, 0});
    if (poll(polled.data(), polled.size(), wait_ms) <= 0) return;
    std::vector<Socket> fresh;
    for (std::size_t i = 0; i < polled.size(); ++i) {
      Socket& one = sockets[i];
      if (polled[i].revents == 0) continue;
      if (!one.datagrams && !one.accepted) {
        const int caller = accept4(one.fd, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (caller < 0) continue;
        if (!one.secret.empty()) send(caller, one.secret.data(), one.secret.size(), MSG_NOSIGNAL);
        fresh.push_back({.fd = caller, .accepted = true});
        continue;
      }
      char text[2048];
      const ssize_t size = recv(one.fd, text, sizeof text, 0);
      if (size > 0) {
        const std::string line(text, static_cast<std::size_t>(size));
        if (line == kCatchUp)
          asked.push_back(dup(one.fd));
        else
          dprintf(log, "%s: %s\n", who.c_str(), line.c_str());
      } else if (one.accepted && (size == 0 || errno != EAGAIN)) {
        close(one.fd);
        one.fd = -1;
      }
    }
    std::erase_if(sockets, [](const Socket& one) { return one.fd < 0; });
    sockets.insert(sockets.end(), fresh.begin(), fresh.end());
  }
}

[[noreturn]] void serve(std::vector<Socket> sockets, const std::string& log_path,
                        const std::string& who) {
  const int log = open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  for (std::vector<int> asked;;) {
    take_in(sockets, asked, log, who, -1);
    for (const int one : asked) {
      send(one, "done\n", 5, MSG_NOSIGNAL);
      close(one);
    }
    asked.clear();
  }
}

// Calls every address at which somebody inside could answer, and tells who does a secret.
[[noreturn]] void keep_calling(const Lab& lab) {
  const std::string secret = lab.secret("call") + "\n";
  for (;; usleep(5000))
    for (const char* host : {"127.0.0.1", kOwnHost}) {
      const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      sockaddr_in to{};
      to.sin_family = AF_INET;
      to.sin_port = htons(kCall);
      inet_pton(AF_INET, host, &to.sin_addr);
      if (connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0)
        send(fd, secret.data(), secret.size(), MSG_NOSIGNAL);
      close(fd);
    }
}

}  // namespace

void make_listeners(Lab& lab) {
  auto& values = lab.values;
  values["abstract_socket"] = "lab-" + lab.nonce;
  values["docker_socket"] = lab.home("docker.sock");
  values["tmp_socket"] = "/tmp/lab.sock";
  values["agent_socket"] = lab.home(".ssh/agent.sock");
  values["log_socket"] = lab.home("log.sock");
  values["other_host"] = kOtherHost;
  values["other_host6"] = kOtherHost6;
  values["own_host"] = kOwnHost;
  values["tcp"] = std::to_string(kTcp);
  values["udp"] = std::to_string(kUdp);
  values["allowed_port"] = std::to_string(kAllowed);
  values["proxy_port"] = std::to_string(kProxy);
  values["call_port"] = std::to_string(kCall);
  const std::string log = lab.base + "/heard";

  // The other host, once it has a network, waits for the cable, and then brings its end up.
  int ready[2];
  int plugged[2];
  must(pipe2(ready, O_CLOEXEC) == 0 && pipe2(plugged, O_CLOEXEC) == 0, "pipe");
  const pid_t other = fork();
  must(other >= 0, "fork");
  if (other == 0) {
    char byte = 0;
    try {
      must(unshare(CLONE_NEWNET) == 0, "the other host");
      must(write(ready[1], "x", 1) == 1 && read(plugged[0], &byte, 1) == 1, "the cable");
      run_ip({{"addr", "add", std::string(kOtherHost) + "/24", "dev", "peer"},
              {"-6", "addr", "add", std::string(kOtherHost6) + "/64", "dev", "peer", "nodad"},
              {"link", "set", "lo", "up"},
              {"link", "set", "peer", "up"}});
      std::vector<Socket> sockets{on_port(SOCK_STREAM, kTcp), on_port(SOCK_DGRAM, kUdp),
                                  on_port(SOCK_STREAM, kProxy)};
      sockets.push_back(on_name(SOCK_STREAM, lab.base + "/other.sock", ""));
      sockets.push_back(on_port(SOCK_STREAM, kAllowed));
      sockets.back().secret = "welcome\n";
      must(write(ready[1], "x", 1) == 1, "ready");
      serve(std::move(sockets), log, "other");
    } catch (const Trouble& trouble) {
      dprintf(STDERR_FILENO, "lab: %s\n", trouble.why.c_str());
      _exit(70);
    }
  }
  close(ready[1]);
  char byte = 0;
  must(read(ready[0], &byte, 1) == 1, "the other host");
  connect_hosts(lab, other);
  must(write(plugged[1], "x", 1) == 1 && read(ready[0], &byte, 1) == 1, "the other host");

  std::vector<Socket> sockets{on_port(SOCK_STREAM, kTcp), on_port(SOCK_DGRAM, kUdp)};
  sockets.push_back(on_name(SOCK_STREAM, lab.base + "/host.sock", ""));
  sockets.push_back(
      on_name(SOCK_STREAM, lab.at("abstract_socket"), lab.secret("abstract-socket"), true));
  sockets.push_back(on_name(SOCK_STREAM, lab.at("docker_socket"), lab.secret("docker-socket")));
  sockets.push_back(on_name(SOCK_STREAM, lab.at("tmp_socket"), lab.secret("tmp-socket")));
  sockets.push_back(on_name(SOCK_STREAM, lab.at("agent_socket"), lab.secret("agent-socket")));
  sockets.push_back(on_name(SOCK_DGRAM, lab.at("log_socket"), ""));
  for (const char* name : {"docker_socket", "tmp_socket", "agent_socket", "log_socket"})
    must(chown(lab.at(name).c_str(), lab.uid, lab.uid) == 0, name);
  const int written = open(log.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  must(written >= 0 && fchown(written, lab.uid, lab.uid) == 0, "log");
  start_as_user(lab, [&] { serve(sockets, log, "host"); });
  for (const Socket& one : sockets) close(one.fd);
  start_as_user(lab, [&] { keep_calling(lab); });
}

std::string heard(const Lab& lab) { return text_of(lab.base + "/heard"); }

void let_listeners_catch_up(const Lab& lab) {
  for (const char* name : {"/host.sock", "/other.sock"}) {
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    UnixAddress address = unix_address(lab.base + name, false);
    must(connect(fd, reinterpret_cast<sockaddr*>(&address.name), address.size) == 0, name);
    must(send(fd, kCatchUp, std::strlen(kCatchUp), MSG_NOSIGNAL) > 0, name);
    char text[16];
    must(read(fd, text, sizeof text) > 0, name);
    close(fd);
  }
}

}  // namespace capsule::test::contain
