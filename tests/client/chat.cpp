// The Chat Completions API of OpenAI, which most other services and clients speak as well.
#include "tests/client/openai.h"

namespace capsule::test {
namespace {

using nlohmann::json;

std::string chat_text(const json& content) {
  if (content.is_string()) return content.get<std::string>();
  std::string text;
  if (content.is_array())
    for (const json& part : content) text += part.value("text", "");
  return text;
}

std::vector<Part> chat_parts(const json& body) {
  std::vector<Part> parts;
  for (const json& message : body.value("messages", json::array())) {
    const std::string role = message.value("role", "");
    const json content = message.value("content", json());
    if (role == "assistant") parts.push_back({Part::Kind::assistant, ""});
    if (role == "tool") parts.push_back({Part::Kind::tool_result, chat_text(content)});
    if (role != "user") continue;
    // Several texts of one message are one prompt, in pieces or with the client's own before it.
    std::string text;
    if (content.is_string()) text = content.get<std::string>();
    if (content.is_array())
      for (const json& part : content) text += users_own(part.value("text", ""));
    add_user_text(parts, text);
  }
  return parts;
}

Conversation chat_conversation(const Request& request, const json& body) {
  Conversation asked{.parts = chat_parts(body),
                     .tools = {},
                     .session = {},
                     .model = body.value("model", ""),
                     .stream = body.value("stream", false)};
  for (const json& tool : body.value("tools", json::array())) {
    const json function = tool.value("function", json::object());
    asked.tools.push_back(
        {function.value("name", ""), function.value("parameters", json::object())});
  }
  const auto session = request.headers.find("x-grok-session-id");
  if (session != request.headers.end()) asked.session = session->second;
  return asked;
}

json chat_usage(const Tokens& tokens) {
  return {{"prompt_tokens", tokens.input + tokens.cache_read},
          {"completion_tokens", tokens.output},
          {"total_tokens", tokens.input + tokens.cache_read + tokens.output},
          {"prompt_tokens_details", {{"cached_tokens", tokens.cache_read}}}};
}

json chat_head(const Conversation& asked, const Answer& answer, const char* kind) {
  return {{"id", "chatcmpl-" + std::to_string(answer.number)},
          {"object", kind},
          {"created", 1'800'000'000},
          {"model", asked.model}};
}

const char* finish_reason(const Answer& answer) {
  if (answer.failure.fault == Fault::refused) return "content_filter";
  return answer.command.empty() ? "stop" : "tool_calls";
}

json function_call(const Conversation& asked, const Answer& answer) {
  const ToolCall call = call_of(asked.tools, answer);
  return {{"id", "call_" + std::to_string(answer.number)},
          {"type", "function"},
          {"function", {{"name", call.name}, {"arguments", call.arguments.dump()}}}};
}

std::string chat_events(const Conversation& asked, const Answer& answer) {
  std::string out;
  const auto chunk = [&](const json& delta, const json& finish) {
    json value = chat_head(asked, answer, "chat.completion.chunk");
    value["choices"] = {{{"index", 0}, {"delta", delta}, {"finish_reason", finish}}};
    out += event(value);
  };
  const char* words = answer.failure.fault == Fault::refused ? "refusal" : "content";
  chunk({{"role", "assistant"}, {"content", ""}}, nullptr);
  for (const std::string& piece : pieces_of(answer.text)) chunk({{words, piece}}, nullptr);
  if (!answer.command.empty()) {
    json call = function_call(asked, answer);
    call["index"] = 0;
    const std::string arguments = call["function"]["arguments"];
    call["function"]["arguments"] = "";
    chunk({{"tool_calls", {call}}}, nullptr);
    for (const std::string& piece : pieces_of(arguments))
      chunk({{"tool_calls", {{{"index", 0}, {"function", {{"arguments", piece}}}}}}}, nullptr);
  }
  chunk(json::object(), finish_reason(answer));
  json last = chat_head(asked, answer, "chat.completion.chunk");
  last["choices"] = json::array();
  last["usage"] = chat_usage(answer.tokens);
  return out + event(last) + "data: [DONE]\n\n";
}

std::string chat_object(const Conversation& asked, const Answer& answer) {
  json message{{"role", "assistant"}, {"content", answer.text}};
  if (answer.failure.fault == Fault::refused)
    message = {{"role", "assistant"}, {"content", nullptr}, {"refusal", answer.text}};
  if (!answer.command.empty()) message["tool_calls"] = {function_call(asked, answer)};
  json value = chat_head(asked, answer, "chat.completion");
  value["choices"] = {
      {{"index", 0}, {"message", message}, {"finish_reason", finish_reason(answer)}}};
  value["usage"] = chat_usage(answer.tokens);
  return value.dump();
}

}  // namespace

const Api kChat{
    .serves = [](const Request& request) { return request.path.ends_with("/chat/completions"); },
    .conversation = chat_conversation,
    .events = chat_events,
    .object = chat_object,
    .failure = openai_failure,
};

}  // namespace capsule::test
