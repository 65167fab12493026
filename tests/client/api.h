// The APIs that agent clients ask their models by, one row each: how a request of it reads as a
// conversation, and how an answer and a failure look in its bytes. Pure functions; faults that are
// bytes missing (cut, silent) are the server's.
#pragma once

#include "tests/client/answer.h"
#include "tests/client/http.h"

namespace capsule::test {

struct Api {
  bool (*serves)(const Request& request);  // a question to the model in this API
  Conversation (*conversation)(const Request& request, const nlohmann::json& body);
  std::string (*events)(const Conversation& asked, const Answer& answer);
  std::string (*object)(const Conversation& asked, const Answer& answer);  // without a stream
  // Status and body of a failure, and headers that belong to it. Fault::refused is an answer with
  // status 200 in most of them, and then comes through `events` and `object`.
  Response (*failure)(const Conversation& asked, const Failure& failure);
};

extern const Api kMessages;   // Anthropic
extern const Api kResponses;  // OpenAI, newer
extern const Api kChat;       // OpenAI, as most others speak it too
extern const Api kGenerate;   // Google

}  // namespace capsule::test
