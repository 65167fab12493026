// What a face costs while an agent prints a megabyte a second: the program itself, on a terminal or
// with a page that listens, and its time on the processor as the kernel counts it.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "benchmarks/face.h"
#include "benchmarks/folder.h"
#include "benchmarks/page.h"
#include "benchmarks/repository.h"
#include "benchmarks/rows.h"
#include "event/delivery.h"
#include "store/store.h"

namespace capsule::bench {
namespace {

constexpr unsigned kFloodSettles = 2, kFloodWatched = 5;  // seconds
constexpr const char* kFloodLog = "/.capsule/logs/r1/1-developer.log";
constexpr const char* kFloodAt = "2026-01-31T23:59:59.123Z";

// A client's events, as one prints them while it reads and says much.
std::string flood_events(std::size_t bytes) {
  std::string text;
  for (int i = 0; text.size() < bytes; ++i) {
    const std::string id = std::to_string(i);
    text += R"({"type":"assistant","message":{"id":"m)" + id +
            R"(","model":"opus","content":[{"type":"tool_use","id":"t)" + id +
            R"(","name":"Read","input":{"file_path":"src/file)" + id + R"(.cpp"}}]}})" + "\n";
    text += R"({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t)" + id +
            R"(","content":")" + std::string(2000, 'x') + R"("}]}})" + "\n";
  }
  return text;
}

// A run with an agent at work: the process that holds it, and writes its log.
class Flood {
 public:
  Flood() {
    namespace delivery = event::delivery;
    const std::string& root = folder_.path();
    make_repository(root);
    std::filesystem::create_directories(root + "/.capsule/logs/r1");
    {
      delivery::DeliveryStarted started;
      started.plan = "/p/PLAN.md";
      for (int i = 1; i <= 20; ++i) {
        delivery::Task task;
        task.id = "T-" + std::to_string(i);
        task.criteria = {"x"};
        started.tasks.push_back(task);
      }
      delivery::AgentDispatched agent;
      agent.agent = agent.attempt = 1;
      agent.task = "T-1";
      std::vector<event::NewFact> facts;
      for (const delivery::DeliveryFact& fact : {delivery::DeliveryFact(started),
                                                 delivery::DeliveryFact(delivery::VerifyFinished{
                                                     delivery::VerifyPurpose::baseline, {}, ""}),
                                                 delivery::DeliveryFact(agent)})
        facts.push_back({std::string(kind_of(fact)), kFloodAt, body_of(fact)});
      const auto store = store::Store::open(root, store::Access::read_write).value();
      (void)store->begin({"r1", "delivery", "/p/PLAN.md", kFloodAt}, facts).value();
    }
    worker_ = ::fork();
    if (worker_ == 0) work(root);
  }
  ~Flood() {
    ::kill(worker_, SIGKILL);
    ::waitpid(worker_, nullptr, 0);
  }
  Flood(const Flood&) = delete;
  Flood& operator=(const Flood&) = delete;
  const std::string& root() const { return folder_.path(); }
  double printed_mb() const {
    return static_cast<double>(std::filesystem::file_size(root() + kFloodLog)) / 1e6;
  }

 private:
  [[noreturn]] static void work(const std::string& root) {
    const auto store = store::Store::open(root, store::Access::read_write).value();
    const auto claim = store->claim("/p/PLAN.md", "r1", kFloodAt).value();
    const std::string piece = flood_events(50'000);
    std::ofstream log(root + kFloodLog);
    for (;;) {
      log << piece << std::flush;
      ::usleep(static_cast<useconds_t>(piece.size()));  // a microsecond a byte
    }
  }
  Folder folder_;
  pid_t worker_ = -1;
};

// In percent of a core, for a megabyte a second.
double flood_cost(const char* command) {
  const Flood flood;
  Face face({command, "--project-dir=" + flood.root()});
  const bool serves = command == std::string_view("serve");
  const int page = serves ? entered(face, "no run").ask("/api/v1/events") : -1;
  const pid_t listener = serves ? start_reader(page) : -1;
  face.read_on();
  if (!serves) (void)!::write(face.terminal(), "b", 1);  // the board, which shows what agents do
  ::sleep(kFloodSettles);
  const double before = cpu_seconds_of(face.pid()), began = flood.printed_mb();
  ::sleep(kFloodWatched);
  const double used = cpu_seconds_of(face.pid()) - before;
  const double printed = flood.printed_mb() - began;  // less than it should on a busy machine
  if (serves) {
    ::close(page);
    end_reader(listener);
  }
  return 100 * used / printed;
}

const Rows kFlood([] {
  add_figure({"dashboard: CPU of capsule ui, an agent prints 1 MB/s", "%", 5, false,
              [] { return flood_cost("ui"); }});
  add_figure({"serve: CPU with a page open, an agent prints 1 MB/s", "%", 5, false,
              [] { return flood_cost("serve"); }});
});

}  // namespace
}  // namespace capsule::bench
