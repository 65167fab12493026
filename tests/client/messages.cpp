#include "tests/client/messages.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

namespace capsule::test {
namespace {

using nlohmann::json;

// Text comes in several pieces, as from a model; a piece never ends inside a character.
constexpr std::size_t kPieceBytes = 48;

bool starts_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

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

std::string event(const json& value) {
  return "event: " + value.at("type").get<std::string>() + "\ndata: " + value.dump() + "\n\n";
}

json usage() { return {{"input_tokens", 7}, {"output_tokens", 3}}; }

json head(const json& request, const Answer& answer) {
  return {{"id", "msg_" + std::to_string(answer.number)},
          {"type", "message"},
          {"role", "assistant"},
          {"model", request.value("model", "scripted")},
          {"content", json::array()},
          {"stop_reason", nullptr},
          {"stop_sequence", nullptr},
          {"usage", usage()}};
}

json tool_use(const Answer& answer, const json& input) {
  return {{"type", "tool_use"},
          {"id", "toolu_" + std::to_string(answer.number)},
          {"name", "Bash"},
          {"input", input}};
}

const char* stop_reason(const Answer& answer) {
  return answer.command.empty() ? "end_turn" : "tool_use";
}

std::string text_of(const json& content) {
  if (content.is_string()) return content.get<std::string>();
  std::string text;
  if (content.is_array())
    for (const json& block : content)
      if (block.value("type", "") == "text") text += block.value("text", "");
  return text;
}

bool is_reminder(std::string_view text) {
  const std::size_t at = text.find_first_not_of(" \n");
  return at == text.npos || text.substr(at).starts_with("<system-reminder>");
}

}  // namespace

std::vector<Part> parts_of(const json& request) {
  std::vector<Part> parts;
  for (const json& message : request.value("messages", json::array())) {
    const std::string role = message.value("role", "");
    const json content = message.value("content", json());
    if (role == "assistant") parts.push_back({Part::Kind::assistant, ""});
    if (role != "user") continue;
    if (content.is_string()) parts.push_back({Part::Kind::user_text, content.get<std::string>()});
    if (!content.is_array()) continue;
    for (const json& block : content) {
      const std::string type = block.value("type", "");
      if (type == "tool_result")
        parts.push_back({Part::Kind::tool_result, text_of(block.value("content", json()))});
      else if (type == "text" && !is_reminder(block.value("text", "")))
        parts.push_back({Part::Kind::user_text, block.value("text", "")});
    }
  }
  return parts;
}

std::string answer_stream(const json& request, const Answer& answer) {
  std::string out = event({{"type", "message_start"}, {"message", head(request, answer)}});
  int index = 0;
  const auto block = [&](const json& start, const std::vector<json>& deltas) {
    out += event({{"type", "content_block_start"}, {"index", index}, {"content_block", start}});
    for (const json& delta : deltas)
      out += event({{"type", "content_block_delta"}, {"index", index}, {"delta", delta}});
    out += event({{"type", "content_block_stop"}, {"index", index++}});
  };
  if (!answer.text.empty()) {
    std::vector<json> deltas;
    for (const std::string& piece : pieces_of(answer.text))
      deltas.push_back({{"type", "text_delta"}, {"text", piece}});
    block({{"type", "text"}, {"text", ""}}, deltas);
  }
  if (!answer.command.empty()) {
    std::vector<json> deltas;
    for (const std::string& piece : pieces_of(json{{"command", answer.command}}.dump()))
      deltas.push_back({{"type", "input_json_delta"}, {"partial_json", piece}});
    block(tool_use(answer, json::object()), deltas);
  }
  out += event({{"type", "message_delta"},
                {"delta", {{"stop_reason", stop_reason(answer)}, {"stop_sequence", nullptr}}},
                {"usage", {{"output_tokens", 3}}}});
  return out + event({{"type", "message_stop"}});
}

std::string answer_whole(const json& request, const Answer& answer) {
  json message = head(request, answer);
  if (!answer.text.empty()) message["content"].push_back({{"type", "text"}, {"text", answer.text}});
  if (!answer.command.empty())
    message["content"].push_back(tool_use(answer, {{"command", answer.command}}));
  message["stop_reason"] = stop_reason(answer);
  return message.dump();
}

}  // namespace capsule::test
