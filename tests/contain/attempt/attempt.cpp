#include "tests/contain/attempt/attempt.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

namespace attempt {
namespace {

std::map<std::string, std::string>& values() {
  static std::map<std::string, std::string> all;
  return all;
}
std::string current;

Attempts all() {
  Attempts every;
  for (auto* table : {read_files, read_others, write_files, write_kernel, git_ways, processes,
                      network, proxy, needed})
    for (const Attempt& one : table()) every.push_back(one);
  return every;
}

const Attempt* find(const Attempts& every, const std::string& id) {
  for (const Attempt& one : every)
    if (id == one.id) return &one;
  return nullptr;
}

// In a process of its own, so that a filter that kills ends one attempt and not all of them.
void attempt_one(const Attempt& one) {
  say("=== %s\n", one.id);
  const pid_t child = fork();
  if (child == 0) {
    alarm(5);
    current = one.id;
    one.run();
    _exit(0);
  }
  if (child > 0) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) say("ended by signal %d\n", WTERMSIG(status));
  }
}

int stay() {
  for (;;) pause();
}

}  // namespace

std::string lab(const char* name) {
  const auto found = values().find(name);
  return found == values().end() ? std::string() : found->second;
}
long number(const char* name) { return std::strtol(lab(name).c_str(), nullptr, 0); }
std::string home(const char* below) { return lab("home") + "/" + below; }
std::string project(const char* below) { return lab("project") + "/" + below; }
std::string mark() { return "MARK-" + current + "-" + lab("nonce"); }

void say(const char* format, ...) {
  va_list words;
  va_start(words, format);
  vdprintf(STDOUT_FILENO, format, words);
  va_end(words);
}

long answer(const char* word, long result) {
  if (result == -1)
    say("%s = -1 %s\n", word, strerrorname_np(errno));
  else
    say("%s = %ld\n", word, result);
  return result;
}

void name_of(const char* word, int fd) {
  if (answer(word, fd) < 0) return;
  char name[256] = {};
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  if (readlink(link.c_str(), name, sizeof name - 1) > 0) say("%s is open as %s\n", word, name);
  close(fd);
}

bool show_fd(int fd) {
  char text[4096];
  ssize_t size = pread(fd, text, sizeof text, 0);
  if (size < 0) size = read(fd, text, sizeof text);
  if (size <= 0) return answer("read", size) > 0;
  for (ssize_t i = 0; i < size; ++i)
    if (text[i] == '\0') text[i] = '\n';
  say("%.*s\n", static_cast<int>(size), text);
  return true;
}

bool show(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  if (fd < 0) return answer(("open " + path).c_str(), -1) >= 0;
  const bool shown = show_fd(fd);
  close(fd);
  return shown;
}

bool plant(const std::string& path) {
  for (std::size_t at = path.find('/', 1); at != path.npos; at = path.find('/', at + 1))
    mkdir(path.substr(0, at).c_str(), 0755);
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (fd < 0) return answer(("open to write " + path).c_str(), -1) >= 0;
  const std::string line = mark() + "\n";
  const bool written = answer("write", write(fd, line.data(), line.size())) > 0;
  close(fd);
  return written;
}

std::vector<pid_t> everyone() {
  std::vector<pid_t> pids;
  DIR* folder = opendir("/proc");
  if (!folder) return pids;
  while (const dirent* entry = readdir(folder))
    if (const long pid = std::strtol(entry->d_name, nullptr, 10); pid > 0)
      pids.push_back(static_cast<pid_t>(pid));
  closedir(folder);
  return pids;
}

std::vector<pid_t> ancestors() {
  std::vector<pid_t> line;
  for (pid_t pid = getppid(); pid > 0 && line.size() < 64;) {
    line.push_back(pid);
    long above = 0;
    if (FILE* stat = fopen(("/proc/" + std::to_string(pid) + "/stat").c_str(), "r")) {
      if (fscanf(stat, "%*d (%*[^)]) %*c %ld", &above) != 1) above = 0;
      fclose(stat);
    }
    pid = static_cast<pid_t>(above);
  }
  return line;
}

int run(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    dup2(STDOUT_FILENO, STDERR_FILENO);
    execvp(argv[0], argv.data());
    answer(argv[0], -1);
    _exit(127);
  }
  int status = -1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace attempt

int main(int argc, char** argv) {
  using namespace attempt;
  const Attempts every = all();
  if (argc > 1 && std::string(argv[1]) == "--stay") return stay();
  if (argc > 1 && std::string(argv[1]) == "--list") {
    for (const Attempt& one : every)
      if (std::strlen(one.id) == 3) say("%s %s\n", one.id, one.what);
    return 0;
  }
  std::vector<const Attempt*> wanted;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (const std::size_t at = word.find('='); at != word.npos) {
      values()[word.substr(0, at)] = word.substr(at + 1);
    } else if (const Attempt* one = find(every, word)) {
      wanted.push_back(one);
    } else {
      say("no attempt %s\n", word.c_str());
      return 2;
    }
  }
  for (const Attempt* one : wanted) attempt_one(*one);
  say("=== done\n");
  return 0;
}
