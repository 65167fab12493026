#include "contain/privileges.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <net/if.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/files.h"
#include "contain/mounts.h"

namespace capsule::contain {
namespace {

Result<void> write_map(const char* path, const std::string& text) {
  const File file(::open(path, O_WRONLY | O_CLOEXEC));
  if (!file || ::write(file.fd(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return tl::unexpected(refused_step("map the user into a user namespace", errno));
  return {};
}

Result<void> set_control(int option, unsigned long value, const char* doing) {
  if (::prctl(option, value, 0, 0, 0) != 0) return tl::unexpected(refused_step(doing, errno));
  return {};
}

Result<void> limit(__rlimit_resource_t what, rlim_t most, const char* doing) {
  rlimit now{};
  if (::getrlimit(what, &now) != 0) return tl::unexpected(refused_step(doing, errno));
  if (now.rlim_max != RLIM_INFINITY && now.rlim_max < most) most = now.rlim_max;
  const rlimit wanted{most, most};
  if (::setrlimit(what, &wanted) != 0) return tl::unexpected(refused_step(doing, errno));
  return {};
}

}  // namespace

Result<void> map_own_user(unsigned uid, unsigned gid) {
  const auto one = [](unsigned id) {
    return std::to_string(id) + " " + std::to_string(id) + " 1\n";
  };
  TRY_VOID(write_map("/proc/self/setgroups", "deny"));
  TRY_VOID(write_map("/proc/self/uid_map", one(uid)));
  return write_map("/proc/self/gid_map", one(gid));
}

Result<void> raise_loopback() {
  const File socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::memcpy(request.ifr_name, "lo", 3);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (!socket || ::ioctl(socket.fd(), SIOCSIFFLAGS, &request) != 0)
    return tl::unexpected(refused_step("bring a loopback of its own up", errno));
  return {};
}

Result<void> drop_privileges() {
  // uid 0 brings nothing with it, and this cannot be changed back.
  constexpr unsigned long kLocked = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                                    SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                                    SECBIT_NO_CAP_AMBIENT_RAISE |
                                    SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
  // Who has no capability has none to lock away: no_new_privs is enough then.
  if (const bool any = ::prctl(PR_SET_SECUREBITS, kLocked, 0, 0, 0) == 0; any) {
    for (unsigned long capability = 0; ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0;
         ++capability)
      TRY_VOID(set_control(PR_CAPBSET_DROP, capability, "drop a capability"));
  } else if (::geteuid() == 0) {
    return tl::unexpected(refused_step("lock the capabilities of root", errno));
  }
  TRY_VOID(set_control(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, "drop ambient capabilities"));
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2] = {};
  if (::syscall(SYS_capset, &header, none) != 0)
    return tl::unexpected(refused_step("drop all capabilities", errno));
  return forbid_new_privileges();
}

Result<void> forbid_new_privileges() {
  return set_control(PR_SET_NO_NEW_PRIVS, 1, "forbid new privileges");
}

Result<void> apply_limits(const Policy& policy) {
  TRY_VOID(limit(RLIMIT_CORE, 0, "forbid core files"));
  // Of each process, and so at once; UseWatch counts them together.
  if (policy.limits.memory > 0)
    TRY_VOID(limit(RLIMIT_DATA, policy.limits.memory, "limit the memory of processes"));
  return limit(RLIMIT_NPROC, policy.limits.processes, "limit the number of processes");
}

Result<void> go_behind_others() {
  constexpr int kNice = 10;
  // Who is further behind stays there.
  errno = 0;
  const int now = ::getpriority(PRIO_PROCESS, 0);
  if (errno != 0 || (now < kNice && ::setpriority(PRIO_PROCESS, 0, kNice) != 0))
    return tl::unexpected(refused_step("go behind others", errno));
  return {};
}

Result<void> adopt_orphans() {
  return set_control(PR_SET_CHILD_SUBREAPER, 1, "become the parent of orphans");
}

Result<void> become_undumpable() {
  return set_control(PR_SET_DUMPABLE, 0, "close this process to others");
}

Result<void> die_with_parent() {
  return set_control(PR_SET_PDEATHSIG, SIGKILL, "tie this process to its parent");
}

}  // namespace capsule::contain
