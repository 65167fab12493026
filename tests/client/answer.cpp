#include "tests/client/answer.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace capsule::test {
namespace {

using nlohmann::json;

constexpr std::size_t kPieceBytes = 48;

// In the order in which they are looked for: where a client offers several, the first is taken.
constexpr std::array<std::string_view, 11> kShells{"Bash",
                                                   "exec_command",
                                                   "shell_command",
                                                   "run_shell_command",
                                                   "bash",
                                                   "developer__shell",
                                                   "shell",
                                                   "Shell",
                                                   "run_terminal_command",
                                                   "run_terminal_cmd",
                                                   "execute_command"};

constexpr std::array<std::string_view, 4> kReaders{"Read", "read", "read_file", "view"};

// What clients tell the model in the user's name.
constexpr std::array<std::string_view, 8> kClientsTags{"system-reminder",
                                                       "environment_context",
                                                       "session_context",
                                                       "user_instructions",
                                                       "permissions instructions",
                                                       "info-msg",
                                                       "user_info",
                                                       "rules"};

const Tool* shell_of(const std::vector<Tool>& tools) {
  for (const std::string_view name : kShells)
    for (const Tool& tool : tools)
      if (tool.name == name) return &tool;
  return nullptr;
}

bool starts_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

// Something of the kind that a schema asks for.
json value_of(const json& schema) {
  json type = schema.value("type", json("string"));
  if (type.is_array()) type = type.at(0);
  if (schema.contains("enum")) return schema.at("enum").at(0);
  if (type == "boolean") return false;
  if (type == "integer" || type == "number") return schema.value("default", json(10'000));
  if (type == "array") return json::array();
  if (type == "object") return json::object();
  return "Work on it";
}

}  // namespace

bool has_shell(const std::vector<Tool>& tools) { return shell_of(tools) != nullptr; }

ToolCall shell_call(const std::vector<Tool>& tools, const std::string& command) {
  const Tool* shell = shell_of(tools);
  if (shell == nullptr) return {"Bash", {{"command", command}}};
  ToolCall call{shell->name, json::object()};
  const json properties = shell->schema.value("properties", json::object());
  for (const json& name : shell->schema.value("required", json::array()))
    call.arguments[name.get<std::string>()] =
        value_of(properties.value(name.get<std::string>(), json()));
  const std::string key = properties.contains("cmd") ? "cmd" : "command";
  if (properties.value(key, json::object()).value("type", json()) == "array")
    call.arguments[key] = {"bash", "-c", command};
  else
    call.arguments[key] = command;
  return call;
}

bool are_agents(const std::vector<Tool>& tools) {
  return has_shell(tools) || std::any_of(tools.begin(), tools.end(), [](const Tool& tool) {
           return std::find(kReaders.begin(), kReaders.end(), tool.name) != kReaders.end();
         });
}

ToolCall call_of(const std::vector<Tool>& tools, const Answer& answer) {
  if (answer.tool.empty()) return shell_call(tools, answer.command);
  return {answer.tool, json::parse(answer.command)};
}

std::string_view users_own(std::string_view text) {
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
    if (text.starts_with("# AGENTS.md instructions")) return {};
    const auto tag = std::find_if(
        kClientsTags.begin(), kClientsTags.end(),
        [&](std::string_view name) { return text.starts_with("<" + std::string(name) + ">"); });
    if (tag == kClientsTags.end()) return text;
    const std::string end = "</" + std::string(*tag) + ">";
    const std::size_t at = text.find(end);
    if (at == text.npos) return {};
    text.remove_prefix(at + end.size());
  }
}

void add_user_text(std::vector<Part>& parts, std::string_view text) {
  const std::string_view own = users_own(text);
  parts.push_back(
      {own.empty() ? Part::Kind::clients_own : Part::Kind::user_text, std::string(own)});
}

std::vector<std::string> pieces_of(std::string_view text) {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    std::size_t end = std::min(kPieceBytes, text.size());
    while (end < text.size() && !starts_character(text[end])) ++end;
    pieces.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return pieces;
}

std::string event(const json& data, const std::string& name) {
  return (name.empty() ? "" : "event: " + name + "\n") + "data: " + data.dump() + "\n\n";
}

}  // namespace capsule::test
