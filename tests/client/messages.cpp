// The Messages API of Anthropic.
#include "tests/client/api.h"

namespace capsule::test {
namespace {

using nlohmann::json;

json messages_usage(const Tokens& tokens) {
  return {{"input_tokens", tokens.input},
          {"output_tokens", tokens.output},
          {"cache_read_input_tokens", tokens.cache_read},
          {"cache_creation_input_tokens", tokens.cache_write}};
}

json message_head(const Conversation& asked, const Answer& answer) {
  return {{"id", "msg_" + std::to_string(answer.number)},
          {"type", "message"},
          {"role", "assistant"},
          {"model", asked.model.empty() ? "scripted" : asked.model},
          {"content", json::array()},
          {"stop_reason", nullptr},
          {"stop_sequence", nullptr},
          {"usage", messages_usage(answer.tokens)}};
}

json tool_use(const Answer& answer, const std::string& name, const json& input) {
  return {{"type", "tool_use"},
          {"id", "toolu_" + std::to_string(answer.number)},
          {"name", name},
          {"input", input}};
}

const char* stop_reason(const Answer& answer) {
  if (answer.failure.fault == Fault::refused) return "refusal";
  return answer.command.empty() ? "end_turn" : "tool_use";
}

std::string message_text(const json& content) {
  if (content.is_string()) return content.get<std::string>();
  std::string text;
  if (content.is_array())
    for (const json& block : content)
      if (block.value("type", "") == "text") text += block.value("text", "");
  return text;
}

std::vector<Part> message_parts(const json& body) {
  std::vector<Part> parts;
  for (const json& message : body.value("messages", json::array())) {
    const std::string role = message.value("role", "");
    const json content = message.value("content", json());
    if (role == "assistant") parts.push_back({Part::Kind::assistant, ""});
    if (role != "user") continue;
    if (content.is_string()) add_user_text(parts, content.get<std::string>());
    if (!content.is_array()) continue;
    for (const json& block : content) {
      const std::string type = block.value("type", "");
      if (type == "tool_result")
        parts.push_back({Part::Kind::tool_result, message_text(block.value("content", json()))});
      else if (type == "text")
        add_user_text(parts, block.value("text", ""));
    }
  }
  return parts;
}

Conversation messages_conversation(const Request& request, const json& body) {
  Conversation asked{.parts = message_parts(body),
                     .tools = {},
                     .session = {},
                     .model = body.value("model", ""),
                     .stream = body.value("stream", false)};
  for (const json& tool : body.value("tools", json::array()))
    asked.tools.push_back({tool.value("name", ""), tool.value("input_schema", json::object())});
  const auto session = request.headers.find("x-claude-code-session-id");
  if (session != request.headers.end()) asked.session = session->second;
  for (const char* header : {"authorization", "x-api-key"})
    if (const auto key = request.headers.find(header); key != request.headers.end())
      asked.credential = key->second;
  return asked;
}

std::string messages_events(const Conversation& asked, const Answer& answer) {
  const auto named = [](const json& value) { return event(value, value.at("type")); };
  std::string out = named({{"type", "message_start"}, {"message", message_head(asked, answer)}});
  int index = 0;
  const auto block = [&](const json& start, const std::vector<json>& deltas) {
    out += named({{"type", "content_block_start"}, {"index", index}, {"content_block", start}});
    for (const json& delta : deltas)
      out += named({{"type", "content_block_delta"}, {"index", index}, {"delta", delta}});
    out += named({{"type", "content_block_stop"}, {"index", index++}});
  };
  if (!answer.text.empty()) {
    std::vector<json> deltas;
    for (const std::string& piece : pieces_of(answer.text))
      deltas.push_back({{"type", "text_delta"}, {"text", piece}});
    block({{"type", "text"}, {"text", ""}}, deltas);
  }
  if (!answer.command.empty()) {
    const ToolCall call = call_of(asked.tools, answer);
    std::vector<json> deltas;
    for (const std::string& piece : pieces_of(call.arguments.dump()))
      deltas.push_back({{"type", "input_json_delta"}, {"partial_json", piece}});
    block(tool_use(answer, call.name, json::object()), deltas);
  }
  out += named({{"type", "message_delta"},
                {"delta", {{"stop_reason", stop_reason(answer)}, {"stop_sequence", nullptr}}},
                {"usage", messages_usage(answer.tokens)}});
  return out + named({{"type", "message_stop"}});
}

std::string messages_object(const Conversation& asked, const Answer& answer) {
  json message = message_head(asked, answer);
  if (!answer.text.empty()) message["content"].push_back({{"type", "text"}, {"text", answer.text}});
  if (!answer.command.empty()) {
    const ToolCall call = call_of(asked.tools, answer);
    message["content"].push_back(tool_use(answer, call.name, call.arguments));
  }
  message["stop_reason"] = stop_reason(answer);
  return message.dump();
}

Response messages_failure(const Conversation&, const Failure& failure) {
  const auto error = [](int status, const char* type, const std::string& message) {
    const json body{{"type", "error"}, {"error", {{"type", type}, {"message", message}}}};
    return Response{.status = status, .type = "application/json", .body = body.dump()};
  };
  switch (failure.fault) {
    case Fault::unauthorised:
      return error(401, "authentication_error", "invalid x-api-key");
    case Fault::rate_limited:
      return error(429, "rate_limit_error",
                   "This request would exceed your organization's rate limit of 50 requests per "
                   "minute.");
    case Fault::usage_limit: {
      const std::string until = std::to_string(failure.resets_at.value_or(0));
      Response response = error(429, "rate_limit_error", "Claude AI usage limit reached|" + until);
      response.headers = {{"x-should-retry", "false"},
                          {"anthropic-ratelimit-unified-status", "rejected"},
                          {"anthropic-ratelimit-unified-reset", until}};
      return response;
    }
    case Fault::no_credit:
      return error(400, "invalid_request_error",
                   "Your credit balance is too low to access the Anthropic API. Please go to Plans "
                   "& Billing to upgrade or purchase credits.");
    case Fault::overloaded:
      return error(529, "overloaded_error", "Overloaded");
    case Fault::too_long:
      return error(400, "invalid_request_error",
                   "prompt is too long: 250000 tokens > 200000 maximum");
    default:
      return error(500, "api_error", "Internal server error");
  }
}

}  // namespace

const Api kMessages{
    .serves = [](const Request& request) { return request.path == "/v1/messages"; },
    .conversation = messages_conversation,
    .events = messages_events,
    .object = messages_object,
    .failure = messages_failure,
};

}  // namespace capsule::test
