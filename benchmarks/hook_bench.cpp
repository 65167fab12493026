// What the Stop hook costs: it runs at every stop of every session on the machine.
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "benchmarks/rows.h"

extern char** environ;  // NOLINT: POSIX gives it no header

namespace capsule::bench {
namespace {

// Two projects in a folder that is removed at the end: auto mode is over in one, active in the
// other, whose session has a transcript of 200 MB.
class Projects {
 public:
  Projects() {
    char name[] = "/tmp/capsule-bench-XXXXXX";
    if (::mkdtemp(name) == nullptr) std::abort();
    root_ = name;
    for (const char* project : {"idle", "active"}) {
      for (const char* folder : {"", "/.git", "/.caw"})
        ::mkdir((root_ + "/" + project + folder).c_str(), 0755);
      const bool active = std::string(project) == "active";
      write(std::string(project) + "/.caw/auto-state.json",
            std::string(R"({"schema_version":"2.0","active":)") + (active ? "true" : "false") +
                R"(,"phase":"execution","iteration":0,"max_iterations":1000000000,)"
                R"("task_description":"Add a parser","session_id":"s"})");
      write(std::string(project) + ".json",
            R"({"session_id":"s","hook_event_name":"Stop","stop_hook_active":false,"cwd":")" +
                root_ + "/" + project + R"(","transcript_path":")" + root_ +
                R"(/t.jsonl","last_assistant_message":"I looked at the parser."})");
    }
    write_transcript();
  }
  ~Projects() {
    for (const char* project : {"idle", "active"}) {
      ::unlink((root_ + "/" + project + "/.caw/auto-state.json").c_str());
      ::unlink((root_ + "/" + project + ".json").c_str());
      for (const char* folder : {"/.git", "/.caw", ""})
        ::rmdir((root_ + "/" + project + folder).c_str());
    }
    ::unlink((root_ + "/t.jsonl").c_str());
    ::rmdir(root_.c_str());
  }
  Projects(const Projects&) = delete;
  Projects& operator=(const Projects&) = delete;

  std::string event(const char* project) const { return root_ + "/" + project + ".json"; }

 private:
  void write(const std::string& name, const std::string& text) const {
    std::FILE* file = std::fopen((root_ + "/" + name).c_str(), "we");
    if (file == nullptr || std::fwrite(text.data(), 1, text.size(), file) != text.size())
      std::abort();
    std::fclose(file);
  }
  // Records as a client writes them, and no signal or continuation among them: the worst case.
  void write_transcript() const {
    std::string part;
    while (part.size() < 1'000'000) {
      part += R"({"type":"user","message":{"role":"user","content":[{"type":"tool_result",)"
              R"("content":")" +
              std::string(4000, 'x') + R"( \"quoted\" \u001b[0m\n"}]}})" + "\n";
      part += R"({"type":"assistant","message":{"role":"assistant","content":[{"type":"text",)"
              R"("text":"Next I look at the other file.\nThen at its tests."}]}})"
              "\n";
    }
    std::FILE* file = std::fopen((root_ + "/t.jsonl").c_str(), "we");
    if (file == nullptr) std::abort();
    for (std::size_t done = 0; done < 200'000'000; done += part.size())
      if (std::fwrite(part.data(), 1, part.size(), file) != part.size()) std::abort();
    std::fclose(file);
  }
  std::string root_;
};

const Projects& projects() {
  static const Projects made;
  return made;
}

void start(std::vector<std::string> words, const std::string& input) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, input.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = -1;
  int status = -1;
  if (::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ) != 0) std::abort();
  ::waitpid(pid, &status, 0);
  posix_spawn_file_actions_destroy(&actions);
  if (status != 0) {
    std::fprintf(stderr, "%s did not end with 0\n", argv[0]);
    std::abort();
  }
}

void hook(const char* project) {
  start({CAPSULE_BINARY, "hook", "stop"}, projects().event(project));
}
void nothing() { start({"/bin/true"}, "/dev/null"); }
void python() { start({"/usr/bin/python3", "-c", "import json, re"}, "/dev/null"); }

const Rows kRows([] {
  add_comparison({"hook stop, auto mode inactive, against /bin/true", 1.5, 1000,
                  [] { hook("idle"); }, nothing});
  add_comparison({"hook stop, active, transcript of 200 MB, against /bin/true", 5.0, 300,
                  [] { hook("active"); }, nothing});
  add_comparison({"hook stop, inactive, against python3 that imports json, re", 1.0 / 15, 100,
                  [] { hook("idle"); }, python});
});

}  // namespace
}  // namespace capsule::bench
