#include "tests/client/clients.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace capsule::test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;
using Named = std::map<std::string, std::string>;

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// A provider of our own: the built-in one tries a WebSocket first. It never waits long by itself.
Words codex_model(const Room& room) {
  const std::string retries = std::to_string(room.retries);
  Words words{"-c",
              "model=\"m\"",
              "-c",
              "model_provider=\"loop\"",
              "-c",
              "model_providers.loop={name=\"loop\",base_url=\"" + room.url +
                  "/v1\",env_key=\"LOOP_KEY\",wire_api=\"responses\",request_max_retries=" +
                  retries + ",stream_max_retries=" + retries + "}"};
  if (room.without_capsule)
    for (const char* setting :
         {"features.unbounded_connection_retries=false", "analytics.enabled=false",
          "check_for_update_on_startup=false", "features.plugins=false", "features.apps=false"}) {
      words.emplace_back("-c");
      words.emplace_back(setting);
    }
  return words;
}

Words codex(const Room& room, const Words& more) {
  return joined(
      joined({"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"}, more),
      codex_model(room));
}

std::string opencode_settings(const Room& room) {
  json settings{{"provider",
                 {{"loop",
                   {{"npm", "@ai-sdk/openai-compatible"},
                    {"options", {{"baseURL", room.url + "/v1"}, {"apiKey", "dummy"}}},
                    {"models", {{"m", {{"limit", {{"context", 200'000}, {"output", 8'000}}}}}}}}}}},
                {"model", "loop/m"}};
  if (room.without_capsule) {
    settings["small_model"] = "loop/m";
    settings["enabled_providers"] = {"loop"};
    settings["autoupdate"] = false;
  }
  return settings.dump();
}

std::string gemini_settings(const Room& room) {
  json settings{{"security", {{"auth", {{"selectedType", "gemini-api-key"}}}}},
                {"general", {{"maxAttempts", room.retries + 1}}}};  // Capsule cannot bound it
  if (room.without_capsule) {
    settings["privacy"] = {{"usageStatisticsEnabled", false}};
    settings["general"]["enableAutoUpdate"] = false;
  }
  return settings.dump();
}

std::string qwen_settings(const Room& room) {
  json settings{{"memory", {{"enableManagedAutoMemory", false}}}};
  if (room.without_capsule) {
    settings["model"] = {{"generationConfig", {{"maxRetries", room.retries}}}};
    settings["privacy"] = {{"usageStatisticsEnabled", false}};
    settings["general"] = {{"enableAutoUpdate", false}};
  }
  return settings.dump();
}

