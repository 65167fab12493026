#include "contain/start.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "contain/abilities.h"
#include "contain/first.h"
#include "contain/mounts.h"
#include "contain/plan.h"
#include "contain/weaker.h"
#include "contain/wire.h"

namespace capsule::contain {
namespace {

constexpr unsigned kNamespaces =
    CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;

// All signals that can be passed on: not those that stop and continue, nor those that tell of an
// error of our own.
sigset_t passed_on() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number :
       {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH, SIGCHLD, SIGPIPE})
    sigaddset(&set, number);
  return set;
}

Error failure_of(Message& message) {
  message.message[kMaxWords - 1] = message.hint[kMaxWords - 1] = 0;
  Error error{message.reason, message.message, message.hint};
  if (error.message.empty()) error.message = "the process between ended before the command ran";
  if (error.reason == Reason::refused && error.hint.empty())
    error.hint = without_namespaces(EPERM).hint;
  return error;
}

// A folder of the machine as stdin would lead everywhere, whatever the root is.
Result<void> check_streams() {
  for (int fd = 0; fd <= 2; ++fd) {
    struct stat info {};
    if (::fstat(fd, &info) == 0 && (S_ISDIR(info.st_mode) || S_ISBLK(info.st_mode)))
      return fail(Reason::refused, "a standard stream is a folder or a disk: it would lead outside",
                  "redirect it from or to a file, a pipe or /dev/null");
  }
  return {};
}

bool receive(const File& channel, Message& message) {
  ssize_t count = 0;
  do count = ::recv(channel.fd(), &message, sizeof message, 0);
  while (count < 0 && errno == EINTR);
  return count == sizeof message;
}

}  // namespace

Result<Inside> start(const Policy& policy, const std::vector<std::string>& argv) {
  if (argv.empty()) return fail(Reason::usage, "there is no command to run");
  TRY_VOID(check_streams());
  Inside inside;
  inside.report = TRY(plan(policy, look_at_kernel(policy)));
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return tl::unexpected(io_error("make", "a socket pair", errno));
  inside.channel = File(ends[0]);
  File theirs(ends[1]);
  std::vector<std::string> env = policy.env;
  if (!inside.report.namespaces) {
    inside.private_folder = TRY(make_private_folder());
    env = environment_outside(policy, inside.private_folder);
  }
  Orders orders{policy,      inside.report, argv, env,         inside.private_folder,
                ::geteuid(), ::getegid(),   {},   theirs.fd(), inside.channel.fd()};
  const sigset_t ours = passed_on();
  ::sigprocmask(SIG_BLOCK, &ours, &orders.mask);
  const auto undo = [&] {
    ::sigprocmask(SIG_SETMASK, &orders.mask, nullptr);
    remove_private_folder(inside.private_folder);
  };
  unsigned flags = SIGCHLD;
  if (inside.report.namespaces) flags |= kNamespaces;
  if (inside.report.own_network) flags |= CLONE_NEWNET;
  const long child = ::syscall(SYS_clone, flags, nullptr, nullptr, nullptr, nullptr);
  if (child == 0) first_process(orders);
  if (child < 0) {
    const int error = errno;
    undo();
    return tl::unexpected(without_namespaces(error));
  }
  theirs = File();
  inside.first = static_cast<pid_t>(child);
  Message message;
  if (receive(inside.channel, message) && message.kind == Message::Kind::running) return inside;
  while (::waitpid(inside.first, nullptr, 0) < 0 && errno == EINTR) continue;
  undo();
  return tl::unexpected(failure_of(message));
}

Result<Ending> follow(Inside& inside) {
  const sigset_t ours = passed_on();
  const File signals(::signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals) return tl::unexpected(io_error("make", "a signal descriptor", errno));
  Message message;
  for (;;) {
    pollfd fds[] = {{signals.fd(), POLLIN, 0}, {inside.channel.fd(), POLLIN, 0}};
    if (::poll(fds, 2, -1) < 0) continue;
    signalfd_siginfo info{};
    while (fds[0].revents != 0 && ::read(signals.fd(), &info, sizeof info) > 0) {
      if (info.ssi_signo == SIGCHLD) continue;
      // Keys of the terminal reach the command as well; of its end only the first process of the
      // session is told, which may be this one.
      if (info.ssi_code == SI_KERNEL && info.ssi_signo != SIGHUP) continue;
      const Pass pass{static_cast<int>(info.ssi_signo)};
      (void)!::send(inside.channel.fd(), &pass, sizeof pass, MSG_NOSIGNAL);
    }
    if (fds[1].revents != 0) break;
  }
  const bool told = receive(inside.channel, message) && message.kind == Message::Kind::ended;
  while (::waitpid(inside.first, nullptr, 0) < 0 && errno == EINTR) continue;
  inside.first = -1;
  remove_private_folder(inside.private_folder);
  if (!told) return fail(Reason::failed, "the process between was killed, and all it had started");
  return Ending{message.exit_code, message.term_signal};
}

}  // namespace capsule::contain
