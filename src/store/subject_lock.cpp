#include "store/subject_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "base/checksum.h"
#include "base/ids.h"
#include "base/text.h"
#include "store/file_id.h"

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

constexpr std::size_t kMaxHolderBytes = 1000;

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
    // The file that was locked may have been removed by its last holder just before: then the lock
    // is on nothing.
    if (file_of(file.fd()) == file_at(path)) return SubjectLock(std::move(file), path);
  }
}

// While we have it, nobody else can hold this file; but another one may stand in its place.
SubjectLock::~SubjectLock() {
  if (file_ && is_current()) ::unlink(path_.c_str());
}

bool SubjectLock::is_current() const { return file_of(file_.fd()) == file_at(path_); }

void SubjectLock::write_holder(std::string_view text) const {
  if (::ftruncate(file_.fd(), 0) != 0) return;
  [[maybe_unused]] const ssize_t done = ::pwrite(file_.fd(), text.data(), text.size(), 0);
}

std::string SubjectLock::read_holder(const std::string& folder, std::string_view subject) {
  return printable(read_file(folder + "/" + file_name(subject), kMaxHolderBytes).value_or(""));
}

}  // namespace capsule::store
