#include "terminal/keeper.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "canvas/diff.h"
#include "process/fd.h"
#include "process/program.h"
#include "process/spawn.h"

namespace capsule::terminal {
namespace {

constexpr int kPipe = 3;
constexpr char kGivenBack = 'q';

bool same_modes(const termios& a, const termios& b) {
  return a.c_iflag == b.c_iflag && a.c_oflag == b.c_oflag && a.c_cflag == b.c_cflag &&
         a.c_lflag == b.c_lflag;
}

bool read_all(int fd, char* to, std::size_t size) {
  while (size > 0) {
    const ssize_t got = ::read(fd, to, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

int keeper_main() {
  // It has a session of its own, so that no key reaches it; and it must see its owner go.
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGTTOU, SIGPIPE}) ::signal(number, SIG_IGN);
  Kept kept;
  char byte = 0;
  // The pipe does not block on our side by its flags: it does here, where there is nothing else.
  ::fcntl(kPipe, F_SETFL, 0);
  if (!read_all(kPipe, reinterpret_cast<char*>(&kept), sizeof kept)) return 0;
  if (read_all(kPipe, &byte, 1)) return 0;
  const std::string_view leave = canvas::leave();
  (void)!::write(STDOUT_FILENO, leave.data(), leave.size());
  // A shell that noticed first may have set modes of its own, and they are the better ones.
  termios now;
  if (::tcgetattr(STDIN_FILENO, &now) == 0 && same_modes(now, kept.raw))
    ::tcsetattr(STDIN_FILENO, TCSANOW, &kept.before);
  return 0;
}

Result<std::unique_ptr<Keeper>> Keeper::start(const Kept& kept) {
  process::Ends ends = TRY(process::make_pipe());
  process::Start start;
  start.file = "/proc/self/exe";
  start.argv = {"capsule-terminal", std::string(kKeeperCommand)};
  start.env = TRY(process::environment({}));
  const File null = TRY(process::null_device());
  start.fds = {{STDIN_FILENO, STDIN_FILENO},
               {STDOUT_FILENO, STDOUT_FILENO},
               {null.fd(), STDERR_FILENO},
               {ends.read.fd(), kPipe}};
  pid_t pid = 0;
  if (const int error = process::start_process(start, pid))
    return tl::unexpected(process::start_error("the keeper of the terminal", error));
  std::unique_ptr<Keeper> keeper(new Keeper(pid, std::move(ends.write)));
  TRY_VOID(write_all(keeper->pipe_.fd(), {reinterpret_cast<const char*>(&kept), sizeof kept},
                     "the terminal's keeper"));
  return keeper;
}

Keeper::~Keeper() {
  // Nobody reads when somebody killed it; then SIGPIPE must not end us.
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &before);
  (void)!::write(pipe_.fd(), &kGivenBack, 1);
  ::sigaction(SIGPIPE, &before, nullptr);
  int status = 0;
  process::reap(pid_, 0, status);
}

}  // namespace capsule::terminal
