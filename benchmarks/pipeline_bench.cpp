// What a whole run costs beyond what it cannot avoid: the git commands and the agents themselves,
// run back to back by the yardstick. The agent answers at once, so that nothing hides behind it.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <algorithm>
#include <chrono>

#include "benchmarks/rows.h"
#include "git/repository.h"
#include "git/snapshot.h"
#include "git/worktree.h"
#include "process/command.h"
#include "process/tree.h"

namespace capsule::bench {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr int kTurns = 7;
constexpr const char* kPhases[] = {"test-writer",    "test-review", "execute",
                                   "execute-review", "sign-off",    "merge"};

// Answers at once; writes a file in the writing phases and commits in the last.
constexpr const char* kAgent = R"(#!/bin/sh
case $CAPSULE_PHASE in
  test-writer) echo test > work_test.txt ;;
  execute) echo work > work.txt ;;
  merge) git add work.txt work_test.txt && git commit -q -m "$CAPSULE_COMMIT_MSG" ;;
esac
echo '{"status":"PASS","feedback":"","files_changed":[],"summary":"done"}'
)";

void must(const Words& argv, const std::string& folder,
          const std::vector<process::EnvChange>& env = {}) {
  process::Spec spec;
  spec.argv = argv;
  spec.cwd = folder;
  spec.env = env;
  const auto output = process::run(spec);
  if (output && output->ok()) return;
  std::fprintf(stderr, "%s failed: %s\n", argv[0].c_str(),
               output ? (output->out + output->err).c_str() : output.error().message.c_str());
  std::abort();
}

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

// A fresh project, a turn each; made before anything is measured.
class Projects {
 public:
  Projects() {
    std::string pattern = (fs::temp_directory_path() / "capsule-bench-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    root_ = pattern;
    ::chmod(root_.c_str(), 0711);  // inside walls, too, the program that a project names is there
    write(agent(), kAgent);
    ::chmod(agent().c_str(), 0755);
    for (int i = 0; i < 4 * kTurns; ++i) make(folder(i));
  }
  ~Projects() { fs::remove_all(root_); }
  std::string agent() const { return root_ + "/agent"; }
  std::string next() { return folder(next_++); }
  // One more project, with this many files.
  std::string extra(const std::string& name, int files) const {
    make(root_ + "/" + name, files);
    return root_ + "/" + name;
  }

 private:
  std::string folder(int i) const { return root_ + "/" + std::to_string(i); }
  void make(const std::string& at, int files = 100) const {
    fs::create_directories(at + "/.beads");
    fs::create_directories(at + "/.capsule");
    must({"git", "init", "-q", "-b", "main"}, at);
    must({"git", "config", "user.name", "Bench"}, at);
    must({"git", "config", "user.email", "bench@localhost"}, at);
    for (int i = 0; i < files; ++i) {
      const std::string folder = at + "/part" + std::to_string(i / 1000);
      if (i % 1000 == 0) fs::create_directories(folder);
      write(folder + "/file" + std::to_string(i) + ".txt", "text\n");
    }
    write(at + "/.beads/issues.jsonl",
          "{\"id\":\"b-1\",\"title\":\"Work\",\"status\":\"open\",\"issue_type\":\"task\","
          "\"priority\":2}\n");
    write(at + "/.capsule/config.yaml",
          "tracker: native\nprovider: quick\nproviders:\n  quick:\n    command: [\"" + agent() +
              "\"]\n");
    write(at + "/.git/info/exclude", ".capsule/\n");
    must({"git", "add", "-A"}, at);
    must({"git", "commit", "-q", "-m", "start"}, at);
  }
  std::string root_;
  int next_ = 0;
};

Projects& projects() {
  static Projects all;
  return all;
}

void whole_run(const std::string& walls = "off") {
  must({CAPSULE_BINARY, "run", "b-1", "--project-dir=" + projects().next(), "--contain=" + walls},
       "/");
}

// The same work by hand: a worktree, six agents, a snapshot after each, merge and clean-up.
void by_hand() {
  const std::string at = projects().next(), worktree = at + "/.capsule/worktrees/b-1";
  const std::vector<process::EnvChange> index{{"GIT_INDEX_FILE", at + "/.git/own-index"}};
  must({"git", "config", "core.fsync", "all"}, at);  // what is kept has to survive a power cut
  must({"git", "rev-parse", "--show-toplevel", "HEAD"}, at);
  must({"git", "worktree", "add", "-q", "-b", "capsule-b-1", worktree, "HEAD"}, at);
  for (const char* phase : kPhases) {
    must({projects().agent()}, worktree,
         {{"CAPSULE_PHASE", phase}, {"CAPSULE_COMMIT_MSG", "b-1: Work"}});
    must({"git", "add", "-A"}, worktree, index);
    must({"git", "write-tree"}, worktree, index);
    must({"git", "commit-tree", "-m", phase, "HEAD^{tree}"}, worktree);
  }
  must({"git", "merge-base", "main", "capsule-b-1"}, at);
  must({"git", "merge", "-q", "--no-ff", "-m", "Merge b-1: Work", "capsule-b-1"}, at);
  must({"git", "worktree", "remove", "--force", worktree}, at);
  must({"git", "branch", "-q", "-D", "capsule-b-1"}, at);
}

// The git processes of a whole run, counted by a `git` that stands before the real one on PATH.
// What agents start is theirs.
double processes_of_a_run(const std::string& name, int files) {
  const std::string at = projects().extra(name, files), path = std::getenv("PATH");
  const auto real = process::find_program("git", path, -1);
  if (!real) std::abort();
  fs::create_directories(at + "/.capsule/bin");
  write(at + "/.capsule/bin/git", "#!/bin/sh\n[ -n \"$CAPSULE_PHASE\" ] || echo >>'" + at +
                                      "/.capsule/calls'\nexec '" + *real + "' \"$@\"\n");
  ::chmod((at + "/.capsule/bin/git").c_str(), 0755);
  must({CAPSULE_BINARY, "run", "b-1", "--project-dir=" + at}, "/",
       {{"PATH", at + "/.capsule/bin:" + path}});
  return static_cast<double>(fs::file_size(at + "/.capsule/calls"));
}

double ms_of(const std::function<void()>& work) {
  const auto began = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began)
      .count();
}