const std::vector<ClientRow> kClients{
    {
        .name = "claude",
        .plain =
            [](const Room&) {
              return Words{"-p", "--dangerously-skip-permissions"};
            },
        .events =
            [](const Room&) {
              return Words{"-p", "--output-format", "stream-json", "--verbose",
                           "--dangerously-skip-permissions"};
            },
        .begin = {"--session-id", "{session}"},
        .resume = {"--resume", "{session}"},
        .variables =
            [](const Room& room) {
              Named all{{"ANTHROPIC_BASE_URL", room.url},
                        {"ANTHROPIC_API_KEY", "dummy"},
                        {"CLAUDE_CODE_MAX_RETRIES", std::to_string(room.retries)}};
              if (room.without_capsule) {
                all["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"] = "1";
                all["IS_SANDBOX"] = "1";  // root may work then
              }
              return all;
            },
        .files = [](const Room&) { return Named{}; },
    },
    {
        .name = "codex",
        .plain = [](const Room& room) { return codex(room, {}); },
        .events = [](const Room& room) { return codex(room, {"--json"}); },
        .begin = {},
        .resume = {"resume", "{session}"},
        .variables =
            [](const Room&) {
              return Named{{"LOOP_KEY", "dummy"}};
            },
        .files = [](const Room&) { return Named{}; },
    },
    {
        .name = "gemini",
        .plain =
            [](const Room&) {
              return Words{"--approval-mode", "yolo", "--skip-trust", "-m", "m"};
            },
        .events =
            [](const Room&) {
              return Words{"-o", "stream-json", "--approval-mode", "yolo", "--skip-trust", "-m",
                           "m"};
            },
        .begin = {"--session-id", "{session}"},
        .resume = {"--resume", "{session}"},
        .variables =
            [](const Room& room) {
              Named all{{"GOOGLE_GEMINI_BASE_URL", room.url}, {"GEMINI_API_KEY", "dummy"}};
              if (room.without_capsule) all["GEMINI_CLI_NO_RELAUNCH"] = "true";
              return all;
            },
        .files =
            [](const Room& room) {
              return Named{{".gemini/settings.json", gemini_settings(room)}};
            },
    },
    {
        .name = "opencode",
        .plain =
            [](const Room&) {
              return Words{"run", "--auto", "-m", "loop/m"};
            },
        .events =
            [](const Room&) { return Words{"run", "--format", "json", "--auto", "-m", "loop/m"}; },
        .begin = {},
        .resume = {"--session", "{session}"},
        .variables =
            [](const Room& room) {
              Named all{{"OPENCODE_CONFIG_CONTENT", opencode_settings(room)}};
              if (room.without_capsule)
                all["OPENCODE_DISABLE_AUTOUPDATE"] = all["OPENCODE_DISABLE_MODELS_FETCH"] = "1";
              return all;
            },
        .files = [](const Room&) { return Named{}; },
    },
    {
        .name = "goose",
        .plain =
            [](const Room&) {
              return Words{"run", "-i", "-", "--with-builtin", "developer", "-q"};
            },
        .events =
            [](const Room&) {
              return Words{
                  "run",        "-i", "-", "--with-builtin", "developer", "--output-format",
                  "stream-json"};
            },
        .begin = {"--name", "{session}"},
        .resume = {"--resume", "--name", "{session}"},
        .variables =
            [](const Room& room) {
              Named all{{"GOOSE_PROVIDER", "openai"},
                        {"GOOSE_MODEL", "m"},
                        {"OPENAI_HOST", room.url},
                        {"OPENAI_API_KEY", "dummy"},
                        {"GOOSE_DISABLE_KEYRING", "1"}};
              if (room.without_capsule) {
                all["GOOSE_MODE"] = "auto";
                all["GOOSE_PROVIDER_SKIP_BACKOFF"] = "true";
              }
              return all;
            },
        .files = [](const Room&) { return Named{}; },
    },
    {
        .name = "qwen",
        .plain =
            [](const Room&) {
              return Words{"--approval-mode", "yolo", "--auth-type", "openai", "-m", "m"};
            },
        .events =
            [](const Room&) {
              return Words{
                  "-o", "stream-json", "--approval-mode", "yolo", "--auth-type", "openai", "-m",
                  "m"};
            },
        .begin = {"--session-id", "{session}"},
        .resume = {"--resume", "{session}"},
        .variables =
            [](const Room& room) {
              return Named{{"OPENAI_BASE_URL", room.url + "/v1"}, {"OPENAI_API_KEY", "dummy"}};
            },
        .files =
            [](const Room& room) {
              return Named{{".qwen/settings.json", qwen_settings(room)}};
            },
    },
    {
        .name = "copilot",
        .plain =
            [](const Room&) {
              return Words{"-s", "--allow-all-tools", "--no-auto-update"};
            },
        .events =
            [](const Room&) {
              return Words{"--output-format", "json", "--allow-all-tools", "--no-auto-update"};
            },
        .begin = {"--session-id", "{session}"},
        .resume = {"--resume", "{session}"},
        .variables =
            [](const Room& room) {
              return Named{{"COPILOT_PROVIDER_BASE_URL", room.url + "/v1"},
                           {"COPILOT_PROVIDER_API_KEY", "dummy"},
                           {"COPILOT_MODEL", "m"},
                           {"COPILOT_OFFLINE", "true"}};
            },
        .files = [](const Room&) { return Named{}; },
    },
    {
        .name = "kimi",
        .plain =
            [](const Room&) {
              return Words{"-p", "{prompt}"};
            },
        .events =
            [](const Room&) {
              return Words{"--output-format", "stream-json", "-p", "{prompt}"};
            },
        .begin = {},
        .resume = {"--session", "{session}"},
        .variables =
            [](const Room& room) {
              Named all{{"KIMI_MODEL_NAME", "m"},
                        {"KIMI_MODEL_API_KEY", "dummy"},
                        {"KIMI_MODEL_BASE_URL", room.url + "/v1"},
                        {"KIMI_MODEL_PROVIDER_TYPE", "openai"}};
              if (room.without_capsule) {
                all["KIMI_DISABLE_TELEMETRY"] = "1";
                all["KIMI_LOOP_MAX_ATTEMPTS_PER_STEP"] = std::to_string(room.retries + 1);
              }
              return all;
            },
        .files = [](const Room&) { return Named{}; },
    },
    {
        .name = "grok",
        .plain =
            [](const Room&) {
              return Words{"--always-approve", "-m", "m", "-p", "{prompt}"};
            },
        .events =
            [](const Room&) {
              return Words{"--output-format", "streaming-json", "--always-approve", "-m", "m", "-p",
                           "{prompt}"};
            },
        .begin = {"--session-id", "{session}"},
        .resume = {"--resume", "{session}"},
        .variables =
            [](const Room& room) {
              if (!room.without_capsule) return Named{};
              return Named{{"GROK_MAX_RETRIES", std::to_string(room.retries)},
                           {"GROK_TURN_TRANSIENT_RETRY", "false"}};
            },
        .files =
            [](const Room& room) {
              return Named{
                  {".grok/config.toml",
                   "[model.m]\nmodel = \"m\"\nbase_url = \"" + room.url +
                       "/v1\"\napi_key = \"dummy\"\napi_backend = \"chat_completions\"\n"}};
            },
    },
};

}  // namespace

const std::vector<ClientRow>& client_rows() { return kClients; }

std::vector<std::string> where_words(const std::string& name) {
  const std::string install = CAPSULE_SOURCE_DIR "/tests/client/install";
  if (name == "claude") return {install, "--where"};
  return {install + "-clients", "--where", name};
}

const ClientRow& client_row(const std::string& name) {
  for (const ClientRow& row : kClients)
    if (row.name == name) return row;
  throw std::out_of_range("no client " + name);
}

bool concerns_clients(std::string_view name) {
  for (const std::string_view prefix :
       {"ANTHROPIC_", "CLAUDE", "CODEX_", "COPILOT_", "DISABLE_", "GEMINI_", "GH_", "GITHUB_",
        "GOOGLE_", "GOOSE_", "GROK_", "KIMI_", "OPENAI_", "OPENCODE", "OTEL_", "QWEN_", "XAI_",
        "XDG_"})
    if (name.starts_with(prefix)) return true;
  for (const std::string_view proxy :
       {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"})
    if (name == proxy) return true;
  return name == "IS_SANDBOX";
}

}  // namespace capsule::test
