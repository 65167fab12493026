#include "agent/clients.h"

#include <unistd.h>

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "json/object.h"
#include "json/text.h"

namespace capsule::agent {
namespace {

using dialect::Output;

constexpr Client kClients[] = {
    {.name = "claude",
     .words = "-p {prompt} {access} {model} {events} {session} {more}",
     .long_words = "-p {access} {model} {events} {session} {more}",
     .steered_words = "-p {access} {model} {events} --input-format stream-json "
                      "--replay-user-messages {session} {more}",
     .write = "--dangerously-skip-permissions",
     // Not its plan mode: there a check of the service's decides what the shell may do. What the
     // project's own settings allow would be the writer's to say.
     .read_only = "--permission-mode dontAsk --disallowedTools Edit,Write,NotebookEdit "
                  "--setting-sources user",
     .events = "--output-format stream-json --verbose",
     .output = Output::claude_stream,
     .model = "--model {model}",
     .begin = "--session-id {session}",
     .resume = "--resume {session}",
     .variables = "CLAUDE_CODE_MAX_RETRIES=3 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 "
                  "DISABLE_AUTOUPDATER=1",
     .tells_cost = true,
     .reaches = "api.anthropic.com:443 console.anthropic.com:443 platform.claude.com:443",
     .handed = "ANTHROPIC_* CLAUDE_CODE_* AWS_BEARER_TOKEN_BEDROCK AWS_REGION CLOUD_ML_REGION "
               "DISABLE_* MAX_THINKING_TOKENS BASH_DEFAULT_TIMEOUT_MS BASH_MAX_TIMEOUT_MS "
               "BASH_MAX_OUTPUT_LENGTH IS_SANDBOX",
     .address_variable = "ANTHROPIC_BASE_URL",
     .address = "https://api.anthropic.com",
     .key_variables = "ANTHROPIC_API_KEY:x-api-key ANTHROPIC_AUTH_TOKEN:authorization:Bearer",
     .install = "npm install -g @anthropic-ai/claude-code",
     .tested = "2.1.197 2.1.326",
     .hosts = "api.anthropic.com",
     .account_names = "ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN CLAUDE_CODE_OAUTH_TOKEN "
                      "CLAUDE_CODE_USE_BEDROCK CLAUDE_CODE_USE_VERTEX",
     .account_files = ".claude/.credentials.json",
     .renews = "claudeAiOauth.refreshToken",
     .in_home = ".claude, .claude.json",
     .sessions = ".claude/projects"},
    {.name = "codex",
     .words = "exec {events} --skip-git-repo-check {access} -c check_for_update_on_startup=false "
              "-c analytics.enabled=false -c features.plugins=false -c features.apps=false "
              "-c features.unbounded_connection_retries=false {model} {more} {session} -",
     .write = "--dangerously-bypass-approvals-and-sandbox",
     .read_only = "-s read-only",
     .events = "--json",
     .output = Output::codex_events,
     .model = "-m {model}",
     .resume = "resume {session}",
     .reaches = "api.openai.com:443 chatgpt.com:443 auth.openai.com:443",
     .handed = "OPENAI_* CODEX_API_KEY",
     .install = "npm install -g @openai/codex",
     .tested = "0.166.0",
     .hosts = "api.openai.com, chatgpt.com",
     .account_names = "OPENAI_API_KEY CODEX_API_KEY",
     .account_files = ".codex/auth.json",
     .renews = "tokens.refresh_token",
     .in_home = ".codex",
     .sessions = ".codex/sessions"},
    {.name = "gemini",
     .words = "{events} {access} --skip-trust {model} {session} {more}",
     .write = "--approval-mode yolo",
     .read_only = "--approval-mode plan",
     .events = "-o stream-json",
     .output = Output::gemini_stream,
     .model = "-m {model}",
     .begin = "--session-id {session}",
     .resume = "--resume {session}",
     // A container of its own would hide the worktree's repository, and needs what walls refuse.
     .variables = "GEMINI_CLI_NO_RELAUNCH=true GEMINI_SANDBOX=false",
     // No variable switches these off.
     .defaults = R"({"general":{"enableAutoUpdate":false},)"
                 R"("privacy":{"usageStatisticsEnabled":false}})",
     .defaults_variables = "GEMINI_CLI_SYSTEM_DEFAULTS_PATH GEMINI_CLI_SYSTEM_SETTINGS_PATH",
     .defaults_file = "/etc/gemini-cli/system-defaults.json",
     .hides_git_identity = true,
     .reads_dot_env = true,
     .reaches = "generativelanguage.googleapis.com:443 cloudcode-pa.googleapis.com:443 "
                "oauth2.googleapis.com:443",
     .handed = "GEMINI_* GOOGLE_*",
     .address_variable = "GOOGLE_GEMINI_BASE_URL",
     .address = "https://generativelanguage.googleapis.com",
     .key_variables = "GEMINI_API_KEY:x-goog-api-key",
     .install = "npm install -g @google/gemini-cli",
     .tested = "0.61.0",
     .hosts = "generativelanguage.googleapis.com, cloudcode-pa.googleapis.com",
     .account_names = "GEMINI_API_KEY GOOGLE_API_KEY GOOGLE_GENAI_USE_VERTEXAI",
     .account_files = ".gemini/oauth_creds.json",
     .in_home = ".gemini",
     .sessions = ".gemini/tmp"},
    {.name = "opencode",
     .words = "run {events} {access} {model} {session} {more}",
     .write = "--auto",
     .read_only_variables = R"(OPENCODE_PERMISSION={"edit":"deny","bash":"deny","task":"deny"})",
     .events = "--format json",
     .output = Output::opencode_events,
     .model = "-m {model}",
     .resume = "--session {session}",
     .variables = "OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1",
     .silent_at_first = true,
     .resting = 40,
     .reads_dot_env = true,
     .tells_cost = true,
     .needs_model = true,
     .reaches = "api.anthropic.com:443 api.openai.com:443 generativelanguage.googleapis.com:443 "
                "openrouter.ai:443 models.dev:443",
     .handed = "OPENCODE_* ANTHROPIC_* OPENAI_* GEMINI_* GOOGLE_GENERATIVE_AI_API_KEY "
               "OPENROUTER_API_KEY",
     .install = "npm install -g opencode-ai",
     .tested = "1.18.33",
     .hosts = "those of the model's provider, registry.npmjs.org, models.dev",
     .account_names = "ANTHROPIC_API_KEY OPENAI_API_KEY OPENCODE_CONFIG_CONTENT",
     .account_files = ".local/share/opencode/auth.json",
     .in_home = ".local/share/opencode, .config/opencode, .cache/opencode",
     .sessions = ".local/share/opencode/storage .local/share/opencode/opencode.db "
                 ".local/share/opencode/opencode.db-wal .local/share/opencode/opencode.db-shm"},
    {.name = "goose",
     .words = "run -i - --with-builtin developer {events} {model} {session} {more}",
     .events = "--output-format stream-json",
     .output = Output::goose_stream,
     .model = "--model {model}",
     .begin = "--name {session}",
     .resume = "--resume --name {session}",
     // Its four tries follow at once: else it waits in silence for as long as a service says.
     .variables = "GOOSE_MODE=auto GOOSE_TELEMETRY_ENABLED=false GOOSE_PROVIDER_SKIP_BACKOFF=true",
     .silent_at_first = true,
     .reaches = "api.anthropic.com:443 api.openai.com:443 generativelanguage.googleapis.com:443 "
                "openrouter.ai:443",
     .handed = "GOOSE_* ANTHROPIC_* OPENAI_* GOOGLE_API_KEY OPENROUTER_API_KEY",
     .address_variable = "OPENAI_HOST",
     .address = "https://api.openai.com",
     .key_variables = "OPENAI_API_KEY:authorization:Bearer",
     .service = "openai",
     .service_variable = "GOOSE_PROVIDER",
     .service_option = "--provider",
     .install = "npm install -g @aaif/goose",
     .tested = "1.34.0",
     .hosts = "those of its provider",
     .account_names = "GOOSE_PROVIDER OPENAI_API_KEY ANTHROPIC_API_KEY",
     .account_files = ".config/goose/config.yaml",
     .in_home = ".config/goose, .local/share/goose, .local/state/goose",
     .sessions = ".local/share/goose/sessions"},
    {.name = "qwen",
     .words = "{events} {access} {model} {session} {more}",
     .write = "--approval-mode yolo",
     .read_only = "--approval-mode plan",
     .events = "-o stream-json",
     .output = Output::qwen_stream,
     .model = "-m {model}",
     .begin = "--session-id {session}",
     .resume = "--resume {session}",
     .variables = "QWEN_CODE_SUPPRESS_YOLO_WARNING=1 QWEN_SANDBOX=false",
     // Else a limit is waited for ten times more, a minute and longer; seven requests are left.
     .defaults = R"({"model":{"generationConfig":{"maxRetries":0}},)"
                 R"("general":{"enableAutoUpdate":false},)"
                 R"("privacy":{"usageStatisticsEnabled":false}})",
     .defaults_variables = "QWEN_CODE_SYSTEM_DEFAULTS_PATH QWEN_CODE_SYSTEM_SETTINGS_PATH",
     .defaults_file = "/etc/qwen-code/system-defaults.json",
     .reads_dot_env = true,
     .reaches = "dashscope.aliyuncs.com:443 portal.qwen.ai:443 chat.qwen.ai:443 "
                "api.openai.com:443",
     .handed = "QWEN_* OPENAI_* DASHSCOPE_API_KEY",
     .address_variable = "OPENAI_BASE_URL",
     .address = "https://api.openai.com/v1",
     .key_variables = "OPENAI_API_KEY:authorization:Bearer",
     .service = "openai",
     .service_option = "--auth-type",
     .install = "npm install -g @qwen-code/qwen-code",
     .tested = "0.24.4",
     .hosts = "those of its provider",
     .account_names = "OPENAI_API_KEY DASHSCOPE_API_KEY",
     .account_files = ".qwen/oauth_creds.json",
     .in_home = ".qwen",
     .sessions = ".qwen/projects .qwen/tmp"},
    {.name = "copilot",
     .words = "{events} {access} --no-auto-update {model} {session} {more}",
     .write = "--allow-all-tools --allow-all-paths",
     .read_only = "--allow-all-tools --deny-tool=write --deny-tool=shell",
     .events = "--output-format json",
     .output = Output::copilot_events,
     .model = "--model {model}",
     .begin = "--session-id {session}",
     .resume = "--resume {session}",
     .tells_tokens = false,
     .reaches = "api.githubcopilot.com:443 *.githubcopilot.com:443 api.github.com:443",
     .handed = "COPILOT_* GH_TOKEN GITHUB_TOKEN",
     .install = "npm install -g @github/copilot",
     .tested = "1.0.102",
     .hosts = "api.githubcopilot.com, api.github.com",
     .account_names = "GH_TOKEN GITHUB_TOKEN COPILOT_GITHUB_TOKEN COPILOT_PROVIDER_API_KEY",
     .account_files = ".copilot/config.json",
     .in_home = ".copilot, .cache/copilot",
     .sessions = ".copilot/session-state"},
    {.name = "kimi",
     .words = "{events} {model} {session} {more} -p {prompt}",
     .events = "--output-format stream-json",
     .output = Output::kimi_stream,
     .model = "-m {model}",
     .resume = "--session {session}",
     .variables = "KIMI_LOOP_MAX_ATTEMPTS_PER_STEP=1 KIMI_DISABLE_TELEMETRY=1",
     .tells_tokens = false,
     .reaches = "api.moonshot.ai:443 api.kimi.com:443",
     .handed = "KIMI_* MOONSHOT_API_KEY",
     .address_variable = "KIMI_MODEL_BASE_URL",
     .address = "https://api.moonshot.ai/v1",
     .key_variables = "KIMI_MODEL_API_KEY:authorization:Bearer",
     .install = "npm install -g @moonshot-ai/kimi-code",
     .tested = "2.1.0",
     .hosts = "api.moonshot.ai, api.kimi.com",
     .account_names = "KIMI_API_KEY KIMI_MODEL_API_KEY MOONSHOT_API_KEY",
     .account_files = ".kimi-code/config.toml",
     .in_home = ".kimi-code",
     .sessions = ".kimi-code/sessions"},
    {.name = "grok",
     .words = "{events} {access} {model} {session} {more} -p {prompt}",
     .long_words = "{events} {access} {model} {session} {more} --prompt-file /dev/stdin",
     .write = "--always-approve",
     .events = "--output-format streaming-json",
     .output = Output::grok_stream,
     .model = "-m {model}",
     .begin = "--session-id {session}",
     .resume = "--resume {session}",
     // The one bounds the tries of a request, the other those of a turn, of which no end was seen.
     .variables = "GROK_MAX_RETRIES=0 GROK_TURN_TRANSIENT_RETRY=false",
     .reaches = "api.x.ai:443",
     .handed = "XAI_* GROK_*",
     .install = "npm install -g @xai-official/grok",
     .tested = "1.0.41",
     .hosts = "api.x.ai",
     .account_names = "XAI_API_KEY GROK_API_KEY",
     .account_files = ".grok/auth.json .grok/config.toml",
     .in_home = ".grok",
     .sessions = ".grok/sessions"},
};

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view word : split(text, ' '))
    if (!word.empty()) words.emplace_back(word);
  return words;
}

