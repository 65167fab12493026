// The filter is run here as the kernel would run it, call by call.
#include "contain/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cstring>

namespace capsule::contain {
namespace {

constexpr std::uint32_t kAllowed = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kKilled = SECCOMP_RET_KILL_PROCESS;
std::uint32_t refused(int number) { return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(number); }

struct Call {
  long number = 0;
  std::vector<std::uint64_t> args = {};
  std::uint32_t arch = AUDIT_ARCH_X86_64;
};

std::uint32_t answer(const Call& call, const CallRules& rules = {}) {
  seccomp_data data{};
  data.nr = static_cast<int>(call.number);
  data.arch = call.arch;
  for (std::size_t i = 0; i < call.args.size(); ++i) data.args[i] = call.args[i];
  const auto program = call_filter(rules);
  std::uint32_t value = 0;
  for (std::size_t at = 0; at < program.size(); ++at) {
    const sock_filter& step = program[at];
    bool holds = false;
    switch (step.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        std::memcpy(&value, reinterpret_cast<const char*>(&data) + step.k, sizeof value);
        continue;
      case BPF_RET | BPF_K:
        return step.k;
      case BPF_JMP | BPF_JEQ | BPF_K:
        holds = value == step.k;
        break;
      case BPF_JMP | BPF_JGT | BPF_K:
        holds = value > step.k;
        break;
      case BPF_JMP | BPF_JSET | BPF_K:
        holds = (value & step.k) != 0;
        break;
      default:
        ADD_FAILURE() << "an instruction that the filter should not have: " << step.code;
        return 0;
    }
    at += holds ? step.jt : step.jf;
  }
  ADD_FAILURE() << "the filter has no end";
  return 0;
}

TEST(CallFilter, OrdinaryCallsPass) {
  for (const long call : {SYS_read, SYS_write, SYS_openat, SYS_execve, SYS_fork, SYS_futex,
                          SYS_statx, SYS_rseq, SYS_close_range, SYS_faccessat2, SYS_ptrace})
    EXPECT_EQ(answer({call}), kAllowed) << call;
}

TEST(CallFilter, CallsOfOtherProcessorsKill) {
  EXPECT_EQ(answer({SYS_read, {}, AUDIT_ARCH_I386}), kKilled);
  EXPECT_EQ(answer({SYS_read | 0x40000000}), kKilled) << "the x32 ABI";
}

TEST(CallFilter, CallsThatNobodyHasLookedAtAreMissing) {
  for (const long call : {457L, 467L, 469L, 5000L}) EXPECT_EQ(answer({call}), refused(ENOSYS));
  EXPECT_EQ(answer({456}), kAllowed);
}

TEST(CallFilter, NamespacesMountsKeysAndTheKernelAreRefused) {
  for (const long call :
       {SYS_unshare, SYS_setns, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_open_tree,
        SYS_move_mount, SYS_open_by_handle_at, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd,
        SYS_keyctl, SYS_add_key, SYS_request_key, SYS_kexec_load, SYS_init_module, SYS_syslog})
    EXPECT_EQ(answer({call}), refused(EPERM)) << call;
}

TEST(CallFilter, WhatAFilterCannotLookIntoIsMissing) {
  for (const long call : {SYS_clone3, SYS_io_uring_setup, SYS_io_uring_enter, SYS_openat2})
    EXPECT_EQ(answer({call}), refused(ENOSYS)) << call;
}

TEST(CallFilter, AProcessMayBeStartedButInNoNewNamespace) {
  EXPECT_EQ(answer({SYS_clone, {CLONE_VM | CLONE_THREAD | SIGCHLD}}), kAllowed);
  for (const int flag : {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC,
                         CLONE_NEWUTS, CLONE_NEWCGROUP})
    EXPECT_EQ(answer({SYS_clone, {static_cast<std::uint64_t>(flag | SIGCHLD)}}), refused(EPERM))
        << flag;
}

TEST(CallFilter, NobodyTypesIntoATerminal) {
  EXPECT_EQ(answer({SYS_ioctl, {0, TIOCSTI}}), refused(EPERM));
  EXPECT_EQ(answer({SYS_ioctl, {0, TIOCSTI | (1ULL << 32)}}), refused(EPERM))
      << "the kernel looks at the low half only, and so do we";
  EXPECT_EQ(answer({SYS_ioctl, {0, TIOCGWINSZ}}), kAllowed);
}

TEST(CallFilter, NoFileBecomesSetuid) {
  EXPECT_EQ(answer({SYS_chmod, {0, 0755}}), kAllowed);
  EXPECT_EQ(answer({SYS_chmod, {0, 04755}}), refused(EPERM));
  EXPECT_EQ(answer({SYS_fchmod, {0, 02755}}), refused(EPERM));
  EXPECT_EQ(answer({SYS_fchmodat, {0, 0, 06755}}), refused(EPERM));
  EXPECT_EQ(answer({452, {0, 0, 04755}}), refused(EPERM)) << "fchmodat2";
  EXPECT_EQ(answer({SYS_openat, {0, 0, O_CREAT | O_WRONLY, 04755}}), refused(EPERM));
  EXPECT_EQ(answer({SYS_openat, {0, 0, O_TMPFILE | O_WRONLY, 04755}}), refused(EPERM));
  EXPECT_EQ(answer({SYS_open, {0, O_CREAT, 04755}}), refused(EPERM));
  EXPECT_EQ(answer({SYS_openat, {0, 0, O_RDONLY | O_DIRECTORY, 04755}}), kAllowed)
      << "without O_CREAT the rights are whatever the register held";
}

TEST(CallFilter, NoFileGetsAttributesThatAScratchLayerWouldHeed) {
  for (const long call : {SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr})
    EXPECT_EQ(answer({call}), refused(EOPNOTSUPP)) << call;
  EXPECT_EQ(answer({463}), refused(ENOSYS)) << "setxattrat";
  EXPECT_EQ(answer({SYS_getxattr}), kAllowed);
}

TEST(CallFilter, SocketsAreOfTheInternetOrLocal) {
  for (const int family : {AF_UNIX, AF_INET, AF_INET6})
    EXPECT_EQ(answer({SYS_socket, {static_cast<std::uint64_t>(family), SOCK_STREAM, 0}}), kAllowed)
        << family;
  for (const int family : {AF_VSOCK, AF_PACKET, AF_ALG, AF_BLUETOOTH, AF_TIPC})
    EXPECT_EQ(answer({SYS_socket, {static_cast<std::uint64_t>(family), SOCK_STREAM, 0}}),
              refused(EAFNOSUPPORT))
        << family;
  EXPECT_EQ(answer({SYS_socket, {AF_NETLINK, SOCK_RAW, 0}}), kAllowed) << "lists interfaces";
  EXPECT_EQ(answer({SYS_socket, {AF_NETLINK, SOCK_RAW, 9}}), refused(EPROTONOSUPPORT));
}

TEST(CallFilter, WithoutNamespacesWhatBelongsToOthersIsRefusedToo) {
  const CallRules weaker{.namespaces = false, .network = false, .truncate = false};
  for (const long call : {SYS_ptrace, SYS_process_vm_readv, SYS_pidfd_getfd, SYS_shmget,
                          SYS_removexattr, SYS_truncate})
    EXPECT_EQ(answer({call}, weaker), refused(EPERM)) << call;
  EXPECT_EQ(answer({SYS_socket, {AF_UNIX, SOCK_STREAM, 0}}, weaker), refused(EPERM));
  EXPECT_EQ(answer({SYS_socket, {AF_INET, SOCK_STREAM, 0}}, weaker), refused(ENETUNREACH));
  EXPECT_EQ(answer({SYS_prlimit64, {0}}, weaker), kAllowed) << "its own limits";
  EXPECT_EQ(answer({SYS_prlimit64, {4711}}, weaker), refused(EPERM));
}

TEST(CallFilter, IsShortEnoughForTheKernel) {
  EXPECT_LE(call_filter({.namespaces = false}).size(), std::size_t{BPF_MAXINSNS});
}

}  // namespace
}  // namespace capsule::contain
