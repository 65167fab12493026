// A fresh git project for each test, with scripted agents: a program named `claude` on PATH whose
// answer depends on the first line of its prompt and on how often it was asked, and beads either in
// the native store or behind a mock named `bd`. After every test: `git fsck` is clean and the
// user's checkout shows nothing that the test did not announce.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tests/program/harness.h"

namespace capsule::test {

// How a person reaches Capsule.
enum class Way {
  binary,   // capsule COMMAND, beads in .beads/issues.jsonl
  scripts,  // scripts/NAME.sh in the project with prompts/ and templates/ beside it; mock `bd`
};

struct TestBead {
  std::string id, title;
  std::string type = "task";
  std::string status = "open";
  std::string description = {}, acceptance = {}, parent = {};
  std::vector<std::string> blocked_by = {};
};

// One start of the mock agent, as it saw it.
struct AgentCall {
  std::string phase;
  std::vector<std::string> args;
  std::map<std::string, std::string> env;
  std::string cwd, input, pid;
};

class ProjectTest : public ProgramTest {
 protected:
  static constexpr const char* kBead = "demo-1.1.1";

  void SetUp() override;
  void TearDown() override;
  void make_project(Way way, const std::string& folder = "my pröject");

  const std::string& project() const { return project_; }
  std::string worktree(std::string_view bead = kBead) const;
  std::string archive(std::string_view bead = kBead) const;
  std::string mock(std::string_view name) const { return path("mock/" + std::string(name)); }

  // `capsule COMMAND …` or `scripts/COMMAND.sh …` in the project, with the mocks on PATH.
  Call calling(const std::string& command, std::vector<std::string> args) const;
  Outcome command(const std::string& command, std::vector<std::string> args) const {
    return run(calling(command, std::move(args)));
  }
  Outcome run_bead(std::vector<std::string> more = {}) const;
  std::map<std::string, std::optional<std::string>>& env() { return env_; }

  // What the agent does in a phase (from the k-th time it is asked for it): lines for /bin/sh that
  // may use `work` (what a good agent does), `say STATUS FEEDBACK [FILES]`, `pass`.
  void on(const std::string& phase, const std::string& script);
  void on(const std::string& phase, int nth, const std::string& script);
  std::vector<std::string> phases() const;  // in the order in which they were asked for
  std::vector<AgentCall> agent_calls() const;

  void set_beads(const std::vector<TestBead>& beads);
  bool is_closed(std::string_view bead = kBead) const;
  std::vector<std::string> bd_calls() const;  // "show demo-1 --json", …

  Outcome git(std::vector<std::string> args, const std::string& folder = {}) const;
  std::string git_out(std::vector<std::string> args, const std::string& folder = {}) const;
  void commit_file(const std::string& name, const std::string& text);
  std::string main_head() const { return git_out({"rev-parse", "main"}); }
  // Writes .capsule/config.yaml of the project.
  void configure(const std::string& yaml) const;
  // The verify command that the good agent satisfies: red after test-writer, green after execute.
  void configure_gates(const std::string& more = {}) const;
  std::vector<std::string> logs_in(const std::string& folder) const;  // *.log and *.log.stderr

  void expect_untouched();  // main, the checkout and the bead are as they were; no worktree
  // Lines of `git status` that the test itself caused.
  void announce(std::vector<std::string> status_lines) { announced_ = std::move(status_lines); }
  bool has_repository_ = true;

 private:
  std::string project_;
  Way way_ = Way::binary;
  std::map<std::string, std::optional<std::string>> env_;
  std::vector<std::string> announced_;
  std::string first_head_;
};

// The lines of a --json run; fails the test when one does not parse.
std::vector<Json> events_of(const std::string& out);
std::string join(const std::vector<std::string>& words, const std::string& between = " ");
std::vector<std::string> lines_of(const std::string& text);

#define EXPECT_HAS(text, part) \
  EXPECT_NE((text).find(part), std::string::npos) << "in: " << (text) << "\nexpected: " << (part)
#define EXPECT_LACKS(text, part) EXPECT_EQ((text).find(part), std::string::npos) << "in: " << (text)

}  // namespace capsule::test
