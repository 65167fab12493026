// Asks the proxy of its environment for what it should not do. Whatever it opens gets the mark. The
// lab allows "allowed.lab" on one port, the address that this name leads to on the same one, and
// "rebound.lab", which leads to the host's loopback.
#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "tests/contain/attempt/attempt.h"

namespace attempt {
namespace {

using namespace std::string_literals;

// Connected to the proxy; -1: there is none.
int to_proxy() {
  std::string address;
  for (const char* name : {"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"})
    if (const char* value = getenv(name); value && address.empty()) address = value;
  const std::size_t colon = address.rfind(':');
  if (!address.starts_with("http://127.0.0.1:")) {
    say("there is no proxy\n");
    return -1;
  }
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port =
      htons(static_cast<std::uint16_t>(std::strtol(address.c_str() + colon + 1, nullptr, 10)));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0) return fd;
  answer("connect to the proxy", -1);
  close(fd);
  return -1;
}

bool hears(int fd, int limit_ms = 1000) {
  pollfd ready{fd, POLLIN, 0};
  return poll(&ready, 1, limit_ms) > 0;
}

void ask_raw(const std::string& text) {
  const int fd = to_proxy();
  if (fd < 0) return;
  send(fd, text.data(), text.size(), MSG_NOSIGNAL);
  if (hears(fd)) show_fd(fd);
  const std::string line = mark() + "\n";
  answer("send", send(fd, line.data(), line.size(), MSG_NOSIGNAL));
  shutdown(fd, SHUT_WR);
  if (hears(fd, 200)) show_fd(fd);
  close(fd);
}

void ask(const std::string& request_line, const std::string& host = {}) {
  ask_raw(request_line + " HTTP/1.1\r\nHost: " + host + "\r\nX-Mark: " + mark() + "\r\n\r\n");
}

std::string tcp(const std::string& host) { return host + ":" + lab("tcp"); }
std::string allowed(const std::string& host = "allowed.lab") {
  return host + ":" + lab("allowed_port");
}

void connect_each(const std::vector<std::string>& hosts, const std::vector<std::string>& ports) {
  for (const std::string& host : hosts)
    for (const std::string& port : ports) ask("CONNECT " + host + ":" + port, "allowed.lab");
}
std::vector<std::string> both_ports() { return {lab("tcp"), lab("allowed_port")}; }

// Other spellings of an IPv4 address, as old programs read them.
std::vector<std::string> disguises(const std::string& address) {
  in_addr four{};
  inet_pton(AF_INET, address.c_str(), &four);
  unsigned char part[4];
  std::memcpy(part, &four, 4);
  char text[8][64];
  const unsigned whole = ntohl(four.s_addr);
  snprintf(text[0], 64, "%u", whole);
  snprintf(text[1], 64, "0x%08x", whole);
  snprintf(text[2], 64, "0%o", whole);
  snprintf(text[3], 64, "0%o.0%o.0%o.0%o", part[0], part[1], part[2], part[3]);
  snprintf(text[4], 64, "0x%x.0x%x.0x%x.0x%x", part[0], part[1], part[2], part[3]);
  snprintf(text[5], 64, "%u.%u", part[0], whole & 0xFFFFFF);
  snprintf(text[6], 64, "%u.%u.%u.%03u", part[0], part[1], part[2], part[3]);
  snprintf(text[7], 64, "%u.%u.%u.%u.", part[0], part[1], part[2], part[3]);
  return {std::begin(text), std::end(text)};
}

void smuggle_url() {
  const std::string mine = "X-Mark: " + mark() + "\r\n\r\n";
  for (const std::string& url :
       {"http://" + allowed() + "@" + tcp("other.lab") + "/",
        "http://allowed.lab@" + tcp("other.lab") + "/",
        "http://" + tcp("other.lab") + "#@" + allowed() + "/", "//" + tcp("other.lab") + "/",
        "http://" + tcp("other.lab") + "\\@" + allowed() + "/", "http:" + tcp("other.lab") + "/",
        "https://" + tcp("other.lab") + "/", "http://" + allowed() + ":" + lab("tcp") + "/", "/"s})
    ask("GET " + url, allowed());
  // A request that is allowed, and in its wake one that is not.
  ask_raw("GET http://" + allowed() + "/ HTTP/1.1\r\n\r\nGET http://" + tcp("other.lab") +
          "/ HTTP/1.1\r\n" + mine);
  ask_raw("GET http://" + allowed() + "/ HTTP/1.1\r\nContent-Length: 0\r\n\r\nGET / HTTP/1.1\r\n" +
          mine);
  ask_raw("POST http://" + allowed() +
          "/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n" + mine);
}

void inject_head() {
  const std::string mine = "\r\nX-Mark: " + mark() + "\r\n\r\n";
  for (const std::string& text :
       {"CONNECT " + allowed() + "\r\nCONNECT " + tcp("other.lab") + " HTTP/1.1" + mine,
        "CONNECT " + allowed() + " HTTP/1.1\nCONNECT " + tcp("other.lab") + " HTTP/1.1" + mine,
        "CONNECT " + tcp("other.lab") + " " + allowed() + " HTTP/1.1" + mine,
        "CONNECT " + tcp("other.lab") + " HTTP/1.1\r\nHost: " + allowed() +
            "\r\nX-Forwarded-Host: " + allowed() + mine,
        "GET http://" + allowed() + "/ HTTP/1.1\r\nContent-Length: 9\r\nContent-Length: 0" + mine,
        "GET http://" + allowed() +
            "/ HTTP/1.1\r\nContent-Length: 9\r\nTransfer-Encoding: chunked" + mine,
        "GET http://" + allowed() + "/ HTTP/1.1\r\nA: b\rX-Mark: " + mark() + "\r\n\r\n",
        "GET http://" + allowed() + "/ HTTP/1.1\r\nA: b\r\n X-Mark: " + mark() + "\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM" + mine, "\x05\x01\x00"s + mine,
        "\x04\x01\x1b\x59\x0a\x63\x07\x02\x00"s + mine})
    ask_raw(text);
}

void strange_names() {
  for (const std::string& name :
       {"allowed.lab\0.other.lab"s, "other.lab\0.allowed.lab"s, "other.lab "s, " other.lab"s,
        "other.lab\t"s, "other%2elab"s, "other.lab%00.allowed.lab"s, "other.lab\xE3\x80\x82"s,
        "\xEF\xBD\x8Fther.lab"s, "other.lab,allowed.lab"s, "other.lab;allowed.lab"s, "*.lab"s,
        "other..lab"s, "-other.lab"s, std::string(70, 'o') + ".lab", std::string(400, 'o')})
    for (const std::string& port : both_ports())
      ask_raw("CONNECT " + name + ":" + port + " HTTP/1.1\r\nX-Mark: " + mark() + "\r\n\r\n");
}

}  // namespace

