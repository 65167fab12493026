#include "contain/first.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/files.h"
#include "base/text.h"
#include "contain/landlock.h"
#include "contain/mounts.h"
#include "contain/network.h"
#include "contain/privileges.h"
#include "contain/root.h"
#include "contain/seccomp.h"
#include "contain/weaker.h"
#include "contain/wire.h"

namespace capsule::contain {
namespace {

[[noreturn]] void give_up(int channel, const Error& error) {
  Message message;
  message.reason = error.reason;
  error.message.copy(message.message, kMaxWords - 1);
  error.hint.copy(message.hint, kMaxWords - 1);
  send_message(channel, message);
  ::_exit(1);
}

void close_all(unsigned first, unsigned last, unsigned flags) {
  if (first <= last) ::syscall(SYS_close_range, first, last, flags);
}

// What was open outside stays outside.
void keep_only(int channel) {
  const auto kept = static_cast<unsigned>(channel);
  close_all(STDERR_FILENO + 1, kept - 1, 0);
  close_all(kept + 1, ~0U, 0);
}

// Those who listen in the new network belong to whoever started us.
Result<void> hand_out_doors(const Orders& orders) {
  const std::vector<Door> doors = doors_of(orders.policy);
  if (doors.empty()) return {};
  const std::vector<File> listeners = TRY(open_doors(doors));
  Message message;
  message.kind = Message::Kind::listening;
  send_message(orders.channel, message, listeners);
  return {};
}

Result<void> confine(const Orders& orders) {
  const Policy& policy = orders.policy;
  const Report& report = orders.report;
  if (report.namespaces) {
    TRY_VOID(map_own_user(orders.uid, orders.gid));
    if (report.own_network) {
      TRY_VOID(raise_loopback());
      TRY_VOID(hand_out_doors(orders));
    }
    TRY_VOID(enter_root(policy));
  } else {
    TRY_VOID(adopt_orphans());
    TRY_VOID(enter_folder(policy));
  }
  TRY_VOID(policy.without.dropped_capabilities ? forbid_new_privileges() : drop_privileges());
  if (report.landlock > 0)
    TRY_VOID(apply_landlock(
        report.namespaces ? rules_inside(policy) : rules_outside(policy, orders.private_folder),
        report.landlock));
  if (report.seccomp)
    TRY_VOID(
        apply_seccomp({.namespaces = report.namespaces,
                       .network = report.namespaces || policy.net == Net::open,
                       .truncate = report.namespaces || report.landlock >= kLandlockTruncate}));
  if (!policy.without.undumpable) TRY_VOID(become_undumpable());
  // Once more: a change of rights takes it away.
  return die_with_parent();
}

// In the command's process. Returns only as the number of the error.
int become_command(const Orders& orders, std::vector<char*> argv, std::vector<char*> env) {
  if (orders.report.own_group) ::setsid();
  // Nothing else ends it with us there.
  if (!orders.report.namespaces && !die_with_parent()) return errno;
  Message message;
  message.kind = Message::Kind::here;
  send_message(orders.channel, message);
  ::sigprocmask(SIG_SETMASK, &orders.mask, nullptr);
  constexpr unsigned kOnExec = 1U << 2;  // CLOSE_RANGE_CLOEXEC
  if (!orders.policy.without.closed_descriptors) close_all(STDERR_FILENO + 1, ~0U, kOnExec);
  if (!orders.policy.without.made_up_environment) ::environ = env.data();
  // Last, and only here: who waits for the command must not run short of what the command may use.
  if (!apply_limits(orders.policy)) return errno;
  if (orders.last_in_line && !go_behind_others()) return errno;
  ::execvp(argv[0], argv.data());
  return errno;
}

std::vector<char*> words_of(std::vector<std::string>& texts) {
  std::vector<char*> words;
  for (std::string& text : texts) words.push_back(text.data());
  words.push_back(nullptr);
  return words;
}

Result<pid_t> start_command(const Orders& orders) {
  int errors[2];
  if (::pipe2(errors, O_CLOEXEC) != 0) return tl::unexpected(refused_step("make a pipe", errno));
  const pid_t child = ::fork();
  if (child < 0) return tl::unexpected(refused_step("start a process", errno));
  if (child == 0) {
    std::vector<std::string> argv = orders.argv;
    std::vector<std::string> env = orders.env;
    const int error = become_command(orders, words_of(argv), words_of(env));
    (void)!::write(errors[1], &error, sizeof error);
    ::_exit(1);
  }
  ::close(errors[1]);
  int error = 0;
  ssize_t count = 0;
  do count = ::read(errors[0], &error, sizeof error);
  while (count < 0 && errno == EINTR);
  ::close(errors[0]);
  if (count != sizeof error) return child;
  const std::string name = printable(orders.argv.front());
  if (error == ENOENT)
    return fail(Reason::missing_program, "there is no " + name + " inside",
                "only programs of the system, of folders on PATH and of the places exist there; "
                "add --read=FOLDER, or look with --explain");
  return fail(Reason::failed, "cannot run " + name + ": " + std::strerror(error));
}

// Everything that is left to us. True when the command is among it.
bool reap(pid_t command, int& status) {
  bool ended = false;
  for (;;) {
    int one = 0;
    const pid_t pid = ::waitpid(-1, &one, WNOHANG | __WALL);
    if (pid < 0 && errno == EINTR) continue;
    if (pid <= 0) return ended;
    if (pid != command) continue;
    status = one;
    ended = true;
  }
}

// Nobody else is in sight in a pid namespace.
bool is_alone(const Orders& orders) {
  return orders.report.namespaces && !orders.policy.without.own_processes;
}

// Whoever left the group is not reached where there are others.
void pass_on(const Pass& pass, pid_t command, bool alone) {
  if (!pass.all)
    ::kill(command, pass.signal);
  else
    ::kill(alone ? -1 : -command, pass.signal);
}

// Returns the status of the command, or 0 when nobody is there any more to tell.
int wait_for(pid_t command, int ended_fd, const Orders& orders) {
  const int channel = orders.channel;
  int status = 0;
  while (!reap(command, status)) {
    pollfd fds[] = {{ended_fd, POLLIN, 0}, {channel, POLLIN, 0}};
    if (::poll(fds, 2, -1) < 0) continue;
    signalfd_siginfo info{};
    while (fds[0].revents != 0 && ::read(ended_fd, &info, sizeof info) > 0) continue;
    if (fds[1].revents == 0) continue;
    Pass pass;
    const ssize_t count = ::recv(channel, &pass, sizeof pass, MSG_DONTWAIT);
    if (count == 0) return status;
    if (count == sizeof pass) pass_on(pass, command, is_alone(orders));
  }
  return status;
}

// Without namespaces: whatever the command left, and what that leaves, until nothing is there.
void end_orphans() {
  const std::string list = "/proc/self/task/" + std::to_string(::getpid()) + "/children";
  while (::waitpid(-1, nullptr, WNOHANG | __WALL) >= 0 || errno == EINTR) {
    const auto children = read_file(list);
    if (!children) return;  // some kernels have no such list
    for (const std::string_view one : split(*children, ' '))
      if (const int pid = std::atoi(std::string(one).c_str()); pid > 1) ::kill(pid, SIGKILL);
    // The list may miss somebody whose parent has just ended: he is in the next one.
    ::poll(nullptr, 0, 1);
  }
}

// The command has them now; holding them would hide their end from whoever is at the other.
void let_go_of_streams() {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd <= STDERR_FILENO && null >= 0; ++fd) ::dup2(null, fd);
  if (null > STDERR_FILENO) ::close(null);
}

// Whether somebody is still there for whom all this is done.
void check_parent(int channel) {
  char byte = 0;
  if (::recv(channel, &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0) ::_exit(1);
}

}  // namespace

void first_process(const Orders& orders) {
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  ::close(orders.other_end);
  if (const auto tied = die_with_parent(); !tied) give_up(orders.channel, tied.error());
  check_parent(orders.channel);
  // A signal to one's own group crosses all namespaces.
  if (orders.report.own_group) ::setsid();
  if (const auto confined = confine(orders); !confined) give_up(orders.channel, confined.error());
  if (!orders.policy.without.closed_descriptors) keep_only(orders.channel);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  const int ended_fd = ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  const auto command = start_command(orders);
  if (!command) give_up(orders.channel, command.error());
  Message message;
  message.kind = Message::Kind::running;
  send_message(orders.channel, message);
  let_go_of_streams();
  const int status = wait_for(*command, ended_fd, orders);
  if (!orders.report.namespaces) end_orphans();
  message.kind = Message::Kind::ended;
  if (WIFEXITED(status))
    message.exit_code = WEXITSTATUS(status);
  else
    message.term_signal = WTERMSIG(status);
  send_message(orders.channel, message);
  ::_exit(0);
}

}  // namespace capsule::contain
