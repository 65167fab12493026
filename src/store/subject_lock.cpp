#include "store/subject_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/ids.h"
#include "store/checksum.h"

namespace capsule::store {
namespace {

// A subject is a bead's id, or a path, which cannot be a file's name.
std::string file_name(std::string_view subject) {
  if (valid_id(subject)) return std::string(subject) + ".lock";
  constexpr char kHex[] = "0123456789abcdef";
  std::string name = "@";  // no id begins like this
  for (std::uint64_t sum = Checksum().add(subject).value(), digits = 0; digits < 16; ++digits) {
    name += kHex[sum & 15];
    sum >>= 4;
  }
  return name + ".lock";
}

// The file that was locked may have been removed by its last holder just before: then the lock is
// on nothing.
bool is_current(int fd, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(fd, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace

Result<std::optional<SubjectLock>> SubjectLock::try_take(const std::string& folder,
                                                         std::string_view subject) {
  TRY_VOID(make_folders(folder));
  const std::string path = folder + "/" + file_name(subject);
  for (;;) {
    File file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644));
    if (!file) return tl::unexpected(io_error("open", path, errno));
    int result = 0;
    do {
      result = ::flock(file.fd(), LOCK_EX | LOCK_NB);
    } while (result != 0 && errno == EINTR);
    if (result != 0 && errno == EWOULDBLOCK) return std::nullopt;
    if (result != 0) return tl::unexpected(io_error("lock", path, errno));
    if (is_current(file.fd(), path)) return SubjectLock(std::move(file), path);
  }
}

SubjectLock::~SubjectLock() {
  if (file_) ::unlink(path_.c_str());  // while we have it: nobody else can hold this file
}

}  // namespace capsule::store
