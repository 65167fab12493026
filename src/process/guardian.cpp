#include "process/guardian.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "contain/start.h"
#include "contain/wish_wire.h"
#include "process/children.h"
#include "process/contained.h"
#include "process/guardian_wire.h"

namespace capsule::process {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr auto kWaitAfterKill = std::chrono::seconds(5);
constexpr int kKillRounds = 64;  // without a pause while new children keep appearing
constexpr int kEndedByUs = 125;

void report(Report::Kind kind, int value, int left_behind, const std::string& bytes = {}) {
  const Report message{kind, value, left_behind};
  std::string packet(reinterpret_cast<const char*>(&message), sizeof message);
  packet += bytes;
  // Capsule may be dead, and then nobody needs to know.
  (void)!::send(kChannelFd, packet.data(), packet.size(), MSG_NOSIGNAL);
}

void tell_refused(const contain::Refusals& refused) {
  if (refused.hosts.empty() && refused.others == 0) return;
  report(Report::Kind::refused, 0, 0, contain::bytes_of(refused));
}

void tell_excess(const contain::Excess& excess) {
  report(Report::Kind::excess, 0, 0, contain::bytes_of(excess));
}

// In the forked child. Returns only as the errno of what went wrong.
int become_agent(pid_t guardian, const char* file, char** argv) {
  ::setsid();
  // If the guardian itself is killed, at least the agent goes too. The guardian has one thread, so
  // the signal comes at the end of the process; it may have come before we asked for it.
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return errno;
  if (::getppid() != guardian) ::_exit(kEndedByUs);
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &usual, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  // With a slash in the name there is no search; a script without #! runs as shells run it.
  ::execvp(file, argv);
  return errno;
}

// Starts the agent; 0, or the errno of the failure.
int start_agent(const char* file, char** argv, pid_t& agent) {
  int errors[2];
  if (::pipe2(errors, O_CLOEXEC) != 0) return errno;
  const pid_t guardian = ::getpid();
  agent = ::fork();
  if (agent < 0) return errno;
  if (agent == 0) {
    const int error = become_agent(guardian, file, argv);
    (void)!::write(errors[1], &error, sizeof error);
    ::_exit(kEndedByUs);
  }
  ::close(errors[1]);
  int error = 0;
  ssize_t count = 0;
  do count = ::read(errors[0], &error, sizeof error);
  while (count < 0 && errno == EINTR);
  ::close(errors[0]);
  return count == sizeof error ? error : 0;
}

// Blocks what it can and ignores the rest: only the channel decides. Returns a descriptor that is
// readable when a child has ended.
int take_signals() {
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  return ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
}

// Where memory runs out, whatever an agent has started goes before Capsule does.
void be_first_to_go() {
  constexpr int kMore = 300, kMost = 1000;
  const int fd = ::open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  char text[16] = {};
  if (::read(fd, text, sizeof text - 1) > 0) {
    const std::string raised = std::to_string(std::min(std::atoi(text) + kMore, kMost));
    (void)!::pwrite(fd, raised.data(), raised.size(), 0);
  }
  ::close(fd);
}

// The agent has 0, 1 and 2 now; holding them would hide the end of its output. Its folder may be
// removed or unmounted.
void let_go() {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd <= 2; ++fd) {
    if (null >= 0)
      ::dup2(null, fd);
    else
      ::close(fd);
  }
  if (null > 2) ::close(null);
  (void)!::chdir("/");
}

// Of two that poll takes, where -1 is for ever.
int sooner(int one, int other) {
  return one < 0 || other < 0 ? std::max(one, other) : std::min(one, other);
}

class Guard {
 public:
  // Of a contained agent `agent` is the process between.
  Guard(pid_t agent, int ended_fd, contain::Inside* inside)
      : agent_(agent), ended_fd_(ended_fd), inside_(inside) {}

  // Returns when the agent has ended and the tree is gone, or cannot be killed.
  void watch() {
    while (!gone_) {
      if (agent_ended_ && !kill_at_) kill_at_ = Clock::now();
      if (kill_at_ && Clock::now() >= *kill_at_ + kWaitAfterKill) return;
      if (kill_at_ && Clock::now() >= *kill_at_)
        kill_all();
      else if (kill_at_)
        ask_all();
      if (!gone_) sleep();
      reap();
    }
  }

