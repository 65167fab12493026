#include "benchmarks/face.h"

#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace capsule::bench {

pid_t start_reader(int fd) {
  const pid_t reader = ::fork();
  if (reader != 0) return reader;
  char bytes[65536];
  while (::read(fd, bytes, sizeof bytes) > 0) continue;
  ::_exit(0);
}

void end_reader(pid_t reader) {
  ::kill(reader, SIGKILL);
  ::waitpid(reader, nullptr, 0);
}

Face::Face(std::vector<std::string> words) {
  words.insert(words.begin(), CAPSULE_BINARY);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const struct winsize size {
    34, 120, 0, 0
  };
  pid_ = ::forkpty(&terminal_, nullptr, nullptr, &size);
  if (pid_ < 0) std::abort();
  if (pid_ == 0) {
    ::setenv("TERM", "xterm-256color", 1);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
}

Face::~Face() {
  ::kill(pid_, SIGTERM);
  ::close(terminal_);
  ::waitpid(pid_, nullptr, 0);
  if (reader_ > 0) end_reader(reader_);
}

void Face::read_on() { reader_ = start_reader(terminal_); }

}  // namespace capsule::bench
