#include "base/files.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/text.h"

namespace capsule {
namespace {

// The same without the kernel's help: inside our own walls there is none, as a filter of system
// calls cannot look into what openat2 is given.
int open_by_steps(int root, std::string_view relative, int flags, unsigned mode) {
  File held;
  int folder = root;
  std::string last = ".";
  if (relative.starts_with('/')) return errno = EXDEV, -1;
  for (const std::string_view part : split(relative, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..") return errno = EXDEV, -1;
    if (last != ".") {
      File next(::openat(folder, last.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
      struct stat info {};
      if (!next || ::fstat(next.fd(), &info) != 0) return -1;
      if (S_ISLNK(info.st_mode)) return errno = ELOOP, -1;
      held = std::move(next);
      folder = held.fd();
    }
    last = part;
  }
  return ::openat(folder, last.c_str(), flags | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
                  mode);
}

// A path from the root that cannot leave it, checked by the kernel where it knows how (Linux 5.6).
int open_under(int root, const char* relative, int flags, unsigned mode) {
  open_how how{};
  how.flags = static_cast<unsigned>(flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  how.mode = (flags & O_CREAT) != 0 ? mode : 0;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  const auto opened = static_cast<int>(::syscall(SYS_openat2, root, relative, &how, sizeof how));
  return opened < 0 && errno == ENOSYS ? open_by_steps(root, relative, flags, mode) : opened;
}

Result<std::string> read_all(int fd, const std::string& name, std::size_t max_bytes) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return tl::unexpected(io_error("read", name, errno));
  if (!S_ISREG(info.st_mode))
    return fail(Reason::refused, "not a regular file: " + printable(name));
  const auto size = static_cast<std::size_t>(info.st_size);
  const auto too_large = [&] {
    return fail(Reason::refused,
                printable(name) + " is larger than " + std::to_string(max_bytes) + " bytes");
  };
  if (size > max_bytes) return too_large();
  std::string bytes;
  bytes.resize(size + 1);
  std::size_t used = 0;
  for (;;) {
    if (used == bytes.size()) bytes.resize(bytes.size() * 2);
    const ssize_t n = ::read(fd, bytes.data() + used, bytes.size() - used);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return tl::unexpected(io_error("read", name, errno));
    if (n == 0) break;
    used += static_cast<std::size_t>(n);
    if (used > max_bytes) return too_large();
  }
  bytes.resize(used);
  return bytes;
}

}  // namespace

File& File::operator=(File&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

File::~File() {
  if (fd_ >= 0) ::close(fd_);
}

Error io_error(std::string_view doing, std::string_view name, int error_number) {
  const Reason reason = error_number == ENOENT    ? Reason::not_found
                        : error_number == EEXIST  ? Reason::exists
                        : error_number == ELOOP   ? Reason::refused
                        : error_number == EXDEV   ? Reason::refused
                        : error_number == ENOTDIR ? Reason::not_found
                                                  : Reason::io;
  std::string hint;
  if (error_number == ENOSPC || error_number == EDQUOT)
    hint = "free some disk space, then try again";
  if (error_number == EACCES || error_number == EPERM || error_number == EROFS)
    hint = "check its owner and permissions";
  return {
      reason,
      "cannot " + std::string(doing) + " " + printable(name) + ": " + std::strerror(error_number),
      hint};
}

Result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!file) return tl::unexpected(io_error("read", path, errno));
  return read_all(file.fd(), path, max_bytes);
}

Result<void> write_all(int fd, std::string_view bytes, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return tl::unexpected(io_error("write", name, errno));
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

namespace {

enum class Synced { yes, no };

Result<void> put_file(const std::string& path, std::string_view bytes, unsigned mode,
                      std::string aside, Synced synced) {
  if (aside.empty()) aside = path + ".new." + std::to_string(::getpid());
  {
    ::unlink(aside.c_str());
    const File file(
        ::open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
    if (!file) return tl::unexpected(io_error("write", aside, errno));
    auto written = write_all(file.fd(), bytes, aside);
    if (written && synced == Synced::yes && ::fsync(file.fd()) != 0)
      written = tl::unexpected(io_error("write", aside, errno));
    if (!written) {
      ::unlink(aside.c_str());
      return written;
    }
  }
  // Changing places is as atomic as replacing, but some file systems take a file that replaces
  // another for one that has to reach the disk at once, and make us wait for it.
  const auto change_places = [&] {
    return ::renameat2(AT_FDCWD, aside.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0;
  };
  if (synced == Synced::no && change_places()) {
    if (::unlink(aside.c_str()) == 0) return {};
    change_places();  // it is a folder, which stays: what follows says so
  }
  if (::rename(aside.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(aside.c_str());
    return tl::unexpected(io_error("write", path, error));
  }
  if (synced == Synced::no) return {};
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const File parent(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!parent || ::fsync(parent.fd()) != 0)
    return tl::unexpected(io_error("sync the folder of", path, errno));
  return {};
}

}  // namespace

Result<void> write_file(const std::string& path, std::string_view bytes, unsigned mode,
                        std::string aside) {
  return put_file(path, bytes, mode, std::move(aside), Synced::yes);
}

Result<void> replace_file(const std::string& path, std::string_view bytes, unsigned mode,
                          std::string aside) {
  return put_file(path, bytes, mode, std::move(aside), Synced::no);
}

Result<void> make_folders(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return tl::unexpected(io_error("make the folder", path, error.value()));
  return {};
}

Result<void> make_folders_beneath(const std::string& root, const std::string& relative) {
  File folder(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return tl::unexpected(io_error("open", root, errno));
  for (std::string_view part : split(relative, '/')) {
    if (part.empty() || part == ".") continue;
    const std::string name(part);
    if (part == "..")
      return fail(Reason::refused, "a path must not contain '..': " + printable(relative));
    if (::mkdirat(folder.fd(), name.c_str(), 0777) != 0 && errno != EEXIST)
      return tl::unexpected(io_error("make the folder", relative, errno));
    File next(::openat(folder.fd(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next) return tl::unexpected(io_error("open the folder", root + "/" + relative, errno));
    folder = std::move(next);
  }
  return {};
}

Result<File> open_beneath(const std::string& root, const std::string& relative, int flags,
                          unsigned mode) {
  const std::string name = root + "/" + relative;
  const File folder(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return tl::unexpected(io_error("open", root, errno));
  File file(open_under(folder.fd(), relative.c_str(), flags, mode));
  if (!file) return tl::unexpected(io_error("open", name, errno));
  struct stat info {};
  if (::fstat(file.fd(), &info) != 0) return tl::unexpected(io_error("open", name, errno));
  if (!S_ISREG(info.st_mode))
    return fail(Reason::refused, "not a regular file: " + printable(name));
  return file;
}

Result<std::string> read_file_beneath(const std::string& root, const std::string& relative,
                                      std::size_t max_bytes) {
  const File file = TRY(open_beneath(root, relative, O_RDONLY));
  return read_all(file.fd(), root + "/" + relative, max_bytes);
}

bool exists(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

bool is_folder(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

std::string absolute_path(std::string_view path) {
  std::error_code error;
  auto absolute =
      std::filesystem::absolute(path.empty() ? "." : path, error).lexically_normal().string();
  while (absolute.size() > 1 && absolute.back() == '/') absolute.pop_back();
  return absolute;
}

Result<std::string> real_path(const std::string& path) {
  char* found = ::realpath(path.c_str(), nullptr);
  if (found == nullptr) return tl::unexpected(io_error("find", path, errno));
  std::string result(found);
  std::free(found);
  return result;
}

}  // namespace capsule
