// Processes of the user that attempts aim at, and what the user keeps in memory.
#include <fcntl.h>
#include <linux/keyctl.h>
#include <mqueue.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "tests/contain/parts.h"

namespace capsule::test::contain {
namespace {

constexpr int kPeekFd = 99;
constexpr key_t kShmKey = 0x6c616231;
char in_memory[64];  // the same address in every child

void hold_secrets(const Lab& lab) {
  std::strncpy(in_memory, lab.secret("memory").c_str(), sizeof in_memory - 1);
  const int fd = open(lab.home("left-open.txt").c_str(), O_RDONLY);
  must(dup2(fd, kPeekFd) == kPeekFd, "a descriptor");
}

}  // namespace

void make_victim(Lab& lab, const std::string& name, const std::function<void()>& prepare,
                 const std::function<void()>& live) {
  int ends[2];
  must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "a line to a victim");
  const pid_t child = fork();
  must(child >= 0, "fork");
  if (child == 0) {
    close(ends[0]);
    try {
      setsid();
      if (prepare) prepare();
      become_user(lab);
      if (live) live();
    } catch (const Trouble& trouble) {
      dprintf(STDERR_FILENO, "lab: %s\n", trouble.why.c_str());
      _exit(70);
    }
    for (char byte = 0; read(ends[1], &byte, 1) == 1;)
      if (write(ends[1], &byte, 1) != 1) break;
    _exit(0);
  }
  close(ends[1]);
  lab.victims[name] = child;
  lab.lines[name] = ends[0];
}

bool is_alive(const Lab& lab, const std::string& name) {
  char byte = 'x';
  const int line = lab.lines.at(name);
  return send(line, &byte, 1, MSG_NOSIGNAL) == 1 && read(line, &byte, 1) == 1;
}

void make_victims(Lab& lab) {
  // Far from the numbers that processes inside have: an attempt that aims at a victim's number
  // never hits a process of its own.
  const int last = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
  must(last >= 0 && write(last, "20000", 5) == 5, "ns_last_pid");
  close(last);
  for (const char* id : {"P01", "P02", "P03", "P04", "P05", "P06", "P16", "P18"})
    make_victim(lab, id, {}, {});
  for (const char* name : {"P17", "peek_pid", "trace_pid"})
    make_victim(lab, name, {}, [&] { hold_secrets(lab); });
  make_victim(lab, "cwd_pid", {}, [&] { must(chdir(lab.home(".ssh").c_str()) == 0, "cwd"); });
  make_victim(lab, "inner_pid",
              [&] {
                must(unshare(CLONE_NEWNS) == 0, "mounts of a victim");
                must(mount("lab", "/mnt", "tmpfs", 0, nullptr) == 0, "/mnt");
                put("/mnt/inner", lab.secret("inner") + "\n");
              },
              {});
  for (const auto& [name, line] : lab.lines)
    if (!is_alive(lab, name)) throw Trouble{"the victim " + name + " did not start"};
  // This one is another program: the line closes when it has become that.
  make_victim(lab, "stay_pid", {}, [&] {
    const std::string word = lab.secret("command-line");
    const std::string variable = "TOKEN=" + lab.secret("environment");
    const std::string program = lab.project("tools/attempt");
    char* const argv[] = {const_cast<char*>("agent"), const_cast<char*>("--stay"),
                          const_cast<char*>(word.c_str()), nullptr};
    char* const env[] = {const_cast<char*>(variable.c_str()), nullptr};
    execve(program.c_str(), argv, env);
    throw Trouble{"no " + program};
  });
  must(!is_alive(lab, "stay_pid"), "a victim that is a program");
  for (const auto& [name, pid] : lab.victims) lab.values[name] = std::to_string(pid);
  lab.values["address"] = std::to_string(reinterpret_cast<unsigned long>(in_memory));
  lab.values["peek_fd"] = std::to_string(kPeekFd);
  lab.values["inner_file"] = "/mnt/inner";

  user_does(lab, [&] {
    const int segment = shmget(kShmKey, 4096, IPC_CREAT | 0600);
    void* text = segment < 0 ? reinterpret_cast<void*>(-1) : shmat(segment, nullptr, 0);
    must(text != reinterpret_cast<void*>(-1), "shared memory");
    std::strcpy(static_cast<char*>(text), lab.secret("system-v").c_str());
    mq_attr small{};
    small.mq_maxmsg = 1;
    small.mq_msgsize = 64;
    const std::string message = lab.secret("queue");
    const mqd_t queue = mq_open("/lab", O_CREAT | O_RDWR, 0600, &small);
    must(queue >= 0 && mq_send(queue, message.data(), message.size(), 0) == 0,
         "a queue of messages");
  });
  lab.values["shm_key"] = std::to_string(kShmKey);
  lab.values["shm_id"] = std::to_string(shmget(kShmKey, 0, 0));

  // A session keyring of the lab's own, which all that it starts inherits.
  must(syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr) >= 0, "keyring");
  const std::string secret = lab.secret("keyring");
  const long key =
      syscall(SYS_add_key, "user", "lab", secret.data(), secret.size(), KEY_SPEC_SESSION_KEYRING);
  must(key > 0, "key");
  // Possessors may do everything with it: the owner's rights are not what is under test.
  must(syscall(SYS_keyctl, KEYCTL_SETPERM, key, 0x3f3f3f3f) >= 0, "key");
  lab.values["key_serial"] = std::to_string(key);
}

void make_terminal(Lab& lab) {
  close(lab.leader);
  close(lab.terminal);
  lab.leader = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  must(lab.leader >= 0 && grantpt(lab.leader) == 0 && unlockpt(lab.leader) == 0, "terminal");
  char name[64] = {};
  must(ptsname_r(lab.leader, name, sizeof name) == 0, "terminal");
  must(chown(name, lab.uid, lab.uid) == 0, "terminal");
  lab.terminal = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  must(lab.terminal >= 0, "terminal");
}

}  // namespace capsule::test::contain
