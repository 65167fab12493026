#include "task/beads_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "base/files.h"

namespace capsule::task {
namespace {

using namespace std::chrono_literals;

constexpr auto kLockPatience = 30s;
// Short, since nobody queues: whoever looks rarely misses the moments in which others let go.
constexpr auto kLockPause = 1ms;

tl::unexpected<Error> os_error(std::string_view doing, std::string_view name, int error) {
  return tl::unexpected(io_error(doing, name, error));
}

}  // namespace

Result<BeadsFolder> BeadsFolder::open(const std::string& project_dir) {
  const std::string path = project_dir + "/.beads";
  File folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (folder) return BeadsFolder(std::move(folder), project_dir);
  const int error = errno;
  if (exists(project_dir) && !is_folder(project_dir))
    return fail(Reason::refused, project_dir + " is not a folder");
  if (error == ENOTDIR || error == ELOOP)
    return fail(Reason::refused, path + " is not a folder of this project",
                "it must be a real folder, not a file or a symbolic link");
  return os_error("open", path, error);
}

Result<BeadsFolder> BeadsFolder::create(const std::string& project_dir) {
  const std::string path = project_dir + "/.beads";
  if (::mkdir(path.c_str(), 0777) != 0 && errno != EEXIST && errno != ENOTDIR)
    return os_error("make", path, errno);
  return open(project_dir);
}

std::string BeadsFolder::path(std::string_view name) const {
  return project_dir_ + "/.beads" + (name.empty() ? "" : "/") + std::string(name);
}

Result<std::optional<std::string>> BeadsFolder::read(const std::string& name) const {
  auto text = read_file_beneath(project_dir_, ".beads/" + name, kMaxBeadsFileBytes);
  if (text) return std::move(*text);
  if (text.error().reason == Reason::not_found) return std::nullopt;
  return tl::unexpected(std::move(text).error());
}

bool BeadsFolder::has_file_ending(std::string_view ending) const {
  DIR* folder = ::opendir(path("").c_str());
  if (folder == nullptr) return false;
  bool found = false;
  while (const dirent* entry = ::readdir(folder))
    found |= std::string_view(entry->d_name).ends_with(ending);
  ::closedir(folder);
  return found;
}

Result<void> BeadsFolder::lock() {
  const auto give_up = std::chrono::steady_clock::now() + kLockPatience;
  while (::flock(fd(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return os_error("lock", path(""), errno);
    if (std::chrono::steady_clock::now() > give_up)
      return fail(Reason::timed_out, "another program has held " + path("") + " for half a minute",
                  "'fuser " + path("") + "' names it");
    std::this_thread::sleep_for(kLockPause);
  }
  return {};
}

Result<void> BeadsFolder::replace(const std::string& name, std::string_view text) const {
  const std::string aside = "." + name + ".new";
  struct stat about {};
  const bool replaces = ::fstatat(fd(), name.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0;
  if (replaces && !S_ISREG(about.st_mode))
    return fail(Reason::refused, path(name) + " is not a regular file");
  ::unlinkat(fd(), aside.c_str(), 0);  // left by a writer that died; we hold the lock
  const auto written = [&]() -> Result<void> {
    const File file(
        ::openat(fd(), aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!file) return os_error("write", path(aside), errno);
    if (replaces && ::fchmod(file.fd(), about.st_mode & 07777) != 0)
      return os_error("write", path(aside), errno);
    TRY_VOID(write_all(file.fd(), text, path(aside)));
    if (::fsync(file.fd()) != 0 || ::renameat(fd(), aside.c_str(), fd(), name.c_str()) != 0)
      return os_error("write", path(name), errno);
    return {};
  }();
  if (!written) {
    ::unlinkat(fd(), aside.c_str(), 0);
    return fail(Reason::io, written.error().message, "the file is as it was before");
  }
  if (::fsync(fd()) != 0) return os_error("sync", path(""), errno);
  return {};
}

std::string BeadsFolder::stamp(const std::string& name) const {
  struct stat about {};
  if (::fstatat(fd(), name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0) return {};
  return std::to_string(about.st_ino) + " " + std::to_string(about.st_size) + " " +
         std::to_string(about.st_mtim.tv_sec) + "." + std::to_string(about.st_mtim.tv_nsec);
}

}  // namespace capsule::task
