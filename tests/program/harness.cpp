#include "tests/program/harness.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

extern char** environ;  // NOLINT: POSIX gives it no header

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

// What a killed Capsule leaves has to be gone after this time. A sanitizer, or a machine with much
// else to do, makes the start and the end of each process many times as long, the guardian's too.
constexpr std::chrono::seconds kLongestEnd{10};

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::abort();
}

int nameless_file(const char* name) {
  const int fd = memfd_create(name, MFD_CLOEXEC);
  if (fd < 0) die("memfd_create");
  return fd;
}

std::string contents(int fd) {
  std::string text;
  char buffer[65536];
  for (off_t at = 0;;) {
    const ssize_t got = pread(fd, buffer, sizeof buffer, at);
    if (got <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
    at += got;
  }
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  result.reserve(words.size() + 1);
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

void feed(int fd, const std::string& text) {
  // A program may stop reading: that is a failed write here, not the end of the test program.
  sigset_t pipe_signal;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, nullptr);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = write(fd, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) break;
    done += static_cast<std::size_t>(wrote);
  }
  close(fd);
}

struct Survivor {
  pid_t pid;
  std::string command;
};

// Processes that carry `mark` in their environment, and everything that descends from us.
std::vector<Survivor> survivors(const std::string& mark) {
  std::vector<Survivor> found;
  std::map<pid_t, pid_t> parent_of;
  std::vector<pid_t> pids;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const pid_t pid = static_cast<pid_t>(std::atol(entry.path().filename().c_str()));
    if (pid <= 0) continue;
    const std::string stat = read_file(entry.path() / "stat");
    const std::size_t name_end = stat.rfind(')');
    if (name_end == stat.npos || name_end + 4 >= stat.size()) continue;
    parent_of[pid] = static_cast<pid_t>(std::atol(stat.c_str() + name_end + 4));
    pids.push_back(pid);
  }
  const pid_t self = getpid();
  for (pid_t pid : pids) {
    if (pid == self) continue;
    bool ours = false;
    pid_t above = pid;
    for (int steps = 0; steps < 1000 && above > 1 && !ours; ++steps) {
      above = parent_of.contains(above) ? parent_of[above] : 0;
      ours = above == self;
    }
    const std::string folder = "/proc/" + std::to_string(pid);
    if (!ours && !mark.empty())
      ours = read_file(folder + "/environ").find(mark) != std::string::npos;
    if (!ours) continue;
    std::string command = read_file(folder + "/cmdline");
    for (char& byte : command)
      if (byte == '\0') byte = ' ';
    found.push_back({pid, command});
  }
  return found;
}

}  // namespace

std::vector<std::string> environment(const Call& call) {
  std::map<std::string, std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != text.npos) all[std::string(text.substr(0, equals))] = text.substr(equals + 1);
  }
  for (const auto& [name, value] : call.env) {
    if (value)
      all[name] = *value;
    else
      all.erase(name);
  }
  std::vector<std::string> lines;
  lines.reserve(all.size());
  for (const auto& [name, value] : all) lines.emplace_back(name).append("=").append(value);
  return lines;
}

