#include "process/children.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>

namespace capsule::process {
namespace {

// The first bytes of /proc/<pid>/<name>, in `buffer`; empty when they cannot be read.
std::string_view proc_head(pid_t pid, const char* name, char* buffer, std::size_t size) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/%s", static_cast<int>(pid), name);
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  const ssize_t count = ::read(fd, buffer, size);
  ::close(fd);
  return {buffer, count > 0 ? static_cast<std::size_t>(count) : 0};
}

enum class Guards { nothing, tree, walls };
Guards guards_what(pid_t pid) {
  char buffer[64];
  std::string_view head = proc_head(pid, "cmdline", buffer, sizeof buffer);
  if (!head.starts_with(kGuardianName) || head.size() <= kGuardianName.size() ||
      head[kGuardianName.size()] != '\0')
    return Guards::nothing;
  // Its third word is the program that it starts; with walls none, as that is found inside.
  head.remove_prefix(kGuardianName.size() + 1);
  const std::size_t end = head.find('\0');
  return end + 1 < head.size() && head[end + 1] == '\0' ? Guards::walls : Guards::tree;
}

// Where a process is. The uppermost guardian counts: an agent can start others.
enum class Where {
  outside,
  agent,    // below a guardian, or one itself
  walls,    // the same, and walls are around it
  between,  // the process of ours that holds those walls up, and runs nothing of the agent's
};
Where where_is(pid_t process) {
  Where found = Where::outside;
  for (pid_t pid = process, child = 0; pid > 0; child = pid, pid = parent_of(pid)) {
    const Guards guards = guards_what(pid);
    if (guards == Guards::nothing) continue;
    found = guards == Guards::tree || child == 0 ? Where::agent
            : child == process                   ? Where::between
                                                 : Where::walls;
  }
  return found;
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

// Calls `visit` for every entry of a folder whose name is a number. False: it cannot be read.
template <class Visit>
bool for_each_number(const char* folder, Visit visit) {
  const std::unique_ptr<DIR, CloseFolder> open(::opendir(folder));
  if (!open) return false;
  while (const dirent* entry = ::readdir(open.get())) {
    const char* end = entry->d_name + std::strlen(entry->d_name);
    int number = 0;
    const auto read = std::from_chars(entry->d_name, end, number);
    if (read.ec == std::errc() && read.ptr == end) visit(number);
  }
  return true;
}

// Whether it runs, in whatever sense, as this user: other users' processes hide what they hold,
// too.
bool is_ours(pid_t pid) {
  char buffer[2048];
  const std::string_view status = proc_head(pid, "status", buffer, sizeof buffer);
  const std::size_t begin = status.find("\nUid:");
  if (begin == std::string_view::npos) return false;
  const std::string_view line = status.substr(begin + 5, status.find('\n', begin + 1) - begin - 5);
  for (std::size_t at = 0; (at = line.find_first_of("0123456789", at)) != line.npos;) {
    uid_t uid = 0;
    const auto read = std::from_chars(line.data() + at, line.data() + line.size(), uid);
    if (uid == ::getuid()) return true;
    at = static_cast<std::size_t>(read.ptr - line.data());
  }
  return false;
}

// Whether a process has a descriptor of what is called so.
enum class Holds { no, yes, hidden };
Holds holds_file(pid_t pid, std::string_view name) {
  char folder[64];
  std::snprintf(folder, sizeof folder, "/proc/%d/fd", static_cast<int>(pid));
  bool found = false;
  errno = 0;
  const bool seen = for_each_number(folder, [&](int fd) {
    char path[96];
    char target[64];
    std::snprintf(path, sizeof path, "%s/%d", folder, fd);
    const ssize_t size = ::readlink(path, target, sizeof target);
    found = found || (size > 0 && name == std::string_view(target, static_cast<std::size_t>(size)));
  });
  if (found) return Holds::yes;
  return !seen && errno == EACCES && is_ours(pid) ? Holds::hidden : Holds::no;
}

}  // namespace

pid_t parent_of(pid_t pid) {
  // "pid (name) state ppid …"; the name may hold anything, a closing bracket too, but no more than
  // 15 bytes, so the last bracket ends it.
  char buffer[256];
  const std::string_view stat = proc_head(pid, "stat", buffer, sizeof buffer);
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos || name_end + 4 >= stat.size()) return 0;
  pid_t parent = 0;
  std::from_chars(stat.data() + name_end + 4, stat.data() + stat.size(), parent);
  return parent;
}

void for_each_child(pid_t parent, const std::function<void(pid_t)>& visit) {
  for_each_number("/proc", [&](int pid) {
    if (parent_of(pid) == parent) visit(pid);
  });
}

bool has_one_child(pid_t child) {
  char buffer[32];
  char wanted[32];
  char task[64];  // of the only thread
  std::snprintf(task, sizeof task, "task/%d/children", static_cast<int>(::getpid()));
  std::snprintf(wanted, sizeof wanted, "%d ", static_cast<int>(child));
  return proc_head(::getpid(), task, buffer, sizeof buffer) == wanted;
}

bool inside_agent_tree(pid_t process) { return where_is(process) != Where::outside; }

bool inside_agent_tree() { return inside_agent_tree(::getpid()); }

SocketHolder holder_of_socket(std::uint64_t inode) {
  char wanted[48];
  std::snprintf(wanted, sizeof wanted, "socket:[%llu]", static_cast<unsigned long long>(inode));
  bool outside = false;
  bool agent = false;
  bool hidden_outside = false;
  bool hidden_in_walls = false;
  for_each_number("/proc", [&](int pid) {
    const Holds holds = holds_file(pid, wanted);
    if (holds == Holds::no || agent) return;
    const Where where = where_is(pid);
    if (where == Where::outside)
      (holds == Holds::yes ? outside : hidden_outside) = true;
    else if (holds == Holds::yes || where == Where::agent)
      agent = true;
    else if (where == Where::walls)
      hidden_in_walls = true;
  });
  // Out of walls nothing can be handed to a program outside, so that one holds its own.
  if (agent || (hidden_in_walls && !outside)) return SocketHolder::agent;
  return outside || hidden_outside ? SocketHolder::outside : SocketHolder::unknown;
}

}  // namespace capsule::process