void add(std::vector<std::string>& to, const std::vector<std::string>& words) {
  to.insert(to.end(), words.begin(), words.end());
}

// The words of a row, with everything filled in but the prompt and the session.
std::vector<std::string> filled(const Client& client, std::string_view row,
                                const ClientWords& given) {
  std::vector<std::string> argv{std::string(client.name)};
  for (const std::string& word : words_in(row)) {
    if (word == "{access}") {
      add(argv, words_in(given.access == Access::read_only ? client.read_only : client.write));
    } else if (word == "{events}") {
      if (given.events) add(argv, words_in(client.events));
    } else if (word == "{model}") {
      if (given.model.empty()) continue;
      for (const std::string& part : words_in(client.model))
        argv.push_back(part == "{model}" ? given.model : part);
    } else if (word == "{more}") {
      add(argv, given.more);
    } else {
      argv.push_back(word);
    }
  }
  return argv;
}

// opencode asks a hosted model of its vendor for titles, unless it is told otherwise.
std::string opencode_settings(const std::string& model, std::string_view before) {
  json::Object settings = json::Object::parse(before).value_or(json::Object());
  const auto set = [&](std::string_view key, const std::string& raw) {
    if (settings.is_null_or_absent(key)) settings.set(key, raw);
  };
  set("small_model", json::quoted(model));
  set("enabled_providers",
      json::array({json::quoted(model.substr(0, std::min(model.find('/'), model.size())))}));
  set("autoupdate", "false");
  return settings.compact();
}

