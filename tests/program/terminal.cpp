#include "tests/program/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace capsule::test {

AtTerminal::AtTerminal(const Call& call) {
  std::vector<std::string> words{call.program};
  words.insert(words.end(), call.args.begin(), call.args.end());
  std::vector<std::string> variables = environment(call);
  const auto pointers_of = [](std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (std::string& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
  };
  const std::vector<char*> argv = pointers_of(words);
  const std::vector<char*> envp = pointers_of(variables);
  winsize size{};
  size.ws_row = 40;
  size.ws_col = 120;
  pid_ = forkpty(&terminal_, nullptr, nullptr, &size);
  if (pid_ < 0) {
    std::perror("forkpty");
    std::abort();
  }
  if (pid_ == 0) {
    if (!call.cwd.empty() && chdir(call.cwd.c_str()) != 0) _exit(126);
    execvpe(argv[0], argv.data(), envp.data());
    _exit(127);
  }
  fcntl(terminal_, F_SETFD, FD_CLOEXEC);
  fcntl(terminal_, F_SETFL, O_NONBLOCK);
}

AtTerminal::~AtTerminal() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(terminal_);
}

void AtTerminal::type(std::string_view text) const {
  const ssize_t wrote = write(terminal_, text.data(), text.size());
  EXPECT_EQ(wrote, static_cast<ssize_t>(text.size()));
}

void AtTerminal::read_more() {
  char buffer[4096];
  for (;;) {
    const ssize_t got = read(terminal_, buffer, sizeof buffer);
    if (got <= 0) return;  // nothing more now, or (EIO) the program has gone
    screen_.append(buffer, static_cast<std::size_t>(got));
  }
}

const std::string& AtTerminal::screen() {
  read_more();
  return screen_;
}

bool AtTerminal::shows(std::string_view text) {
  return eventually([&] { return screen().find(text) != std::string::npos; });
}

int AtTerminal::wait() {
  int status = 0;
  pid_t ended = 0;
  // A terminal that nobody reads fills, and then its program waits.
  eventually([&] {
    read_more();
    ended = waitpid(pid_, &status, WNOHANG);
    return ended != 0;
  });
  EXPECT_EQ(ended, pid_) << "it did not end:\n" << screen_;
  if (ended != pid_) return -1;
  pid_ = -1;
  read_more();
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace capsule::test
