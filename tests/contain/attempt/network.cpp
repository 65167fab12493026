// Sends its mark to listeners of the lab: on the host's loopback and on another host, which is a
// network namespace of the lab's own. No other address is ever named.
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/vm_sockets.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "tests/contain/attempt/attempt.h"

namespace attempt {
namespace {

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

Address at(const std::string& host, long port) {
  Address address;
  if (host.find(':') != host.npos) {
    sockaddr_in6 six{};
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(static_cast<std::uint16_t>(port));
    inet_pton(AF_INET6, host.c_str(), &six.sin6_addr);
    std::memcpy(&address.storage, &six, address.size = sizeof six);
  } else {
    sockaddr_in four{};
    four.sin_family = AF_INET;
    four.sin_port = htons(static_cast<std::uint16_t>(port));
    inet_pton(AF_INET, host.c_str(), &four.sin_addr);
    std::memcpy(&address.storage, &four, address.size = sizeof four);
  }
  return address;
}

std::string line() { return mark() + "\n"; }

void send_line(int fd) {
  const std::string text = line();
  answer("send", send(fd, text.data(), text.size(), MSG_NOSIGNAL));
}

void call(const std::string& host, long port, int protocol = 0) {
  Address to = at(host, port);
  const int fd = socket(to.storage.ss_family, SOCK_STREAM, protocol);
  if (answer("socket", fd) < 0) return;
  if (answer(("connect " + host).c_str(), connect(fd, to.get(), to.size)) == 0) send_line(fd);
  shutdown(fd, SHUT_WR);
  char rest = 0;
  while (read(fd, &rest, 1) > 0) {
  }
  close(fd);
}

void post(const std::string& host, long port) {
  Address to = at(host, port);
  const int fd = socket(to.storage.ss_family, SOCK_DGRAM, 0);
  const std::string text = line();
  answer(("sendto " + host).c_str(), sendto(fd, text.data(), text.size(), 0, to.get(), to.size));
  close(fd);
}

std::string other() { return lab("other_host"); }

// The first bytes travel with the call itself.
void fast_open() {
  Address to = at(other(), number("tcp"));
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  const std::string text = line();
  answer("sendto",
         sendto(fd, text.data(), text.size(), MSG_FASTOPEN | MSG_NOSIGNAL, to.get(), to.size));
}
void fast_open_connect() {
  Address to = at(other(), number("tcp"));
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  answer("TCP_FASTOPEN_CONNECT", setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &on, sizeof on));
  answer("connect", connect(fd, to.get(), to.size));
  send_line(fd);
}
void fast_open_many() {
  Address to = at(other(), number("tcp"));
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  std::string text = line();
  iovec part{text.data(), text.size()};
  mmsghdr message{};
  message.msg_hdr.msg_name = to.get();
  message.msg_hdr.msg_namelen = to.size;
  message.msg_hdr.msg_iov = &part;
  message.msg_hdr.msg_iovlen = 1;
  answer("sendmmsg", sendmmsg(fd, &message, 1, MSG_FASTOPEN | MSG_NOSIGNAL));
}

void virtual_machine() {
  const int fd = socket(AF_VSOCK, SOCK_STREAM, 0);
  name_of("vsock", fd);
  name_of("/dev/vsock", open("/dev/vsock", O_RDONLY));
}

// A datagram made by hand, with its own header.
void raw() {
  Address to = at(other(), 0);
  const int fd = socket(AF_INET, SOCK_RAW, IPPROTO_UDP);
  name_of("packet socket", socket(AF_PACKET, SOCK_RAW, 0));
  if (answer("raw socket", fd) < 0) return;
  const std::string text = line();
  std::string datagram(8, '\0');
  const std::uint16_t head[4] = {htons(4321), htons(static_cast<std::uint16_t>(number("udp"))),
                                 htons(static_cast<std::uint16_t>(8 + text.size())), 0};
  std::memcpy(datagram.data(), head, sizeof head);
  datagram += text;
  answer("sendto", sendto(fd, datagram.data(), datagram.size(), 0, to.get(), to.size));
}

// Somebody outside calls this port for as long as the attempt lasts, and tells who answers a
// secret.
void wait_for_call() {
  Address here = at("0.0.0.0", number("call_port"));
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (answer("bind", bind(fd, here.get(), here.size)) < 0 || answer("listen", listen(fd, 8)) < 0)
    return;
  pollfd ready{fd, POLLIN, 0};
  if (answer("poll", poll(&ready, 1, 1500)) <= 0) return;
  const int caller = accept(fd, nullptr, nullptr);
  show_fd(caller);
}

void connect_by_ring() {
  Address to = at(other(), number("tcp"));
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  const int result = ring_connect(fd, to.get(), to.size);
  say("io_uring connect = %d\n", result);
  if (result == 0) send_line(fd);
}

void other_families() {
  for (const int family :
       {AF_AX25, AF_IPX, AF_APPLETALK, AF_X25, AF_KEY, AF_PACKET, AF_RDS, AF_PPPOX, AF_CAN, AF_TIPC,
        AF_BLUETOOTH, AF_ALG, AF_KCM, AF_QIPCRTR, AF_SMC, AF_XDP})
    for (const int kind : {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET, SOCK_RAW}) {
      const int fd = socket(family, kind, 0);
      if (fd >= 0) say("family %d kind %d is open\n", family, kind);
      close(fd);
    }
  for (const int protocol : {132 /* SCTP */, 33 /* DCCP */, 136 /* UDP-Lite */, 256 /* SMC */}) {
    for (const int kind : {SOCK_STREAM, SOCK_DGRAM}) {
      const int fd = socket(AF_INET, kind, protocol);
      if (fd < 0) continue;
      Address to = at(other(), number("tcp"));
      say("protocol %d kind %d is open\n", protocol, kind);
      fcntl(fd, F_SETFL, O_NONBLOCK);
      answer("connect", connect(fd, to.get(), to.size));
      close(fd);
    }
  }
}

void datagram_file() {
  sockaddr_storage storage{};
  storage.ss_family = AF_UNIX;
  const std::string path = lab("log_socket");
  std::memcpy(reinterpret_cast<char*>(&storage) + sizeof(sa_family_t), path.data(), path.size());
  const int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
  const std::string text = line();
  answer("sendto",
         sendto(fd, text.data(), text.size(), MSG_DONTWAIT, reinterpret_cast<sockaddr*>(&storage),
                static_cast<socklen_t>(sizeof(sa_family_t) + path.size() + 1)));
}

}  // namespace

