// Secrets that are not in files: other processes, keyrings, shared memory, sockets, the kernel.
#include <fcntl.h>
#include <linux/keyctl.h>
#include <mqueue.h>
#include <sched.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "tests/contain/attempt/attempt.h"

extern char** environ;

namespace attempt {
namespace {

std::string of(pid_t pid, const char* file) { return "/proc/" + std::to_string(pid) + "/" + file; }

void environments() {
  show("/proc/" + lab("stay_pid") + "/environ");
  for (const pid_t pid : everyone())
    if (pid != getpid()) show(of(pid, "environ"));
}

void environments_above() {
  for (const pid_t pid : ancestors()) show(of(pid, "environ"));
  show("/proc/1/environ");
}

pid_t victim(const char* name) { return static_cast<pid_t>(number(name)); }
void* where() { return reinterpret_cast<void*>(number("address")); }

void read_stack(pid_t pid) {
  FILE* maps = fopen(of(pid, "maps").c_str(), "r");
  if (!maps) return;
  unsigned long from = 0;
  unsigned long to = 0;
  char line[512];
  while (fgets(line, sizeof line, maps)) {
    if (!std::strstr(line, "[stack]") || sscanf(line, "%lx-%lx", &from, &to) != 2) continue;
    const int memory = open(of(pid, "mem").c_str(), O_RDONLY);
    std::string text(4096, '\0');
    for (unsigned long at = to - 4096; memory >= 0 && at >= from && to - at <= 16 * 4096;
         at -= 4096)
      if (pread(memory, text.data(), text.size(), static_cast<off_t>(at)) > 0)
        for (std::size_t found = text.find("SECRET-"); found != text.npos;
             found = text.find("SECRET-", found + 1))
          say("%s\n", text.c_str() + found);
    if (memory >= 0) close(memory);
  }
  fclose(maps);
}

void memory() {
  char text[128] = {};
  iovec here{text, sizeof text - 1};
  iovec there{where(), sizeof text - 1};
  if (answer("process_vm_readv", process_vm_readv(victim("peek_pid"), &here, 1, &there, 1, 0)) > 0)
    say("%s\n", text);
  const int fd = open(of(victim("peek_pid"), "mem").c_str(), O_RDONLY);
  if (answer("open mem", fd) >= 0 &&
      pread(fd, text, sizeof text - 1, static_cast<off_t>(number("address"))) > 0)
    say("%s\n", text);
  for (const pid_t pid : everyone())
    if (pid != getpid()) read_stack(pid);
}

// The text at the victim's address, by a debugger's eyes.
void debugger() {
  const pid_t pid = victim("trace_pid");
  if (answer("PTRACE_ATTACH", ptrace(PTRACE_ATTACH, pid, nullptr, nullptr)) < 0) {
    answer("PTRACE_SEIZE", ptrace(PTRACE_SEIZE, pid, nullptr, nullptr));
    return;
  }
  waitpid(pid, nullptr, __WALL);
  char text[128] = {};
  for (std::size_t at = 0; at + sizeof(long) < sizeof text; at += sizeof(long)) {
    const long word = ptrace(PTRACE_PEEKDATA, pid, static_cast<char*>(where()) + at, nullptr);
    std::memcpy(text + at, &word, sizeof word);
  }
  say("%s\n", text);
  ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
}

void take_descriptor() {
  const int process = static_cast<int>(syscall(SYS_pidfd_open, victim("peek_pid"), 0));
  if (answer("pidfd_open", process) < 0) return;
  const int fd = static_cast<int>(syscall(SYS_pidfd_getfd, process, number("peek_fd"), 0));
  if (answer("pidfd_getfd", fd) >= 0) show_fd(fd);
}

void open_descriptor() {
  show("/proc/" + lab("peek_pid") + "/fd/" + lab("peek_fd"));
  for (const pid_t pid : everyone())
    if (pid != getpid()) show(of(pid, "fd/") + lab("peek_fd"));
}

void read_key(long key) {
  char text[256] = {};
  if (answer("KEYCTL_READ", syscall(SYS_keyctl, KEYCTL_READ, key, text, sizeof text - 1)) > 0)
    say("%s\n", text);
}
void keyring() {
  read_key(number("key_serial"));
  const long found = syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_SESSION_KEYRING, "user", "lab", 0);
  if (answer("KEYCTL_SEARCH", found) > 0) read_key(found);
  const long asked = syscall(SYS_request_key, "user", "lab", nullptr, 0);
  if (answer("request_key", asked) > 0) read_key(asked);
}

void system_v() {
  const int segment = shmget(static_cast<key_t>(number("shm_key")), 0, 0);
  for (const int id : {segment, static_cast<int>(number("shm_id"))}) {
    void* text = id < 0 ? reinterpret_cast<void*>(-1) : shmat(id, nullptr, SHM_RDONLY);
    if (text == reinterpret_cast<void*>(-1))
      answer("shmat", -1);
    else
      say("%.100s\n", static_cast<const char*>(text));
  }
}

void queue_of_messages() {
  const mqd_t queue = mq_open("/lab", O_RDWR);
  char text[65] = {};
  if (answer("mq_open", queue) < 0) return;
  const ssize_t size = mq_receive(queue, text, 64, nullptr);
  if (answer("mq_receive", size) > 0) {
    say("%s\n", text);
    mq_send(queue, text, static_cast<std::size_t>(size), 0);
  }
}

void listen_to(const std::string& path, bool abstract = false) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::size_t size = path.size();
  std::memcpy(address.sun_path + (abstract ? 1 : 0), path.data(),
              std::min(size, sizeof address.sun_path - 1));
  size += offsetof(sockaddr_un, sun_path) + 1;
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (answer(("connect " + path).c_str(), connect(fd, reinterpret_cast<sockaddr*>(&address),
                                                  static_cast<socklen_t>(size))) == 0) {
    const std::string text = mark();
    answer("send", send(fd, text.data(), text.size(), MSG_NOSIGNAL));
    show_fd(fd);
  }
  close(fd);
}

