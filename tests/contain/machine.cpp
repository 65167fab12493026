// The lab's machine: places of its own over /home, /tmp, /etc, /dev/shm and /srv, and its own
// /proc.
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tests/contain/parts.h"

namespace capsule::test::contain {
namespace {

void mount_over(const std::string& from, const std::string& to) {
  must(mount(from.c_str(), to.c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0, "bind " + to);
}

struct Rights {
  __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2]{};
};

// Who is not root in a lab of its own has rights there, and loses them with the next program.
void keep_rights_over_exec() {
  Rights rights;
  syscall(SYS_capget, &rights.head, rights.data);
  for (auto& half : rights.data) half.inheritable = half.permitted;
  syscall(SYS_capset, &rights.head, rights.data);
  for (const int right : {CAP_NET_ADMIN, CAP_SYS_ADMIN})
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, right, 0, 0);
}

}  // namespace

void must(bool held, const std::string& what) {
  if (!held) throw Trouble{what + ": " + std::strerror(errno)};
}

int run_by_lab(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    keep_rights_over_exec();
    execvp(argv[0], argv.data());
    _exit(127);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string text_of(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::string text;
  char part[65536];
  for (ssize_t size; fd >= 0 && (size = read(fd, part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(size));
  if (fd >= 0) close(fd);
  return text;
}

void put(const std::string& path, const std::string& text, mode_t mode) {
  for (std::size_t at = path.find('/', 1); at != path.npos; at = path.find('/', at + 1))
    mkdir(path.substr(0, at).c_str(), 0755);
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  must(fd >= 0, "write " + path);
  must(write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()), "write " + path);
  must(fchmod(fd, mode) == 0, "chmod " + path);
  close(fd);
}

void become_user(const Lab& lab) {
  if (lab.uid != getuid()) {
    must(setgroups(0, nullptr) == 0 && setresgid(lab.uid, lab.uid, lab.uid) == 0 &&
             setresuid(lab.uid, lab.uid, lab.uid) == 0,
         "become the user");
    prctl(PR_SET_DUMPABLE, 1);  // as a process that a login has started
  } else if (lab.uid != 0) {
    Rights none;
    must(syscall(SYS_capset, &none.head, none.data) == 0, "drop the lab's rights");
  }
}

pid_t start_as_user(const Lab& lab, const std::function<void()>& work) {
  const pid_t child = fork();
  must(child >= 0, "fork");
  if (child == 0) {
    try {
      become_user(lab);
      work();
    } catch (const Trouble& trouble) {
      dprintf(STDERR_FILENO, "lab: %s\n", trouble.why.c_str());
      _exit(70);
    }
    _exit(0);
  }
  return child;
}

void user_does(const Lab& lab, const std::function<void()>& work) {
  int status = -1;
  waitpid(start_as_user(lab, work), &status, 0);
  if (status != 0) throw Trouble{"what the user does ended with " + std::to_string(status)};
}

int user_runs(const Lab& lab, const std::vector<std::string>& words, std::string* output) {
  int ends[2];
  must(pipe2(ends, O_CLOEXEC) == 0, "pipe");
  const pid_t child = start_as_user(lab, [&] {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    setenv("HOME", lab.at("home").c_str(), 1);
    setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());
    _exit(127);
  });
  close(ends[1]);
  char part[4096];
  std::string text;
  for (ssize_t size; (size = read(ends[0], part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(size));
  close(ends[0]);
  int status = -1;
  waitpid(child, &status, 0);
  if (output) *output = text;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void make_machine(Lab& lab, const std::string& capsule) {
  must(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, "mounts of its own");
  // The folder by a descriptor: one of its own mounts may hide the path.
  const int base = open(lab.base.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  must(base >= 0, lab.base);
  for (const char* name : {"home", "tmp", "etc", "srv", "layer", "work"})
    must(mkdirat(base, name, 0755) == 0, std::string("mkdir ") + name);
  must(fchmodat(base, "tmp", 01777, 0) == 0, "chmod tmp");
  put(lab.base + "/srv/capsule", "", 0755);
  mount_over(capsule, lab.base + "/srv/capsule");
  if (!lab.client.empty()) {
    put(lab.base + "/srv/claude", "", 0755);
    mount_over(lab.client, lab.base + "/srv/claude");
  }
  const std::string real = lab.base;
  lab.base = "/proc/self/fd/" + std::to_string(base);

  // The machine's settings below changes of the lab's own; by copying where that cannot be.
  const std::string layers = "lowerdir=/etc,upperdir=" + real + "/layer,workdir=" + real + "/work";
  if (geteuid() != 0 || mount("lab", (real + "/etc").c_str(), "overlay", 0, layers.c_str()) != 0)
    must(run_by_lab({"sh", "-c", "cp -r --preserve=mode,links /etc/. \"$1\" 2>/dev/null", "sh",
                     real + "/etc"}) != 127,
         "cp");

  // Of the machine's own accounts nothing is in the lab.
  const std::string user = std::to_string(lab.uid);
  const std::string etc = lab.base + "/etc/";
  unlinkat(base, "etc/shadow", 0);
  put(etc + "shadow", "root:" + lab.secret("shadow") + ":1::::::\n", 0600);
  std::string accounts = "root:x:0:0:root:/root:/bin/sh\n";
  if (lab.uid != 0) accounts += "ada:x:" + user + ":" + user + "::/home/ada:/bin/sh\n";
  put(etc + "passwd", accounts);
  put(etc + "hosts",
      std::string("127.0.0.1 localhost rebound.lab\n") + kOtherHost + " other.lab allowed.lab\n");
  put(etc + "resolv.conf", "");
  put(etc + "cron.d/none", "");

  mount_over(lab.base + "/etc", "/etc");
  mount_over(lab.base + "/srv", "/srv");
  mount_over(lab.base + "/home", "/home");
  mount_over(lab.base + "/tmp", "/tmp");
  must(mount("lab", "/dev/shm", "tmpfs", 0, "mode=1777") == 0, "/dev/shm");
  must(mount("lab", "/proc", "proc", 0, nullptr) == 0, "/proc");
  must(sethostname("lab", 3) == 0 && setdomainname("lab", 3) == 0, "names");
  lab.values["nonce"] = lab.nonce;
}

void run_ip(const std::vector<std::vector<std::string>>& lines) {
  for (std::vector<std::string> line : lines) {
    line.insert(line.begin(), "ip");
    const int code = run_by_lab(line);
    if (code == 127) throw Trouble{"there is no ip (package iproute2)"};
    if (code != 0)
      throw Trouble{"ip " + line[1] + " " + line[2] + " ended with " + std::to_string(code)};
  }
}

void connect_hosts(Lab& lab, pid_t other_host) {
  const std::string pid = std::to_string(other_host);
  const std::string device = "lab" + lab.nonce.substr(0, 8);
  run_ip({{"link", "set", "lo", "up"},
          {"link", "add", device, "type", "veth", "peer", "name", "peer", "netns", pid},
          {"addr", "add", std::string(kOwnHost) + "/24", "dev", device},
          {"-6", "addr", "add", "fd99:7::1/64", "dev", device, "nodad"},
          {"link", "set", device, "up"}});
  lab.values["device"] = device;
}

}  // namespace capsule::test::contain
