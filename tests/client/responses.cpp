// The Responses API of OpenAI, as codex uses it.
#include "tests/client/openai.h"

namespace capsule::test {
namespace {

using nlohmann::json;

std::string item_text(const json& content) {
  if (content.is_string()) return content.get<std::string>();
  std::string text;
  if (content.is_array())
    for (const json& part : content) text += part.value("text", "");
  return text;
}

// Text and call of one answer come back as two items: they are one part.
std::vector<Part> input_parts(const json& body) {
  std::vector<Part> parts;
  for (const json& item : body.value("input", json::array())) {
    const std::string type = item.value("type", "message");
    const std::string role = item.value("role", "");
    if (type.ends_with("_output")) {
      parts.push_back({Part::Kind::tool_result, item_text(item.value("output", json()))});
    } else if (type != "message" || role == "assistant") {
      if (parts.empty() || parts.back().kind != Part::Kind::assistant)
        parts.push_back({Part::Kind::assistant, ""});
    } else if (role == "user") {
      add_user_text(parts, item_text(item.value("content", json())));
    }
  }
  return parts;
}

Conversation responses_conversation(const Request& request, const json& body) {
  Conversation asked{.parts = input_parts(body),
                     .tools = {},
                     .session = body.value("prompt_cache_key", ""),
                     .model = body.value("model", ""),
                     .stream = body.value("stream", false)};
  for (const json& tool : body.value("tools", json::array()))
    asked.tools.push_back({tool.value("name", ""), tool.value("parameters", json::object())});
  const auto session = request.headers.find("session_id");
  if (session != request.headers.end()) asked.session = session->second;
  return asked;
}

json response_of(const Conversation& asked, const Answer& answer, const char* status) {
  const Tokens& tokens = answer.tokens;
  return {{"id", "resp_" + std::to_string(answer.number)},
          {"object", "response"},
          {"created_at", 1'800'000'000},
          {"status", status},
          {"model", asked.model},
          {"output", json::array()},
          {"usage",
           {{"input_tokens", tokens.input + tokens.cache_read},
            {"input_tokens_details", {{"cached_tokens", tokens.cache_read}}},
            {"output_tokens", tokens.output},
            {"output_tokens_details", {{"reasoning_tokens", 0}}},
            {"total_tokens", tokens.input + tokens.cache_read + tokens.output}}}};
}

std::vector<json> items_of(const Conversation& asked, const Answer& answer) {
  std::vector<json> items;
  const std::string number = std::to_string(answer.number);
  if (answer.failure.fault == Fault::refused || !answer.text.empty()) {
    const json content =
        answer.failure.fault == Fault::refused
            ? json{{"type", "refusal"}, {"refusal", answer.text}}
            : json{{"type", "output_text"}, {"text", answer.text}, {"annotations", json::array()}};
    items.push_back({{"type", "message"},
                     {"id", "msg_" + number},
                     {"status", "completed"},
                     {"role", "assistant"},
                     {"content", {content}}});
  }
  if (!answer.command.empty()) {
    const ToolCall call = call_of(asked.tools, answer);
    items.push_back({{"type", "function_call"},
                     {"id", "fc_" + number},
                     {"status", "completed"},
                     {"call_id", "call_" + number},
                     {"name", call.name},
                     {"arguments", call.arguments.dump()}});
  }
  return items;
}

std::string responses_events(const Conversation& asked, const Answer& answer) {
  std::string out;
  int sequence = 0;
  const auto add = [&](json value) {
    value["sequence_number"] = sequence++;
    out += event(value, value.at("type"));
  };
  json whole = response_of(asked, answer, "completed");
  json begun = whole;
  begun["status"] = "in_progress";
  begun["usage"] = nullptr;
  add({{"type", "response.created"}, {"response", begun}});
  int index = 0;
  for (const json& item : items_of(asked, answer)) {
    json empty = item;
    empty["status"] = "in_progress";
    const bool is_text = item["type"] == "message" && item["content"][0]["type"] == "output_text";
    if (is_text) empty["content"] = json::array();
    add({{"type", "response.output_item.added"}, {"output_index", index}, {"item", empty}});
    if (is_text)
      for (const std::string& piece : pieces_of(answer.text))
        add({{"type", "response.output_text.delta"},
             {"item_id", item["id"]},
             {"output_index", index},
             {"content_index", 0},
             {"delta", piece}});
    add({{"type", "response.output_item.done"}, {"output_index", index++}, {"item", item}});
    whole["output"].push_back(item);
  }
  add({{"type", "response.completed"}, {"response", whole}});
  return out;
}

std::string responses_object(const Conversation& asked, const Answer& answer) {
  json whole = response_of(asked, answer, "completed");
  whole["output"] = items_of(asked, answer);
  return whole.dump();
}

}  // namespace

const Api kResponses{
    .serves = [](const Request& request) { return request.path == "/v1/responses"; },
    .conversation = responses_conversation,
    .events = responses_events,
    .object = responses_object,
    .failure = openai_failure,
};

}  // namespace capsule::test
