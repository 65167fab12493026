#include "git/lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <string_view>

#include "base/check.h"
#include "base/text.h"
#include "git/remove_tree.h"

namespace capsule::git {
namespace {

constexpr int kPollMilliseconds = 20;
constexpr int kLongestWaitMilliseconds = 60'000;
constexpr int kStaleAfterMilliseconds = 2'000;

thread_local int held = -1;

void pause_a_little() {
  const timespec time{0, kPollMilliseconds * 1'000'000L};
  ::nanosleep(&time, nullptr);
}

// The process that has the file open; empty when nobody has. Only looked for when there is a lock.
std::string holder(const struct stat& wanted) {
  for (const std::string& pid : names_in("/proc")) {
    if (pid.find_first_not_of("0123456789") != pid.npos) continue;
    const std::string folder = "/proc/" + pid + "/fd";
    for (const std::string& fd : names_in(folder)) {
      struct stat info {};
      if (::stat(within(folder, fd).c_str(), &info) != 0) continue;
      if (info.st_ino == wanted.st_ino && info.st_dev == wanted.st_dev) return pid;
    }
  }
  return {};
}

std::string link_at(const std::string& path) {
  std::string target(4096, '\0');
  const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
  target.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return target;
}

// A git whose current folder is in the checkout, but not in the worktrees that Capsule keeps there:
// every git that changes an index goes to the top of its files first.
std::string git_at_work_in(const std::string& checkout) {
  for (const std::string& pid : names_in("/proc")) {
    if (pid.find_first_not_of("0123456789") != pid.npos) continue;
    const std::string cwd = link_at("/proc/" + pid + "/cwd") + "/";
    if (!cwd.starts_with(checkout + "/") || cwd.starts_with(checkout + "/.capsule/")) continue;
    if (link_at("/proc/" + pid + "/exe").ends_with("/git")) return pid;
  }
  return {};
}

long age_milliseconds(const struct stat& file) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return (now.tv_sec - file.st_mtim.tv_sec) * 1000 +
         (now.tv_nsec - file.st_mtim.tv_nsec) / 1'000'000;
}

}  // namespace

Result<RepositoryLock> RepositoryLock::take(const Repository& repository) {
  const std::string path = repository.common_dir + "/capsule.lock";
  File file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644));
  if (!file) return tl::unexpected(system_error("open", path));
  for (int waited = 0; ::flock(file.fd(), LOCK_EX | LOCK_NB) != 0; waited += kPollMilliseconds) {
    if (errno != EWOULDBLOCK && errno != EINTR) return tl::unexpected(system_error("lock", path));
    if (waited >= kLongestWaitMilliseconds) {
      return fail(Reason::blocked, "another Capsule is busy with " + printable(repository.top),
                  "wait for it to finish, then try again");
    }
    pause_a_little();
  }
  return RepositoryLock(std::move(file));
}

RepositoryLock::RepositoryLock(File file) : file_(std::move(file)) {
  CHECK(held < 0);
  held = file_.fd();
}

RepositoryLock::~RepositoryLock() {
  if (file_) held = -1;
}

int held_lock() { return held; }

Result<void> clear_stale_lock(const std::string& path, Owner owner, const std::string& checkout) {
  struct stat info {};
  long watched = 0;  // of this very file: the clock may have been set back since it was made
  for (int waited = 0;; waited += kPollMilliseconds, watched += kPollMilliseconds) {
    const ino_t before = info.st_ino;
    if (::lstat(path.c_str(), &info) != 0) return {};
    if (info.st_ino != before) watched = 0;
    std::string pid = holder(info);
    if (pid.empty() && owner == Owner::user) pid = git_at_work_in(checkout);
    const bool old = owner == Owner::ours || age_milliseconds(info) >= kStaleAfterMilliseconds ||
                     watched >= kStaleAfterMilliseconds;
    if (pid.empty() && old) return remove_tree(path);
    if (waited >= kLongestWaitMilliseconds / 6) {
      return fail(Reason::blocked,
                  printable(path) + " is held by process " + (pid.empty() ? "unknown" : pid),
                  "wait for it to finish, then try again");
    }
    pause_a_little();
  }
}

}  // namespace capsule::git
