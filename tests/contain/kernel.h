// A kernel that lacks something, as a filter imitates it. Only for the calling thread and for what
// it starts, for ever.
#pragma once

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace capsule::test {

// For ever, of this thread and what it starts.
template <std::size_t size>
void put_in_force(sock_filter (&program)[size]) {
  const sock_fprog filter{size, program};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0)
    std::abort();  // a test that goes on would show nothing
}

// `flag`: only calls that have one of these bits in their first argument; 0: all.
inline void lack(long call, unsigned flag, int error) {
  const auto number = static_cast<std::uint32_t>(call);
  const auto answer = SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error);
  sock_filter program[] = {
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 3, number},
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, args)},
      {BPF_JMP | BPF_JSET | BPF_K, 0, static_cast<std::uint8_t>(flag == 0 ? 0 : 1), flag},
      {BPF_RET | BPF_K, 0, 0, answer},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  put_in_force(program);
}
inline void without_user_namespaces() { lack(SYS_clone, CLONE_NEWUSER, EPERM); }
inline void without_landlock() { lack(SYS_landlock_create_ruleset, 0, ENOSYS); }
inline void without_new_mounts() { lack(SYS_fsopen, 0, ENOSYS); }
// As kernels answer that have no overlays in user namespaces: they do not know "userxattr". Nothing
// else that is mounted has options without a value (FSCONFIG_SET_FLAG, which is 0).
inline void without_overlay() {
  sock_filter program[] = {
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 3, SYS_fsconfig},
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, args) + sizeof(std::uint64_t)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EINVAL},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  put_in_force(program);
}
inline void without_seccomp() { lack(SYS_seccomp, 0, ENOSYS); }

}  // namespace capsule::test
