// What Capsule's way of asking costs: the requests to a model, and what they send, of one scripted
// piece of work, against the same work as the original shell pipeline asks for it: every attempt a
// new conversation, with the whole prompt. The client (counting-client) asks nobody and counts;
// what it reads, writes and runs is the same on both sides, and so is the rule by which a text is
// so many tokens, which stands in the client.
#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/files.h"
#include "benchmarks/folder.h"
#include "benchmarks/rows.h"
#include "process/command.h"

namespace capsule::bench {
namespace {

namespace fs = std::filesystem;
using Env = std::vector<process::EnvChange>;

struct Asked {
  double requests = 0, tokens = 0;
};

void run_or_die(const std::vector<std::string>& argv, const std::string& folder, const Env& env) {
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

void put(const std::string& path, const std::string& text) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path) << text;
}

std::string lines(const std::string& line, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += line + " " + std::to_string(i) + "\n";
  return text;
}

// A project of a few files, with the counting client as claude.
class Workload {
 public:
  explicit Workload(int tasks) : tasks_(tasks) {
    fs::create_directories(root() + "/bin");
    fs::create_directories(root() + "/counted");
    fs::create_symlink(CAPSULE_SOURCE_DIR "/benchmarks/counting-client", root() + "/bin/claude");
    put(project() + "/CLAUDE.md", lines("A convention of this project, worth reading:", 30));
    put(project() + "/src/module.txt", lines("A line of code that does something", 200));
    put(project() + "/tests/module_test.txt", lines("A line of a test that can fail", 100));
    put(project() + "/.capsule/config.yaml", "tracker: native\nprovider: claude\n");
    std::string beads;
    for (int i = 1; i <= tasks; ++i)
      beads += "{\"id\":\"b-" + std::to_string(i) +
               "\",\"title\":\"Work\",\"status\":\"open\",\"issue_type\":\"task\",\"priority\":2,"
               "\"acceptance_criteria\":\"The empty list is handled.\"}\n";
    put(project() + "/.beads/issues.jsonl", beads);
    git({"init", "-q", "-b", "main"});
    git({"config", "user.name", "Bench"});
    git({"config", "user.email", "bench@localhost"});
    put(project() + "/.git/info/exclude", ".capsule/\nworklog.md\n");
    git({"add", "-A"});
    git({"commit", "-q", "-m", "start"});
    git({"tag", "start"});
  }
  std::string project() const { return root() + "/project"; }
  const std::string& root() const { return folder_.path(); }
  int tasks() const { return tasks_; }

  Env env(Env more = {}) const {
    more.push_back({"PATH", root() + "/bin:" + ::getenv("PATH")});
    more.push_back({"COUNTING_FOLDER", root() + "/counted"});
    return more;
  }
  void capsule(std::vector<std::string> words, const Env& more) const {
    words.insert(words.begin(), CAPSULE_BINARY);
    run_or_die(words, project(), env(more));
  }
  // One agent as the original calls it: the whole prompt, the feedback behind it, no session.
  void original(const std::string& role, const std::string& feedback, const Env& more) const {
    std::string prompt = read_file(CAPSULE_SOURCE_DIR "/prompts/" + role + ".md").value();
    if (!feedback.empty()) prompt += "\n\n---\n\n## Previous Feedback\n\n" + feedback;
    Env all = env(more);
    all.push_back({"COUNTING_ROLE", role});
    run_or_die({"claude", "-p", prompt, "--dangerously-skip-permissions"}, project(), all);
  }
  void git(std::vector<std::string> words) const {
    words.insert(words.begin(), "git");
    run_or_die(words, project(), {});
  }
  Asked asked() const {
    Asked sum;
    std::ifstream counts(root() + "/counted/counts");
    std::string role;
    double requests = 0, tokens = 0;
    while (counts >> role >> requests >> tokens) sum.requests += requests, sum.tokens += tokens;
    return sum;
  }

 private:
  Folder folder_;
  int tasks_;
};

constexpr const char* kUntilReview[] = {"test-writer", "test-review", "execute", "execute-review"};
constexpr const char* kToTheEnd[] = {"sign-off", "merge"};

// What `scripts/*.sh` of the original do for one bead.
void original_bead(const Workload& work, bool rework) {
  const Env more = rework ? Env{{"COUNTING_REWORK", "1"}} : Env{};
  put(work.project() + "/worklog.md", lines("The briefing, and what earlier phases noted", 40));
  for (const char* role : kUntilReview) work.original(role, "", more);
  if (rework) {
    work.original("execute", lines("the empty list is not handled", 10), more);
    work.original("execute-review", "", more);
  }
  for (const char* role : kToTheEnd) work.original(role, "", more);
}

struct Both {
  Asked ours, theirs;
};

const Both& pipeline_with_a_rework() {
  static const Both both = [] {
    const Workload ours(1), theirs(1);
    ours.capsule({"run", "b-1"}, {{"COUNTING_REWORK", "1"}});
    original_bead(theirs, true);
    return Both{ours.asked(), theirs.asked()};
  }();
  return both;
}

const Both& eight_tasks() {
  static const Both both = [] {
    const Workload ours(1), theirs(8);
    std::string plan = "# Eight\n\n";
    for (int i = 1; i <= 8; ++i)
      plan += "#### Task T-" + std::to_string(i) + ": Work\n\n**Work**: Write `work-T-" +
              std::to_string(i) +
              ".txt`\n\n**Acceptance Criteria**:\n- [ ] The empty list is handled\n\n"
              "**Blocked By**: none\n\n";
    put(ours.root() + "/PLAN.md", plan);
    ours.capsule({"deliver", ours.root() + "/PLAN.md"}, {});
    for (int i = 0; i < theirs.tasks(); ++i) {
      original_bead(theirs, false);
      // Ours write files of their own: what one bead adds is not for the next to read, either.
      theirs.git({"reset", "-q", "--hard", "start"});
    }
    return Both{ours.asked(), theirs.asked()};
  }();
  return both;
}

void add(const std::string& what, const Both& (*measure)(), double at_most) {
  add_figure({what + ": requests, against the original's way", "x", at_most, false,
              [measure] { return measure().ours.requests / measure().theirs.requests; }});
  add_figure({what + ": input tokens, against the original's way", "x", at_most, false,
              [measure] { return measure().ours.tokens / measure().theirs.tokens; }});
}

const Rows kRows([] {
  add("asking: a bead with a rework", pipeline_with_a_rework, 0.99);
  add("asking: eight tasks", eight_tasks, 0.99);
});

}  // namespace
}  // namespace capsule::bench