Running::Running(const Call& call) : limit_(call.limit) {
  out_ = nameless_file("stdout");
  err_ = nameless_file("stderr");
  int in[2] = {-1, -1};
  if (!call.input_file.empty()) {
    in[0] = open(call.input_file.c_str(), O_RDONLY | O_CLOEXEC);
    if (in[0] < 0) die(call.input_file.c_str());
  } else if (pipe2(in, O_CLOEXEC) != 0) {
    die("pipe2");
  }

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  posix_spawn_file_actions_adddup2(&actions, out_, 1);
  posix_spawn_file_actions_adddup2(&actions, err_, 2);
  if (!call.cwd.empty()) posix_spawn_file_actions_addchdir_np(&actions, call.cwd.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);

  std::vector<std::string> words{call.program};
  words.insert(words.end(), call.args.begin(), call.args.end());
  std::vector<std::string> variables = environment(call);
  const int fault = posix_spawnp(&pid_, call.program.c_str(), &actions, &attributes,
                                 pointers(words).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(in[0]);
  if (fault != 0) {
    errno = fault;
    die(call.program.c_str());
  }
  if (in[1] >= 0) writer_ = std::thread(feed, in[1], call.input);
}

Running::~Running() {
  if (pid_ > 0) {
    kill(-pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (writer_.joinable()) writer_.join();
  if (out_ >= 0) close(out_);
  if (err_ >= 0) close(err_);
}

void Running::send(int signal_number) const { kill(pid_, signal_number); }
std::string Running::out_so_far() const { return contents(out_); }
std::string Running::err_so_far() const { return contents(err_); }

Outcome Running::wait() {
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  if (handle < 0) die("pidfd_open");
  pollfd ended{handle, POLLIN, 0};
  const int milliseconds = static_cast<int>(std::chrono::milliseconds(limit_).count());
  int ready = 0;
  do ready = poll(&ended, 1, milliseconds);
  while (ready < 0 && errno == EINTR);
  close(handle);
  if (ready == 0) {
    ADD_FAILURE() << "still running after " << limit_.count() << " s; killed";
    kill(-pid_, SIGKILL);
  }
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (writer_.joinable()) writer_.join();
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), contents(out_),
          contents(err_)};
}

Outcome run(const Call& call) { return Running(call).wait(); }

bool eventually(const std::function<bool()>& ready) {
  for (int i = 0; i < 6000; ++i) {
    if (ready()) return true;
    usleep(10'000);
  }
  return ready();
}

std::vector<std::string> left_of_walls(const std::string& project) {
  std::vector<std::string> left;
  for (const char* area : {"/.capsule/tmp", "/.capsule/homes"})
    if (fs::exists(project + area))
      for (const auto& entry : fs::directory_iterator(project + area)) left.push_back(entry.path());
  for (const auto& process : fs::directory_iterator("/proc")) {
    const std::string mounts = read_file(process.path() / "mountinfo");
    if (mounts.find(project + "/") != mounts.npos || mounts.find(project + " ") != mounts.npos)
      left.push_back(process.path() / "mountinfo");
  }
  return left;
}

::testing::AssertionResult nothing_left_of_walls(const std::string& project) {
  if (eventually([&] { return left_of_walls(project).empty(); }))
    return ::testing::AssertionSuccess();
  auto failure = ::testing::AssertionFailure();
  for (const std::string& one : left_of_walls(project)) failure << one << " is left; ";
  return failure;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_file(const std::string& path, std::string_view text) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) die(path.c_str());
}

void ProgramTest::SetUp() {
  // Orphans of what we start come to us, so none can hide from TearDown.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  std::string pattern = (fs::temp_directory_path() / "capsule-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) die("mkdtemp");
  dir_ = fs::canonical(pattern).string();
  mark_ = fs::path(dir_).filename().string();
}

void ProgramTest::TearDown() {
  std::vector<Survivor> left;
  const auto until = std::chrono::steady_clock::now() + kLongestEnd;
  for (bool late = false; !late;) {
    late = std::chrono::steady_clock::now() >= until;
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    left = survivors(mark_);
    if (left.empty()) break;
    usleep(10'000);
  }
  for (const Survivor& survivor : left) {
    ADD_FAILURE() << "process " << survivor.pid << " survived the test: " << survivor.command;
    kill(survivor.pid, SIGKILL);
  }
  std::error_code ignored;
  fs::remove_all(dir_, ignored);
}

void ProgramTest::inside_walls(const std::vector<std::string>& writes) {
  walls_ = true;
  std::string places;
  for (const std::string& name : writes) {
    fs::create_directories(path(name));
    places += (places.empty() ? "'" : ", '") + path(name) + "'";
  }
  write_file(path("home/.config/capsule/config.yaml"),
             "contain: {preset: worktree, write: [" + places + "]}\n");
}

Call ProgramTest::prepared(Call call) const {
  call.env.emplace("CAPSULE_TEST_MARK", mark_);
  call.env.emplace("CAPSULE_CONTAIN", walls_ ? std::nullopt : std::optional<std::string>("off"));
  call.env.emplace("CLAUDE_CODE_SESSION_ID", std::nullopt);  // of whoever runs the tests
  if (call.cwd.empty()) call.cwd = dir_;
  return call;
}

Outcome ProgramTest::capsule(std::vector<std::string> args, std::string input) const {
  return call({.args = std::move(args), .input = std::move(input)});
}

}  // namespace capsule::test
