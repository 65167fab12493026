#include "world/run_watch.h"

#include <linux/magic.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "store/identity.h"

namespace capsule::world {
namespace {

constexpr timespec kLook{1, 0};  // where nothing tells
constexpr std::uint32_t kWritten =
    IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ONLYDIR;

bool watches(int inotify, const std::string& folder, std::uint32_t mask) {
  return ::inotify_add_watch(inotify, folder.c_str(), mask | IN_MASK_ADD | IN_ONLYDIR) >= 0;
}

}  // namespace

bool changes_unheard(const std::string& folder) {
  constexpr unsigned kCifs = 0xFF534D42, kSmb2 = 0xFE534D42, kNinep = 0x01021997,
                     kFuse = 0x65735546, kCeph = 0x00C36400;
  struct statfs about {};
  if (::statfs(folder.c_str(), &about) != 0) return false;
  const auto type = static_cast<unsigned>(about.f_type);
  return type == NFS_SUPER_MAGIC || type == SMB_SUPER_MAGIC || type == kCifs || type == kSmb2 ||
         type == kNinep || type == kFuse || type == kCeph;
}

bool watch_on_the_way(int inotify, const std::string& folder, std::uint32_t mask,
                      std::string_view top) {
  for (;;) {
    if (watches(inotify, folder, mask)) return true;
    std::string above = folder, below;
    do {
      below = above;
      above.erase(above.rfind('/'));
      if (above.size() < top.size() || above.empty()) return false;
    } while (!watches(inotify, above, IN_CREATE | IN_MOVED_TO));
    // It may have come between the two.
    if (::access(below.c_str(), F_OK) != 0) return false;
  }
}

RunWatch::RunWatch(std::string project)
    : project_(std::move(project)), inotify_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  blind_ = !inotify_ || !watches(inotify_.fd(), project_ + "/.capsule", kWritten) ||
           changes_unheard(project_ + "/.capsule");
}

void RunWatch::look_at_logs(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders)
    if (inotify_) (void)watch_on_the_way(inotify_.fd(), folder, kWritten, project_);
}

void RunWatch::look_at(const engine::ProcessIdentity& process) {
  if (process_ == process) return;
  process_ = process;
  pidfd_ = File(static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(process.pid), 0)));
  // Somebody else may have its number by now: only after it is open this says whose it is.
  const store::Life life = store::life_of(process);
  if (life != store::Life::alive) pidfd_ = File();
  unknown_ = !pidfd_;
}

void RunWatch::wait(const std::function<bool()>& leave) {
  sigset_t interrupt, before;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &interrupt, &before);
  if (!leave || !leave()) {
    pollfd look[] = {{inotify_ ? inotify_.fd() : -1, POLLIN, 0},
                     {pidfd_ ? pidfd_.fd() : -1, POLLIN, 0}};
    (void)::ppoll(look, 2, blind_ || unknown_ ? &kLook : nullptr, &before);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  char buffer[4096];
  while (inotify_ && ::read(inotify_.fd(), buffer, sizeof buffer) > 0) continue;
}

}  // namespace capsule::world
