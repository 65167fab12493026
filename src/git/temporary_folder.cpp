#include "git/temporary_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <utility>

#include "base/clock.h"
#include "git/paths.h"
#include "git/remove_tree.h"
#include "git/worktree.h"

namespace capsule::git {
namespace {

constexpr int kNameBytes = 6;
constexpr int kTries = 100;
constexpr std::string_view kLock = ".lock";
// Versions before made no lock; no command of theirs runs for so long.
constexpr long kOldSeconds = 24L * 60 * 60;

std::string temporary_area(const Repository& repository) {
  return repository.top + "/.capsule/tmp";
}

bool is_temporary_name(std::string_view name) {
  return name.size() == 2 * kNameBytes && name.find_first_not_of("0123456789abcdef") == name.npos;
}

bool is_old(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 &&
         std::time(nullptr) - info.st_mtim.tv_sec > kOldSeconds;
}

bool lock_now(const File& file) { return file && ::flock(file.fd(), LOCK_EX | LOCK_NB) == 0; }

// A sweep may take the lock between its making and our locking it, and remove it then.
bool still_there(const File& file) {
  struct stat info {};
  return ::fstat(file.fd(), &info) == 0 && info.st_nlink > 0;
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::make(const Repository& repository) {
  const std::string parent = temporary_area(repository);
  TRY_VOID(make_folders(parent));
  for (int i = 0; i < kTries; ++i) {
    const std::string path = parent + "/" + random_hex(kNameBytes);
    const std::string lock_path = path + std::string(kLock);
    File lock(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!lock && errno != EEXIST) return tl::unexpected(system_error("create", lock_path));
    if (!lock_now(lock) || !still_there(lock)) continue;
    return TemporaryFolder(repository, path, std::move(lock));
  }
  return fail(Reason::io, "cannot make a folder in " + parent);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : repository_(other.repository_),
      path_(std::exchange(other.path_, "")),
      lock_(std::move(other.lock_)) {}

TemporaryFolder::~TemporaryFolder() {
  if (path_.empty()) return;
  // The lock goes last, so that a sweep finds what we could not remove.
  if (!remove_tree(path_)) return;
  forget_worktree(repository_, path_);
  ::unlink((path_ + std::string(kLock)).c_str());
}

void sweep_temporary_folders(const Repository& repository) {
  const std::string parent = temporary_area(repository);
  if (!is_plain_folder(parent)) return;  // nothing is removed through a link
  for (const std::string& entry : names_in(parent)) {
    const bool is_lock = entry.ends_with(kLock);
    const std::string name = is_lock ? entry.substr(0, entry.size() - kLock.size()) : entry;
    if (!is_temporary_name(name)) continue;
    const std::string path = parent + "/" + name;
    const std::string lock_path = path + std::string(kLock);
    if (!is_lock) {
      if (!exists(lock_path) && is_old(path)) (void)remove_tree(path);
      continue;
    }
    const File lock(::open(lock_path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!lock_now(lock) || !remove_tree(path)) continue;
    forget_worktree(repository, path);
    ::unlink(lock_path.c_str());
  }
}

}  // namespace capsule::git
