#include "git/remove_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "git/paths.h"

namespace capsule::git {
namespace {

// Every level holds a descriptor. Below this depth a folder is first moved up to the top.
constexpr int kMaxDepth = 64;

struct Removal {
  int top;
  dev_t device;
  unsigned moved = 0;
};

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

File open_folder_at(int parent, const std::string& name) {
  File fd(::openat(parent, name.c_str(), kFolderFlags));
  if (fd || errno != EACCES) return fd;
  // Unreadable: open it for its place only, give ourselves the rights, then open that very folder.
  const File place(::openat(parent, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!place) return File();
  const std::string handle = "/proc/self/fd/" + std::to_string(place.fd());
  if (::chmod(handle.c_str(), 0700) != 0) return File();
  return File(::open((handle + "/.").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

std::vector<std::string> names_of(int folder) {
  std::vector<std::string> names;
  const int copy = ::openat(folder, ".", kFolderFlags);
  if (copy < 0) return names;
  DIR* stream = ::fdopendir(copy);
  if (stream == nullptr) {
    ::close(copy);
    return names;
  }
  while (const dirent* entry = ::readdir(stream)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  ::closedir(stream);
  return names;
}

Result<void> remove_entry(Removal& removal, int parent, const std::string& name, int depth);

Result<void> remove_contents(Removal& removal, int folder, int depth) {
  struct stat info {};
  if (::fstat(folder, &info) != 0) return tl::unexpected(system_error("read", "a folder"));
  if (info.st_dev != removal.device) {
    return fail(Reason::refused, "another file system is mounted inside the folder to be removed",
                "unmount it first");
  }
  if ((info.st_mode & 0700) != 0700) ::fchmod(folder, 0700);
  for (;;) {
    const std::vector<std::string> names = names_of(folder);
    if (names.empty()) return {};
    for (const std::string& name : names) TRY_VOID(remove_entry(removal, folder, name, depth));
  }
}

Result<void> remove_entry(Removal& removal, int parent, const std::string& name, int depth) {
  if (::unlinkat(parent, name.c_str(), 0) == 0 || errno == ENOENT) return {};
  if (errno != EISDIR && errno != EPERM) return tl::unexpected(system_error("remove", name));
  if (::unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return {};
  if (errno == ENOTDIR) return {};  // swapped: the caller reads the folder again
  if (errno != ENOTEMPTY && errno != EEXIST && errno != EACCES) {
    return tl::unexpected(system_error("remove", name));
  }
  if (depth >= kMaxDepth) {
    const std::string aside = ".capsule-removing-" + std::to_string(removal.moved++);
    if (::renameat(parent, name.c_str(), removal.top, aside.c_str()) == 0) return {};
    return tl::unexpected(system_error("move", name));
  }
  {
    const File folder = open_folder_at(parent, name);
    if (!folder && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)) return {};  // swapped
    if (!folder) return tl::unexpected(system_error("open", name));
    TRY_VOID(remove_contents(removal, folder.fd(), depth + 1));
  }
  if (::unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0) return {};
  // Filled or swapped since: the caller reads the folder again and comes back.
  if (errno == ENOENT || errno == ENOTDIR || errno == ENOTEMPTY || errno == EEXIST) return {};
  return tl::unexpected(system_error("remove", name));
}

}  // namespace

Result<void> remove_tree(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    return tl::unexpected(system_error("remove", path));
  }
  if (!S_ISDIR(info.st_mode)) {
    if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
    return tl::unexpected(system_error("remove", path));
  }
  const File parent(::open(parent_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!parent) return tl::unexpected(system_error("open", parent_of(path)));
  const File top = open_folder_at(parent.fd(), name_of(path));
  if (!top) return tl::unexpected(system_error("open", path));
  Removal removal{top.fd(), info.st_dev};
  TRY_VOID(remove_contents(removal, top.fd(), 0));
  if (::unlinkat(parent.fd(), name_of(path).c_str(), AT_REMOVEDIR) == 0) return {};
  if (errno == ENOENT) return {};
  return tl::unexpected(system_error("remove", path));
}

}  // namespace capsule::git
