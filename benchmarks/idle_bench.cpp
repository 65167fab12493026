// What a face costs while nothing happens: nothing. Wake-ups are counted by the kernel, which notes
// each time that a process gave the processor up by itself.
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "benchmarks/folder.h"
#include "benchmarks/rows.h"
#include "process/command.h"

namespace capsule::bench {
namespace {

constexpr unsigned kSettles = 2, kWatched = 5;  // seconds

// A project with a run that has ended.
std::string project() {
  static const Folder folder;
  static const std::string at = [] {
    const std::string made = folder.path() + "/demo";
    process::Spec spec;
    spec.argv = {CAPSULE_BINARY, "demo", made};
    const auto output = process::run(spec);
    if (!output || !output->ok()) std::abort();
    return made;
  }();
  return at;
}

long wake_ups(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  std::string line;
  constexpr std::string_view kLabel = "voluntary_ctxt_switches:";
  while (std::getline(status, line))
    if (line.starts_with(kLabel)) return std::atol(line.c_str() + kLabel.size());
  std::abort();  // it has ended
}

// On a terminal of its own, which is read as fast as it is written to.
double idle(std::vector<std::string> words) {
  words.push_back("--project-dir=" + project());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const struct winsize size {
    34, 120, 0, 0
  };
  int terminal = -1;
  const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (pid < 0) std::abort();
  if (pid == 0) {
    ::setenv("TERM", "xterm-256color", 1);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  const pid_t reader = ::fork();
  if (reader == 0) {
    char bytes[4096];
    while (::read(terminal, bytes, sizeof bytes) > 0) continue;
    ::_exit(0);
  }
  ::sleep(kSettles);
  const long before = wake_ups(pid);
  ::sleep(kWatched);
  const long after = wake_ups(pid);
  ::kill(pid, SIGTERM);
  ::close(terminal);
  ::waitpid(pid, nullptr, 0);
  ::kill(reader, SIGKILL);
  ::waitpid(reader, nullptr, 0);
  return static_cast<double>(after - before) / kWatched;
}

const Rows kRows([] {
  add_figure({"idle: wake-ups of capsule ui while nothing happens", "a second", 0, false, [] {
                return idle({CAPSULE_BINARY, "ui"});
              }});
  add_figure({"idle: wake-ups of capsule serve while nothing happens", "a second", 0, false, [] {
                return idle({CAPSULE_BINARY, "serve"});
              }});
});

}  // namespace
}  // namespace capsule::bench
