// What a page that many look at costs: the server in a process of its own, with streams that all
// get the same events; and what a browser has to fetch first.
#include <arpa/inet.h>
#include <malloc.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "benchmarks/rows.h"
#include "http/server.h"
#include "serve/pages.h"

namespace capsule::bench {
namespace {

using namespace std::chrono_literals;

struct Cost {
  double cpu_percent = 1e9;  // of one core
  double resident_mb = 1e9;
};

double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return of(used.ru_utime) + of(used.ru_stime);
}

// Memory of its own: the pages of this program's file are shared by all its processes.
double own_mb() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("RssAnon:")) return std::atof(line.c_str() + 8) / 1024;
  return 1e9;
}

class Everybody : public http::Handler {
 public:
  void on_request(http::ExchangeId id, const http::Request&) override {
    if (server->stream(id, {})) streams.push_back(id);
  }
  http::Server* server = nullptr;
  std::vector<http::ExchangeId> streams;
};

// In a child: says its port, waits for the clients, sends, and says what that took.
[[noreturn]] void serve(int to_parent, std::size_t clients, std::chrono::milliseconds every,
                        int events) {
  ::malloc_trim(0);  // what the parent has freed would be used first, and not counted
  const double before_mb = own_mb();
  auto loop = process::Loop::create({CAPSULE_BINARY, 6s});
  Everybody everybody;
  http::Limits limits;
  limits.connections = limits.streams = clients;
  auto server = http::Server::listen(**loop, {}, everybody, limits);
  everybody.server = server->get();
  const int port = (*server)->port();
  (void)!::write(to_parent, &port, sizeof port);
  (*loop)->run_while([&] { return everybody.streams.size() < clients; });
  const std::string event = http::event_bytes("rows", "123456", std::string(300, 'x'));
  const double began = cpu_seconds();
  int sent = 0;
  std::function<void()> tick = [&] {
    for (const http::ExchangeId id : everybody.streams) (*server)->send(id, event);
    if (++sent < events) (*loop)->after(every, tick);
  };
  const auto start = std::chrono::steady_clock::now();
  (*loop)->after(every, tick);
  (*loop)->run_while([&] { return sent < events; });
  const double took =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const Cost cost{100 * (cpu_seconds() - began) / took, own_mb() - before_mb};
  (void)!::write(to_parent, &cost, sizeof cost);
  ::_exit(0);
}

Cost cost_of(std::size_t clients, std::chrono::milliseconds every, int events) {
  int ends[2];
  if (::pipe(ends) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) serve(ends[1], clients, every, events);
  ::close(ends[1]);
  int port = 0;
  Cost cost;
  std::vector<int> sockets;
  if (::read(ends[0], &port, sizeof port) == sizeof port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    constexpr std::string_view kAsk = "GET /events HTTP/1.1\r\nHost: x\r\n\r\n";
    for (std::size_t i = 0; i < clients; ++i) {
      const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0)
        (void)!::send(fd, kAsk.data(), kAsk.size(), MSG_NOSIGNAL);
      sockets.push_back(fd);
    }
    // What a kernel keeps for each is more than all events: nobody has to read meanwhile.
    if (::read(ends[0], &cost, sizeof cost) != sizeof cost) cost = {};
  }
  for (const int fd : sockets) ::close(fd);
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return cost;
}

// What the page names, and what each module of it imports at once, with the heads of the answers.
double first_page_kb() {
  std::vector<std::string> names = {"/", "/style.css", "/app.js"};
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const http::Response answer = serve::page(names[i], "");
    if (answer.status != 200) return 1e9;
    bytes += http::bytes_of(answer, false, true).size();
    constexpr std::string_view kFrom = " from \"./";
    for (std::size_t at = 0; (at = answer.body.find(kFrom, at)) != std::string::npos;) {
      at += kFrom.size();
      const std::string name = "/" + answer.body.substr(at, answer.body.find('"', at) - at);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return static_cast<double>(bytes) / 1000;
}

const Rows kHttp([] {
  add_figure({"serve: CPU, 200 streams, ten events a second", "%", 3, false,
              [] { return cost_of(200, 100ms, 50).cpu_percent; }});
  add_figure({"serve: memory of 200 streams", "MB", 5, false,
              [] { return cost_of(200, 100ms, 20).resident_mb; }});
  add_figure({"serve: memory of 1,000 streams", "MB", 10, false,
              [] { return cost_of(1000, 500ms, 4).resident_mb; }});
  add_figure(
      {"serve: the first page, heads of the answers included", "KB", 95, false, first_page_kb});
});

}  // namespace
}  // namespace capsule::bench
