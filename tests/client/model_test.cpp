// The scripted model's own rules, without a client.
#include "tests/client/model.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/client/api.h"

namespace capsule::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

json user(const std::string& text) { return {{"role", "user"}, {"content", text}}; }
json assistant() { return {{"role", "assistant"}, {"content", "…"}}; }
json tool_result(const std::string& text) {
  return {
      {"role", "user"},
      {"content", {{{"type", "tool_result"}, {"content", {{{"type", "text"}, {"text", text}}}}}}}};
}
Conversation asking(const std::vector<json>& messages, bool tools = true) {
  json body{{"model", "m"}, {"messages", messages}};
  if (tools) body["tools"] = {{{"name", "Bash"}}};
  return kMessages.conversation({}, body);
}

TEST(ScriptedModel, TheConversationAloneTellsWhichAnswerIsNext) {
  Script script;
  script.when("first task", {bash("ls"), say("done one")});
  script.when("second task", {say("done two")});
  const std::vector<json> so_far{user("the first task"), assistant(), tool_result("file")};
  for (int i = 0; i < 2; ++i) {  // asked twice, answered twice
    EXPECT_EQ(script.answer(asking({user("the first task")})).command, "ls");
    EXPECT_EQ(script.answer(asking(so_far)).text, "done one");
  }
  std::vector<json> later = so_far;
  later.insert(later.end(), {assistant(), user("and the second task")});
  EXPECT_EQ(script.answer(asking(later)).text, "done two");
  EXPECT_THAT(script.surprises(), ::testing::IsEmpty());
}

TEST(ScriptedModel, WhatToolsPrintAndWhatTheClientAddsAreNoPrompts) {
  Script script;
  script.when("secret", {say("wrong")});
  script.when("task", {bash("cat it"), repeat_tool()});
  const json reminded{
      {"role", "user"},
      {"content",
       {{{"type", "text"}, {"text", "<system-reminder>\nsecret\n</system-reminder>\n"}},
        {{"type", "text"}, {"text", "the task"}}}}};
  EXPECT_EQ(script.answer(asking({reminded})).command, "cat it");
  EXPECT_EQ(script.answer(asking({reminded, assistant(), tool_result("secret")})).text, "secret");
}

TEST(ScriptedModel, ARequestWithoutToolsIsTheClientsOwnAndShiftsNothing) {
  Script script;
  script.when("task", {say("done")});
  EXPECT_EQ(script.answer(asking({user("a title for: task")}, false)).text, "ok");
  EXPECT_TRUE(script.turns().empty());
}

TEST(ScriptedModel, WhatNoRuleForeseesIsToldInsteadOfBeingPlayedOver) {
  Script script;
  script.when("task", {say("done")});
  script.answer(asking({user("something else")}));
  script.answer(asking({user("task"), assistant(), user("more")}));
  EXPECT_THAT(script.surprises(), ::testing::ElementsAre("no rule for: something else",
                                                         "after the last answer to: task"));
}

TEST(ScriptedModel, AFailureThatPassesDelaysAnAnswerAndIsNoPartOfTheConversation) {
  Script script;
  script.when("task", {bash("ls"), fails(Fault::overloaded, 2), say("done").costing({11, 2}),
                       fails(Fault::unauthorised)});
  const std::vector<json> called{user("task"), assistant(), tool_result("file")};
  EXPECT_EQ(script.answer(asking({user("task")})).command, "ls");
  EXPECT_EQ(script.answer(asking(called)).failure.fault, Fault::overloaded);
  EXPECT_EQ(script.answer(asking(called)).failure.fault, Fault::overloaded);
  EXPECT_EQ(script.answer(asking(called)).text, "done");
  std::vector<json> later = called;
  later.insert(later.end(), {assistant(), tool_result("more")});
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(script.answer(asking(later)).failure.fault, Fault::unauthorised) << "for ever";
  EXPECT_EQ(script.used(), (Tokens{7 + 11, 3 + 2})) << "failures cost nothing";
  EXPECT_THAT(script.keys(), ::testing::ElementsAre("task"));
}

TEST(ScriptedModel, AnAnswerThatWasCutIsAskedForAgainWithItsBeginningInTheConversation) {
  Script script;
  script.when("task", {bash("ls"), fails(Fault::cut, 1), say("done")});
  const std::vector<json> called{user("task"), assistant(), tool_result("file")};
  EXPECT_EQ(script.answer(asking(called)).failure.fault, Fault::cut);
  std::vector<json> again = called;
  again.push_back(assistant());
  EXPECT_EQ(script.answer(asking(again)).text, "done");
}

TEST(ScriptedModel, WhatTheClientAsksAfterTheLastWordIsItsOwn) {
  Script script;
  script.when("task", {say("done")});
  EXPECT_EQ(script
                .answer(asking({user("task"), assistant(),
                                user("<system-reminder>Sum it up</system-reminder>")}))
                .text,
            "ok");
  EXPECT_THAT(script.surprises(), ::testing::IsEmpty());
}

TEST(ScriptedModel, AStreamHoldsTheAnswerInPiecesOfWholeCharacters) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "—ä";
  const std::string stream =
      kMessages.events(asking({user("x")}), {.text = text, .command = "echo 'ü'", .number = 3});
  std::string told, input;
  std::vector<std::string> types;
  for (std::size_t at = 0; (at = stream.find("data: ", at)) != stream.npos; ++at) {
    const json event =
        json::parse(stream.substr(at + 6, stream.find('\n', at) - at - 6), nullptr, false);
    ASSERT_TRUE(event.is_object());
    types.push_back(event["type"]);
    if (types.back() != "content_block_delta") continue;
    told += event["delta"].value("text", "");
    input += event["delta"].value("partial_json", "");
  }
  EXPECT_EQ(told, text);
  EXPECT_EQ(json::parse(input), (json{{"command", "echo 'ü'"}}));
  EXPECT_EQ(types.front(), "message_start");
  EXPECT_EQ(types.back(), "message_stop");
  EXPECT_THAT(stream, HasSubstr(R"("stop_reason":"tool_use")"));
}

}  // namespace
}  // namespace capsule::test
