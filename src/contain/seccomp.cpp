#include "contain/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "contain/mounts.h"

#if !defined(__x86_64__)
#error \
    "The filter of system calls is written for x86-64: other processors number calls differently."
#endif

namespace capsule::contain {
namespace {

constexpr std::uint32_t kX32Bit = 0x40000000;  // calls of the x32 ABI begin here
// The newest call that was looked at (futex_requeue, Linux 6.7). Programs take a newer one, which
// could do anything, for missing.
constexpr std::uint32_t kNewestKnown = 456;

// Refused as if one lacked the right.
constexpr long kForbidden[] = {
    // namespaces and mounts
    SYS_unshare, SYS_setns, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_fsopen,
    SYS_fsconfig, SYS_fsmount, SYS_fspick, SYS_move_mount, SYS_open_tree, SYS_mount_setattr,
    SYS_swapon, SYS_swapoff,
    // files past their names, and watches over whole file systems
    SYS_open_by_handle_at, SYS_name_to_handle_at, SYS_fanotify_init, SYS_fanotify_mark,
    SYS_quotactl, SYS_quotactl_fd, SYS_acct,
    // the kernel itself
    SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_init_module, SYS_finit_module,
    SYS_delete_module, SYS_create_module, SYS_get_kernel_syms, SYS_query_module, SYS_kexec_load,
    SYS_kexec_file_load, SYS_reboot, SYS_syslog, SYS_iopl, SYS_ioperm, SYS_modify_ldt, SYS_vhangup,
    SYS_nfsservctl, SYS_uselib, SYS_ustat, SYS_sysfs, SYS__sysctl, SYS_lookup_dcookie,
    // the clock and the name of the machine
    SYS_settimeofday, SYS_clock_settime, SYS_clock_adjtime, SYS_adjtimex, SYS_sethostname,
    SYS_setdomainname,
    // keys of the user's session
    SYS_add_key, SYS_request_key, SYS_keyctl};

// Said to be missing, so that programs use what a filter can look into.
constexpr long kMissing[] = {SYS_clone3, SYS_io_uring_setup, SYS_io_uring_enter,
                             SYS_io_uring_register, SYS_openat2};

// Answered as by a file system that has none: attributes that a writer leaves in its folder would
// hide files from whoever looks at it through a scratch layer later (user.overlay.whiteout).
constexpr long kUnsupported[] = {SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr};

// Reaches for what is not the command's own: fine, for debuggers for example, while everything in
// sight is.
constexpr long kForeign[] = {
    // processes
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_getfd, SYS_kcmp,
    SYS_process_madvise,
    // memory, semaphores and messages with names
    SYS_shmget, SYS_shmat, SYS_shmctl, SYS_semget, SYS_semop, SYS_semtimedop, SYS_semctl,
    SYS_msgget, SYS_msgsnd, SYS_msgrcv, SYS_msgctl, SYS_mq_open, SYS_mq_unlink,
    // attributes of files, at which Landlock does not look
    SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr};

// Changes a process, and the argument that names it: 0 is the caller.
struct ProcessCall {
  long call;
  int argument;
};
constexpr ProcessCall kOfProcess[] = {{SYS_prlimit64, 0},          {SYS_setpriority, 1},
                                      {SYS_ioprio_set, 1},         {SYS_sched_setaffinity, 0},
                                      {SYS_sched_setscheduler, 0}, {SYS_sched_setparam, 0},
                                      {SYS_sched_setattr, 0}};

// Calls that set the rights of a file, and the argument that has them.
struct ModeCall {
  long call;
  int argument;
};
constexpr ModeCall kSetMode[] = {
    {SYS_chmod, 1}, {SYS_fchmod, 1},  {SYS_fchmodat, 2}, {452, 2},
    {SYS_mknod, 1}, {SYS_mknodat, 2}, {SYS_creat, 1}};  // 452: fchmodat2
// The same when they make a file: flags and rights.
struct OpenCall {
  long call;
  int flags;
  int mode;
};
constexpr OpenCall kOpen[] = {{SYS_open, 1, 2}, {SYS_openat, 2, 3}};
constexpr std::uint32_t kSetIds = S_ISUID | S_ISGID;

constexpr std::uint32_t kNewNamespaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
                                         CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;

constexpr std::uint32_t kNetlinkRoute = 0;

// Types into a terminal as if a person did.
constexpr std::uint32_t kTerminalInput[] = {TIOCSTI, TIOCLINUX};

constexpr std::uint32_t kKill = SECCOMP_RET_KILL_PROCESS;
constexpr std::uint32_t refuse_with(std::uint32_t number) {
  return SECCOMP_RET_ERRNO | (number & SECCOMP_RET_DATA);
}

// The low half of an argument: the kernel itself looks at no more of flags, rights and families.
constexpr std::uint32_t argument(int index) {
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args)) +
         static_cast<std::uint32_t>(index) * 8;
}

class Writer {
 public:
  void load(std::uint32_t offset) { add(BPF_LD | BPF_W | BPF_ABS, offset); }
  void answer(std::uint32_t what) { add(BPF_RET | BPF_K, what); }

  // Each answers at once when it holds, and goes on otherwise.
  void if_equal(std::uint32_t value, std::uint32_t what) { test(BPF_JEQ, value, 0, 1, what); }
  void unless_equal(std::uint32_t value, std::uint32_t what) { test(BPF_JEQ, value, 1, 0, what); }
  void if_above(std::uint32_t value, std::uint32_t what) { test(BPF_JGT, value, 0, 1, what); }
  void if_any(std::uint32_t bits, std::uint32_t what) { test(BPF_JSET, bits, 0, 1, what); }

