// By git itself: the project's branches, objects and worktrees, and what the user's next git would
// run.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/contain/attempt/attempt.h"

namespace attempt {
namespace {

void git(const std::vector<std::string>& words) {
  std::vector<std::string> all{"git"};
  all.insert(all.end(), words.begin(), words.end());
  say("git %s = %d\n", words[0].c_str(), run(all));
}

// What git would run: a line for a shell that leaves the mark beside the project.
std::string trap() { return "echo " + mark() + " >>" + lab("trap"); }

void traps() {
  git({"config", "core.fsmonitor", trap() + ";:"});
  git({"config", "core.hooksPath", "g01-hooks"});
  git({"config", "alias.status", "!" + trap()});
  git({"config", "core.pager", trap()});
  mkdir("g01-hooks", 0755);
  for (const std::string& folder : {std::string("g01-hooks"), project(".git/hooks")})
    for (const char* hook :
         {"pre-commit", "post-checkout", "post-index-change", "reference-transaction"}) {
      const std::string path = folder + "/" + hook;
      const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0755);
      const std::string text = "#!/bin/sh\n" + trap() + "\n";
      if (answer(path.c_str(), fd) >= 0) answer("write", write(fd, text.data(), text.size()));
      close(fd);
    }
}

void move_branch() {
  git({"update-ref", "refs/heads/release", "HEAD~1"});
  git({"branch", "-f", "release", "HEAD~1"});
  git({"push", "-f", ".", "HEAD~1:refs/heads/release"});
  git({"push", "-f", lab("project"), "HEAD~1:refs/heads/release"});
}

void prune() {
  git({"reflog", "expire", "--expire=now", "--all"});
  git({"prune", "--expire=now"});
  git({"gc", "-q", "--prune=now"});
}

void remove_other() {
  git({"worktree", "remove", "--force", lab("doomed")});
  git({"branch", "-D", "capsule-doomed"});
}

void remove_snapshots() {
  git({"update-ref", "-d", "refs/capsule/snapshots/1"});
  git({"push", lab("project"), ":refs/capsule/snapshots/1"});
}

void rewrite_main_by_fetch() {
  git({"--git-dir", project(".git"), "fetch", ".", "+capsule-own:refs/heads/fetched"});
  git({"--git-dir", project(".git"), "symbolic-ref", "HEAD", "refs/heads/capsule-own"});
}

void stash_and_tags() {
  git({"tag", "-f", "v1", "HEAD~1"});
  git({"--git-dir", project(".git"), "tag", "-f", "v1", "HEAD~1"});
}

}  // namespace

Attempts git_ways() {
  return {
      {"G01", "config and hooks for the next git of the user", traps},
      {"G02", "move a branch of the user by git", move_branch},
      {"G03", "prune and gc the project's objects", prune},
      {"G04", "remove the other worktree and its branch", remove_other},
      {"G05", "delete Capsule's snapshots (refs/capsule)", remove_snapshots},
      {"G06", "a new branch and another HEAD in the user's checkout", rewrite_main_by_fetch},
      {"G07", "move a tag of the user", stash_and_tags},
  };
}

}  // namespace attempt
