#include "contain/start.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "contain/abilities.h"
#include "contain/first.h"
#include "contain/mounts.h"
#include "contain/network.h"
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

// Until the command runs, and a gateway stands behind its listeners.
Result<void> wait_for_start(Inside& inside, const Policy& policy) {
  inside.command = inside.first;
  Message message;
  Beside beside;
  while (receive_message(inside.channel.fd(), message, beside)) {
    if (message.kind == Message::Kind::running) return {};
    if (message.kind == Message::Kind::here && beside.sender > 0) inside.command = beside.sender;
    if (message.kind == Message::Kind::listening)
      inside.gateway = TRY(make_gateway(policy, std::move(beside.files)));
    if (message.kind == Message::Kind::failed) break;
    message = {};
  }
  return tl::unexpected(failure_of(message));
}

// The file systems in memory that are the command's own, by descriptors: what is put in their place
// inside is not looked at. The process between is closed to who looks, the command itself is not.
std::vector<File> memory_of(const Policy& policy, const Inside& inside) {
  std::vector<File> found;
  if (!inside.report.namespaces) return found;
  const auto add = [&](const std::string& path) {
    const std::string whole = "/proc/" + std::to_string(inside.command) + "/root" + path;
    File file(::open(whole.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (file) found.push_back(std::move(file));
  };
  bool layers = false;  // those that vanish share one memory
  for (const Place& place : policy.places) {
    const bool layer = place.access == Access::scratch && place.layer.path.empty();
    if (place.access == Access::memory || (layer && !layers)) add(place.path);
    layers = layers || layer;
  }
  add("/dev/shm");
  return found;
}

// Root's processes are counted by nobody else.
std::unique_ptr<UseWatch> watch_for(const Policy& policy, const Inside& inside) {
  Limits limits = policy.limits;
  if (::geteuid() != 0 || inside.holds.pids) limits.processes = 0;
  if (inside.holds.memory) limits.together = 0;
  if (limits.together == 0 && limits.processes == 0) return nullptr;
  const bool files = limits.together > 0;
  return std::make_unique<UseWatch>(limits, inside.first,
                                    files ? memory_of(policy, inside) : std::vector<File>());
}

// Limits that are looked at do where there is none.
std::unique_ptr<Cgroup> cgroup_for(const Policy& policy, Controllers& holds) {
  const auto delegated = find_delegated();
  if (!delegated || !make_ready(*delegated)) return nullptr;
  auto made = Cgroup::make(*delegated, policy.limits);
  if (!made) return nullptr;
  holds = delegated->controllers;
  return std::make_unique<Cgroup>(*std::move(made));
}

// As the kernel has it.
struct CloneArguments {
  std::uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid,
      set_tid_size, cgroup;
};
constexpr std::uint64_t kIntoCgroup = std::uint64_t{1} << 33;

// In its cgroup from its first moment on. -1: it cannot be had so.
long clone_into(unsigned flags, const Cgroup& cgroup) {
  CloneArguments arguments{};
  arguments.flags = flags | kIntoCgroup;
  arguments.exit_signal = SIGCHLD;
  arguments.cgroup = static_cast<std::uint64_t>(cgroup.fd());
  return ::syscall(SYS_clone3, &arguments, sizeof arguments);
}

int sooner(int one, int other) {
  return one < 0 || other < 0 ? std::max(one, other) : std::min(one, other);
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
  Orders orders{policy,      inside.report, argv,   env,         inside.private_folder, false,
                ::geteuid(), ::getegid(),   before, theirs.fd(), inside.channel.fd()};
  if (signals == Signals::none_blocked) sigemptyset(&orders.mask);
  const auto undo = [&] {
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    clear(inside);
  };
  unsigned flags = 0;
  if (inside.report.namespaces) flags |= kNamespaces;
  if (policy.without.own_processes) flags &= ~unsigned{CLONE_NEWPID};
  if (policy.without.own_ipc) flags &= ~unsigned{CLONE_NEWIPC};
  if (inside.report.own_network) flags |= CLONE_NEWNET;
  inside.cgroup = cgroup_for(policy, inside.holds);
  const auto has_no_share = [&] { return policy.limits.cpu > 0 && !inside.holds.cpu; };
  orders.last_in_line = has_no_share();
  long child = inside.cgroup ? clone_into(flags, *inside.cgroup) : -1;
  if (child < 0) {
    inside.cgroup.reset();
    inside.holds = {};
    orders.last_in_line = has_no_share();
    child = ::syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  }
  if (child == 0) first_process(orders);
  if (child < 0) {
    const int error = errno;
    undo();
    return tl::unexpected(without_namespaces(error));
  }
  theirs = File();
  inside.first = static_cast<pid_t>(child);
  auto started = wait_for_start(inside, policy);
  if (started) {
    // What was planned could not be had.
    std::vector<Gap>& gaps = inside.report.gaps;
    if (has_no_share() && std::find(gaps.begin(), gaps.end(), Gap::processors) == gaps.end())
      gaps.push_back(Gap::processors);
    inside.use = watch_for(policy, inside);
    return inside;
  }
  ::kill(inside.first, SIGKILL);
  while (::waitpid(inside.first, nullptr, 0) < 0 && errno == EINTR) continue;
  undo();
  return tl::unexpected(std::move(started).error());
}

int timeout_of(const Inside& inside) {
  const int gateway = inside.gateway ? inside.gateway->timeout_ms() : -1;
  return sooner(gateway, inside.use ? inside.use->timeout_ms() : -1);
}

Result<Ending> follow(Inside& inside) {
  const sigset_t ours = passed_on();
  const File signals(::signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals) return tl::unexpected(io_error("make", "a signal descriptor", errno));
  std::optional<Excess> excess;
  for (;;) {
    Gateway* const gateway = inside.gateway.get();
    pollfd fds[] = {{signals.fd(), POLLIN, 0},
                    {inside.channel.fd(), POLLIN, 0},
                    {gateway == nullptr ? -1 : gateway->fd(), POLLIN, 0}};
    if (::poll(fds, 3, timeout_of(inside)) < 0) continue;
    if (gateway != nullptr) gateway->work();
    if (inside.use && (excess = inside.use->look())) {
      ::kill(inside.first, SIGKILL);
      inside.use.reset();
    }
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
  if (!excess) excess = excess_of(inside);
  clear(inside);
  const auto ending = ending_of(inside);
  if (!ending && excess) return Ending{-1, SIGKILL, excess};
  if (!ending)
    return fail(Reason::failed,
                "the process between was killed, and everything it had started with it");
  return *ending;
}

void signal_all(const Inside& inside, int number) {
  const Pass pass{number, true};
  (void)!::send(inside.channel.fd(), &pass, sizeof pass, MSG_NOSIGNAL | MSG_DONTWAIT);
}

std::optional<Ending> ending_of(const Inside& inside) {
  Message message;
  Beside beside;
  while (receive_message(inside.channel.fd(), message, beside, MSG_DONTWAIT))
    if (message.kind == Message::Kind::ended) return Ending{message.exit_code, message.term_signal};
  return std::nullopt;
}

Refusals refusals_of(const Inside& inside) {
  Refusals all;
  if (!inside.gateway) return all;
  for (const Refusal& one : inside.gateway->refusals())
    all.hosts.push_back(
        {printable(text_of(one.target)), one.count, one.address, line_that_allows(one)});
  all.others = inside.gateway->other_refusals();
  return all;
}

std::optional<Excess> excess_of(const Inside& inside) {
  return inside.cgroup ? inside.cgroup->excess() : std::nullopt;
}

void clear(Inside& inside) {
  inside.cgroup.reset();
  remove_private_folder(inside.private_folder);
  inside.private_folder.clear();
}

void fill_streams() {
  int fd = 0;
  do fd = ::open("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) ::close(fd);
}

int end_like(const Ending& ending) {
  if (ending.term_signal == 0) return ending.exit_code;
  ::signal(ending.term_signal, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, ending.term_signal);
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
  ::raise(ending.term_signal);
  return 128 + ending.term_signal;
}

}  // namespace capsule::contain
