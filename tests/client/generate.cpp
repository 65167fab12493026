// The generateContent API of Google.
#include "tests/client/api.h"

namespace capsule::test {
namespace {

using nlohmann::json;

constexpr std::string_view kModels = "/v1beta/models/";

std::string result_text(const json& response) {
  const json result = response.value("response", json::object());
  const json output = result.value("output", result.value("error", json()));
  return output.is_string() ? output.get<std::string>() : output.dump();
}

std::vector<Part> content_parts(const json& body) {
  std::vector<Part> parts;
  for (const json& content : body.value("contents", json::array())) {
    if (content.value("role", "user") == "model") {
      parts.push_back({Part::Kind::assistant, ""});
      continue;
    }
    for (const json& part : content.value("parts", json::array())) {
      if (part.contains("functionResponse"))
        parts.push_back({Part::Kind::tool_result, result_text(part["functionResponse"])});
      else
        add_user_text(parts, part.value("text", ""));
    }
  }
  return parts;
}

Conversation generate_conversation(const Request& request, const json& body) {
  const std::string_view rest = std::string_view(request.path).substr(kModels.size());
  Conversation asked{.parts = content_parts(body),
                     .tools = {},
                     .session = {},
                     .model = std::string(rest.substr(0, rest.find(':'))),
                     .stream = rest.ends_with(":streamGenerateContent")};
  for (const json& group : body.value("tools", json::array()))
    for (const json& tool : group.value("functionDeclarations", json::array()))
      asked.tools.push_back(
          {tool.value("name", ""),
           tool.value("parametersJsonSchema", tool.value("parameters", json::object()))});
  const auto key = request.headers.find("x-goog-api-key");
  if (key != request.headers.end()) asked.credential = key->second;
  return asked;
}

json candidate_of(const json& parts, const json& finish) {
  json candidate{{"content", {{"role", "model"}, {"parts", parts}}}, {"index", 0}};
  if (!finish.is_null()) candidate["finishReason"] = finish;
  return candidate;
}

json generated(const Conversation& asked, const Answer& answer, const json& candidate) {
  const Tokens& tokens = answer.tokens;
  return {{"candidates", {candidate}},
          {"usageMetadata",
           {{"promptTokenCount", tokens.input + tokens.cache_read},
            {"cachedContentTokenCount", tokens.cache_read},
            {"candidatesTokenCount", tokens.output},
            {"totalTokenCount", tokens.input + tokens.cache_read + tokens.output}}},
          {"modelVersion", asked.model},
          {"responseId", "r" + std::to_string(answer.number)}};
}

json call_part(const Conversation& asked, const Answer& answer) {
  const ToolCall call = call_of(asked.tools, answer);
  return {{"functionCall",
           {{"id", "call_" + std::to_string(answer.number)},
            {"name", call.name},
            {"args", call.arguments}}}};
}

std::string generate_events(const Conversation& asked, const Answer& answer) {
  std::string out;
  const auto chunk = [&](const json& candidate) {
    out += event(generated(asked, answer, candidate));
  };
  if (answer.failure.fault == Fault::refused) {
    chunk({{"finishReason", "SAFETY"}, {"index", 0}});
    return out;
  }
  for (const std::string& piece : pieces_of(answer.text))
    chunk(candidate_of(json::array({{{"text", piece}}}), nullptr));
  if (!answer.command.empty())
    chunk(candidate_of(json::array({call_part(asked, answer)}), nullptr));
  chunk(candidate_of(json::array({{{"text", ""}}}), "STOP"));
  return out;
}

std::string generate_object(const Conversation& asked, const Answer& answer) {
  json parts = json::array();
  if (!answer.text.empty()) parts.push_back({{"text", answer.text}});
  if (!answer.command.empty()) parts.push_back(call_part(asked, answer));
  const bool refused = answer.failure.fault == Fault::refused;
  return generated(
             asked, answer,
             refused ? json{{"finishReason", "SAFETY"}, {"index", 0}} : candidate_of(parts, "STOP"))
      .dump();
}

json quota(const char* id, const Failure& failure) {
  json details{
      {{"@type", "type.googleapis.com/google.rpc.QuotaFailure"},
       {"violations",
        {{{"quotaMetric", "generativelanguage.googleapis.com/generate_content_free_tier_requests"},
          {"quotaId", id},
          {"quotaValue", "50"}}}}}};
  if (failure.retry_after)
    details.push_back({{"@type", "type.googleapis.com/google.rpc.RetryInfo"},
                       {"retryDelay", std::to_string(failure.retry_after->count()) + "s"}});
  return details;
}

Response generate_failure(const Conversation&, const Failure& failure) {
  const auto error = [](int status, const char* name, const std::string& message,
                        const json& details = json::array()) {
    json body{{"error", {{"code", status}, {"message", message}, {"status", name}}}};
    if (!details.empty()) body["error"]["details"] = details;
    return Response{.status = status, .type = "application/json", .body = body.dump()};
  };
  const char* const exceeded =
      "You exceeded your current quota, please check your plan and billing details.";
  switch (failure.fault) {
    case Fault::unauthorised:
      return error(401, "UNAUTHENTICATED",
                   "Request had invalid authentication credentials. Expected OAuth 2 access token, "
                   "login cookie or other valid authentication credential.");
    case Fault::rate_limited:
      return error(429, "RESOURCE_EXHAUSTED", exceeded,
                   quota("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", failure));
    case Fault::usage_limit:
      return error(429, "RESOURCE_EXHAUSTED", exceeded,
                   quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier", failure));
    case Fault::no_credit:
      return error(403, "PERMISSION_DENIED",
                   "This API method requires billing to be enabled. Please enable billing on "
                   "project #1 by visiting https://console.developers.google.com/billing/enable.");
    case Fault::overloaded:
      return error(503, "UNAVAILABLE", "The model is overloaded. Please try again later.");
    case Fault::too_long:
      return error(400, "INVALID_ARGUMENT",
                   "The input token count (1200000) exceeds the maximum number of tokens allowed "
                   "(1048576).");
    default:
      return error(500, "INTERNAL", "An internal error has occurred.");
  }
}

}  // namespace

const Api kGenerate{
    .serves =
        [](const Request& request) {
          return request.path.starts_with(kModels) &&
                 (request.path.ends_with(":generateContent") ||
                  request.path.ends_with(":streamGenerateContent"));
        },
    .conversation = generate_conversation,
    .events = generate_events,
    .object = generate_object,
    .failure = generate_failure,
};

}  // namespace capsule::test