std::vector<process::EnvChange> variables_of(const Client& client, const ClientWords& given,
                                             const Variable& variable) {
  std::vector<process::EnvChange> env;
  for (const std::string& word : words_in(client.variables)) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (variable(name.c_str()) == nullptr) env.push_back({name, word.substr(equals + 1)});
  }
  if (given.access == Access::read_only)
    for (const std::string& word : words_in(client.read_only_variables)) {
      const std::size_t equals = word.find('=');
      env.push_back({word.substr(0, equals), word.substr(equals + 1)});
    }
  // As root it refuses to work without questions, unless it is told that nothing can be lost.
  if (client.output == Output::claude_stream && ::geteuid() == 0 &&
      variable("IS_SANDBOX") == nullptr)
    env.push_back({"IS_SANDBOX", "1"});
  if (client.output == Output::opencode_events) {
    const char* before = variable("OPENCODE_CONFIG_CONTENT");
    env.push_back({"OPENCODE_CONFIG_CONTENT",
                   opencode_settings(given.model, before != nullptr ? before : "{}")});
  }
  return env;
}

}  // namespace

std::span<const Client> clients() { return kClients; }

const Client* client_named(std::string_view name) {
  const auto* found = std::find_if(std::begin(kClients), std::end(kClients),
                                   [&](const Client& client) { return client.name == name; });
  return found == std::end(kClients) ? nullptr : found;
}

