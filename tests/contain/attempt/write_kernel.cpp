// Mounts, flags and settings of the kernel. What would harm the machine is only opened, never
// written.
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/mount.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/contain/attempt/attempt.h"

namespace attempt {
namespace {

// By the system call: glibc's header and the kernel's do not go together.
long mount_by(const char* what, const std::string& where, const char* kind, unsigned long flags) {
  return syscall(SYS_mount, what, where.c_str(), kind, flags, nullptr);
}

void settings() {
  // Belongs to the namespace of names, which the lab has for itself.
  const std::string text = mark();
  const int fd = open("/proc/sys/kernel/domainname", O_WRONLY);
  if (answer("open domainname", fd) >= 0) answer("write", write(fd, text.data(), text.size()));
  answer("setdomainname", syscall(SYS_setdomainname, text.data(), text.size()));
  const int forwarding = open("/proc/sys/net/ipv4/ip_forward", O_WRONLY);
  name_of("forwarding", forwarding);
}

void settings_of_all() {
  for (const char* path :
       {"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/kernel/hotplug",
        "/proc/sys/vm/overcommit_memory", "/proc/sys/fs/binfmt_misc/register",
        "/proc/sysrq-trigger", "/sys/kernel/mm/transparent_hugepage/enabled", "/sys/power/state",
        "/sys/kernel/uevent_helper"})
    name_of(path, open(path, O_WRONLY));
}

void control_groups() {
  for (const char* path :
       {"/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/unified/cgroup.procs",
        "/sys/fs/cgroup/pids/cgroup.procs", "/sys/fs/cgroup/memory/release_agent",
        "/sys/fs/cgroup/pids/release_agent"})
    name_of(path, open(path, O_WRONLY));
}

void remount() {
  answer("remount", mount_by(nullptr, lab("readonly"), nullptr, MS_REMOUNT | MS_BIND));
  answer("remount root", mount_by(nullptr, "/", nullptr, MS_REMOUNT | MS_BIND));
  struct mount_attr attributes {};
  attributes.attr_clr = MOUNT_ATTR_RDONLY;
  answer("mount_setattr", syscall(SYS_mount_setattr, AT_FDCWD, lab("readonly").c_str(), 0,
                                  &attributes, sizeof attributes));
  plant(lab("readonly") + "/w27.txt");
}

void take_mask_away() {
  answer("umount", syscall(SYS_umount2, lab("masked").c_str(), 2 /* MNT_DETACH */));
  show(lab("masked") + "/secret");
}

void immutable() {
  const int fd = open(project("w29.txt").c_str(), O_RDONLY);
  if (answer("open", fd) < 0) return;
  long flags = 0;
  answer("FS_IOC_GETFLAGS", ioctl(fd, FS_IOC_GETFLAGS, &flags));
  flags |= FS_IMMUTABLE_FL;
  answer("FS_IOC_SETFLAGS", ioctl(fd, FS_IOC_SETFLAGS, &flags));
}

void new_mounts() {
  const int context = static_cast<int>(syscall(SYS_fsopen, "tmpfs", 0));
  if (answer("fsopen", context) < 0) return;
  answer("fsconfig", syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, nullptr, nullptr, 0));
  const int mounted = static_cast<int>(syscall(SYS_fsmount, context, 0, 0));
  if (answer("fsmount", mounted) < 0) return;
  answer("move_mount", syscall(SYS_move_mount, mounted, "", AT_FDCWD, lab("W37").c_str(),
                               MOVE_MOUNT_F_EMPTY_PATH));
}

void other_root() {
  // In mounts of its own where it may have them, so that the lab keeps its root.
  answer("unshare", unshare(CLONE_NEWNS));
  answer("private", mount_by(nullptr, "/", nullptr, MS_REC | MS_PRIVATE));
  mkdir("w38", 0755);
  answer("bind", mount_by("w38", "w38", nullptr, MS_BIND));
  mkdir("w38/old", 0755);
  answer("pivot_root", syscall(SYS_pivot_root, "w38", "w38/old"));
  show("/old" + home(".ssh/id_ed25519"));
}

}  // namespace

Attempts write_kernel() {
  return {
      {"W25", "/proc/sys, /sys (kernel settings)", settings},
      {"W26", "mount over a path",
       [] { answer("mount", mount_by("lab", lab("W26"), "tmpfs", 0)); }},
      {"W27", "remount the root writable", remount},
      {"W28", "umount a mask", take_mask_away},
      {"W29", "immutable flag on a file of main", immutable},
      {"W37", "mount over a path by descriptors (fsopen, move_mount)", new_mounts},
      {"W38", "another root (pivot_root)", other_root},
      {"W39", "core_pattern, modprobe, sysrq and others (opened to write, never written)",
       settings_of_all},
      {"W40", "control groups (opened to write, never written)", control_groups},
  };
}

}  // namespace attempt