  // What follows until the end of the block is for this call only; it ends in an answer.
  std::size_t begin_call(long number) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number));
    return program_.size() - 1;
  }
  void end_call(std::size_t begin) {
    answer(SECCOMP_RET_ALLOW);
    program_[begin].jf = static_cast<std::uint8_t>(program_.size() - begin - 1);
  }

  // What follows is skipped unless one of the bits is set.
  std::size_t begin_if_any(std::uint32_t bits) {
    add(BPF_JMP | BPF_JSET | BPF_K, bits);
    return program_.size() - 1;
  }
  void end_if_any(std::size_t begin) {
    program_[begin].jf = static_cast<std::uint8_t>(program_.size() - begin - 1);
  }

  std::vector<sock_filter> take() { return std::move(program_); }

 private:
  void add(unsigned code, std::uint32_t k, std::uint8_t jt = 0, std::uint8_t jf = 0) {
    program_.push_back({static_cast<std::uint16_t>(code), jt, jf, k});
  }
  void test(unsigned how, std::uint32_t value, std::uint8_t jt, std::uint8_t jf,
            std::uint32_t what) {
    add(BPF_JMP | how | BPF_K, value, jt, jf);
    answer(what);
  }
  std::vector<sock_filter> program_;
};

void write_sockets(Writer& out, const CallRules& rules) {
  const std::size_t begin = out.begin_call(SYS_socket);
  out.load(argument(0));
  // Socket files and abstract names lead to services of the user where nothing parts them.
  out.if_equal(AF_UNIX, rules.namespaces ? SECCOMP_RET_ALLOW : refuse_with(EPERM));
  for (const std::uint32_t family : {std::uint32_t{AF_INET}, std::uint32_t{AF_INET6}})
    out.if_equal(family, rules.network ? SECCOMP_RET_ALLOW : refuse_with(ENETUNREACH));
  out.unless_equal(AF_NETLINK, refuse_with(EAFNOSUPPORT));
  out.load(argument(2));
  out.unless_equal(kNetlinkRoute, refuse_with(EPROTONOSUPPORT));
  out.end_call(begin);
}

// What files may be made or changed to: not to what runs with the rights of its owner.
void write_modes(Writer& out) {
  for (const ModeCall& row : kSetMode) {
    const std::size_t begin = out.begin_call(row.call);
    out.load(argument(row.argument));
    out.if_any(kSetIds, refuse_with(EPERM));
    out.end_call(begin);
  }
  for (const OpenCall& row : kOpen) {
    const std::size_t begin = out.begin_call(row.call);
    out.load(argument(row.flags));
    // O_TMPFILE without the bit that it shares with O_DIRECTORY.
    const std::size_t making = out.begin_if_any(O_CREAT | (O_TMPFILE & ~O_DIRECTORY));
    out.load(argument(row.mode));
    out.if_any(kSetIds, refuse_with(EPERM));
    out.end_if_any(making);
    out.end_call(begin);
  }
}

void write_foreign(Writer& out) {
  for (const long call : kForeign)
    out.if_equal(static_cast<std::uint32_t>(call), refuse_with(EPERM));
  for (const ProcessCall& row : kOfProcess) {
    const std::size_t begin = out.begin_call(row.call);
    out.load(argument(row.argument));
    out.unless_equal(0, refuse_with(EPERM));
    out.end_call(begin);
  }
}

}  // namespace

std::vector<sock_filter> call_filter(const CallRules& rules) {
  Writer out;
  out.load(offsetof(seccomp_data, arch));
  out.unless_equal(AUDIT_ARCH_X86_64, kKill);
  out.load(offsetof(seccomp_data, nr));
  out.if_above(kX32Bit - 1, kKill);
  out.if_above(kNewestKnown, refuse_with(ENOSYS));
  for (const long call : kForbidden)
    out.if_equal(static_cast<std::uint32_t>(call), refuse_with(EPERM));
  for (const long call : kMissing)
    out.if_equal(static_cast<std::uint32_t>(call), refuse_with(ENOSYS));
  for (const long call : kUnsupported)
    out.if_equal(static_cast<std::uint32_t>(call), refuse_with(EOPNOTSUPP));
  if (!rules.truncate) out.if_equal(SYS_truncate, refuse_with(EPERM));
  if (!rules.namespaces) write_foreign(out);

  std::size_t begin = out.begin_call(SYS_clone);
  out.load(argument(0));
  out.if_any(kNewNamespaces, refuse_with(EPERM));
  out.end_call(begin);

  begin = out.begin_call(SYS_ioctl);
  out.load(argument(1));
  for (const std::uint32_t request : kTerminalInput) out.if_equal(request, refuse_with(EPERM));
  out.end_call(begin);

  write_modes(out);
  write_sockets(out, rules);
  out.answer(SECCOMP_RET_ALLOW);
  return out.take();
}

bool seccomp_available() {
  const std::uint32_t action = kKill;
  return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

Result<void> apply_seccomp(const CallRules& rules) {
  std::vector<sock_filter> filter = call_filter(rules);
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
    return tl::unexpected(refused_step("put the filter of system calls in force", errno));
  return {};
}

}  // namespace capsule::contain
