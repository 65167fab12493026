// Secrets in files: the user's home, other worktrees, the checkout, the journal, by every way to a
// file.
#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "tests/contain/attempt/attempt.h"

namespace attempt {
namespace {

const char* const kKey = ".ssh/id_ed25519";

void by_link() {
  symlink(home(kKey).c_str(), "r04-link");
  show("r04-link");
  symlink(lab("home").c_str(), "r04-folder");
  show(std::string("r04-folder/") + kKey);
}

void by_hard_link() {
  answer("link", link(home(".aws/credentials").c_str(), "r05-link"));
  answer("linkat", linkat(AT_FDCWD, home(".aws/credentials").c_str(), AT_FDCWD, "r05-other",
                          AT_SYMLINK_FOLLOW));
  show("r05-link");
  show("r05-other");
}

void by_root_of_processes() {
  show("/proc/self/root" + home(kKey));
  show("/proc/thread-self/root" + home(kKey));
  for (const pid_t pid : everyone()) show("/proc/" + std::to_string(pid) + "/root" + home(kKey));
  show("/proc/" + lab("cwd_pid") + "/root" + home(kKey));
}

void by_cwd_of_processes() {
  show("/proc/" + lab("cwd_pid") + "/cwd/id_ed25519");
  for (const pid_t pid : everyone()) show("/proc/" + std::to_string(pid) + "/cwd/id_ed25519");
}

void by_walking_up() {
  std::string up;
  for (int i = 0; i < 40; ++i) up += "../";
  show(up + home(kKey).substr(1));
  int folder = open(".", O_PATH | O_DIRECTORY);
  for (int i = 0; i < 40; ++i) {
    const int above = openat(folder, "..", O_PATH | O_DIRECTORY);
    if (above < 0) break;
    close(folder);
    folder = above;
  }
  const int fd = openat(folder, home(kKey).c_str() + 1, O_RDONLY);
  if (answer("openat", fd) >= 0) show_fd(fd);
  // A root of its own inside, and a folder that was opened before: the way out of a plain chroot.
  mkdir("r12", 0755);
  const int before = open(".", O_PATH | O_DIRECTORY);
  if (answer("chroot", chroot("r12")) == 0 && fchdir(before) == 0) {
    for (int i = 0; i < 40; ++i) chdir("..");
    chroot(".");
    show(home(kKey));
  }
}

void list_folder(const std::string& path) {
  DIR* folder = opendir(path.c_str());
  if (!folder) {
    answer(("opendir " + path).c_str(), -1);
    return;
  }
  while (const dirent* entry = readdir(folder)) say("%s\n", entry->d_name);
  closedir(folder);
}

void look_at_times() {
  struct stat info {};
  if (answer("stat", stat(home(".aws/credentials").c_str(), &info)) == 0)
    say("mtime:%ld\n", static_cast<long>(info.st_mtim.tv_sec));
  struct statx more {};
  if (answer("statx", statx(AT_FDCWD, home(".aws/credentials").c_str(), 0, STATX_ALL, &more)) == 0)
    say("mtime:%lld\n", static_cast<long long>(more.stx_mtime.tv_sec));
}

void left_open() {
  for (int fd = 3; fd < 1024; ++fd) {
    if (fcntl(fd, F_GETFD) < 0) continue;
    say("descriptor %d is open\n", fd);
    struct stat info {};
    if (fstat(fd, &info) != 0) continue;
    if (S_ISREG(info.st_mode)) show_fd(fd);
    if (S_ISDIR(info.st_mode)) {
      const int key = openat(fd, kKey, O_RDONLY);
      if (key >= 0) show_fd(key);
    }
  }
}

void by_ring() {
  const std::string path = home(kKey);
  const int fd = ring_open(path.c_str(), O_RDONLY);
  say("io_uring open = %d\n", fd);
  if (fd < 0) return;
  char text[512];
  const int size = ring_read(fd, text, sizeof text);
  if (size > 0) say("%.*s\n", size, text);
}

void by_handle() {
  struct {
    file_handle head;
    unsigned char bytes[128];
  } handle{};
  const std::string hex = lab("handle");
  handle.head.handle_type = static_cast<int>(number("handle_type"));
  handle.head.handle_bytes = static_cast<unsigned>(hex.size() / 2);
  for (std::size_t i = 0; i + 1 < hex.size() && i / 2 < sizeof handle.bytes; i += 2)
    handle.head.f_handle[i / 2] =
        static_cast<unsigned char>(std::strtol(hex.substr(i, 2).c_str(), nullptr, 16));
  for (const char* mounted : {".", "/", "/usr", "/tmp"}) {
    const int place = open(mounted, O_RDONLY | O_DIRECTORY);
    const int fd = open_by_handle_at(place, &handle.head, O_RDONLY);
    if (answer("open_by_handle_at", fd) >= 0 && show_fd(fd)) return;
  }
}

#if defined(__x86_64__)
long call_32(long number32, const void* one, long two, long three) {
  long result = 0;
  asm volatile("int $0x80"
               : "=a"(result)
               : "a"(number32), "b"(one), "c"(two), "d"(three)
               : "memory", "r8", "r9", "r10", "r11");
  return result;
}
// The 32-bit doors of the kernel have numbers of their own; a filter that looks at numbers only
// reads them wrongly.
void by_old_calls() {
  char* low = static_cast<char*>(
      mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0));
  if (low == MAP_FAILED) return;
  std::strcpy(low, home(kKey).c_str());
  const long fd = static_cast<int>(call_32(5, low, O_RDONLY, 0));
  say("open by 32 bits = %ld\n", fd);
  if (fd < 0) return;
  char* text = low + 4096;
  const long size = static_cast<int>(
      call_32(3, reinterpret_cast<const void*>(fd), reinterpret_cast<long>(text), 512));
  if (size > 0) say("%.*s\n", static_cast<int>(size), text);
}
// The third set of numbers: those of x32 have a bit of their own.
void by_x32_calls() {
  const long fd = syscall(0x40000000L | SYS_open, home(kKey).c_str(), O_RDONLY);
  if (answer("open by x32", fd) >= 0) show_fd(static_cast<int>(fd));
  const long other = syscall(0x40000000L | SYS_openat, AT_FDCWD, home(kKey).c_str(), O_RDONLY);
  if (answer("openat by x32", other) >= 0) show_fd(static_cast<int>(other));
}
#else
void by_old_calls() { say("this processor has one set of calls\n"); }
void by_x32_calls() { by_old_calls(); }
#endif

void by_openat2() {
  open_how how{};
  how.flags = O_RDONLY;
  const std::string path = home(kKey);
  const int fd = static_cast<int>(syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how));
  if (answer("openat2", fd) >= 0) show_fd(fd);
  const int place = open(path.c_str(), O_PATH);
  if (answer("open as a place", place) >= 0) show("/proc/self/fd/" + std::to_string(place));
}

