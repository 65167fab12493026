#include "contain/abilities.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/files.h"
#include "base/text.h"
#include "contain/landlock.h"
#include "contain/mounts.h"
#include "contain/privileges.h"
#include "contain/seccomp.h"

namespace capsule::contain {
namespace {

constexpr unsigned kTried = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
                            CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;

bool says(const char* path, std::string_view value) {
  const auto text = read_file(path);
  return text && trimmed(*text) == value;
}

// Does `steps` in new namespaces, and tells what stopped it.
std::optional<Error> tried(Result<void> (*steps)()) {
  int words[2];
  if (::pipe2(words, O_CLOEXEC) != 0) return io_error("make", "a pipe", errno);
  const File from(words[0]);
  File to(words[1]);
  const unsigned uid = ::geteuid();
  const unsigned gid = ::getegid();
  const long child = ::syscall(SYS_clone, kTried | static_cast<unsigned>(SIGCHLD), nullptr, nullptr,
                               nullptr, nullptr);
  if (child < 0) return without_namespaces(errno);
  if (child == 0) {
    auto done = map_own_user(uid, gid);
    if (done) done = steps();
    if (!done) (void)write_all(to.fd(), done.error().message, "a pipe");
    ::_exit(0);
  }
  to = File();
  std::string said;
  char bytes[512];
  for (;;) {
    const ssize_t count = ::read(from.fd(), bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    said.append(bytes, static_cast<std::size_t>(count));
  }
  while (::waitpid(static_cast<pid_t>(child), nullptr, 0) < 0 && errno == EINTR) continue;
  if (said.empty()) return std::nullopt;
  Error error = without_namespaces(EPERM);
  error.message = said;
  return error;
}

Result<void> make_root() {
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return tl::unexpected(refused_step("part its mounts from the machine's", errno));
  const File root = TRY(new_memory("64k", "0755"));
  const File slash(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  TRY_VOID(attach(root, slash.fd(), "a new root"));
  const File proc = TRY(new_system("proc", "", ""));
  return raise_loopback();
}

Result<void> make_overlay() {
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return tl::unexpected(refused_step("part its mounts from the machine's", errno));
  const File layer = TRY(new_memory("64k", "0755"));
  const File slash(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  TRY_VOID(attach(layer, slash.fd(), "a layer"));
  const File lower = TRY(make_target(layer.fd(), "/lower", Make::folder));
  const File upper = TRY(make_target(layer.fd(), "/upper", Make::folder));
  const File work = TRY(make_target(layer.fd(), "/work", Make::folder));
  const File overlay = TRY(new_overlay({lower.fd()}, upper.fd(), work.fd()));
  return {};
}

Ability ability(std::string what, std::string text, const std::optional<Error>& why_not) {
  if (!why_not) return {std::move(what), true, std::move(text)};
  return {std::move(what), false, why_not->message, why_not->hint};
}

}  // namespace

std::optional<Error> try_namespaces() { return tried(make_root); }

const std::optional<Error>& namespaces_missing() {
  static const std::optional<Error> kMissing = try_namespaces();
  return kMissing;
}

std::optional<Error> try_overlay() {
  auto error = tried(make_overlay);
  if (error) error->hint = "sudo modprobe overlay (Linux 5.11 or newer); reviewers need it";
  return error;
}

const std::optional<Error>& overlay_missing() {
  static const std::optional<Error> kMissing = try_overlay();
  return kMissing;
}

std::vector<Ability> abilities() {
  const auto namespaces = try_namespaces();
  std::vector<Ability> all{
      ability("user namespaces", "user, mount, pid, net, ipc, uts and cgroup", namespaces)};
  const int landlock = landlock_abi();
  all.push_back({"landlock", landlock > 0, "version " + std::to_string(landlock)});
  if (landlock == 0) {
    all.back().text = "the kernel has none";
    all.back().remedy = "add landlock to lsm= on the kernel's command line (Linux 5.13 or newer)";
  } else if (landlock < kLandlockScopes) {
    all.back().text += "; from 6 (Linux 6.12) on it parts signals and abstract sockets too";
  }
  all.push_back({"seccomp", seccomp_available(), "the kernel filters system calls"});
  if (!all.back().there) {
    all.back().text = "the kernel filters no system calls: nothing is contained";
    all.back().remedy = "use a kernel with CONFIG_SECCOMP_FILTER";
  }
  if (!namespaces) all.push_back(ability("overlay", "scratch layers can be made", try_overlay()));
  return all;
}

Error without_namespaces(int error_number) {
  const std::string message =
      std::string("this system does not let a program make user namespaces: ") +
      std::strerror(error_number);
  if (says("/proc/sys/kernel/unprivileged_userns_clone", "0"))
    return {Reason::refused, message, "sudo sysctl kernel.unprivileged_userns_clone=1"};
  if (says("/proc/sys/user/max_user_namespaces", "0"))
    return {Reason::refused, message, "sudo sysctl user.max_user_namespaces=10000"};
  if (says("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"))
    return {
        Reason::refused, message,
        "install the .deb, which brings an AppArmor profile; else write one with 'userns,' into "
        "/etc/apparmor.d/capsule, or: sudo sysctl "
        "kernel.apparmor_restrict_unprivileged_userns=0"};
  return {Reason::refused, message,
          "containers and other sandboxes often forbid namespaces: run capsule outside, or allow "
          "them there (docker run --security-opt seccomp=unconfined --security-opt "
          "systempaths=unconfined)"};
}

}  // namespace capsule::contain
