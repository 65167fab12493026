// Signals, limits, the terminal, and what only an administrator may do. The victims are the lab's
// own.
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "tests/contain/attempt/attempt.h"

namespace attempt {
namespace {

pid_t victim(const char* name) { return static_cast<pid_t>(number(name)); }

void by_pidfd() {
  const int process = static_cast<int>(syscall(SYS_pidfd_open, victim("P03"), 0));
  if (answer("pidfd_open", process) >= 0)
    answer("pidfd_send_signal", syscall(SYS_pidfd_send_signal, process, SIGKILL, nullptr, 0));
}

// A negative number is a group.
void by_owner(pid_t owner) {
  int ends[2];
  if (pipe(ends) != 0) return;
  answer("F_SETOWN", fcntl(ends[0], F_SETOWN, owner));
  answer("F_SETSIG", fcntl(ends[0], F_SETSIG, SIGKILL));
  answer("O_ASYNC", fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK));
  answer("write", write(ends[1], "x", 1));
}

void limits() {
  const rlimit few{17, 17};
  answer("prlimit", prlimit(victim("P05"), RLIMIT_NOFILE, &few, nullptr));
}

void priority() {
  answer("setpriority", setpriority(PRIO_PROCESS, static_cast<id_t>(victim("P06")), 19));
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  answer("sched_setaffinity", sched_setaffinity(victim("P06"), sizeof one, &one));
  const sched_param none{};
  answer("sched_setscheduler", sched_setscheduler(victim("P06"), SCHED_IDLE, &none));
}

// By what process lists it is found: its name.
void daemon_that_stays() {
  if (fork() != 0) return;
  setsid();
  if (fork() != 0) _exit(0);
  prctl(PR_SET_NAME, ("stay" + lab("nonce")).substr(0, 15).c_str());
  for (int signal_number = 1; signal_number < 32; ++signal_number) signal(signal_number, SIG_IGN);
  for (int fd = 0; fd < 3; ++fd) close(fd);
  for (;;) pause();
}

void type_into(int terminal) {
  for (const char letter : mark() + "\n")
    if (answer("TIOCSTI", ioctl(terminal, TIOCSTI, &letter)) < 0) return;
}
void terminal() {
  const int own = open("/dev/tty", O_RDWR | O_NOCTTY);
  if (answer("open /dev/tty", own) >= 0) type_into(own);
  type_into(STDIN_FILENO);
  char paste = 3;
  answer("TIOCLINUX", ioctl(STDIN_FILENO, 0x541C, &paste));
  // The same with the upper half of the number set, which the kernel does not look at.
  const char letter = '!';
  answer("TIOCSTI with high bits",
         syscall(SYS_ioctl, STDIN_FILENO, 0x100000000UL | TIOCSTI, &letter));
}

void programs_in_kernel() {
  bpf_attr map{};
  map.map_type = BPF_MAP_TYPE_ARRAY;
  map.key_size = map.value_size = 4;
  map.max_entries = 1;
  name_of("bpf", static_cast<int>(syscall(SYS_bpf, BPF_MAP_CREATE, &map, sizeof map)));
  perf_event_attr event{};
  event.type = PERF_TYPE_SOFTWARE;
  event.config = PERF_COUNT_SW_CPU_CLOCK;
  event.size = sizeof event;
  event.exclude_kernel = event.exclude_hv = 1;
  name_of("perf", static_cast<int>(syscall(SYS_perf_event_open, &event, 0, -1, -1, 0)));
  name_of("userfaultfd",
          static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | 1 /* USER_MODE_ONLY */)));
  name_of("fanotify", static_cast<int>(syscall(SYS_fanotify_init, 0, O_RDONLY)));
}

// Each with arguments that cannot work: what is told apart is "not allowed" and "not like this".
void machine() {
  answer("init_module", syscall(SYS_init_module, nullptr, 0, ""));
  answer("finit_module", syscall(SYS_finit_module, -1, "", 0));
  answer("delete_module", syscall(SYS_delete_module, "no module has this name", O_NONBLOCK));
  answer("reboot", syscall(SYS_reboot, 1, 2, 3, nullptr));
  answer("swapon", syscall(SYS_swapon, "/dev/null/no", 0));
  answer("acct", syscall(SYS_acct, "/dev/null/no"));
}

void own_limits() {
  errno = 0;
  setpriority(PRIO_PROCESS, 0, -15);
  say("nice %d\n", getpriority(PRIO_PROCESS, 0));
  const sched_param first{.sched_priority = 1};
  answer("SCHED_FIFO", sched_setscheduler(0, SCHED_FIFO, &first));
  say("scheduler %d\n", sched_getscheduler(0));
}

