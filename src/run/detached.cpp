#include "run/detached.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/clock.h"
#include "base/files.h"
#include "base/ids.h"
#include "base/text.h"
#include "git/repository.h"
#include "process/program.h"
#include "process/spawn.h"

namespace capsule::run {
namespace {

constexpr const char* kTellVariable = "CAPSULE_TELL_PIPE";
constexpr int kTellFd = 3;
constexpr std::size_t kMostWords = std::size_t{4} << 20;
constexpr std::size_t kMostIdBytes = 200;

// Which pipe it is, so that no other file that has this number is taken for it. Empty: it is none.
std::string pipe_words(int fd) {
  struct stat status = {};
  if (::fstat(fd, &status) != 0 || !S_ISFIFO(status.st_mode)) return {};
  return std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
}

// The words that this process was called with, but for the first --detach that is an option.
Result<std::vector<std::string>> words_again() {
  const File file(::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC));
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t got = file ? ::read(file.fd(), buffer, sizeof buffer) : -1;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return tl::unexpected(io_error("read", "/proc/self/cmdline", errno));
    if (got == 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
    if (text.size() > kMostWords)
      return fail(Reason::usage, "the words of the command are too long");
  }
  std::vector<std::string> words;
  for (const std::string_view word : split(text, '\0')) words.emplace_back(word);
  if (!words.empty() && words.back().empty() && text.ends_with('\0')) words.pop_back();
  const auto options_end = std::find(words.begin(), words.end(), "--");
  const auto found = std::find(words.begin(), options_end, "--detach");
  if (found == options_end) return fail(Reason::io, "this process does not find its own words");
  words.erase(found);
  return words;
}

// Until the line feed, or until nobody is left who could write one.
std::string read_line(int fd) {
  std::string text;
  char buffer[256];
  for (;;) {
    const ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    text.append(buffer, static_cast<std::size_t>(got));
    if (const std::size_t end = text.find('\n'); end != text.npos) return text.substr(0, end);
    if (text.size() > kMostIdBytes) return {};
  }
}

}  // namespace

Result<Detached> detach(const world::Project& project) {
  // The user's checkout must not show it.
  TRY_VOID(git::exclude_capsule_dir(project.repository, {}));
  const std::string folder = project.root() + "/.capsule/detached";
  TRY_VOID(make_folders(folder));
  Detached detached;
  detached.log = folder + "/" + utc_stamp() + "-" + random_hex(4) + ".log";
  const File log(
      ::open(detached.log.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600));
  if (!log) return tl::unexpected(io_error("create", detached.log, errno));
  const File nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!nothing) return tl::unexpected(io_error("open", "/dev/null", errno));
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return tl::unexpected(io_error("make", "a pipe", errno));
  const File told(ends[0]);
  File tells(ends[1]);

  process::Start start;
  start.file = "/proc/self/exe";
  start.argv = TRY(words_again());
  std::vector<process::EnvChange> env{{kTellVariable, pipe_words(tells.fd())}};
  // It is in no environment of ours any more, so that agents have it in none of theirs.
  if (const std::string& address = world::journal_address(); !address.empty())
    env.push_back({world::kJournalVariable, address});
  start.env = TRY(process::environment(env));
  start.fds = {{nothing.fd(), STDIN_FILENO},
               {log.fd(), STDOUT_FILENO},
               {log.fd(), STDERR_FILENO},
               {tells.fd(), kTellFd}};
  if (const int error = process::start_process(start, detached.pid); error != 0)
    return tl::unexpected(io_error("start", "capsule again", error));
  tells = File();
  detached.run = read_line(told.fd());
  if (!detached.run.empty()) return detached;
  int status = 0;
  while (!process::reap(detached.pid, 0, status)) continue;
  detached.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  detached.said = read_file(detached.log).value_or("");
  ::unlink(detached.log.c_str());
  return detached;
}

void tell_carried_on(const std::string& run) {
  const char* variable = std::getenv(kTellVariable);
  if (variable == nullptr) return;
  const std::string wanted = variable;
  ::unsetenv(kTellVariable);
  if (wanted.empty() || wanted != pipe_words(kTellFd)) return;
  const File tells(kTellFd);
  static_cast<void>(write_all(tells.fd(), run + "\n", "the pipe"));
}

}  // namespace capsule::run
