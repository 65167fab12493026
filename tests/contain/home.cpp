// The user's home: secrets, settings, a project with a checkout, a journal and worktrees.
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <set>

#include "tests/contain/parts.h"

namespace capsule::test::contain {
namespace {

constexpr long kTime = 1000000000;

void secrets(const Lab& lab) {
  const std::vector<std::pair<const char*, const char*>> files = {
      {".ssh/id_ed25519", "ssh"},
      {".ssh/w12", "ssh-other"},
      {".aws/credentials", "aws"},
      {".config/gh/hosts.yml", "gh"},
      {".claude/.credentials.json", "client"},
      {".claude/settings.json", "settings"},
      {"elsewhere/plans.txt", "elsewhere"},
      {"project/.env", "env-file"},
      {"project/.capsule/journal-r10.db", "journal"},
      {"left-open.txt", "left-open"},
      {"agent.log", "log"},
      {"masked/secret", "masked"},
      {"SECRET-name-%", "name"},
  };
  for (const auto& [path, name] : files) {
    std::string below = path;
    if (below.back() == '%') below = lab.secret("name");
    put(lab.home(below), lab.secret(name) + "\n", 0600);
  }
  for (const char* path : {".bashrc", ".npmrc", "bin/tool", "w32", ".cache/go-build/trim.txt",
                           "project/.capsule/journal-w07.db", "project/.capsule/journal-w08.db",
                           "project/.capsule/journal-w09.db"})
    put(lab.home(path), "as it was\n", 0700);
  put(lab.home(".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@lab\n[core]\n\tfsync = none\n");
  mkdir(lab.home("readonly").c_str(), 0755);
  put("/dev/shm/lab-" + lab.nonce, lab.secret("posix-shm") + "\n", 0600);
}

void git(const Lab& lab, std::vector<std::string> words, std::string* output = nullptr) {
  words.insert(words.begin(), {"git", "-C", lab.at("project")});
  std::string said;
  if (user_runs(lab, words, &said) != 0) throw Trouble{"git " + words[3] + ": " + said};
  if (output) *output = said.substr(0, said.find('\n'));
}

void make_project(Lab& lab, const std::string& attempt) {
  git(lab, {"init", "-q", "-b", "main"});
  git(lab, {"add", "README.md", "committed-secret.txt"});
  git(lab, {"commit", "-q", "-m", "first"});
  std::string first;
  git(lab, {"rev-parse", "HEAD"}, &first);
  // As one of the project's own tools: a gate sees nothing but what is committed.
  user_does(lab, [&] { put(lab.project("tools/attempt"), attempt, 0755); });
  git(lab, {"add", "tools", "w01.txt", "w10.txt", "w11.txt", "w13.txt", "w14.txt", "w29.txt",
            "w34.txt", "w36.txt"});
  git(lab, {"commit", "-q", "-m", "second"});
  git(lab, {"branch", "release"});
  git(lab, {"tag", "v1"});
  git(lab, {"update-ref", "refs/capsule/snapshots/1", "HEAD"});
  std::set<std::string> names{"other", "doomed"};
  if (!lab.runs) names.insert("own");
  names.insert(lab.worktrees.begin(), lab.worktrees.end());
  for (const std::string& name : names)
    git(lab, {"worktree", "add", "-q", "-b", "capsule-" + name,
              lab.project(".capsule/worktrees/" + name)});
  std::string object;
  for (const char* id : {"W06", "G03"}) {
    git(lab, {"hash-object", "-w", id == std::string("W06") ? ".env" : ".capsule/journal-w08.db"},
        &object);
    lab.values[id] = lab.project(".git/objects/" + object.substr(0, 2) + "/" + object.substr(2));
  }
  lab.values["W05"] = first;
  std::string second;
  git(lab, {"rev-parse", "HEAD"}, &second);
  lab.values["second"] = second;
}

}  // namespace

void make_home(Lab& lab, const std::string& attempt) {
  auto& values = lab.values;
  values["home"] = "/home/ada";
  values["project"] = "/home/ada/project";
  values["other"] = lab.project(".capsule/worktrees/other");
  values["doomed"] = lab.project(".capsule/worktrees/doomed");
  values["record"] = lab.project(lab.runs ? ".git/worktrees/own" : ".git/worktrees/w17");
  values["journal"] = lab.project(".capsule/journal-r10.db");
  for (const char* id : {"W07", "W08", "W09"})
    values[id] = lab.project(std::string(".capsule/journal-w0") + id[2] + ".db");
  values["W26"] = lab.project("w26-place");
  values["W37"] = lab.project("w37-place");
  values["readonly"] = lab.home("readonly");
  values["masked"] = lab.home("masked");
  values["rootly"] = "/home/rootly";
  values["trap"] = lab.home("sprung.txt");
  values["shm_name"] = "lab-" + lab.nonce;

  must(mkdir("/home/ada", 0755) == 0 && mkdir("/home/rootly", 0700) == 0, "home");
  must(chown("/home/ada", lab.uid, lab.uid) == 0, "home");
  user_does(lab, [&] {
    secrets(lab);
    put(lab.project("README.md"), "A project.\n");
    put(lab.project("committed-secret.txt"), "known to every worktree\n");
    for (const char* name : {"w01", "w10", "w11", "w13", "w14", "w29", "w34"})
      put(lab.project(std::string(name) + ".txt"), "as it was\n");
    put(lab.project("w36.txt"), "");
    put(lab.project(".gitignore"), ".capsule\n.env\n");
    for (const std::string& place : {lab.at("W26"), lab.at("W37")}) mkdir(place.c_str(), 0755);
  });
  make_project(lab, attempt);

  user_does(lab, [&] { put(lab.at("other") + "/notes.txt", lab.secret("other-worktree") + "\n"); });
  const timespec times[2] = {{kTime, 0}, {kTime, 0}};
  for (const std::string& path : {lab.home(".aws/credentials"), lab.project("w13.txt")})
    must(utimensat(AT_FDCWD, path.c_str(), times, 0) == 0, path);

  // A program with the rights of its owner, in the worktree itself or where it may be read.
  values["setuid"] =
      lab.runs ? "/srv/p11-setuid" : lab.project(".capsule/worktrees/own/p11-setuid");
  put(values["setuid"], attempt, 04755);

  struct stat disk {};
  must(stat("/home", &disk) == 0, "/home");
  values["disk"] = std::to_string(disk.st_dev);

  // A place that may only be read, and one that hides what is below it.
  must(mount(lab.at("readonly").c_str(), lab.at("readonly").c_str(), nullptr, MS_BIND, nullptr) ==
               0 &&
           mount(nullptr, lab.at("readonly").c_str(), nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY,
                 nullptr) == 0,
       "readonly");
  must(mount("lab", lab.at("masked").c_str(), "tmpfs", 0, nullptr) == 0, "masked");

  struct {
    file_handle head;
    unsigned char bytes[128];
  } handle{};
  handle.head.handle_bytes = sizeof handle.bytes;
  int mount_id = 0;
  if (name_to_handle_at(AT_FDCWD, lab.home(".ssh/id_ed25519").c_str(), &handle.head, &mount_id,
                        0) == 0) {
    std::string hex;
    char two[3];
    for (unsigned i = 0; i < handle.head.handle_bytes; ++i) {
      snprintf(two, sizeof two, "%02x", handle.head.f_handle[i]);
      hex += two;
    }
    values["handle"] = hex;
    values["handle_type"] = std::to_string(handle.head.handle_type);
  }
}

}  // namespace capsule::test::contain
