// Marks in foreign files, and other changes to them: the home, the checkout, the project's .git,
// the journal.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "tests/contain/attempt/attempt.h"

namespace attempt {
namespace {

void put(const std::string& path, const std::string& text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0755);
  if (answer(("open to write " + path).c_str(), fd) < 0) return;
  answer("write", write(fd, text.data(), text.size()));
  close(fd);
}

void delete_object() {
  const std::string path = lab("W06");
  chmod(path.substr(0, path.rfind('/')).c_str(), 0755);
  answer("unlink", unlink(path.c_str()));
}

void remove_journal() {
  answer("unlink", unlink(lab("W09").c_str()));
  answer("rename", rename(lab("W09").c_str(), "w09-journal"));
  answer("rename onto", rename("w36.txt", lab("W09").c_str()));
}

void move_in() {
  answer("rename", rename(project("w10.txt").c_str(), "w10.txt"));
  answer("exchange", syscall(SYS_renameat2, AT_FDCWD, project("w10.txt").c_str(), AT_FDCWD,
                             "w29.txt", 2 /* RENAME_EXCHANGE */));
}

void link_in() {
  answer("link", link(project("w11.txt").c_str(), "w11-link"));
  if (access("w11-link", F_OK) == 0) plant("w11-link");
}

void change_mode(const std::string& path, mode_t mode) {
  answer("chmod", chmod(path.c_str(), mode));
  const int fd = open(path.c_str(), O_RDONLY);
  if (fd >= 0) answer("fchmod", fchmod(fd, mode));
  answer("fchmodat2", syscall(452, AT_FDCWD, path.c_str(), mode, 0));
}

void change_times() {
  const timespec times[2] = {{86400, 0}, {86400, 0}};
  answer("utimensat", utimensat(AT_FDCWD, project("w13.txt").c_str(), times, 0));
}

void change_attribute() {
  const std::string text = mark();
  answer("setxattr", setxattr(project("w14.txt").c_str(), "user.lab", text.data(), text.size(), 0));
}

void replace_worktree() {
  char path[4096] = {};
  if (!getcwd(path, sizeof path)) return;
  const std::string here = path;
  answer("rename", rename(here.c_str(), (here + "-moved").c_str()));
  answer("symlink", symlink(lab("home").c_str(), here.c_str()));
}

// The folder that the user's next git in this worktree would take for the repository.
void replace_git_file() {
  char path[4096] = {};
  if (!getcwd(path, sizeof path)) return;
  run({"git", "init", "-q", "--bare", "w24.git"});
  answer("unlink", unlink(".git"));
  put(".git", "gitdir: " + std::string(path) + "/w24.git\n# " + mark() + "\n");
  rename(".git", ".git-old");
  put(".git", "gitdir: " + std::string(path) + "/w24.git\n");
}

void by_ring() {
  const int fd = ring_open(project("w30.txt").c_str(), O_WRONLY | O_CREAT | O_APPEND);
  say("io_uring open = %d\n", fd);
  const std::string text = mark();
  if (fd >= 0)
    say("io_uring write = %d\n", ring_write(fd, text.data(), static_cast<unsigned>(text.size())));
}

void system_folders() {
  if (plant("/etc/cron.d/w31-" + lab("nonce"))) return;
  if (plant("/etc/ld.so.preload.w31-" + lab("nonce"))) return;
  plant("/usr/local/bin/w31-" + lab("nonce"));
}

void plant_program() { put(home("bin/ls"), "#!/bin/sh\n# " + mark() + "\n"); }

// A file that was opened to be read, opened again to be written by what /proc calls it.
void reopen() {
  const int fd = open(project("w34.txt").c_str(), O_RDONLY);
  if (fd < 0) {
    answer("open", -1);
    return;
  }
  plant("/proc/self/fd/" + std::to_string(fd));
}

void make_nodes() {
  answer("mkfifo", mkfifo(project("w35-fifo").c_str(), 0666));
  answer("mkdir", mkdir(project("w35-folder").c_str(), 0777));
  answer("symlink", symlink("/", project("w35-link").c_str()));
}

void allocate() {
  const int fd = open(project("w36.txt").c_str(), O_WRONLY);
  if (answer("open", fd) >= 0) answer("fallocate", fallocate(fd, 0, 0, 1 << 16));
}

}  // namespace