Attempts proxy() {
  return {
      {"N11", "proxy: CONNECT to a host that is not allowed",
       [] {
         ask("CONNECT " + tcp(lab("other_host")), tcp(lab("other_host")));
         ask("CONNECT " + tcp("other.lab"), tcp("other.lab"));
       }},
      {"N12", "proxy: CONNECT to the host's loopback",
       [] {
         for (const char* name : {"127.0.0.1", "localhost", "[::1]", "0.0.0.0", "2130706433",
                                  "127.1", "[::ffff:127.0.0.1]"})
           ask("CONNECT " + tcp(name), tcp(name));
       }},
      {"N13", "proxy: allowed name that leads to loopback (rebinding)",
       [] { ask("CONNECT " + tcp("rebound.lab"), tcp("rebound.lab")); }},
      {"N14", "proxy: look-alikes of an allowed name",
       [] {
         for (const char* name :
              {"rebound.lab.", "REBOUND.LAB", "rebound.lab@other.lab", "other.lab#rebound.lab",
               "rebound.lab.other.lab", "xrebound.lab", "other.lab"})
           ask("CONNECT " + tcp(name), "rebound.lab");
         ask("GET http://" + tcp(lab("other_host")) + "/", tcp("rebound.lab"));
         ask("CONNECT " + tcp(lab("other_host")), "rebound.lab:443");
       }},
      {"N23", "proxy: another name of an allowed address",
       [] { ask("CONNECT " + allowed("other.lab"), allowed()); }},
      {"N24", "proxy: another port of an allowed host",
       [] {
         connect_each({"allowed.lab", lab("other_host")}, {lab("tcp"), lab("proxy_port")});
         ask("GET http://" + tcp("allowed.lab") + "/", allowed());
       }},
      {"N25", "proxy: URLs that could be read in two ways, and requests behind a request",
       smuggle_url},
      {"N26", "proxy: heads that could be read in two ways", inject_head},
      {"N27", "proxy: IPv6 addresses, and IPv4 inside them",
       [] {
         connect_each({"[" + lab("other_host6") + "]", lab("other_host6"),
                       "[::ffff:" + lab("other_host") + "]", "[::" + lab("other_host") + "]",
                       "[64:ff9b::" + lab("other_host") + "]", "[::1]", "[::]",
                       "[" + lab("other_host6") + "%eth0]"},
                      both_ports());
       }},
      {"N28", "proxy: IPv4 addresses in disguise",
       [] {
         connect_each(disguises(lab("other_host")), both_ports());
         connect_each(disguises("127.0.0.1"), {lab("tcp")});
       }},
      {"N29", "proxy: this machine by its other addresses",
       [] {
         connect_each({"0.0.0.0", "0.0.0.1", "127.0.0.2", "127.255.255.254", lab("own_host"),
                       "[fd99:7::1]", "255.255.255.255", "lab", "ip6-localhost"},
                      {lab("tcp")});
       }},
      {"N30", "proxy: names with NUL, blanks and other alphabets", strange_names},
  };
}

// What a proxy is there for, also for one who has tried to wear it out.
bool proxy_reaches_allowed() {
  const int fd = to_proxy();
  if (fd < 0) return false;
  const std::string text = "CONNECT " + allowed() + " HTTP/1.1\r\n\r\n";
  send(fd, text.data(), text.size(), MSG_NOSIGNAL);
  std::string heard;
  char part[512];
  while (heard.find("welcome") == heard.npos && hears(fd)) {
    const ssize_t size = read(fd, part, sizeof part);
    if (size <= 0) break;
    heard.append(part, static_cast<std::size_t>(size));
  }
  say("%s\n", heard.c_str());
  close(fd);
  return heard.starts_with("HTTP/1.1 200 ") && heard.find("welcome") != heard.npos;
}

bool proxy_outlasts_crowd() {
  std::vector<int> crowd;
  for (int count = 0; count < 600; ++count) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (fd < 0) break;
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(number("proxy_port")));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to);
    send(fd, "CONNECT ", 8, MSG_NOSIGNAL);
    crowd.push_back(fd);
  }
  say("%zu connections\n", crowd.size());
  for (const int fd : crowd) close(fd);
  return proxy_reaches_allowed();
}

}  // namespace attempt
