// What counts as out, attempt by attempt. Nothing here believes an attempt: a secret that it
// printed was never given to it, what it says about calls is what the kernel answered, and the rest
// is looked at here.
#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "tests/contain/parts.h"

namespace capsule::test::contain {
namespace {

namespace fs = std::filesystem;

struct Scene {
  Lab& lab;
  const std::string& id;
  const std::string& said;

  bool says(std::string_view words) const { return said.find(words) != said.npos; }
  bool marked(const std::string& path) const {
    return text_of(path).find(lab.mark(id)) != std::string::npos;
  }
  bool marked_below(const std::string& name) const { return marked(lab.home(name)); }
  bool heard_by(const std::string& who) const {
    return heard(lab).find(who + ": " + lab.mark(id)) != std::string::npos;
  }
  bool changed(const std::string& path) const { return text_of(path) != "as it was\n"; }
  struct stat look(const std::string& path) const {
    struct stat info {};
    lstat(path.c_str(), &info);
    return info;
  }
  // A mount over a folder is another device than the folder above it.
  bool mounted(const std::string& path) const {
    return look(path).st_dev != look(fs::path(path).parent_path()).st_dev;
  }
  bool dead(const char* name) const { return !is_alive(lab, name); }
  std::string ref(const std::string& name) const {
    std::string hash;
    user_runs(lab, {"git", "-C", lab.at("project"), "rev-parse", "-q", "--verify", name}, &hash);
    return hash.substr(0, hash.find('\n'));
  }
  bool moved(const std::string& name) const { return ref(name) != lab.at("second"); }
};

bool shows_secret(const Scene& s) { return s.says("-" + s.lab.nonce) && s.says("SECRET-"); }
bool is_open(const Scene& s) { return s.says("is open"); }
bool new_namespace(const Scene& s) { return s.says("new namespace user:"); }

// The kernel says "not allowed" before it looks at arguments: any other complaint means that it
// would have.
bool only_complains(const Scene& s) {
  for (std::size_t at = 0; (at = s.said.find(" = ", at)) != std::string::npos; at += 3) {
    const std::string rest = s.said.substr(at + 3, s.said.find('\n', at) - at - 3);
    if (rest != "-1 EPERM" && rest != "-1 ENOSYS") return true;
  }
  return false;
}

bool victim_slowed(const Scene& s) {
  const pid_t pid = s.lab.victims.at("P06");
  cpu_set_t set;
  return getpriority(PRIO_PROCESS, static_cast<id_t>(pid)) == 19 ||
         sched_getscheduler(pid) == SCHED_IDLE ||
         (sysconf(_SC_NPROCESSORS_ONLN) > 1 && sched_getaffinity(pid, sizeof set, &set) == 0 &&
          CPU_COUNT(&set) == 1);
}

bool daemon_lives(const Scene& s) {
  const std::string name = ("stay" + s.lab.nonce).substr(0, 15) + "\n";
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored))
    if (text_of(entry.path().string() + "/comm") == name) return true;
  return false;
}

bool typed(const Scene& s) {
  char text[512];
  std::string all;
  fcntl(s.lab.terminal, F_SETFL, O_NONBLOCK);
  for (ssize_t size; (size = read(s.lab.terminal, text, sizeof text)) > 0;)
    all.append(text, static_cast<std::size_t>(size));
  return all.find(s.lab.mark("P08")) != std::string::npos || all.find('!') != std::string::npos;
}

bool memory_changed(const Scene& s) {
  char text[8] = {};
  iovec here{text, sizeof text};
  iovec there{reinterpret_cast<void*>(std::stoul(s.lab.at("address"))), sizeof text};
  must(process_vm_readv(s.lab.victims.at("P17"), &here, 1, &there, 1, 0) > 0,
       "the memory of a victim");
  return std::memcmp(text, "changed", 8) == 0;
}

bool immutable(const Scene& s) {
  const int fd = open(s.lab.project("w29.txt").c_str(), O_RDONLY | O_CLOEXEC);
  long flags = 0;
  ioctl(fd, FS_IOC_GETFLAGS, &flags);
  const bool found = (flags & FS_IMMUTABLE_FL) != 0;
  if (found) {  // or nobody could clean up
    flags &= ~static_cast<long>(FS_IMMUTABLE_FL);
    ioctl(fd, FS_IOC_SETFLAGS, &flags);
  }
  close(fd);
  return found;
}

// The user goes on working: in the checkout, and in the worktree that the attempt had.
bool trap_springs(const Scene& s) {
  const std::string tree = s.lab.project(".capsule/worktrees/g01");
  for (const std::string& place : {s.lab.at("project"), tree})
    user_runs(s.lab, {"git", "-C", place, "status"});
  user_runs(s.lab, {"git", "-C", tree, "commit", "-q", "--allow-empty", "-m", "the user's"});
  return s.marked(s.lab.at("trap"));
}

