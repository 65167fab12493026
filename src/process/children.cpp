#include "process/children.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

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

bool is_guardian(pid_t pid) {
  char buffer[64];
  const std::string_view head = proc_head(pid, "cmdline", buffer, sizeof buffer);
  return head.starts_with(kGuardianName) && head.size() > kGuardianName.size() &&
         head[kGuardianName.size()] == '\0';
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

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
  const std::unique_ptr<DIR, CloseFolder> proc(::opendir("/proc"));
  if (!proc) return;
  while (const dirent* entry = ::readdir(proc.get())) {
    const char* end = entry->d_name + std::strlen(entry->d_name);
    pid_t pid = 0;
    const auto read = std::from_chars(entry->d_name, end, pid);
    if (read.ec != std::errc() || read.ptr != end) continue;
    if (parent_of(pid) == parent) visit(pid);
  }
}

bool has_one_child(pid_t child) {
  char buffer[32];
  char wanted[32];
  char task[64];  // of the only thread
  std::snprintf(task, sizeof task, "task/%d/children", static_cast<int>(::getpid()));
  std::snprintf(wanted, sizeof wanted, "%d ", static_cast<int>(child));
  return proc_head(::getpid(), task, buffer, sizeof buffer) == wanted;
}

bool inside_agent_tree() {
  for (pid_t pid = ::getpid(); pid > 0; pid = parent_of(pid))
    if (is_guardian(pid)) return true;
  return false;
}

}  // namespace capsule::process