Attempts write_files() {
  return {
      {"W01", "a file of the main checkout", [] { plant(project("w01.txt")); }},
      {"W02", "~/.bashrc", [] { plant(home(".bashrc")); }},
      {"W03", ".git/config of the project (fsmonitor)",
       [] {
         const int fd = open(project(".git/config").c_str(), O_WRONLY | O_APPEND);
         const std::string text = "# " + mark() + "\n";
         if (answer("open to write", fd) >= 0) answer("write", write(fd, text.data(), text.size()));
       }},
      {"W04", ".git/hooks/pre-commit", [] { plant(project(".git/hooks/w04-hook")); }},
      {"W05", "refs/heads/main", [] { put(project(".git/refs/heads/main"), lab("W05") + "\n"); }},
      {"W06", "delete objects of the project", delete_object},
      {"W07", "truncate the journal by truncate(2)",
       [] { answer("truncate", truncate(lab("W07").c_str(), 0)); }},
      {"W08", "write the journal", [] { plant(lab("W08")); }},
      {"W09", "remove the journal", remove_journal},
      {"W10", "move a file of main into the worktree", move_in},
      {"W11", "hard link a file of main, write through it", link_in},
      {"W12", "chmod of ~/.ssh key", [] { change_mode(home(".ssh/w12"), 0644); }},
      {"W13", "utime of a file of main", change_times},
      {"W14", "extended attribute of a file of main", change_attribute},
      {"W15", "file in the shared /tmp", [] { plant("/tmp/w15-" + lab("nonce")); }},
      {"W16", "the other worktree", [] { plant(lab("other") + "/w16.txt"); }},
      {"W17", "the worktree's own git record (commondir)",
       [] { plant(lab("record") + "/commondir"); }},
      {"W18", ".git/info/attributes and objects/info/alternates",
       [] {
         plant(project(".git/info/attributes"));
         const int fd = open(project(".git/objects/info/alternates").c_str(),
                             O_WRONLY | O_CREAT | O_APPEND, 0644);
         const std::string text = "# " + mark() + "\n";
         if (answer("open to write", fd) >= 0) answer("write", write(fd, text.data(), text.size()));
       }},
      {"W19", "~/.claude/settings.json (hooks of the user's next session)",
       [] { plant(home(".claude/settings.json")); }},
      {"W20", "~/.config/systemd/user and autostart",
       [] {
         plant(home(".config/systemd/user/w20.service"));
         plant(home(".config/autostart/w20.desktop"));
       }},
      {"W21", "the user's build cache", [] { plant(home(".cache/go-build/w21")); }},
      {"W22", "~/.npmrc, ~/.gitconfig",
       [] {
         plant(home(".npmrc"));
         put(home(".gitconfig.new"), "# " + mark() + "\n");
         answer("rename", rename(home(".gitconfig.new").c_str(), home(".gitconfig").c_str()));
       }},
      {"W23", "replace the worktree by a link", replace_worktree},
      {"W24", "replace the worktree's .git file", replace_git_file},
      {"W30", "write by io_uring", by_ring},
      {"W31", "/etc and /usr (as root)", system_folders},
      {"W32", "setuid bit on a file of the user", [] { change_mode(home("w32"), 04755); }},
      {"W33", "plant an executable on PATH (~/bin)", plant_program},
      {"W34", "open again to write what was opened to read", reopen},
      {"W35", "pipes, folders and links in the main checkout", make_nodes},
      {"W41", "move .git away",
       [] {
         answer("rename", rename(".git", "w41-git"));
         answer("rename into", rename(".git", "/tmp/w41-git"));
       }},
      {"V01", "change a file in its own worktree (an attack only for a reviewer)",
       [] { plant("w34.txt"); }},
      {"W36", "allocate space in a file of main", allocate},
  };
}

}  // namespace attempt
