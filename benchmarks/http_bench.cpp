// What a page that many look at costs: `capsule serve` itself, with browsers that all get what a
// run tells; and what a browser has to fetch first.
#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "benchmarks/folder.h"
#include "benchmarks/page.h"
#include "benchmarks/repository.h"
#include "benchmarks/rows.h"
#include "event/delivery.h"
#include "http/message.h"
#include "serve/pages.h"
#include "store/store.h"

namespace capsule::bench {
namespace {

constexpr const char* kServedAt = "2026-01-31T23:59:59.123Z";

// A delivery of some tasks, whose agents begin and end one after the other.
class Served {
 public:
  Served() {
    namespace delivery = event::delivery;
    const std::string& root = folder_.path();
    make_repository(root);
    delivery::DeliveryStarted started;
    started.plan = "/p/PLAN.md";
    for (int i = 1; i <= kTasks; ++i) {
      delivery::Task task;
      task.id = "T-" + std::to_string(i);
      task.criteria = {"x"};
      started.tasks.push_back(task);
    }
    std::vector<event::NewFact> facts;
    for (const delivery::DeliveryFact& fact :
         {delivery::DeliveryFact(started), delivery::DeliveryFact(delivery::VerifyFinished{
                                               delivery::VerifyPurpose::baseline, {}, ""})})
      facts.push_back({std::string(kind_of(fact)), kServedAt, body_of(fact)});
    store_ = store::Store::open(root, store::Access::read_write).value();
    last_ = store_->begin({"r1", "delivery", "/p/PLAN.md", kServedAt}, facts).value();
  }
  const std::string& root() const { return folder_.path(); }
  // One fact more, that is seen on a board.
  void tell() {
    event::delivery::AgentDispatched agent;
    agent.agent = ++agents_;
    agent.attempt = 1 + agents_ / kTasks;
    agent.task = "T-" + std::to_string(1 + agents_ % kTasks);
    const event::delivery::DeliveryFact fact(agent);
    const event::NewFact one{std::string(kind_of(fact)), kServedAt, body_of(fact)};
    last_ = store_->append("r1", last_, {&one, 1}, std::nullopt).value();
  }

 private:
  static constexpr int kTasks = 20;
  Folder folder_;
  std::unique_ptr<store::Store> store_;
  std::uint64_t last_ = 0;
  int agents_ = 0;
};

// A process that reads what comes on all of them, and keeps nothing.
pid_t start_readers(const std::vector<int>& sockets) {
  const pid_t reader = ::fork();
  if (reader != 0) return reader;
  const int all = ::epoll_create1(0);
  for (const int fd : sockets) {
    epoll_event wanted{EPOLLIN, {}};
    wanted.data.fd = fd;
    ::epoll_ctl(all, EPOLL_CTL_ADD, fd, &wanted);
  }
  static char bytes[65536];
  for (epoll_event ready[64];;)
    for (int i = 0, count = ::epoll_wait(all, ready, 64, -1); i < count; ++i)
      if (::read(ready[i].data.fd, bytes, sizeof bytes) <= 0) ::_exit(1);  // one was cut off
}

struct Cost {
  double cpu_percent = 1e9;  // of one core
  double own_mb = 1e9;       // of the whole process
};

// `facts` are told, so many a second, while so many browsers listen.
Cost cost_of(std::size_t browsers, int a_second, int facts) {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = std::min<rlim_t>(files.rlim_max, browsers + 200);
  ::setrlimit(RLIMIT_NOFILE, &files);
  Served served;
  Face face({"serve", "--project-dir=" + served.root()});
  const Page page = entered(face, "no run");
  face.read_on();
  std::vector<int> sockets;
  for (std::size_t i = 0; i < browsers; ++i) {
    sockets.push_back(page.ask("/api/v1/events"));
    heard_until(sockets.back(), "event: reload");
  }
  const pid_t readers = start_readers(sockets);
  const double before = cpu_seconds_of(face.pid());
  for (int i = 0; i < facts; ++i) {
    ::usleep(static_cast<useconds_t>(1'000'000 / a_second));
    served.tell();
  }
  const double seconds = static_cast<double>(facts) / a_second;
  const Cost cost{100 * (cpu_seconds_of(face.pid()) - before) / seconds, own_mb_of(face.pid())};
  // All of them are still there: nobody was told to go.
  const bool lost = ::waitpid(readers, nullptr, WNOHANG) == readers;
  if (!lost) end_reader(readers);
  for (const int fd : sockets) ::close(fd);
  return lost ? Cost{} : cost;
}

// From when a fact is about to be appended, commit and sync included, until a browser that listens
// is told: the median.
double fact_to_event_ms() {
  constexpr int kFacts = 100;
  constexpr useconds_t kBetween = 60'000;  // each is told by itself
  Served served;
  Face face({"serve", "--project-dir=" + served.root()});
  const Page page = entered(face, "no run");
  face.read_on();
  const int stream = page.ask("/api/v1/events");
  heard_until(stream, "event: reload");
  std::vector<double> delays;
  for (int i = 0; i < kFacts; ++i) {
    ::usleep(kBetween);
    const auto before = std::chrono::steady_clock::now();
    served.tell();
    heard_until(stream, "event: rows");
    delays.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - before)
            .count());
  }
  ::close(stream);
  std::nth_element(delays.begin(), delays.begin() + kFacts / 2, delays.end());
  return delays[kFacts / 2];
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
  add_figure(
      {"serve: from a fact of another process to an event on a stream, commit included, median",
       "ms", 20, false, fact_to_event_ms});
  add_figure({"serve: CPU, 200 browsers listen, ten facts a second", "%", 3, false,
              [] { return cost_of(200, 10, 50).cpu_percent; }});
  add_figure({"serve: memory of its own (RssAnon) with 200 browsers", "MB", 5, false,
              [] { return cost_of(200, 10, 20).own_mb; }});
  add_figure({"serve: memory of its own (RssAnon) with 1,000 browsers", "MB", 10, false,
              [] { return cost_of(1000, 2, 10).own_mb; }});
  add_figure(
      {"serve: the first page, heads of the answers included", "KB", 95, false, first_page_kb});
});

}  // namespace
}  // namespace capsule::bench
