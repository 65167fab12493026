// A library that is loaded before all others (LD_PRELOAD) and fails writes, syncs, renames and the
// making of files, as a disk does that is full or broken. It counts in the very process it was
// loaded into: what that process starts never sees it. Only regular files count; what a person
// reads (stdout, stderr) and pipes are left alone.
//
//   FAILING_DISK_AT=N          the N-th such call fails; 0 or not set: none
//   FAILING_DISK_FOR_GOOD=1    and all after it
//   FAILING_DISK_ERROR=NUMBER  with this errno
//   FAILING_DISK_CALLS=FILE    the calls are listed here, one a line
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct Disk {
  pid_t pid = -1;
  long at = 0;
  bool for_good = false;
  int error = EIO;
  int list = -1;
  long count = 0;
};
Disk disk;

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

long number(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atol(text) : 0;
}

__attribute__((constructor)) void begin() {
  disk.at = number("FAILING_DISK_AT");
  disk.for_good = number("FAILING_DISK_FOR_GOOD") != 0;
  if (const long error = number("FAILING_DISK_ERROR")) disk.error = static_cast<int>(error);
  if (const char* list = std::getenv("FAILING_DISK_CALLS"))
    disk.list = static_cast<int>(
        ::syscall(SYS_openat, AT_FDCWD, list, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  ::unsetenv("LD_PRELOAD");
  disk.pid = ::getpid();
}

// Says whether this call has to fail, with errno set. A child between fork and exec is not us.
bool fails(const char* what, const char* name) {
  if (disk.pid != ::getpid()) return false;
  ++disk.count;
  if (disk.list >= 0) {
    char line[600];
    const int size = std::snprintf(line, sizeof line, "%s %s\n", what, name);
    ::syscall(SYS_write, disk.list, line, std::strlen(line));
    (void)size;
  }
  if (disk.at == 0 || disk.count < disk.at || (disk.count > disk.at && !disk.for_good))
    return false;
  errno = disk.error;
  return true;
}

bool fails(const char* what, int fd) {
  if (disk.pid != ::getpid() || fd <= STDERR_FILENO) return false;
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return false;
  char link[64];
  char path[512] = "";
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  (void)!::readlink(link, path, sizeof path - 1);
  return fails(what, path);
}

bool makes(int flags) { return (flags & O_CREAT) != 0; }

}  // namespace

extern "C" {

ssize_t write(int fd, const void* bytes, size_t size) {
  if (fails("write", fd)) return -1;
  return ::syscall(SYS_write, fd, bytes, size);
}
ssize_t pwrite(int fd, const void* bytes, size_t size, off_t at) {
  if (fails("pwrite", fd)) return -1;
  return ::syscall(SYS_pwrite64, fd, bytes, size, at);
}
ssize_t pwrite64(int fd, const void* bytes, size_t size, off64_t at) {
  return pwrite(fd, bytes, size, at);
}
int fsync(int fd) {
  if (fails("fsync", fd)) return -1;
  return static_cast<int>(::syscall(SYS_fsync, fd));
}
int fdatasync(int fd) {
  if (fails("fdatasync", fd)) return -1;
  return static_cast<int>(::syscall(SYS_fdatasync, fd));
}
int ftruncate(int fd, off_t size) noexcept {
  if (fails("ftruncate", fd)) return -1;
  return static_cast<int>(::syscall(SYS_ftruncate, fd, size));
}
int ftruncate64(int fd, off64_t size) noexcept { return ftruncate(fd, size); }
int rename(const char* from, const char* to) noexcept {
  if (fails("rename", to)) return -1;
  return static_cast<int>(::syscall(SYS_rename, from, to));
}
int renameat(int from_fd, const char* from, int to_fd, const char* to) noexcept {
  if (fails("rename", to)) return -1;
  return static_cast<int>(::syscall(SYS_renameat2, from_fd, from, to_fd, to, 0));
}
int openat(int folder, const char* name, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = makes(flags) ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  if (makes(flags) && fails("open", name)) return -1;
  return static_cast<int>(::syscall(SYS_openat, folder, name, flags, mode));
}
int open(const char* name, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = makes(flags) ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  return openat(AT_FDCWD, name, flags, mode);
}
int open64(const char* name, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = makes(flags) ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  return openat(AT_FDCWD, name, flags, mode);
}
int mkdir(const char* name, mode_t mode) noexcept {
  if (fails("mkdir", name)) return -1;
  return static_cast<int>(::syscall(SYS_mkdirat, AT_FDCWD, name, mode));
}
// Calls that libc has no function for.
long syscall(long call, ...) noexcept {
  using Syscall = long (*)(long, ...);
  static const auto forward = real<Syscall>("syscall");
  va_list rest;
  va_start(rest, call);
  long word[6];
  for (long& w : word) w = va_arg(rest, long);
  va_end(rest);
  if (call == SYS_openat2) {
    open_how how{};
    std::memcpy(&how, reinterpret_cast<const void*>(word[2]), sizeof how);
    if (makes(static_cast<int>(how.flags)) && fails("open", reinterpret_cast<const char*>(word[1])))
      return -1;
  }
  return forward(call, word[0], word[1], word[2], word[3], word[4], word[5]);
}
}
