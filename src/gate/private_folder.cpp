#include "gate/private_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <utility>

#include "base/text.h"
#include "git/paths.h"
#include "git/remove_tree.h"

namespace capsule::gate {
namespace {

constexpr std::string_view kPrivatePrefix = "capsule-report-";
constexpr const char* kLockName = "lock";
// A folder without a lock is about to get one, or a test removed it.
constexpr long kForgottenSeconds = 24L * 60 * 60;

bool lock_of(const File& file) { return file && ::flock(file.fd(), LOCK_EX | LOCK_NB) == 0; }

std::string parent_of_private() {
  const auto is_plain = [](std::string_view path) {
    return path.starts_with('/') && std::all_of(path.begin(), path.end(), [](char c) {
             return is_letter(c) || is_digit(c) || c == '/' || c == '.' || c == '_' || c == '-';
           });
  };
  const char* set = ::getenv("TMPDIR");
  return set != nullptr && is_plain(set) ? set : "/tmp";
}

}  // namespace

Result<PrivateFolder> PrivateFolder::make() {
  const std::string parent = parent_of_private();
  std::string name = parent + "/" + std::string(kPrivatePrefix) + "XXXXXX";
  if (::mkdtemp(name.data()) == nullptr)
    return tl::unexpected(io_error("make a folder in", parent, errno));
  File lock(::open((name + "/" + kLockName).c_str(),
                   O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  const bool locked = lock_of(lock);
  const int why = errno;
  PrivateFolder folder(std::move(name), std::move(lock));
  if (!locked) return tl::unexpected(io_error("lock a folder in", parent, why));
  return folder;
}

PrivateFolder::PrivateFolder(PrivateFolder&& other) noexcept
    : path_(std::exchange(other.path_, "")), lock_(std::move(other.lock_)) {}

PrivateFolder::~PrivateFolder() {
  if (!path_.empty()) (void)git::remove_tree(path_);
}

void sweep_private_folders() {
  const std::string parent = parent_of_private();
  for (const std::string& name : git::names_in(parent)) {
    if (!name.starts_with(kPrivatePrefix)) continue;
    const std::string place = parent + "/" + name;
    struct stat info {};
    // Other users' are not ours to remove, whatever they are called.
    if (::lstat(place.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != ::geteuid())
      continue;
    const File lock(
        ::open((place + "/" + kLockName).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    const bool forgotten = !lock && std::time(nullptr) - info.st_mtim.tv_sec > kForgottenSeconds;
    if (forgotten || lock_of(lock)) (void)git::remove_tree(place);
  }
}

}  // namespace capsule::gate
