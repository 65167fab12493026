// What the tests of this folder share: scripts as agents, a recorder of events, and a look at
// /proc.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "process/children.h"
#include "process/tree.h"

namespace capsule::process::testing {

using namespace std::chrono_literals;

inline TreeSpec script(std::string text, std::vector<EnvChange> env = {}) {
  return {{"sh", "-c", std::move(text)}, {}, std::move(env), {}};
}

// Set for a guardian that is this program: it lacks namespaces before it becomes the real one.
inline constexpr const char* kTestKernel = "CAPSULE_TEST_KERNEL";
inline std::string this_program() {
  char path[4096];
  const ssize_t size = ::readlink("/proc/self/exe", path, sizeof path);
  return {path, static_cast<std::size_t>(size)};
}

// What is around a tree.
enum class Walls { none, namespaces, landlock_alone };
inline std::string name_of(Walls walls) {
  constexpr const char* kNames[] = {"None", "Namespaces", "LandlockAlone"};
  return kNames[static_cast<std::size_t>(walls)];
}

struct TemporaryFolder {
  TemporaryFolder() { EXPECT_NE(::mkdtemp(path.data()), nullptr); }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string path = "/tmp/capsule-process-XXXXXX";
};

// The same tree with walls around it, in a folder that it may change.
inline TreeSpec within(Walls walls, TreeSpec spec, const std::string& folder) {
  if (walls == Walls::none) return spec;
  spec.walls.emplace();
  spec.walls->folder = folder;
  if (walls == Walls::landlock_alone) {
    spec.walls->missing = contain::Missing::weaker;
    spec.env.push_back({kTestKernel, "without namespaces"});
  }
  return spec;
}

inline bool full() {
  const char* value = std::getenv("CAPSULE_TEST_FULL");
  return value != nullptr && std::string_view(value) == "1";
}

inline std::unique_ptr<Loop> make_loop(std::chrono::milliseconds patience = 6s) {
  auto loop = Loop::create({CAPSULE_BINARY, patience});
  EXPECT_TRUE(loop) << loop.error().message;
  return std::move(*loop);
}

inline std::unique_ptr<Loop> make_loop_for(Walls walls) {
  if (walls != Walls::landlock_alone) return make_loop();
  auto loop = Loop::create({this_program()});
  EXPECT_TRUE(loop) << loop.error().message;
  return std::move(*loop);
}

struct Recorder : ChildEvents {
  void on_contained(const contain::Report& report) override {
    EXPECT_EQ(agent, 0) << "contained after the start";
    EXPECT_FALSE(contained) << "contained twice";
    contained = report;
  }
  void on_refused(const contain::Refusals& all) override {
    EXPECT_FALSE(exit) << "refused after the end";
    EXPECT_FALSE(refused) << "refused twice";
    refused = all;
  }
  void on_started(pid_t pid) override { agent = pid; }
  void on_stdout(std::string_view bytes) override {
    EXPECT_NE(agent, 0) << "output before the start";
    out_bytes += bytes.size();
    if (keep) out += bytes;
    if (on_output) on_output();
  }
  void on_stderr(std::string_view bytes) override {
    err_bytes += bytes.size();
    if (keep) err += bytes;
  }
  void on_exit(const Exit& how) override {
    EXPECT_FALSE(exit) << "a second exit";
    exit = how;
  }
  bool exited_with(int code) const {
    return exit && exit->how == Exit::How::exited && exit->value == code;
  }
  bool signalled_by(int number) const {
    return exit && exit->how == Exit::How::signalled && exit->value == number;
  }

  pid_t agent = 0;
  std::optional<contain::Report> contained;
  std::optional<contain::Refusals> refused;
  bool keep = true;
  std::string out;
  std::string err;
  std::size_t out_bytes = 0;
  std::size_t err_bytes = 0;
  std::function<void()> on_output;
  std::optional<Exit> exit;
};

// Runs one tree to its end.
inline Recorder run_to_end(Loop& loop, const TreeSpec& spec) {
  Recorder recorder;
  const auto child = loop.start(spec, recorder);
  EXPECT_TRUE(child) << child.error().message;
  if (child) loop.run_while([&] { return !recorder.exit; });
  return recorder;
}

inline std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A word that no other test and no other run of it has in its environment.
inline EnvChange marker() {
  static int count = 0;
  return {"CAPSULE_PROCESS_TEST", std::to_string(::getpid()) + "-" + std::to_string(++count) + "-" +
                                      std::to_string(Clock::now().time_since_epoch().count())};
}

inline std::vector<pid_t> all_processes() {
  std::vector<pid_t> pids;
  DIR* proc = ::opendir("/proc");
  while (const dirent* entry = ::readdir(proc))
    if (const int pid = std::atoi(entry->d_name); pid > 0) pids.push_back(pid);
  ::closedir(proc);
  return pids;
}

// How many processes carry the marker, as /proc/<pid>/environ tells. A zombie has no environment.
inline int marked(const EnvChange& mark) {
  int count = 0;
  const std::string entry = mark.name + "=" + *mark.value;
  for (pid_t pid : all_processes())
    if (file_text("/proc/" + std::to_string(pid) + "/environ").find(entry) != std::string::npos)
      ++count;
  return count;
}

inline bool eventually(const std::function<bool()>& condition, std::chrono::seconds limit = 60s) {
  const auto end = Clock::now() + limit;
  while (!condition()) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(2ms);
  }
  return true;
}

// The signals in the line `label` of a /proc status, without the two that glibc keeps to itself.
inline unsigned long signals(const std::string& status, const std::string& label) {
  const std::size_t at = status.find(label + ":");
  EXPECT_NE(at, std::string::npos);
  return std::strtoul(status.c_str() + at + label.size() + 1, nullptr, 16) & ~0x180000000UL;
}

inline int children_of_this() {
  int count = 0;
  for_each_child(::getpid(), [&](pid_t) { ++count; });
  return count;
}

inline int open_fds() {
  int count = 0;
  DIR* fds = ::opendir("/proc/self/fd");
  while (::readdir(fds) != nullptr) ++count;
  ::closedir(fds);
  return count;
}

inline long resident_kib() {
  const std::string status = file_text("/proc/self/status");
  return std::atol(status.c_str() + status.find("VmRSS:") + 6);
}

// A tree of every kind that is hard to end: own sessions, orphans, deaf to TERM, forking on.
inline constexpr const char* kStubbornTree = R"(
trap '' TERM INT HUP
setsid sh -c 'trap "" TERM; while :; do sleep 0.01; done' &
( setsid sh -c 'trap "" TERM; sleep 1000 & sleep 1000' & ) &
( ( sleep 1000 & ) & ) &
sh -c 'trap "" TERM; while :; do setsid sleep 1000 & sleep 0.02; done' &
echo ready
while :; do sleep 1; done
)";

// Runs `work` in a forked process that stands for the orchestrator, and kills it when `ready`.
inline void kill_orchestrator_when(const std::function<bool()>& ready,
                                   const std::function<void()>& work) {
  const pid_t orchestrator = ::fork();
  ASSERT_GE(orchestrator, 0);
  if (orchestrator == 0) {
    work();
    ::_exit(0);
  }
  EXPECT_TRUE(eventually(ready));
  ::kill(orchestrator, SIGKILL);
  ::waitpid(orchestrator, nullptr, 0);
}

}  // namespace capsule::process::testing
