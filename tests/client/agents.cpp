#include "tests/client/agents.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/client/client.h"

extern char** environ;  // NOLINT: POSIX gives it no header

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNobody = "http://127.0.0.1:9";

// Once a test program and client: where it is, or why not.
const Outcome& installed_client(const std::string& name) {
  static std::map<std::string, Outcome> known;
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  const std::vector<std::string> words = where_words(name);
  return known[name] = run({.args = {words.begin() + 1, words.end()}, .program = words[0]});
}

}  // namespace

void AgentTest::SetUp() { ProjectTest::SetUp(); }

void AgentTest::TearDown() {
  EXPECT_THAT(script_.surprises(), ::testing::IsEmpty());
  if (IsSkipped()) has_repository_ = false;
  ProjectTest::TearDown();
}

bool AgentTest::with_clients(const std::vector<std::string>& names) {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    if (concerns_clients(name)) env().insert_or_assign(std::string(name), std::nullopt);
  }
  fs::create_directories(path("tmp"));
  env().insert_or_assign("TMPDIR", path("tmp"));
  env().insert_or_assign("SHELL", "/bin/bash");  // for their tools, whatever else is installed
  clients_ = names;
  for (const std::string& name : names) {
    const Outcome& where = installed_client(name);
    if (where.exit_code != 0) {
      [&] { GTEST_SKIP() << where.err; }();
      return false;
    }
    fs::remove(path("bin/" + name));  // the mock
    // Of claude the oldest of several, each behind its version.
    const std::string line = lines_of(where.out).at(0);
    fs::create_symlink(name == "claude" ? line.substr(line.find(' ') + 1) : line,
                       path("bin/" + name));
    const ClientRow& row = client_row(name);
    for (const auto& [variable, value] : row.variables(room()))
      env().insert_or_assign(variable, value);
    for (const auto& [file, text] : row.files(room())) write_file(path("home/" + file), text);
  }
  make_project(Way::binary);
  return true;
}

void AgentTest::hide_model() {
  hidden_ = true;
  for (const std::string& name : clients_) {
    for (const auto& [variable, value] : client_row(name).variables(room()))
      env().insert_or_assign(variable, value);
    for (const auto& [file, text] : client_row(name).files(room()))
      write_file(path("home/" + file), text);
  }
}

Room AgentTest::room() const { return {path("home"), hidden_ ? kNobody : model_.url()}; }

std::string AgentTest::plain_provider(const std::string& name) const {
  std::vector<std::string> words = client_row(name).plain(room());
  words.insert(words.begin(), name);
  return "providers: {plain-" + name + ": {command: " + nlohmann::json(words).dump() + "}}\n";
}

void AgentTest::write_small_workflow() {
  write_file(project() + "/.capsule/workflows/small.yaml",
             "summary: A change and a look at it\n"
             "phases:\n"
             "  - name: change\n"
             "    prompt: prompts/small/change.md\n"
             "  - name: review\n"
             "    prompt: prompts/small/review.md\n"
             "    write: false\n"
             "    needs_work: {retry: change, limit: 3}\n"
             "end: merge\n");
  commit_file("prompts/small/change.md", "# Change it\n\nWork.\n");
  commit_file("prompts/small/review.md", "# Look at it\n\nOnly look.\n");
}

void AgentTest::script_small_workflow() {
  model().when("Please greet", {bash("echo hello >>feature.txt; cat feature.txt"),
                                say(signal_text("PASS", "it greets", "\"feature.txt\""))});
  model().when("# Change it", {bash("echo done >feature.txt; pwd"),
                               say(signal_text("PASS", "changed", "\"feature.txt\""))});
  // The reviewer finds out for itself: the same prompt, another answer.
  const std::string good = signal_text("PASS", "fine");
  const std::string bad = signal_text("NEEDS_WORK", "Please greet.");
  model().when("# Look at it", {bash("if grep -q hello feature.txt; then cat <<'E'\n" + good +
                                     "\nE\nelse cat <<'E'\n" + bad + "\nE\nfi"),
                                repeat_tool()});
}

Outcome AgentTest::run_small(std::vector<std::string> more) const {
  more.insert(more.begin(), "--workflow=small");
  return run_bead(std::move(more));
}

}  // namespace capsule::test