void by_open_tree() {
#ifdef SYS_open_tree
  const int tree =
      static_cast<int>(syscall(SYS_open_tree, AT_FDCWD, lab("home").c_str(), O_CLOEXEC));
  if (answer("open_tree", tree) >= 0) {
    const int fd = openat(tree, kKey, O_RDONLY);
    if (answer("openat", fd) >= 0) show_fd(fd);
  }
#endif
}

void by_running_it() {
  run({"cat", home(kKey)});
  run({"sh", "-c", "cat \"$1\"; . \"$1\"", "sh", home(kKey)});
  run({"git", "--git-dir", project(".git"), "show", "main:committed-secret.txt"});
  run({"git", "diff", "--no-index", "/dev/null", home(kKey)});
}

void mapped() {
  const int fd = open(home(kKey).c_str(), O_RDONLY);
  if (answer("open", fd) < 0) return;
  void* text = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
  if (text != MAP_FAILED) say("%.200s\n", static_cast<const char*>(text));
}

void watch_home() {
  const int watch = inotify_init1(IN_NONBLOCK);
  answer("inotify_add_watch", inotify_add_watch(watch, lab("home").c_str(), IN_ALL_EVENTS));
  show("/proc/self/fdinfo/" + std::to_string(watch));
}

}  // namespace

Attempts read_files() {
  return {
      {"R01", "read ~/.ssh key", [] { show(home(kKey)); }},
      {"R02", "read ~/.aws/credentials", [] { show(home(".aws/credentials")); }},
      {"R03", "read ~/.config/gh/hosts.yml", [] { show(home(".config/gh/hosts.yml")); }},
      {"R04", "through a link in the worktree", by_link},
      {"R05", "through a hard link", by_hard_link},
      {"R06", "through /proc/self/root and /proc/PID/root", by_root_of_processes},
      {"R07", "through /proc/PID/cwd", by_cwd_of_processes},
      {"R08", "read the other worktree", [] { show(lab("other") + "/notes.txt"); }},
      {"R09", "read an untracked .env of the main checkout", [] { show(project(".env")); }},
      {"R10", "read the journal", [] { show(lab("journal")); }},
      {"R11", "read another project", [] { show(home("elsewhere/plans.txt")); }},
      {"R12", "walk out by .. and folder descriptors", by_walking_up},
      {"R13", "list the home folder", [] { list_folder(lab("home")); }},
      {"R14", "does ~/.aws/credentials exist (stat)", look_at_times},
      {"R15", "a descriptor left open by the parent", left_open},
      {"R32", "open by io_uring", by_ring},
      {"R34", "/etc/shadow", [] { show("/etc/shadow"); }},
      {"R37", "open_by_handle_at", by_handle},
      {"R38", "32-bit system calls", by_old_calls},
      {"R39", "POSIX shared memory in /dev/shm", [] { show("/dev/shm/" + lab("shm_name")); }},
      {"R40", "credentials of the agent client's own home (settings of the user)",
       [] { show(home(".claude/.credentials.json")); }},
      {"R41", "openat2, and a descriptor that is only a place", by_openat2},
      {"R42", "a detached copy of a folder (open_tree)", by_open_tree},
      {"R43", "by cat, sh and git", by_running_it},
      {"R44", "a file that is mapped, not read", mapped},
      {"R45", "watch the home folder", watch_home},
      {"R46", "system calls of x32", by_x32_calls},
  };
}

}  // namespace attempt
