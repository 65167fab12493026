// What a script pays to start `capsule parse-signal`, against the cheapest program there is.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "benchmarks/rows.h"

extern char** environ;  // NOLINT: POSIX gives it no header

namespace capsule::bench {
namespace {

// A small phase output as a file without a name, wound back to its start.
int small_input() {
  static const int fd = [] {
    std::FILE* file = std::tmpfile();
    if (file == nullptr) std::abort();
    std::fputs(
        "Running tests... 2 failing\n"
        "{\"status\":\"PASS\",\"feedback\":\"f\",\"files_changed\":[],\"summary\":\"s\"}\n",
        file);
    std::fflush(file);
    return fileno(file);
  }();
  ::lseek(fd, 0, SEEK_SET);
  return fd;
}

void start(const char* program, const char* word) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, small_input(), 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  std::string name = program;
  std::string argument = word == nullptr ? "" : word;
  char* words[] = {name.data(), word == nullptr ? nullptr : argument.data(), nullptr};
  pid_t pid = -1;
  int status = -1;
  if (::posix_spawn(&pid, program, &actions, nullptr, words, environ) != 0) std::abort();
  ::waitpid(pid, &status, 0);
  posix_spawn_file_actions_destroy(&actions);
  if (status != 0) {
    std::fprintf(stderr, "%s did not end with 0\n", program);
    std::abort();
  }
}

const Rows kRows([] {
  add_comparison({"start-up: capsule parse-signal against /bin/true", 1.5, 1000,
                  [] { start(CAPSULE_BINARY, "parse-signal"); },
                  [] { start("/bin/true", nullptr); }});
});

}  // namespace
}  // namespace capsule::bench