void memory_of_first() {
  show("/proc/1/environ");
  show("/proc/1/cmdline");
  show("/proc/1/maps");
  const int memory = open("/proc/1/mem", O_RDONLY);
  answer("open /proc/1/mem", memory);
  answer("PTRACE_SEIZE", ptrace(PTRACE_SEIZE, 1, nullptr, nullptr));
  FILE* maps = fopen("/proc/1/maps", "r");
  char line[512];
  unsigned long from = 0;
  unsigned long to = 0;
  while (maps && fgets(line, sizeof line, maps)) {
    if (!std::strstr(line, " rw") || sscanf(line, "%lx-%lx", &from, &to) != 2) continue;
    std::string text(std::min(to - from, 1UL << 20), '\0');
    iovec here{text.data(), text.size()};
    iovec there{reinterpret_cast<void*>(from), text.size()};
    if (process_vm_readv(1, &here, 1, &there, 1, 0) <= 0 &&
        (memory < 0 || pread(memory, text.data(), text.size(), static_cast<off_t>(from)) <= 0))
      continue;
    if (const std::size_t at = text.find("SECRET-"); at != text.npos) {
      say("%.60s\n", text.c_str() + at);
      break;
    }
  }
}

void kill_all_above() {
  std::vector<pid_t> line = ancestors();
  while (!line.empty()) {
    answer(("kill " + std::to_string(line.back())).c_str(), kill(line.back(), SIGKILL));
    line.pop_back();
  }
}

// A group of processes may reach over the border of a pid namespace.
void own_group() {
  answer("kill 0", kill(0, SIGUSR2));
  answer("killpg", killpg(getpgrp(), SIGUSR2));
}

void queue_signal() {
  siginfo_t info{};
  info.si_code = SI_QUEUE;
  answer("rt_sigqueueinfo", syscall(SYS_rt_sigqueueinfo, victim("P16"), SIGKILL, &info));
  answer("tkill", syscall(SYS_tkill, victim("P16"), SIGKILL));
  answer("tgkill", syscall(SYS_tgkill, victim("P16"), victim("P16"), SIGKILL));
}

void write_memory() {
  char text[] = "changed";
  iovec here{text, sizeof text};
  iovec there{reinterpret_cast<void*>(number("address")), sizeof text};
  answer("process_vm_writev", process_vm_writev(victim("P17"), &here, 1, &there, 1, 0));
}

void move_to_group() {
  answer("setpgid", setpgid(0, victim("P18")));
  answer("setpgid of another", setpgid(victim("P18"), victim("P18")));
  answer("ioprio_set", syscall(SYS_ioprio_set, 1, victim("P18"), (3 << 13) | 7));
}

void machine_name() {
  const std::string text = mark();
  answer("sethostname", syscall(SYS_sethostname, text.data(), text.size()));
  const int fd = open("/proc/sys/kernel/hostname", O_WRONLY);
  if (answer("open hostname", fd) >= 0) answer("write", write(fd, text.data(), text.size()));
}

}  // namespace

Attempts processes() {
  return {
      {"P01", "kill a process of the user", [] { answer("kill", kill(victim("P01"), SIGKILL)); }},
      {"P02", "stop the guardian", [] { answer("kill", kill(victim("P02"), SIGSTOP)); }},
      {"P03", "signal by pidfd", by_pidfd},
      {"P04", "signal by a file's owner (SIGIO)", [] { by_owner(victim("P04")); }},
      {"P05", "limits of a foreign process (prlimit)", limits},
      {"P06", "priority and processors of a foreign process", priority},
      {"P07", "a daemon that outlives the agent", daemon_that_stays},
      {"P08", "type into the user's terminal (TIOCSTI)", terminal},
      {"P09", "eBPF, perf, userfaultfd", programs_in_kernel},
      {"P10", "load a module, kexec, reboot (only asked for, with bad arguments)", machine},
      {"P11", "a setuid program",
       [] {
         run({lab("setuid"), "home=" + lab("home"), "nonce=" + lab("nonce"),
              "rootly=" + lab("rootly"), "P11X"});
       }},
      {"P11X", "what the setuid program of P11 does",
       [] {
         say("euid %d\n", static_cast<int>(geteuid()));
         plant(lab("rootly") + "/p11.txt");
       }},
      {"P12", "raise own limits, nice and priorities", own_limits},
      {"P13", "memory of process 1 (the shim)", memory_of_first},
      {"P14", "kill process 1 and the parent", kill_all_above},
      {"P15", "signal its own process group", own_group},
      {"P16", "signal by rt_sigqueueinfo, tkill and tgkill", queue_signal},
      {"P17", "write a foreign process's memory", write_memory},
      {"P18", "process group and disk priority of a foreign process", move_to_group},
      {"P20", "signal its own process group by a file's owner", [] { by_owner(-getpgrp()); }},
      {"P19", "the machine's name", machine_name},
  };
}

}  // namespace attempt
