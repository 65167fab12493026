#include "agent/stillness.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/files.h"
#include "base/text.h"
#include "process/children.h"

namespace capsule::agent {
namespace {

constexpr int kMaxDepth = 64;

// What /proc tells of a process in ticks. The name in parentheses may hold anything.
struct Ticks {
  std::int64_t used = 0, began = 0;
};
Ticks ticks_of(pid_t pid) {
  const auto text = read_file("/proc/" + std::to_string(pid) + "/stat", 4096);
  if (!text) return {};
  const std::size_t end = text->rfind(')');
  if (end == text->npos) return {};
  const auto words = split(std::string_view(*text).substr(end + 1), ' ');
  constexpr std::size_t kUser = 12, kEndedSystem = 15, kBegan = 20;  // after the state, word 1
  if (words.size() <= kBegan) return {};
  const auto number = [&](std::size_t at) {
    return static_cast<std::int64_t>(std::strtoull(std::string(words[at]).c_str(), nullptr, 10));
  };
  Ticks ticks;
  for (std::size_t i = kUser; i <= kEndedSystem; ++i) ticks.used += number(i);
  ticks.began = number(kBegan);
  return ticks;
}

void add_below(pid_t pid, int depth, Ticks& sum) {
  const Ticks ticks = ticks_of(pid);
  sum.used += ticks.used;
  if (depth > 0) sum.began = std::max(sum.began, ticks.began);
  if (depth < kMaxDepth)
    process::for_each_child(pid, [&](pid_t child) { add_below(child, depth + 1, sum); });
}

void look(int parent, const char* name, std::int64_t& newest, int& left, int depth) {
  const int fd = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return;
  DIR* folder = ::fdopendir(fd);
  if (folder == nullptr) return;
  while (const dirent* entry = ::readdir(folder)) {
    if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0 ||
        std::strcmp(entry->d_name, ".git") == 0 || std::strcmp(entry->d_name, ".capsule") == 0)
      continue;
    if (--left < 0) break;
    struct stat info {};
    if (::fstatat(fd, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    newest = std::max<std::int64_t>(newest,
                                    info.st_mtim.tv_sec * 1'000'000'000LL + info.st_mtim.tv_nsec);
    if (S_ISDIR(info.st_mode) && depth < kMaxDepth)
      look(fd, entry->d_name, newest, left, depth + 1);
  }
  ::closedir(folder);
}

}  // namespace

Signs signs_of(pid_t root, const std::string& folder, std::uint64_t printed) {
  Signs signs;
  signs.printed = printed;
  Ticks sum;
  add_below(root, 0, sum);
  const std::int64_t tick_ms = std::max(1L, 1000 / ::sysconf(_SC_CLK_TCK));
  signs.processor_ms = sum.used * tick_ms;
  signs.newest_process_ms = sum.began * tick_ms;
  int left = kMaxEntries;
  look(AT_FDCWD, folder.c_str(), signs.newest_file_ns, left, 0);
  return signs;
}

}  // namespace capsule::agent
