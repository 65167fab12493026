// The only place that starts a process, and the list of those that this process has started. May be
// called from any thread. posix_spawn, so the cost does not depend on our own size.
//
// While a Loop exists this process is a subreaper: what outlives a killed guardian becomes our
// child. Such a child was never started here; it is called a stranger. The rule behind that:
// nothing else in the program forks.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace capsule::process {

struct Start {
  std::string file;                        // absolute, or relative to the folder
  std::vector<std::string> argv;           // at least one word
  std::vector<std::string> env;            // NAME=value
  int folder_fd = -1;                      // where it runs; -1: here
  std::vector<std::pair<int, int>> fds{};  // ours → the child's; all others are closed
  // Not -1: it stays in our session, and gets this terminal, which must be ours, for itself.
  int terminal = -1;
};

// The child gets its own session, so that keys on the terminal do not reach it (unless it is given
// one), default signal handling and an empty signal mask. A script without #! is run by /bin/sh, as
// every shell does. Returns 0 and sets `pid`, or the errno of what failed, the exec included.
int start_process(const Start& start, pid_t& pid);

// waitpid for a child that start_process made; blocks unless `flags` has WNOHANG. True when it has
// ended: it is reaped then and no longer on the list.
bool reap(pid_t pid, int flags, int& status);

// Waits until a child that was given `terminal` has ended, and takes the terminal back. One that is
// stopped goes on at once: there is no shell that could take it up again.
void wait_with_terminal(pid_t pid, int terminal, int& status);

// From now on orphans below us become our children.
void adopt_orphans();

// From now on they do not: for a program that starts no trees, and what it starts may go on without
// it.
void leave_orphans();

// Reaps strangers that have ended. Cheap; called after every child.
void reap_strangers();

// Kills every stranger and what is below it, and reaps them. Returns how many could not be killed.
int kill_strangers();

}  // namespace capsule::process
