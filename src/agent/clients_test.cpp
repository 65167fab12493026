#include "agent/clients.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "base/text.h"
#include "json/object.h"

namespace capsule::agent {
namespace {

using Words = std::vector<std::string>;
using ::testing::Contains;
using ::testing::HasSubstr;

const char* unset(const char*) { return nullptr; }

Provider provider(std::string_view name, ClientWords words = {}) {
  auto made = provider_of(*client_named(name), words, unset);
  EXPECT_TRUE(made) << name;
  return made ? *made : Provider{};
}
Words call(const Provider& provider, const std::string& prompt = "do it") {
  const auto made = call_of(provider, prompt);
  EXPECT_TRUE(made);
  return made ? made->argv : Words{};
}

TEST(Clients, EachHasARow) {
  std::set<std::string_view> names;
  std::set<dialect::Output> outputs;
  for (const Client& client : clients()) {
    names.insert(client.name);
    outputs.insert(client.output);
    for (const std::string_view field :
         {client.install, client.tested, client.hosts, client.account_names, client.account_files,
          client.reaches, client.handed})
      EXPECT_FALSE(field.empty()) << client.name;
    EXPECT_EQ(client.address_variable.empty(), client.key_variables.empty()) << client.name;
    EXPECT_EQ(client.address_variable.empty(), client.address.empty()) << client.name;
    for (const std::string_view host : split(client.reaches, ' '))
      EXPECT_TRUE(host.ends_with(":443")) << client.name << ": " << host;
    EXPECT_FALSE(client.resume.empty()) << client.name;
  }
  EXPECT_EQ(names.size(), 9U);
  EXPECT_EQ(outputs.size(), 9U);
  EXPECT_FALSE(outputs.contains(dialect::Output::text));
  EXPECT_EQ(client_named("mine"), nullptr);
}

TEST(Clients, ClaudeIsSteeredByLinesOnItsStdinWhereThatIsWanted) {
  const Provider steered = provider("claude", {.model = "m", .steered = true});
  const auto made = call_of(in_session(steered, "id", SessionUse::begin), "do \"it\"");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->argv, (Words{"claude", "-p", "--dangerously-skip-permissions", "--model", "m",
                               "--output-format", "stream-json", "--verbose", "--input-format",
                               "stream-json", "--replay-user-messages", "--session-id", "id"}));
  EXPECT_EQ(made->input,
            "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":"
            "\"text\",\"text\":\"do \\\"it\\\"\"}]}}\n");
  EXPECT_TRUE(made->more_input);
  EXPECT_FALSE(call_of(provider("claude"), "do it")->more_input);
  const auto others = provider_of(*client_named("codex"), {.steered = true}, unset);
  ASSERT_FALSE(others);
  EXPECT_THAT(others.error().hint, HasSubstr("providers.codex.steer"));
  EXPECT_FALSE(provider_of(*client_named("claude"), {.events = false, .steered = true}, unset));
}

// A turn of each without a session, and one that goes on with the session "id".
TEST(Clients, AreCalledInTheirOwnWords) {
  const std::map<std::string, std::pair<Words, Words>> rows{
      {"claude",
       {{"claude", "-p", "do it", "--dangerously-skip-permissions", "--model", "m",
         "--output-format", "stream-json", "--verbose"},
        {"claude", "-p", "do it", "--dangerously-skip-permissions", "--model", "m",
         "--output-format", "stream-json", "--verbose", "--resume", "id"}}},
      {"codex",
       {{"codex", "exec", "--json", "--skip-git-repo-check",
         "--dangerously-bypass-approvals-and-sandbox", "-c", "check_for_update_on_startup=false",
         "-c", "analytics.enabled=false", "-c", "features.plugins=false", "-c",
         "features.apps=false", "-c", "features.unbounded_connection_retries=false", "-m", "m",
         "-"},
        {"codex",
         "exec",
         "--json",
         "--skip-git-repo-check",
         "--dangerously-bypass-approvals-and-sandbox",
         "-c",
         "check_for_update_on_startup=false",
         "-c",
         "analytics.enabled=false",
         "-c",
         "features.plugins=false",
         "-c",
         "features.apps=false",
         "-c",
         "features.unbounded_connection_retries=false",
         "-m",
         "m",
         "resume",
         "id",
         "-"}}},
      {"gemini",
       {{"gemini", "-o", "stream-json", "--approval-mode", "yolo", "--skip-trust", "-m", "m"},
        {"gemini", "-o", "stream-json", "--approval-mode", "yolo", "--skip-trust", "-m", "m",
         "--resume", "id"}}},
      {"opencode",
       {{"opencode", "run", "--format", "json", "--auto", "-m", "m"},
        {"opencode", "run", "--format", "json", "--auto", "-m", "m", "--session", "id"}}},
      {"goose",
       {{"goose", "run", "-i", "-", "--with-builtin", "developer", "--output-format", "stream-json",
         "--model", "m"},
        {"goose", "run", "-i", "-", "--with-builtin", "developer", "--output-format", "stream-json",
         "--model", "m", "--resume", "--name", "id"}}},
      {"qwen",
       {{"qwen", "-o", "stream-json", "--approval-mode", "yolo", "-m", "m"},
        {"qwen", "-o", "stream-json", "--approval-mode", "yolo", "-m", "m", "--resume", "id"}}},
      {"copilot",
       {{"copilot", "--output-format", "json", "--allow-all-tools", "--allow-all-paths",
         "--no-auto-update", "--model", "m"},
        {"copilot", "--output-format", "json", "--allow-all-tools", "--allow-all-paths",
         "--no-auto-update", "--model", "m", "--resume", "id"}}},
      {"kimi",
       {{"kimi", "--output-format", "stream-json", "-m", "m", "-p", "do it"},
        {"kimi", "--output-format", "stream-json", "-m", "m", "--session", "id", "-p", "do it"}}},
      {"grok",
       {{"grok", "--output-format", "streaming-json", "--always-approve", "-m", "m", "-p", "do it"},
        {"grok", "--output-format", "streaming-json", "--always-approve", "-m", "m", "--resume",
         "id", "-p", "do it"}}},
  };
  ASSERT_EQ(rows.size(), clients().size());
  for (const auto& [name, expected] : rows) {
    const Provider one = provider(name, {.model = "m"});
    EXPECT_EQ(call(one), expected.first) << name;
    EXPECT_EQ(call(in_session(one, "id", SessionUse::resume)), expected.second) << name;
    EXPECT_EQ(one.output, client_named(name)->output) << name;
    EXPECT_EQ(one.their_session, name == "codex" || name == "opencode" || name == "kimi") << name;
  }
}

TEST(Clients, ASessionUnderOurIdIsBegunWhereThatCanBe) {
  EXPECT_THAT(call(in_session(provider("gemini"), "id", SessionUse::begin)),
              Contains("--session-id"));
  EXPECT_THAT(call(in_session(provider("goose"), "id", SessionUse::begin)), Contains("--name"));
  EXPECT_EQ(call(in_session(provider("codex"), "id", SessionUse::begin)), call(provider("codex")));
}

TEST(Clients, AsTextTheyPrintNoEventsAndThoseWhoTellTheirIdsThereHaveNoSessions) {
  for (const Client& client : clients()) {
    const Provider text = provider(client.name, {.model = "m", .events = false});
    EXPECT_EQ(text.output, dialect::Output::text) << client.name;
    EXPECT_EQ(text.has_sessions(), !client.begin.empty()) << client.name;
    EXPECT_LT(text.argv.size(), provider(client.name, {.model = "m"}).argv.size()) << client.name;
  }
}

TEST(Clients, MoreWordsOfTheConfigurationStandWhereTheClientTakesThem) {
  const Words codex = call(provider("codex", {.model = "", .more = {"-c", "x=1"}}));
  EXPECT_EQ(codex.back(), "-");
  EXPECT_THAT(codex, Contains("x=1"));
  EXPECT_EQ(call(provider("kimi", {.more = {"--x"}})).back(), "do it");
}

TEST(Clients, ALongPromptGoesInOnStdinOrIsRefused) {
  const std::string much(200'000, 'x');
  EXPECT_EQ(call_of(provider("grok"), much)->argv.back(), "/dev/stdin");
  EXPECT_EQ(call_of(provider("grok"), much)->input, much);
  EXPECT_EQ(call_of(provider("codex"), much)->input, much);
  const auto kimi = call_of(provider("kimi"), much);
  ASSERT_FALSE(kimi);
  EXPECT_EQ(kimi.error().reason, Reason::usage);
}

TEST(Clients, TheirOwnRetriesAreBoundedUnlessTheCallerSaysOtherwise) {
  const auto value = [](const Provider& one, std::string_view name) -> std::string {
    for (const process::EnvChange& change : one.env)
      if (change.name == name) return change.value.value_or("");
    return "not set";
  };
  EXPECT_EQ(value(provider("claude"), "CLAUDE_CODE_MAX_RETRIES"), "3");
  EXPECT_EQ(value(provider("goose"), "GOOSE_PROVIDER_SKIP_BACKOFF"), "true");
  EXPECT_EQ(value(provider("kimi"), "KIMI_LOOP_MAX_ATTEMPTS_PER_STEP"), "1");
  EXPECT_EQ(value(provider("grok"), "GROK_MAX_RETRIES"), "0");
  EXPECT_EQ(value(provider("grok"), "GROK_TURN_TRANSIENT_RETRY"), "false");
  const auto kept = provider_of(*client_named("claude"), {}, [](const char* name) -> const char* {
    return std::string_view(name) == "CLAUDE_CODE_MAX_RETRIES" ? "7" : nullptr;
  });
  EXPECT_EQ(value(*kept, "CLAUDE_CODE_MAX_RETRIES"), "not set");
}

// Each of them counts: an update in the midst of a run, or a client that waits for hours.
TEST(Clients, TheirUpdatesTelemetrySandboxesAndRetriesAreSwitchedOffInTheseWords) {
  const std::map<std::string_view, std::string_view> variables{
      {"claude",
       "CLAUDE_CODE_MAX_RETRIES=3 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 "
       "DISABLE_AUTOUPDATER=1"},
      {"gemini", "GEMINI_CLI_NO_RELAUNCH=true GEMINI_SANDBOX=false"},
      {"opencode", "OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1"},
      {"goose", "GOOSE_MODE=auto GOOSE_TELEMETRY_ENABLED=false GOOSE_PROVIDER_SKIP_BACKOFF=true"},
      {"qwen", "QWEN_CODE_SUPPRESS_YOLO_WARNING=1 QWEN_SANDBOX=false"},
      {"kimi", "KIMI_LOOP_MAX_ATTEMPTS_PER_STEP=1 KIMI_DISABLE_TELEMETRY=1"},
      {"grok", "GROK_MAX_RETRIES=0 GROK_TURN_TRANSIENT_RETRY=false"}};
  const std::map<std::string_view, std::string_view> defaults{
      {"gemini",
       R"({"general":{"enableAutoUpdate":false},"privacy":{"usageStatisticsEnabled":false}})"},
      {"qwen",
       R"({"model":{"generationConfig":{"maxRetries":0}},"general":{"enableAutoUpdate":false},)"
       R"("privacy":{"usageStatisticsEnabled":false}})"}};
  for (const Client& client : clients()) {
    const auto wanted = variables.find(client.name);
    EXPECT_EQ(client.variables, wanted == variables.end() ? "" : wanted->second) << client.name;
    const auto settings = defaults.find(client.name);
    EXPECT_EQ(client.defaults, settings == defaults.end() ? "" : settings->second) << client.name;
  }
  const Provider opencode = provider("opencode", {.model = "loop/m"});
  const auto config = json::Object::parse(opencode.env.back().value.value_or(""));
  ASSERT_TRUE(config);
  EXPECT_THAT(config->compact(), HasSubstr(R"("autoupdate":false)"));
}

TEST(Clients, OpencodeNeverAsksAModelOfItsVendorsChoice) {
  const auto without = provider_of(*client_named("opencode"), {}, unset);
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().reason, Reason::usage);
  EXPECT_THAT(without.error().hint, HasSubstr("providers: {opencode: {model:"));
  const auto settings = [](const Provider& one) {
    return json::Object::parse(one.env.back().value.value_or("")).value_or(json::Object());
  };
  const json::Object ours = settings(provider("opencode", {.model = "loop/m"}));
  EXPECT_EQ(ours.text("small_model"), "loop/m");
  EXPECT_EQ(ours.elements("enabled_providers"), Words{"\"loop\""});
  // What the caller has configured stays.
  const auto theirs = provider_of(*client_named("opencode"), {.model = "loop/m"},
                                  [](const char* name) -> const char* {
                                    return std::string_view(name) == "OPENCODE_CONFIG_CONTENT"
                                               ? R"({"small_model":"loop/s","x":1})"
                                               : nullptr;
                                  });
  EXPECT_EQ(settings(*theirs).text("small_model"), "loop/s");
  EXPECT_EQ(settings(*theirs).integer("x"), 1);
  EXPECT_EQ(settings(*theirs).elements("enabled_providers"), Words{"\"loop\""});
}

TEST(Clients, CanBeToldToChangeNothingWhereTheirRowSaysSo) {
  for (const Client& client : clients()) {
    if (!can_be_read_only(client)) continue;
    const Provider one = provider(client.name, {.model = "m", .access = Access::read_only});
    const Words words = call(one);
    for (const std::string_view word : split(client.read_only, ' '))
      EXPECT_TRUE(word.empty() || std::find(words.begin(), words.end(), word) != words.end())
          << client.name << " " << word;
    EXPECT_TRUE(client.read_only.empty() || words != call(provider(client.name, {.model = "m"})))
        << client.name;
    const std::string_view variable = client.read_only_variables;
    if (variable.empty()) continue;
    EXPECT_TRUE(std::any_of(one.env.begin(), one.env.end(), [&](const process::EnvChange& change) {
      return change.name + "=" + change.value.value_or("") == variable;
    })) << client.name;
  }
}

TEST(Clients, ClaudeByHandIsToldInTheSameWords) {
  EXPECT_EQ(call(claude_provider("", Access::read_only)),
            (Words{"claude", "-p", "do it", "--permission-mode", "dontAsk", "--disallowedTools",
                   "Edit,Write,NotebookEdit", "--setting-sources", "user"}));
}

TEST(Clients, TheManualHasARowForEach) {
  std::ifstream file(CAPSULE_SOURCE_DIR "/docs/agents.md");
  std::map<std::string, std::string> rows;
  std::vector<std::string> others;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| `")) rows[line.substr(3, line.find('`', 3) - 3)] = line;
    if (line.starts_with("| ")) others.push_back(line);
  }
  for (const Client& client : clients()) {
    const std::string& row = rows[std::string(client.name)];
    EXPECT_THAT(row, HasSubstr("`" + std::string(dialect::name_of(client.output)) + "`"));
    for (const std::string_view version : split(client.tested, ' '))
      EXPECT_THAT(row, HasSubstr(std::string(version)));
    EXPECT_THAT(row, HasSubstr(client.begin.empty() ? "| the client's |" : "| ours |"));
    std::string home;
    for (const std::string_view one : split(client.in_home, ','))
      home += (home.empty() ? "`" : ", `") + std::string(trimmed(one)) + "`";
    EXPECT_THAT(others, Contains("| " + std::string(client.name) + " | " +
                                 std::string(client.hosts) + " | " + home + " |"));
    const std::vector<std::string_view> cells = split(row, '|');
    ASSERT_GT(cells.size(), 7U) << client.name;
    EXPECT_EQ(trimmed(cells[6]) != "not told", client.tells_tokens) << row;
    EXPECT_EQ(trimmed(cells[7]) != "no", client.tells_cost) << row;
  }
}

TEST(Clients, TheirVersionIsReadFromWhateverTheyPrint) {
  EXPECT_EQ(version_in("2.1.197 (Claude Code)\n"), "2.1.197");
  EXPECT_EQ(version_in("codex-cli 0.166.0\n"), "0.166.0");
  EXPECT_EQ(version_in(" 1.34.0"), "1.34.0");
  EXPECT_EQ(version_in("GitHub Copilot CLI 1.0.102.\nRun 'copilot update'"), "1.0.102");
  EXPECT_EQ(version_in("grok 1.0.41 (4220f3b224a6)"), "1.0.41");
  EXPECT_EQ(version_in("v3.2"), "3.2");
  EXPECT_EQ(version_in("no version"), "");
  EXPECT_EQ(version_in(""), "");
}

}  // namespace
}  // namespace capsule::agent
