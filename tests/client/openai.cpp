#include "tests/client/openai.h"

namespace capsule::test {

using nlohmann::json;

Response openai_failure(const Conversation& asked, const Failure& failure) {
  const auto error = [](int status, const char* type, const json& code,
                        const std::string& message) {
    const json body{
        {"error", {{"message", message}, {"type", type}, {"param", nullptr}, {"code", code}}}};
    return Response{.status = status, .type = "application/json", .body = body.dump()};
  };
  switch (failure.fault) {
    case Fault::unauthorised:
      return error(401, "invalid_request_error", "invalid_api_key",
                   "Incorrect API key provided: dummy. You can find your API key at "
                   "https://platform.openai.com/account/api-keys.");
    case Fault::rate_limited:
      return error(429, "requests", "rate_limit_exceeded",
                   "Rate limit reached for " + asked.model +
                       " in organization org-1 on requests per min (RPM): Limit 3, Used 3, "
                       "Requested 1.");
    case Fault::usage_limit: {
      const json body{{"error",
                       {{"type", "usage_limit_reached"},
                        {"message", "The usage limit has been reached"},
                        {"plan_type", "plus"},
                        {"resets_at", failure.resets_at.value_or(0)}}}};
      return {.status = 429, .type = "application/json", .body = body.dump()};
    }
    case Fault::no_credit:
      return error(429, "insufficient_quota", "insufficient_quota",
                   "You exceeded your current quota, please check your plan and billing details.");
    case Fault::overloaded:
      return error(503, "server_error", "server_is_overloaded",
                   "The engine is currently overloaded, please try again later.");
    case Fault::too_long:
      return error(400, "invalid_request_error", "context_length_exceeded",
                   "This model's maximum context length is 128000 tokens. However, your messages "
                   "resulted in 250000 tokens. Please reduce the length of the messages.");
    default:
      return error(500, "server_error", nullptr,
                   "The server had an error while processing your request. Sorry about that!");
  }
}

}  // namespace capsule::test
