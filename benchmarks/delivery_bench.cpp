// Delivery: what the coordinator itself costs, with agents that answer at once and no git, and what
// it needs while two hundred real agents work.
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>

#include "base/files.h"
#include "base/text.h"
#include "benchmarks/folder.h"
#include "benchmarks/good_world.h"
#include "benchmarks/rows.h"
#include "engine/runner.h"
#include "process/command.h"
#include "store/store.h"
#include "workflow/delivery/workflow.h"

namespace capsule::bench {
namespace {

using namespace event::delivery;  // NOLINT: the facts are what this file is about

struct FixedClock : engine::Clock {
  std::string utc_now() override { return "2026-01-31T23:59:59.123Z"; }
};

// Remembers what was appended, so that the same can be appended barely.
struct Keeper : engine::Listener {
  explicit Keeper(std::vector<std::vector<event::NewFact>>* to) : kept(to) {}
  void on_facts(std::span<const event::NewFact> facts) override {
    if (kept != nullptr) kept->emplace_back(facts.begin(), facts.end());
  }
  std::vector<std::vector<event::NewFact>>* kept;
};

DeliveryStarted plan_of(int count) {
  DeliveryStarted started;
  started.plan = "PLAN.md";
  started.title = "Many tasks";
  for (int i = 0; i < count; ++i) {
    Task task;
    task.id = "T-" + std::to_string(i);
    task.title = "Do the work of this task";
    task.work = "Write the file, and a test for it.";
    task.criteria = {"the file is there", "its test passes"};
    task.predicted = {"src/file-" + std::to_string(i) + ".c"};
    if (i >= 10) task.blocked_by = {"T-" + std::to_string(i - 10)};
    if (i >= 17 && i % 3 == 0) task.blocked_by.push_back("T-" + std::to_string(i - 17));
    started.tasks.push_back(std::move(task));
  }
  return started;
}

void deliver(int count, std::vector<std::vector<event::NewFact>>* kept = nullptr) {
  const Folder folder;
  const auto store = store::Store::open(folder.path(), store::Access::read_write).value();
  FixedClock clock;
  Keeper keeper(kept);
  GoodWorld world;
  engine::Log log(*store, "run", "delivery", "PLAN.md");
  delivery::State state;
  state.run = "run";
  engine::WorkflowOf<delivery::Rules> workflow(std::move(state));
  engine::Runner runner(workflow, {clock, log, world, keeper});
  if (!runner.take(workflow.given({plan_of(count)}, clock.utc_now())))
    throw std::runtime_error("cannot start");
  const auto end = runner.carry_on();
  if (!end || *end != engine::End::over || workflow.state().outcome != Outcome::complete)
    throw std::runtime_error("the plan was not completed");
}

void commit_barely(const std::vector<std::vector<event::NewFact>>& batches) {
  const Folder folder;
  const auto store = store::Store::open(folder.path(), store::Access::read_write).value();
  std::uint64_t last = 0;
  for (const auto& batch : batches)
    last = last == 0 ? store->begin({"run", "delivery", "PLAN.md", "now"}, batch).value()
                     : store->append("run", last, batch, std::nullopt).value();
}

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double milliseconds_a_task(int count) {
  double best = 1e9;
  for (int turn = 0; turn < 3; ++turn) {
    const double from = processor_seconds();
    deliver(count);
    best = std::min(best, (processor_seconds() - from) * 1e3 / count);
  }
  return best;
}

double growth() { return milliseconds_a_task(10'000) / milliseconds_a_task(1'000); }

double against_bare_commits() {
  std::vector<std::vector<event::NewFact>> batches;
  deliver(10'000, &batches);
  double best = 1e9;
  for (int turn = 0; turn < 3; ++turn) {
    const auto seconds = [](const auto& work) {
      const auto from = std::chrono::steady_clock::now();
      work();
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
    };
    const double bare = seconds([&] { commit_barely(batches); });
    best = std::min(best, seconds([] { deliver(10'000); }) / bare);
  }
  return best;
}

// ---- Two hundred agents of the real program.

constexpr int kAgents = 200;

double status_number(pid_t pid, std::string_view label) {
  const std::string text = read_file("/proc/" + std::to_string(pid) + "/status").value_or("");
  const std::size_t at = text.find(label);
  return at == text.npos ? 0 : std::atof(text.c_str() + at + label.size());
}

double ticks_of(pid_t pid) {
  const std::string text = read_file("/proc/" + std::to_string(pid) + "/stat").value_or("");
  const auto words = split(std::string_view(text).substr(text.rfind(')') + 1), ' ');
  return words.size() < 14 ? 0
                           : std::atof(std::string(words[12]).c_str()) +
                                 std::atof(std::string(words[13]).c_str());
}

struct Crowd {
  double megabytes = 0;  // of the coordinator at most
  double processor = 0;  // seconds a second, while all agents work and say nothing
};

// Started as a person would: what runs below a guardian counts as an agent and may not deliver.
pid_t start(const std::string& folder, std::vector<std::string> words) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  const int null = ::open("/dev/null", O_RDWR);
  for (int fd : {0, 1, 2}) ::dup2(null, fd);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  if (::chdir(folder.c_str()) == 0) ::execv(CAPSULE_BINARY, argv.data());
  ::_exit(127);
}

const Crowd& crowd() {
  static const Crowd measured = [] {
    const Folder folder;
    const std::string project = folder.path() + "/project";
    const std::string here = folder.path() + "/here";
    std::filesystem::create_directories(project + "/.capsule");
    std::filesystem::create_directories(here);
    const auto git = [&](std::vector<std::string> args) {
      args.insert(args.begin(), {"git", "-c", "user.name=a", "-c", "user.email=a@example.org"});
      if (!process::run({.argv = args, .cwd = project}).value().ok())
        throw std::runtime_error("git does not work");
    };
    git({"init", "-q", "-b", "main"});
    git({"commit", "-q", "--allow-empty", "-m", "Start"});
    (void)write_file(project + "/.capsule/config.yaml",
                     "provider: mine\nproviders: {mine: {command: [/bin/sh, -c, \"touch " + here +
                         "/$CAPSULE_TASK; exec sleep 600\"]}}\n");
    std::string plan = "# Many\n\n";
    for (int i = 0; i < kAgents; ++i)
      plan += "#### Task T-" + std::to_string(i) + ": Work\n\n**Work**: Write `f" +
              std::to_string(i) + ".txt`\n\n**Acceptance Criteria**:\n- [ ] f" + std::to_string(i) +
              ".txt holds 1\n\n**Blocked By**: none\n\n";
    (void)write_file(folder.path() + "/PLAN.md", plan);
    const pid_t child = start(project, {CAPSULE_BINARY, "deliver", folder.path() + "/PLAN.md",
                                        "--developers=200", "--json"});
    const auto begun = [&] {
      int count = 0;
      for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(here)) ++count;
      return count;
    };
    // A worktree each takes its time.
    for (int tenths = 0; begun() < kAgents && tenths < 3000; ++tenths) ::usleep(100'000);
    if (begun() < kAgents) throw std::runtime_error("not all agents began");
    Crowd result;
    constexpr int kSeconds = 3;
    const double from = ticks_of(child);
    ::sleep(kSeconds);
    result.processor =
        (ticks_of(child) - from) / static_cast<double>(::sysconf(_SC_CLK_TCK)) / kSeconds;
    result.megabytes = status_number(child, "VmHWM:") / 1024;
    ::kill(child, SIGINT);
    int status = 0;
    ::waitpid(child, &status, 0);
    return result;
  }();
  return measured;
}

const Rows kRows([] {
  add_figure({"delivery: CPU of a task, of 10,000", "ms", 0.3, false,
              [] { return milliseconds_a_task(10'000); }});
  add_figure({"delivery: time against bare commits", "x", 1.3, false, against_bare_commits});
  add_figure({"delivery: a task of 10,000 against one of 1,000", "x", 1.2, false, growth});
  add_figure(
      {"delivery: memory with 200 agents", "MB", 64, false, [] { return crowd().megabytes; }});
  add_figure({"delivery: CPU while 200 agents work", "s/s", 0.05, false,
              [] { return crowd().processor; }});
});

}  // namespace
}  // namespace capsule::bench