bool system_marked(const Scene& s) {
  bool found = false;
  for (const char* path : {"/etc/cron.d/w31-", "/etc/ld.so.preload.w31-", "/usr/local/bin/w31-"})
    found = unlink((path + s.lab.nonce).c_str()) == 0 || found;
  return found;
}

bool name_marked(const Scene& s) {
  char name[256] = {};
  if (s.id == "P19")
    must(gethostname(name, sizeof name - 1) == 0, "name");
  else
    must(getdomainname(name, sizeof name - 1) == 0, "name");
  return std::string(name).find(s.lab.mark(s.id)) != std::string::npos;
}

using Judge = bool (*)(const Scene&);
const std::map<std::string, Judge>& judges() {
  static const std::map<std::string, Judge> table = {
      {"R14", [](const Scene& s) { return s.says("mtime:1000000000"); }},
      {"R30",
       [](const Scene& s) {
         return s.says("kmsg is open") || (s.says("syslog = ") && !s.says("syslog = -1"));
       }},
      {"R31", is_open},
      {"R35", new_namespace},
      {"R45",
       [](const Scene& s) {
         // The kernel's words for the folder that is watched.
         const struct stat home = s.look(s.lab.at("home"));
         char words[64];
         snprintf(words, sizeof words, "ino:%lx sdev:%x", static_cast<unsigned long>(home.st_ino),
                  major(home.st_dev) << 20 | minor(home.st_dev));
         return s.says(words);
       }},
      {"R47", new_namespace},
      {"W01", [](const Scene& s) { return s.marked(s.lab.project("w01.txt")); }},
      {"W02", [](const Scene& s) { return s.marked_below(".bashrc"); }},
      {"W03", [](const Scene& s) { return s.marked(s.lab.project(".git/config")); }},
      {"W04", [](const Scene& s) { return s.marked(s.lab.project(".git/hooks/w04-hook")); }},
      {"W05", [](const Scene& s) { return s.moved("refs/heads/main"); }},
      {"W06", [](const Scene& s) { return !fs::exists(s.lab.at("W06")); }},
      {"W07", [](const Scene& s) { return s.changed(s.lab.at("W07")); }},
      {"W08", [](const Scene& s) { return s.changed(s.lab.at("W08")); }},
      {"W09", [](const Scene& s) { return s.changed(s.lab.at("W09")); }},
      {"W10", [](const Scene& s) { return s.changed(s.lab.project("w10.txt")); }},
      {"W11", [](const Scene& s) { return s.changed(s.lab.project("w11.txt")); }},
      {"W12",
       [](const Scene& s) { return (s.look(s.lab.home(".ssh/w12")).st_mode & 0777) != 0600; }},
      {"W13",
       [](const Scene& s) {
         return s.look(s.lab.project("w13.txt")).st_mtim.tv_sec != 1000000000;
       }},
      {"W14",
       [](const Scene& s) {
         return getxattr(s.lab.project("w14.txt").c_str(), "user.lab", nullptr, 0) > 0;
       }},
      {"W15", [](const Scene& s) { return s.marked("/tmp/w15-" + s.lab.nonce); }},
      {"W16", [](const Scene& s) { return s.marked(s.lab.at("other") + "/w16.txt"); }},
      {"W17", [](const Scene& s) { return s.marked(s.lab.at("record") + "/commondir"); }},
      {"W18",
       [](const Scene& s) {
         return s.marked(s.lab.project(".git/info/attributes")) ||
                s.marked(s.lab.project(".git/objects/info/alternates"));
       }},
      {"W19", [](const Scene& s) { return s.marked_below(".claude/settings.json"); }},
      {"W20",
       [](const Scene& s) {
         return s.marked_below(".config/systemd/user/w20.service") ||
                s.marked_below(".config/autostart/w20.desktop");
       }},
      {"W21", [](const Scene& s) { return s.marked_below(".cache/go-build/w21"); }},
      {"W22",
       [](const Scene& s) { return s.marked_below(".npmrc") || s.marked_below(".gitconfig"); }},
      {"W23",
       [](const Scene& s) {
         // A run has removed its worktree itself; what stands there then is somebody else's.
         if (s.lab.runs)
           return S_ISLNK(s.look(s.lab.place).st_mode) || fs::exists(s.lab.place + "-moved");
         return !S_ISDIR(s.look(s.lab.project(".capsule/worktrees/w23")).st_mode);
       }},
      {"W24",
       [](const Scene& s) {
         if (s.lab.runs)
           return fs::exists(s.lab.place) &&
                  text_of(s.lab.place + "/.git") != "gitdir: " + s.lab.at("record") + "\n";
         return text_of(s.lab.project(".capsule/worktrees/w24/.git")) !=
                "gitdir: " + s.lab.project(".git/worktrees/w24") + "\n";
       }},
      {"W25", [](const Scene& s) { return is_open(s) || name_marked(s); }},
      {"W26", [](const Scene& s) { return s.mounted(s.lab.at("W26")); }},
      {"W27", [](const Scene& s) { return s.marked(s.lab.at("readonly") + "/w27.txt"); }},
      {"W29", immutable},
      {"W30", [](const Scene& s) { return s.marked(s.lab.project("w30.txt")); }},
      {"W31", system_marked},
      {"W32", [](const Scene& s) { return (s.look(s.lab.home("w32")).st_mode & 04000) != 0; }},
      {"W33", [](const Scene& s) { return s.marked_below("bin/ls"); }},
      {"W34", [](const Scene& s) { return s.marked(s.lab.project("w34.txt")); }},
      {"W35",
       [](const Scene& s) {
         for (const char* name : {"w35-fifo", "w35-folder", "w35-link"})
           if (s.look(s.lab.project(name)).st_mode != 0) return true;
         return false;
       }},
      {"W36", [](const Scene& s) { return s.look(s.lab.project("w36.txt")).st_size != 0; }},
      {"W37", [](const Scene& s) { return s.mounted(s.lab.at("W37")); }},
      {"W38", [](const Scene& s) { return s.says("pivot_root = 0"); }},
      {"W39", is_open},
      {"W40", is_open},
      {"W41",
       [](const Scene& s) {
         return !fs::exists(s.lab.place + "/.git") && (!s.lab.runs || fs::exists(s.lab.place));
       }},
      {"V01",
       [](const Scene& s) { return s.marked(s.lab.project(".capsule/worktrees/own/w34.txt")); }},
      {"G01", trap_springs},
      {"G02", [](const Scene& s) { return s.moved("refs/heads/release"); }},
      {"G03", [](const Scene& s) { return !fs::exists(s.lab.at("G03")); }},
      {"G04",
       [](const Scene& s) {
         return !fs::exists(s.lab.at("doomed") + "/README.md") ||
                s.moved("refs/heads/capsule-doomed");
       }},
      {"G05", [](const Scene& s) { return s.moved("refs/capsule/snapshots/1"); }},
      {"G06",
       [](const Scene& s) {
         return !s.ref("refs/heads/fetched").empty() ||
                text_of(s.lab.project(".git/HEAD")) != "ref: refs/heads/main\n";
       }},
      {"G07", [](const Scene& s) { return s.moved("refs/tags/v1"); }},
      {"P01", [](const Scene& s) { return s.dead("P01"); }},
      {"P02",
       [](const Scene& s) {
         const std::string stat = text_of("/proc/" + s.lab.at("P02") + "/stat");
         return stat.find(") T ") != stat.npos || stat.empty();
       }},
      {"P03", [](const Scene& s) { return s.dead("P03"); }},
      {"P04", [](const Scene& s) { return s.dead("P04"); }},
      {"P05",
       [](const Scene& s) {
         const std::string limits = text_of("/proc/" + s.lab.at("P05") + "/limits");
         const std::string line = limits.substr(limits.find("Max open files"));
         return std::stol(line.substr(line.find_first_of("0123456789"))) == 17;
       }},
      {"P06", victim_slowed},
      {"P07", daemon_lives},
      {"P08", typed},
      {"P09", is_open},
      {"P10", only_complains},
      {"P11", [](const Scene& s) { return !text_of(s.lab.at("rootly") + "/p11.txt").empty(); }},
      {"P12", [](const Scene& s) { return s.says("nice -15") || s.says("scheduler 1"); }},
      {"P14", [](const Scene& s) { return s.dead("guardian"); }},
      {"P15", [](const Scene& s) { return s.dead("guardian"); }},
      {"P20", [](const Scene& s) { return s.dead("guardian"); }},
      {"P16", [](const Scene& s) { return s.dead("P16"); }},
      {"P17", memory_changed},
      {"P18",
       [](const Scene& s) {
         return syscall(SYS_ioprio_get, 1, s.lab.victims.at("P18")) >> 13 == 3;
       }},
      {"P19", name_marked},
      {"N01", [](const Scene& s) { return s.heard_by("other"); }},
      {"N08", is_open},
      {"N10", shows_secret},
      {"N18", [](const Scene& s) { return s.says("family ") || s.says("connect = 0"); }},
      {"N20", [](const Scene& s) { return s.says(s.lab.at("device")); }},
  };
  return table;
}

}  // namespace

bool got_out(Lab& lab, const std::string& id, const std::string& said) {
  const Scene scene{lab, id, said};
  // A secret in its output is out, whatever else was wanted.
  if (shows_secret(scene)) return true;
  if (const auto judge = judges().find(id); judge != judges().end()) return judge->second(scene);
  if (id[0] == 'N') return heard(lab).find(lab.mark(id)) != std::string::npos;
  return false;
}

}  // namespace capsule::test::contain