  void tell() const {
    int left = 0;
    if (!gone_)
      for_each_child(::getpid(),
                     [&](pid_t pid) { left += pid != agent_ || !agent_ended_ ? 1 : 0; });
    if (inside_ != nullptr) tell_refused(contain::refusals_of(*inside_));
    report(end_.kind, end_.value, left);
  }

 private:
  // Collects what has ended, the agent last: who waits for its number to be free before he goes on
  // is gone himself by then. When no child is left the tree is gone: whoever had an ancestor here
  // would have become our child.
  void reap() {
    while (!agent_ended_) {
      siginfo_t info{};
      const int failed = ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL);
      if (failed != 0 || info.si_pid == 0) return;
      if (info.si_pid != agent_) {
        reap_one(info.si_pid);
        continue;
      }
      agent_ended_ = true;
      end_ = {info.si_code == CLD_EXITED ? Report::Kind::exited : Report::Kind::signalled,
              info.si_status, 0};
      if (inside_ != nullptr) end_ = end_inside();
      if (inside_ != nullptr)
        if (const auto excess = contain::excess_of(*inside_)) tell_excess(*excess);
    }
    if (!agent_reaped_ && !has_one_child(agent_)) {
      bool others = false;
      for_each_child(::getpid(), [&](pid_t pid) {
        if (pid != agent_ && !reap_one(pid)) others = true;
      });
      if (others) return;
    }
    while (reap_one(-1)) continue;
  }

  // The process between tells how the agent ended, unless it was killed together with it.
  Report end_inside() const {
    const auto ending = contain::ending_of(*inside_);
    if (!ending) return {Report::Kind::signalled, SIGKILL, 0};
    if (ending->term_signal != 0) return {Report::Kind::signalled, ending->term_signal, 0};
    return {Report::Kind::exited, ending->exit_code, 0};
  }

  // Whether there was one. -1 takes any, and notices when there is none left.
  bool reap_one(pid_t which) {
    pid_t pid = 0;
    do pid = ::waitpid(which, nullptr, WNOHANG | __WALL);
    while (pid < 0 && errno == EINTR);
    if (pid < 0 && which == -1) gone_ = true;
    if (pid <= 0) return false;
    asked_.erase(pid);
    killed_.erase(pid);
    if (pid == agent_) agent_reaped_ = true;
    return true;
  }

  // A child that we have not reaped keeps its number and its group's, so neither can be another's.
  static void signal_with_group(pid_t pid, int number) {
    const pid_t group = ::getpgid(pid);
    if (group > 1 && group != ::getpgrp())
      ::kill(-group, number);
    else
      ::kill(pid, number);
  }

  // TERM, once for each child. CONT, so that a stopped one notices.
  void ask_all() {
    for_each_child(::getpid(), [&](pid_t pid) {
      if (!asked_.insert(pid).second) return;
      for (const int number : {SIGTERM, SIGCONT}) {
        if (inside_ != nullptr && pid == agent_)
          contain::signal_all(*inside_, number);
        else
          signal_with_group(pid, number);
      }
    });
  }

  // Kills our children and their groups. Whoever was below them becomes our child and is found in a
  // later round; the rounds follow each other at once as long as they find somebody new, so that a
  // tree that keeps forking is overtaken.
  void kill_all() {
    for (int round = 0; round < kKillRounds && !gone_; ++round) {
      bool found_new = false;
      for_each_child(::getpid(), [&](pid_t pid) {
        signal_with_group(pid, SIGKILL);
        found_new |= killed_.insert(pid).second;
      });
      reap();
      if (!found_new) return;
    }
  }

  void sleep() {
    int timeout = -1;
    if (kill_at_) {
      const auto left = std::chrono::ceil<milliseconds>(*kill_at_ - Clock::now()).count();
      // While killing, a child that could not be seen in one round is looked for in the next.
      timeout = left > 0 ? static_cast<int>(std::min<std::int64_t>(left, 1'000'000)) : 20;
    }
    contain::Gateway* const gateway = inside_ == nullptr ? nullptr : inside_->gateway.get();
    if (inside_ != nullptr) timeout = sooner(timeout, contain::timeout_of(*inside_));
    pollfd fds[] = {{ended_fd_, POLLIN, 0},
                    {open_ ? kChannelFd : -1, POLLIN, 0},
                    {gateway == nullptr ? -1 : gateway->fd(), POLLIN, 0}};
    const int ready = ::poll(fds, 3, timeout);
    if (gateway != nullptr) gateway->work();
    look_at_use();
    if (ready <= 0) return;
    if (fds[0].revents != 0) {
      signalfd_siginfo info[16];
      while (::read(ended_fd_, info, sizeof info) > 0) continue;
    }
    if (fds[1].revents != 0) listen();
  }

  // All of it goes: whoever is left of a tree that lost its largest part only wonders.
  void look_at_use() {
    if (inside_ == nullptr || inside_->use == nullptr) return;
    if (agent_ended_) return inside_->use.reset();  // or its time would wake us again and again
    const auto excess = inside_->use->look();
    if (!excess) return;
    inside_->use.reset();
    tell_excess(*excess);
    kill_at_ = Clock::now();
  }

  void listen() {
    EndRequest request{};
    const ssize_t count = ::recv(kChannelFd, &request, sizeof request, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    auto at = Clock::now();
    if (count == sizeof request)
      at += milliseconds(std::clamp<std::int64_t>(request.grace_ms, 0, 1'000'000'000));
    else
      open_ = false;  // Capsule is gone: nobody may go on spending.
    kill_at_ = kill_at_ ? std::min(*kill_at_, at) : at;
  }

  pid_t agent_;
  int ended_fd_;
  contain::Inside* inside_;  // nullptr: no walls
  // How the agent ended; what cannot be killed either counts as killed, and as left behind.
  Report end_{Report::Kind::signalled, SIGKILL, 0};
  bool agent_ended_ = false;   // seen
  bool agent_reaped_ = false;  // and its number given back
  bool open_ = true;
  std::optional<Clock::time_point> kill_at_;
  bool gone_ = false;
  std::set<pid_t> asked_;
  std::set<pid_t> killed_;
};

int guard(pid_t agent, int ended_fd, contain::Inside* inside) {
  Guard guard(agent, ended_fd, inside);
  guard.watch();
  guard.tell();
  return 0;
}

int guard_contained(char** argv, int ended_fd) {
  std::vector<std::string> words;
  for (; *argv != nullptr; ++argv) words.emplace_back(*argv);
  auto inside = start_contained(kWishFd, words);
  let_go();
  if (!inside) {
    report(Report::Kind::not_contained, 0, 0, contain::bytes_of(inside.error()));
    return 0;
  }
  report(Report::Kind::contained, 0, 0, contain::bytes_of(inside->report));
  report(Report::Kind::started, inside->command, 0);
  guard(inside->first, ended_fd, &*inside);
  contain::clear(*inside);
  return 0;
}

}  // namespace

int guardian_main(int argc, char** argv) {
  int type = 0;
  socklen_t size = sizeof type;
  if (argc < 4 || ::getsockopt(kChannelFd, SOL_SOCKET, SO_TYPE, &type, &size) != 0 ||
      type != SOCK_SEQPACKET) {
    std::fputs("capsule: the guardian is started by capsule itself\n", stderr);
    return 2;
  }
  ::fcntl(kChannelFd, F_SETFD, FD_CLOEXEC);
  ::setsid();
  be_first_to_go();
  const int ended_fd = take_signals();
  // An agent can stop us. When Capsule dies we go on, see the closed channel and end the tree. The
  // end of the thread that started us sends the same signal, and then it does nothing.
  ::prctl(PR_SET_PDEATHSIG, SIGCONT, 0, 0, 0);
  int error = ended_fd < 0 ? errno : 0;
  if (error == 0 && ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) error = errno;
  if (error == 0 && *argv[2] == '\0') return guard_contained(argv + 3, ended_fd);
  pid_t agent = 0;
  if (error == 0) error = start_agent(argv[2], argv + 3, agent);
  let_go();
  if (error != 0) {
    while (::waitpid(-1, nullptr, 0) > 0) continue;
    report(Report::Kind::not_started, error, 0);
    return 0;
  }
  report(Report::Kind::started, agent, 0);
  return guard(agent, ended_fd, nullptr);
}

}  // namespace capsule::process