void socket_by_root() {
  listen_to("/proc/" + lab("stay_pid") + "/root" + lab("docker_socket"));
  for (const pid_t pid : everyone()) listen_to(of(pid, "root") + lab("docker_socket"));
}

void kernel_log() {
  char text[8192] = {};
  if (answer("syslog", klogctl(3, text, sizeof text - 1)) > 0) say("%.80s\n", text);
  name_of("kmsg", open("/dev/kmsg", O_RDONLY | O_NONBLOCK));
  show("/proc/kmsg");
}

// Opened for reading, and nothing is read.
void disk() {
  struct stat root {};
  stat(lab("home").c_str(), &root);
  const dev_t device = number("disk") != 0 ? static_cast<dev_t>(number("disk")) : root.st_dev;
  answer("mknod", mknod("r31-disk", S_IFBLK | 0600, device));
  name_of("disk", open("r31-disk", O_RDONLY | O_NONBLOCK));
  name_of("disk by number",
          open(("/dev/block/" + std::to_string(major(device)) + ":" + std::to_string(minor(device)))
                   .c_str(),
               O_RDONLY | O_NONBLOCK));
  unlink("r31-disk");
  name_of("memory", open("/dev/mem", O_RDONLY));
  name_of("kernel's memory", open("/proc/kcore", O_RDONLY));
}

void command_lines() {
  show("/proc/" + lab("stay_pid") + "/cmdline");
  for (const pid_t pid : everyone())
    if (pid != getpid()) show(of(pid, "cmdline"));
}

std::string namespace_name() {
  char name[64] = {};
  return readlink("/proc/self/ns/user", name, sizeof name - 1) > 0 ? name : "";
}
void new_namespace() {
  const std::string before = namespace_name();
  answer("unshare", unshare(CLONE_NEWUSER | CLONE_NEWNS));
  if (before != namespace_name()) say("new namespace %s\n", namespace_name().c_str());
  answer("unshare mounts", unshare(CLONE_NEWNS));
  answer("unshare network", unshare(CLONE_NEWNET));
  const long child =
      syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (child == 0) {
    if (before != namespace_name()) say("new namespace %s\n", namespace_name().c_str());
    _exit(0);
  }
  answer("clone", child);
  while (waitpid(-1, nullptr, 0) > 0) {
  }
}
// clone3 has its flags in memory, where a filter cannot look.
void new_namespace_by_clone3() {
  const std::string before = namespace_name();
  struct {
    unsigned long long flags, pidfd, child, parent, signal, stack, size, tls;
  } how{CLONE_NEWUSER | CLONE_NEWNS, 0, 0, 0, SIGCHLD, 0, 0, 0};
  const long child = syscall(SYS_clone3, &how, sizeof how);
  if (child == 0) {
    if (before != namespace_name()) say("new namespace %s\n", namespace_name().c_str());
    _exit(0);
  }
  answer("clone3", child);
  while (waitpid(-1, nullptr, 0) > 0) {
  }
}

void enter_namespace() {
  const int process = static_cast<int>(syscall(SYS_pidfd_open, victim("inner_pid"), 0));
  answer("pidfd_open", process);
  if (process >= 0 && answer("setns", setns(process, CLONE_NEWNS)) == 0) show(lab("inner_file"));
  for (const std::string& pid : {lab("inner_pid"), std::string("1")}) {
    for (const char* kind : {"user", "mnt", "net", "pid"}) {
      const int place = open(("/proc/" + pid + "/ns/" + kind).c_str(), O_RDONLY);
      if (place >= 0) answer(kind, setns(place, 0));
    }
    show(lab("inner_file"));
  }
}

}  // namespace

Attempts read_others() {
  return {
      {"R16", "secrets in the environment",
       [] {
         for (char** one = environ; *one; ++one) say("%s\n", *one);
       }},
      {"R17", "/proc/PID/environ of the user's process", environments},
      {"R18", "/proc/PPID/environ of the guardian", environments_above},
      {"R19", "/proc/PID/mem, process_vm_readv", memory},
      {"R20", "ptrace attach", debugger},
      {"R21", "pidfd_getfd of a foreign descriptor", take_descriptor},
      {"R22", "/proc/PID/fd/N", open_descriptor},
      {"R23", "key in the session keyring", keyring},
      {"R24", "System V shared memory", system_v},
      {"R25", "abstract socket", [] { listen_to(lab("abstract_socket"), true); }},
      {"R26", "socket file like docker.sock", [] { listen_to(lab("docker_socket")); }},
      {"R27", "socket file in the shared /tmp", [] { listen_to(lab("tmp_socket")); }},
      {"R28", "ssh-agent", [] { listen_to(lab("agent_socket")); }},
      {"R29", "socket file through /proc/PID/root", socket_by_root},
      {"R30", "kernel log", kernel_log},
      {"R31", "the disk itself", disk},
      {"R33", "command lines of other processes", command_lines},
      {"R35", "a new user and mount namespace", new_namespace},
      {"R36", "setns to process 1 or the victim", enter_namespace},
      {"R48", "POSIX queue of messages", queue_of_messages},
      {"R49", "read back the file that its errors are written to", [] { show("/proc/self/fd/2"); }},
      {"R47", "a new user namespace by clone3", new_namespace_by_clone3},
  };
}

}  // namespace attempt
