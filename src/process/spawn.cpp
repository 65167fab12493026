#include "process/spawn.h"

#include <fcntl.h>
#include <paths.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <thread>

#include "base/check.h"
#include "process/children.h"
#include "process/program.h"

namespace capsule::process {
namespace {

constexpr auto kKillStrangersFor = std::chrono::seconds(2);

struct List {
  std::mutex mutex;
  std::vector<pid_t> pids;
  bool has(pid_t pid) const { return std::find(pids.begin(), pids.end(), pid) != pids.end(); }
};

// Made at the first use and never destroyed: threads may end children while the program exits.
List& started() {
  static List* const list = new List;
  return *list;
}

std::atomic<bool> adopting{false};

// Whoever started us may have left SIGCHLD ignored, and then the kernel throws exit statuses away.
void keep_exit_statuses() {
  struct sigaction current {};
  ::sigaction(SIGCHLD, nullptr, &current);
  if (current.sa_handler != SIG_IGN && (current.sa_flags & SA_NOCLDWAIT) == 0) return;
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &usual, nullptr);
}

struct Actions {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  Actions() {
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
  }
  ~Actions() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
};

int prepare(Actions& actions, const Start& start) {
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&actions.attributes, &none);
  posix_spawnattr_setsigdefault(&actions.attributes, &all);
  const short place = start.terminal < 0 ? POSIX_SPAWN_SETSID : POSIX_SPAWN_SETPGROUP;
  posix_spawnattr_setflags(&actions.attributes, static_cast<short>(place | POSIX_SPAWN_SETSIGMASK |
                                                                   POSIX_SPAWN_SETSIGDEF));
  if (start.terminal >= 0)
    if (const int e = posix_spawn_file_actions_addtcsetpgrp_np(&actions.files, start.terminal))
      return e;
  int highest = 2;
  for (const auto& [ours, theirs] : start.fds) {
    CHECK(ours >= theirs, "an fd that is to keep its number only loses its close-on-exec");
    if (const int e = posix_spawn_file_actions_adddup2(&actions.files, ours, theirs)) return e;
    highest = std::max(highest, theirs);
  }
  if (start.folder_fd >= 0)
    if (const int e = posix_spawn_file_actions_addfchdir_np(&actions.files, start.folder_fd))
      return e;
  return posix_spawn_file_actions_addclosefrom_np(&actions.files, highest + 1);
}

}  // namespace

int start_process(const Start& start, pid_t& pid) {
  Actions actions;
  if (const int e = prepare(actions, start)) return e;
  const auto env = pointers(start.env);
  // Held over the start, so that a child is never taken for a stranger.
  const std::lock_guard lock(started().mutex);
  keep_exit_statuses();
  int error = posix_spawn(&pid, start.file.c_str(), &actions.files, &actions.attributes,
                          pointers(start.argv).data(), env.data());
  if (error == ENOEXEC) {
    std::vector<std::string> words{_PATH_BSHELL, start.file};
    words.insert(words.end(), start.argv.begin() + 1, start.argv.end());
    error = posix_spawn(&pid, words[0].c_str(), &actions.files, &actions.attributes,
                        pointers(words).data(), env.data());
  }
  if (error == 0) started().pids.push_back(pid);
  return error;
}

bool reap(pid_t pid, int flags, int& status) {
  pid_t ended = 0;
  do ended = ::waitpid(pid, &status, flags);
  while (ended < 0 && errno == EINTR);
  if (ended == 0) return false;
  CHECK(ended == pid);
  const std::lock_guard lock(started().mutex);
  std::erase(started().pids, pid);
  return true;
}

void wait_with_terminal(pid_t pid, int terminal, int& status) {
  for (;;) {
    siginfo_t info{};
    const int found = ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WSTOPPED | WNOWAIT);
    if (found < 0 && errno == EINTR) continue;
    if (found < 0 || info.si_code != CLD_STOPPED) break;
    ::waitid(P_PID, static_cast<id_t>(pid), &info, WSTOPPED | WNOHANG);
    ::tcsetpgrp(terminal, pid);
    ::kill(-pid, SIGCONT);
  }
  reap(pid, 0, status);
  ::tcsetpgrp(terminal, ::getpgrp());
}

void adopt_orphans() {
  if (!adopting.exchange(true)) ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

void leave_orphans() {
  if (adopting.exchange(false)) ::prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

void reap_strangers() {
  if (!adopting) return;
  const std::lock_guard lock(started().mutex);
  for (;;) {
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0) return;
    // The first that has ended is shown. One of ours is left to whoever waits for it; a stranger
    // behind it is found the next time.
    if (info.si_pid == 0 || started().has(info.si_pid)) return;
    ::waitpid(info.si_pid, nullptr, __WALL);
  }
}

int kill_strangers() {
  const auto give_up = std::chrono::steady_clock::now() + kKillStrangersFor;
  const pid_t own_group = ::getpgrp();
  for (;;) {
    int left = 0;
    {
      const std::lock_guard lock(started().mutex);
      for_each_child(::getpid(), [&](pid_t pid) {
        if (started().has(pid)) return;
        const pid_t group = ::getpgid(pid);
        if (group > 1 && group != own_group && !started().has(group)) ::kill(-group, SIGKILL);
        ::kill(pid, SIGKILL);
        if (::waitpid(pid, nullptr, WNOHANG | __WALL) != pid) ++left;
      });
    }
    if (left == 0 || std::chrono::steady_clock::now() > give_up) return left;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace capsule::process
