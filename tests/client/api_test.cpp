// The four APIs as bytes, without a client: a conversation is read alike from each, an answer comes
// in pieces with its price, and failures look as services send them.
#include "tests/client/api.h"

#include <gmock/gmock.h>

#include <set>

#include "tests/client/model.h"

namespace capsule::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

struct Row {
  const char* name;
  const Api* api;
  const char* path;
  // A request: the client's own words, a task, a call with its result, and more of the user.
  const char* body;
};

const Row kRows[] = {
    {"Messages", &kMessages, "/v1/messages",
     R"({"model":"m","stream":true,"tools":[{"name":"Bash","input_schema":{"properties":{"command":{"type":"string"}}}}],
      "messages":[{"role":"user","content":[{"type":"text","text":"<system-reminder>\nx\n</system-reminder>"},
       {"type":"text","text":"the task"}]},
       {"role":"assistant","content":[{"type":"text","text":"so"},{"type":"tool_use","name":"Bash","input":{}}]},
       {"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"printed"}]}]},
       {"role":"assistant","content":"done"},{"role":"user","content":"and more"}]})"},
    {"Responses", &kResponses, "/v1/responses",
     R"({"model":"m","stream":true,"tools":[{"type":"function","name":"exec_command",
       "parameters":{"properties":{"cmd":{"type":"string"}},"required":["cmd"]}}],
      "input":[{"type":"message","role":"developer","content":[{"type":"input_text","text":"be good"}]},
       {"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>x</environment_context>"}]},
       {"type":"message","role":"user","content":[{"type":"input_text","text":"the task"}]},
       {"type":"message","role":"assistant","content":[{"type":"output_text","text":"so"}]},
       {"type":"function_call","name":"exec_command","arguments":"{}","call_id":"c"},
       {"type":"function_call_output","call_id":"c","output":"printed"},
       {"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]},
       {"type":"message","role":"user","content":[{"type":"input_text","text":"and more"}]}]})"},
    {"Chat", &kChat, "/v1/chat/completions",
     R"({"model":"m","stream":true,"tools":[{"type":"function","function":{"name":"bash",
       "parameters":{"properties":{"command":{"type":"string"},"description":{"type":"string"}},
        "required":["command","description"]}}}],
      "messages":[{"role":"system","content":"be good"},
       {"role":"user","content":"<info-msg>\nx\n</info-msg>\nthe task"},
       {"role":"assistant","content":"so","tool_calls":[{"id":"c","type":"function","function":{"name":"bash","arguments":"{}"}}]},
       {"role":"tool","tool_call_id":"c","content":"printed"},
       {"role":"assistant","content":"done"},
       {"role":"user","content":[{"type":"text","text":"and "},{"type":"text","text":"more"}]}]})"},
    {"Generate", &kGenerate, "/v1beta/models/m:streamGenerateContent",
     R"({"tools":[{"functionDeclarations":[{"name":"run_shell_command",
       "parametersJsonSchema":{"properties":{"command":{"type":"string"}},"required":["command"]}}]}],
      "contents":[{"role":"user","parts":[{"text":"<session_context>x</session_context>"}]},
       {"role":"user","parts":[{"text":"the task"}]},
       {"role":"model","parts":[{"text":"so"},{"functionCall":{"name":"run_shell_command","args":{}}}]},
       {"role":"user","parts":[{"functionResponse":{"name":"run_shell_command","response":{"output":"printed"}}}]},
       {"role":"model","parts":[{"text":"done"}]},
       {"role":"user","parts":[{"text":"and more"}]}]})"},
};

class ScriptedApi : public ::testing::TestWithParam<Row> {
 protected:
  static Request request() { return {"POST", GetParam().path, {}, GetParam().body}; }
  static Conversation asked() {
    return GetParam().api->conversation(request(), json::parse(GetParam().body));
  }
  // All texts of a certain member in a stream, one after the other.
  static std::string joined(const std::string& stream, const std::string& member) {
    std::string text;
    for (std::size_t at = 0; (at = stream.find("data: {", at)) != stream.npos; ++at) {
      const json event =
          json::parse(stream.substr(at + 6, stream.find('\n', at) - at - 6)).flatten();
      for (const auto& [name, value] : event.items())
        if (name.ends_with("/" + member) && value.is_string()) text += value.get<std::string>();
    }
    return text;
  }
};

TEST_P(ScriptedApi, AConversationIsReadAlikeFromEach) {
  EXPECT_TRUE(GetParam().api->serves(request()));
  const Conversation conversation = asked();
  EXPECT_EQ(conversation.model, "m");
  EXPECT_TRUE(conversation.stream);
  EXPECT_TRUE(has_shell(conversation.tools));
  std::string told;
  for (const Part& part : conversation.parts)
    if (part.kind != Part::Kind::clients_own)
      told += (part.kind == Part::Kind::assistant ? std::string("A") : part.text) + "|";
  EXPECT_EQ(told, "the task|A|printed|A|and more|");
}

TEST_P(ScriptedApi, AnAnswerComesInPiecesOfWholeCharactersWithACallAndItsPrice) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "—ä";
  const std::string stream = GetParam().api->events(
      asked(), {.text = text,
                .command = "echo 'ü'",
                .number = 3,
                .tokens = {.input = 1011, .output = 1213, .cache_read = 1415}});
  const Api* api = GetParam().api;
  EXPECT_EQ(joined(stream, api == &kResponses ? "delta"
                           : api == &kChat    ? "content"
                                              : "text"),
            text);
  EXPECT_THAT(stream, HasSubstr("ü"));
  // Where what was cached is a part of the input, it is counted into it.
  EXPECT_THAT(stream, HasSubstr(api == &kMessages ? "1011" : "2426"));
  EXPECT_THAT(stream, HasSubstr("1213"));
  EXPECT_THAT(stream, HasSubstr("1415"));
  const std::string object = api->object(asked(), {.text = "so", .command = "ls", .number = 4});
  EXPECT_TRUE(json::parse(object).is_object());
  EXPECT_THAT(object, HasSubstr("ls"));
}

TEST_P(ScriptedApi, EveryFailureHasAStatusAndWordsOfItsOwn) {
  std::set<std::string> bodies;
  const std::pair<Fault, int> statuses[] = {{Fault::unauthorised, 401}, {Fault::rate_limited, 429},
                                            {Fault::usage_limit, 429},  {Fault::no_credit, 0},
                                            {Fault::overloaded, 0},     {Fault::server_error, 500},
                                            {Fault::too_long, 400}};
  for (const auto& [fault, status] : statuses) {
    const Response response = GetParam().api->failure(asked(), {.fault = fault});
    EXPECT_GE(response.status, 400);
    if (status != 0) {
      EXPECT_EQ(response.status, status);
    }
    EXPECT_TRUE(json::parse(response.body).contains("error"));
    EXPECT_TRUE(bodies.insert(response.body).second) << response.body;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ScriptedApi, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace capsule::test