bool can_be_read_only(const Client& client) {
  return !client.read_only.empty() || !client.read_only_variables.empty();
}

Result<Provider> provider_of(const Client& client, const ClientWords& words,
                             const Variable& variable) {
  CHECK(words.access == Access::write || can_be_read_only(client));
  const std::string name(client.name);
  if (client.needs_model && words.model.empty())
    return fail(Reason::usage, name + " has no model, and would ask one of its vendor's choice",
                "in .capsule/config.yaml: providers: {" + name +
                    ": {model: PROVIDER/MODEL}}, or a model for the phase or role");
  if (words.steered && (client.steered_words.empty() || !words.events))
    return fail(Reason::usage,
                name + (words.events ? " cannot be steered while it works"
                                     : " can be steered only where it prints events"),
                "remove providers." + name +
                    (words.events ? ".steer: what you tell it stands in the next prompt"
                                  : ".output or providers." + name + ".steer"));
  Provider provider;
  provider.name = name;
  provider.client = name;
  provider.steered = words.steered;
  provider.argv = filled(client, words.steered ? client.steered_words : client.words, words);
  if (!client.long_words.empty()) provider.long_argv = filled(client, client.long_words, words);
  provider.model = words.model;
  provider.install = client.install;
  provider.begin_session = words_in(client.begin);
  provider.resume_session = words_in(client.resume);
  provider.their_session = client.begin.empty();
  // An id of theirs is told by an event only.
  if (provider.their_session && !words.events) provider.resume_session.clear();
  if (words.events) provider.output = client.output;
  provider.env = variables_of(client, words, variable);
  return provider;
}

Provider claude_provider(const std::string& model, Access access) {
  auto provider =
      provider_of(*client_named("claude"), {.model = model, .events = false, .access = access},
                  [](const char*) -> const char* { return ""; });
  return *std::move(provider);
}

std::string version_in(std::string_view printed) {
  for (std::size_t at = 0; at < printed.size(); ++at) {
    if (!is_digit(printed[at]) ||
        (at > 0 && (is_letter(printed[at - 1]) && lower(printed[at - 1]) != 'v')))
      continue;
    std::size_t end = at, dots = 0;
    while (end < printed.size() && (is_digit(printed[end]) || printed[end] == '.'))
      dots += printed[end++] == '.' ? 1U : 0U;
    if (printed[end - 1] == '.') --end, --dots;  // of a sentence
    if (dots > 0 && end - at <= 40) return std::string(printed.substr(at, end - at));
    at = end;
  }
  return {};
}

}  // namespace capsule::agent