Attempts network() {
  return {
      {"N01", "TCP to another host", [] { call(other(), number("tcp")); }},
      {"N02", "UDP to another host", [] { post(other(), number("udp")); }},
      {"N03", "MPTCP to another host", [] { call(other(), number("tcp"), 262); }},
      {"N04", "TCP Fast Open", fast_open},
      {"N05", "another host on the proxy's port", [] { call(other(), number("proxy_port")); }},
      {"N06", "service on the host's loopback", [] { call("127.0.0.1", number("tcp")); }},
      {"N07", "IPv6",
       [] {
         call(lab("other_host6"), number("tcp"));
         call("::1", number("tcp"));
       }},
      {"N08", "vsock to the host of the machine (socket only)", virtual_machine},
      {"N09", "raw and packet sockets", raw},
      {"N10", "wait for a call from outside", wait_for_call},
      {"N15", "connect by io_uring", connect_by_ring},
      {"N16", "TCP_FASTOPEN_CONNECT, then write", fast_open_connect},
      {"N17", "connect by sendmmsg with Fast Open", fast_open_many},
      {"N18", "SCTP, SMC and other families", other_families},
      {"N19", "UDP to the host's loopback",
       [] {
         post("127.0.0.1", number("udp"));
         post("::1", number("udp"));
       }},
      {"N20", "the host's interfaces and connections in /proc/net",
       [] {
         show("/proc/net/dev");
         show("/proc/1/net/dev");
         show("/proc/net/if_inet6");
       }},
      {"N21", "datagram to a socket file (the system's log)", datagram_file},
      {"N22", "broadcast and every address of this machine",
       [] {
         post("0.0.0.0", number("udp"));
         call("0.0.0.0", number("tcp"));
         call(lab("own_host"), number("tcp"));
       }},
  };
}

}  // namespace attempt
