#include "process/fd.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace capsule::process {
namespace {

constexpr int kLowestFd = 10;
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

tl::unexpected<Error> system_error(const std::string& what) {
  const int error = errno;
  return fail(
      Reason::io, what + ": " + std::strerror(error),
      error == EMFILE || error == ENFILE ? "raise the limit of open files (ulimit -n)" : "");
}

// Moved out of the numbers that children use.
Result<File> raised(File low, const char* what) {
  if (low.fd() >= kLowestFd) return low;
  File high(::fcntl(low.fd(), F_DUPFD_CLOEXEC, kLowestFd));
  if (!high) return system_error(what);
  return high;
}

Result<Ends> blocking_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("cannot make a pipe");
  File low_read(ends[0]);
  File low_write(ends[1]);
  File read = TRY(raised(std::move(low_read), "cannot make a pipe"));
  File write = TRY(raised(std::move(low_write), "cannot make a pipe"));
  return Ends{std::move(read), std::move(write)};
}

}  // namespace

Result<Ends> make_pipe() {
  Ends ends = TRY(blocking_pipe());
  if (::fcntl(ends.read.fd(), F_SETFL, O_NONBLOCK) != 0) return system_error("cannot make a pipe");
  return ends;
}

Result<Ends> make_input_pipe() {
  Ends ends = TRY(blocking_pipe());
  if (::fcntl(ends.write.fd(), F_SETFL, O_NONBLOCK) != 0) return system_error("cannot make a pipe");
  return ends;
}

void widen(const File& pipe_end) {
  constexpr int kBytes = 1 << 20;  // what Linux lets everybody have
  (void)!::fcntl(pipe_end.fd(), F_SETPIPE_SZ, kBytes);
}

Result<std::pair<File, File>> make_channel() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return system_error("cannot make a socket pair");
  File low_ours(ends[0]);
  File low_theirs(ends[1]);
  File ours = TRY(raised(std::move(low_ours), "cannot make a socket pair"));
  File theirs = TRY(raised(std::move(low_theirs), "cannot make a socket pair"));
  return std::pair(std::move(ours), std::move(theirs));
}

Result<File> memory_file(std::string_view bytes) {
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  int made = ::memfd_create("capsule-stdin", kFlags | MFD_NOEXEC_SEAL);
  if (made < 0 && errno == EINVAL) made = ::memfd_create("capsule-stdin", kFlags);
  if (made < 0) return system_error("cannot make a file in memory");
  const File file(made);
  TRY_VOID(write_all(file.fd(), bytes, "a file in memory"));
  if (::fcntl(file.fd(), F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) !=
      0)
    return system_error("cannot seal a file in memory");
  // Opened anew: at offset 0, and read-only for whoever inherits it.
  const std::string name = "/proc/self/fd/" + std::to_string(file.fd());
  const int opened = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (opened < 0) return system_error("cannot open a file in memory");
  return raised(File(opened), "cannot open a file in memory");
}

Result<File> null_device() {
  const int opened = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (opened < 0) return system_error("cannot open /dev/null");
  return raised(File(opened), "cannot open /dev/null");
}

Result<File> open_folder(std::string_view path) {
  const std::string name(path);
  const int opened = ::open(name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) {
    if (errno == ENOENT || errno == ENOTDIR)
      return fail(Reason::not_found, "no such folder: " + name);
    return system_error("cannot open the folder " + name);
  }
  return raised(File(opened), "cannot open a folder");
}

}  // namespace capsule::process
