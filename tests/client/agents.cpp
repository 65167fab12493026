#include "tests/client/agents.h"

#include <algorithm>
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
    // Of claude there are several, each behind its version, the oldest first.
    const std::vector<std::string> lines = lines_of(where.out);
    const bool newest = std::getenv("CAPSULE_TEST_NEWEST") != nullptr;
    const std::string line = name == "claude" && newest ? lines.back() : lines.at(0);
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

Room AgentTest::room() const {
  return {path("home"), hidden_ ? kNobody : model_.url(), 0, !known_to_capsule_};
}

std::string AgentTest::providers_of(const std::vector<std::string>& names,
                                    const std::string& answer_timeout,
                                    const std::string& model) const {
  nlohmann::json providers = nlohmann::json::object();
  for (const std::string& name : names) {
    nlohmann::json& settings = providers[name] = nlohmann::json::object();
    if (!answer_timeout.empty()) settings["answer_timeout"] = answer_timeout;
    if (name == "gemini" || name == "qwen" || name == "grok") settings["model"] = "m";
    if (name == "opencode") settings["model"] = "loop/m";
    if (!model.empty()) settings["model"] = model;
    if (name == "qwen") settings["args"] = {"--auth-type", "openai"};
    if (name == "codex") {
      const std::vector<std::string> words = client_row(name).events(room());
      settings["args"] =
          std::vector<std::string>(std::find(words.begin(), words.end(), "-c"), words.end());
    }
  }
  return "providers: " + providers.dump() + "\n";
}

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
  model().when("Please greet",
               {bash("echo hello >>feature.txt; cat feature.txt")
                    .costing({.input = 17, .output = 5, .cache_read = 300, .cache_write = 40}),
                say(signal_text("PASS", "it greets", "\"feature.txt\""))
                    .costing({.input = 19, .output = 13, .cache_read = 400})});
  model().when("# Change it",
               {bash("echo done >feature.txt; pwd")
                    .costing({.input = 100, .output = 20, .cache_read = 1000, .cache_write = 700}),
                say(signal_text("PASS", "changed", "\"feature.txt\""))
                    .costing({.input = 30, .output = 11, .cache_read = 2000})});
  // The reviewer finds out for itself: the same prompt, another answer.
  const std::string good = signal_text("PASS", "fine");
  const std::string bad = signal_text("NEEDS_WORK", "Please greet.");
  model().when("# Look at it", {bash("if grep -q hello feature.txt; then cat <<'E'\n" + good +
                                     "\nE\nelse cat <<'E'\n" + bad + "\nE\nfi"),
                                repeat_tool()});
}

void AgentTest::write_workflow_of_one() {
  write_file(project() + "/.capsule/workflows/one.yaml",
             "summary: A change\n"
             "phases:\n"
             "  - name: change\n"
             "    prompt: prompts/small/change.md\n"
             "end: merge\n");
  commit_file("prompts/small/change.md", "# Change it\n\nWork.\n");
}

Outcome AgentTest::run_small(std::vector<std::string> more) const {
  more.insert(more.begin(), {kBead, "--workflow=small"});
  return run(patiently("run", std::move(more)));
}

Call AgentTest::patiently(const std::string& command, std::vector<std::string> args) const {
  Call call = calling(command, std::move(args));
  call.limit = std::chrono::minutes(10);
  return call;
}

void script_pipeline(Script& model) {
  const std::string log = "printf '\\n### Attempt 1\\n\\n- Status: PASS\\n' >>worklog.md";
  model.when("name the empty case",
             {bash("echo '# the empty case too' >>tests/feature_test.sh"), bash(log),
              say(signal_text("PASS", "named", "\"tests/feature_test.sh\""))});
  model.when("# Test-Writer Phase",
             {bash("pwd; cat worklog.md"),
              bash("mkdir -p tests && echo 'grep -q done feature.txt' >tests/feature_test.sh"),
              bash("sh tests/feature_test.sh"), bash(log),
              say(signal_text("PASS", "one test, red", "\"tests/feature_test.sh\""))});
  // The reviewer finds out for itself: the same prompt, another answer.
  const std::string good = signal_text("PASS", "fine");
  const std::string bad = signal_text("NEEDS_WORK", "Please name the empty case.");
  model.when("# Test-Review Phase",
             {bash("if grep -q empty tests/feature_test.sh; then cat <<'E'\n" + good +
                   "\nE\nelse cat <<'E'\n" + bad + "\nE\nfi"),
              repeat_tool()});
  model.when("# Execute Phase",
             {bash("echo done >feature.txt"), bash("sh tests/feature_test.sh && echo GREEN"),
              bash(log), say(signal_text("PASS", "green", "\"feature.txt\""))});
  model.when("# Execute-Review Phase",
             {bash("git status --short"), say(signal_text("PASS", "fine"))});
  model.when("# Sign-Off Phase", {bash("sh tests/feature_test.sh && echo GREEN"),
                                  bash("printf '\\n## Phase 5: sign-off\\n\\n**Verdict:** "
                                       "PASS\\n' >>worklog.md"),
                                  say(signal_text("PASS", "ready"))});
  model.when("# Merge Phase",
             {bash("git add tests feature.txt && git commit -q -m \"$CAPSULE_COMMIT_MSG\""),
              say(signal_text("PASS", "committed", "\"tests/feature_test.sh\",\"feature.txt\""))});
}

void AgentTest::expect_counted(const Outcome& outcome, const std::string& name) {
  if (name == "copilot" || name == "kimi") {
    for (const Json& call : facts_of(outcome, "supply_agent_used"))
      EXPECT_FALSE(call.at("use").at("tokens_known").get<bool>()) << "it tells none";
    return;
  }
  const Tokens told = used_in(outcome), charged = model().used();
  EXPECT_EQ(told.output, charged.output);
  EXPECT_EQ(told.input + told.cache_read, charged.input + charged.cache_read);
  if (name == "goose") return;  // which does not tell them apart
  EXPECT_EQ(told.input, charged.input);
  // Only the API that claude uses tells it.
  if (name == "claude") EXPECT_EQ(told.cache_write, charged.cache_write);
}

std::vector<Json> facts_of(const Outcome& outcome, const std::string& kind) {
  std::vector<Json> facts;
  for (Json& event : events_of(outcome.out))
    if (event.value("event", "") == kind) facts.push_back(std::move(event));
  return facts;
}

Tokens used_in(const Outcome& outcome) {
  Tokens sum{0, 0, 0, 0};
  for (const Json& fact : facts_of(outcome, "supply_agent_used")) {
    const Json& use = fact.at("use");
    EXPECT_TRUE(use.at("tokens_known").get<bool>()) << fact.dump();
    sum += {use.at("input"), use.at("output"), use.at("cache_read"), use.at("cache_written")};
  }
  return sum;
}

}  // namespace capsule::test