// The median of what one costs more than the other, in turns: a slow moment of the disk meets both.
double median_difference_ms(const std::function<void()>& one, const std::function<void()>& other) {
  std::vector<double> differences;
  for (int i = 0; i < 31; ++i) {
    const double first = ms_of(one);
    differences.push_back(first - ms_of(other));
  }
  std::nth_element(differences.begin(), differences.begin() + 15, differences.end());
  return differences[15];
}

// A snapshot of a tree in which nothing changed, less the three git calls that it needs.
double snapshot_beyond_git() {
  const std::string at = projects().extra("snapshots", 1000);
  const auto repository = git::open_repository(at);
  if (!repository) std::abort();
  const auto tree =
      git::create_worktree(*repository, at + "/.capsule/worktrees/b-1", "b-1", repository->head);
  if (!tree) std::abort();
  const auto snapshot = [&] {
    if (!git::take_snapshot(*repository, tree->path, "refs/capsule/r/1-x", "x", repository->head))
      std::abort();
  };
  const std::vector<process::EnvChange> index{{"GIT_INDEX_FILE", at + "/.git/own-index"}};
  const auto by_git = [&] {
    must({"git", "add", "-A"}, tree->path, index);
    must({"git", "write-tree"}, tree->path, index);
    must({"git", "-c", "core.fsync=all", "commit-tree", "-m", "x", "HEAD^{tree}"}, tree->path);
  };
  snapshot(), by_git();
  return median_difference_ms(snapshot, by_git);
}

// Starting an agent from a process that holds a gibibyte, against one that does not.
double spawn_from_a_large_process() {
  const auto loop = process::Loop::create({.guardian = CAPSULE_BINARY});
  if (!loop) std::abort();
  const auto started = [&] {
    std::vector<double> times;
    for (int i = 0; i < 101; ++i)
      times.push_back(ms_of([&] {
        if (!process::run_tree(**loop, {.argv = {"/bin/true"}})) std::abort();
      }));
    std::nth_element(times.begin(), times.begin() + 50, times.end());
    return times[50];
  };
  const double small = started();
  const std::vector<char> much(std::size_t{1} << 30, 'x');
  const double large = started();
  return much.back() == 'x' ? large / small : 0;
}

const Rows kRows([] {
  add_figure({"pipeline: git processes of a whole run", "processes", 38, false,
              [] { return processes_of_a_run("small", 100); }});
  add_figure({"pipeline: the same in 50,000 files", "processes", 38, false,
              [] { return processes_of_a_run("large", 50'000); }});
  add_figure({"snapshot: of an unchanged tree, beyond its git calls", "ms", 5, false,
              snapshot_beyond_git});
  add_figure({"spawn: an agent, from a process of 1 GiB against a small one", "x", 1.5, false,
              spawn_from_a_large_process});
  add_comparison({"pipeline: a whole run against its git commands and agents", 1.5, kTurns,
                  [] { whole_run(); },
                  [] {
                    static const bool made =
                        (projects(), true);  // not part of the first turn's time
                    (void)made;
                    by_hand();
                  }});
  add_comparison({"pipeline: a whole run inside walls against one without", 1.15, kTurns,
                  [] { whole_run("worktree"); },
                  [] {
                    static const bool made = (projects(), true);
                    (void)made;
                    whole_run();
                  }});
});

}  // namespace
}  // namespace capsule::bench
