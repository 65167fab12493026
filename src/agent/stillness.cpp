#include "agent/stillness.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/files.h"
#include "base/text.h"
#include "process/children.h"

namespace capsule::agent {
namespace {

constexpr int kMaxDepth = 64;

// utime and stime, which follow the name in parentheses; the name may hold anything.
std::uint64_t ticks_of(pid_t pid) {
  const auto text = read_file("/proc/" + std::to_string(pid) + "/stat", 4096);
  if (!text) return 0;
  const std::size_t end = text->rfind(')');
  if (end == text->npos) return 0;
  const auto words = split(std::string_view(*text).substr(end + 1), ' ');
  constexpr std::size_t kUser = 12, kSystem = 13;  // after the state, which is word 1
  if (words.size() <= kSystem) return 0;
  return std::strtoull(std::string(words[kUser]).c_str(), nullptr, 10) +
         std::strtoull(std::string(words[kSystem]).c_str(), nullptr, 10);
}

std::uint64_t ticks_below(pid_t pid, int depth) {
  std::uint64_t ticks = ticks_of(pid);
  if (depth < kMaxDepth)
    process::for_each_child(pid, [&](pid_t child) { ticks += ticks_below(child, depth + 1); });
  return ticks;
}

void look(int parent, const char* name, std::int64_t& newest, int& left, int depth) {
  const int fd = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return;
  DIR* folder = ::fdopendir(fd);
  if (folder == nullptr) return;
  while (const dirent* entry = ::readdir(folder)) {
    if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0 ||
        std::strcmp(entry->d_name, ".git") == 0)
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
  signs.processor = ticks_below(root, 0);
  int left = kMaxEntries;
  look(AT_FDCWD, folder.c_str(), signs.newest_file_ns, left, 0);
  return signs;
}

}  // namespace capsule::agent
