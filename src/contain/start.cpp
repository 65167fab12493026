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

// One message, and who sent it, by his number here.
bool receive(const File& channel, Message& message, pid_t& sender, int flags = 0) {
  iovec part{&message, sizeof message};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred))] = {};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  ssize_t count = 0;
  do count = ::recvmsg(channel.fd(), &header, flags | MSG_CMSG_CLOEXEC);
  while (count < 0 && errno == EINTR);
  if (count != sizeof message) return false;
  const cmsghdr* told = CMSG_FIRSTHDR(&header);
  if (told != nullptr && told->cmsg_level == SOL_SOCKET && told->cmsg_type == SCM_CREDENTIALS) {
    ucred credentials{};
    std::memcpy(&credentials, CMSG_DATA(told), sizeof credentials);
    sender = credentials.pid;
  }
  return true;
}

// Until the command runs. False: it never will, and the message says why.
bool wait_for_start(Inside& inside, Message& message) {
  inside.command = inside.first;
  pid_t sender = 0;
  while (receive(inside.channel, message, sender)) {
    if (message.kind == Message::Kind::running) return true;
    if (message.kind != Message::Kind::here) return false;
    if (sender > 0) inside.command = sender;
    message = {};
  }
  return false;
}

// Both ends of the connection; the kernel tells ours who has sent a message.
Result<std::pair<File, File>> make_connection() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return tl::unexpected(io_error("make", "a socket pair", errno));
  std::pair<File, File> both{File(ends[0]), File(ends[1])};
  const int on = 1;
  if (::setsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0)
    return tl::unexpected(io_error("prepare", "a socket pair", errno));
  return both;
}

}  // namespace

Result<Inside> start(const Policy& policy, const std::vector<std::string>& argv, Signals signals) {
  if (argv.empty()) return fail(Reason::usage, "there is no command to run");
  TRY_VOID(check_streams());
  Inside inside;
  inside.report = TRY(plan(policy, look_at_kernel(policy)));
  auto [ours, theirs] = TRY(make_connection());
  inside.channel = std::move(ours);
  std::vector<std::string> env = policy.env;
  if (!inside.report.namespaces) {
    inside.private_folder = TRY(make_private_folder());
    env = environment_outside(policy, inside.private_folder);
  }
  const sigset_t blocked = passed_on();
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, &blocked, &before);
  Orders orders{policy,      inside.report, argv,   env,         inside.private_folder,
                ::geteuid(), ::getegid(),   before, theirs.fd(), inside.channel.fd()};
  if (signals == Signals::none_blocked) sigemptyset(&orders.mask);
  const auto undo = [&] {
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    clear(inside);
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
  if (wait_for_start(inside, message)) return inside;
  while (::waitpid(inside.first, nullptr, 0) < 0 && errno == EINTR) continue;
  undo();
  return tl::unexpected(failure_of(message));
}

Result<Ending> follow(Inside& inside) {
  const sigset_t ours = passed_on();
  const File signals(::signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals) return tl::unexpected(io_error("make", "a signal descriptor", errno));
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
  while (::waitpid(inside.first, nullptr, 0) < 0 && errno == EINTR) continue;
  inside.first = -1;
  clear(inside);
  const auto ending = ending_of(inside);
  if (!ending)
    return fail(Reason::failed, "the process between was killed, and all it had started");
  return *ending;
}

void signal_all(const Inside& inside, int number) {
  const Pass pass{number, true};
  (void)!::send(inside.channel.fd(), &pass, sizeof pass, MSG_NOSIGNAL | MSG_DONTWAIT);
}

std::optional<Ending> ending_of(const Inside& inside) {
  Message message;
  pid_t sender = 0;
  while (receive(inside.channel, message, sender, MSG_DONTWAIT))
    if (message.kind == Message::Kind::ended) return Ending{message.exit_code, message.term_signal};
  return std::nullopt;
}

void clear(Inside& inside) {
  remove_private_folder(inside.private_folder);
  inside.private_folder.clear();
}

}  // namespace capsule::contain
