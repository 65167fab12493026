// What is no stream, or a hostile one.
#include "dialect/reader.h"

#include <random>

#include "dialect/test_support.h"

namespace capsule::dialect::testing {
namespace {

const std::string kWell =
    R"({"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"ok"})";

TEST(Reader, WhatHoldsNoEventIsText) {
  for (int i = 0; i < kOutputs; ++i) {
    const Reading reading = read(static_cast<Output>(i),
                                 {"plain", kSaid, R"({"status":"PASS"})", R"({"type":"unknown"})",
                                  R"({"type":7})", R"({"role":"user"})", "{", "[]"});
    EXPECT_FALSE(reading.streamed) << i;
    EXPECT_EQ(reading.text, "") << i;
  }
}

TEST(Reader, LinesThatAreNoJsonAndEventsThatNobodyKnowsArePassedOver) {
  const Reading reading = read(
      Output::claude_stream,
      {"Warning: something", R"({"type":"system","subtype":"new-thing"})", R"({"type":"later"})",
       std::string("\0\xff\xfe{", 4), "{\"type\":\"result\"", "", "  " + kWell + "\r"});
  EXPECT_TRUE(reading.closed);
  EXPECT_EQ(reading.text, "ok");
}

TEST(Reader, BytesThatAreNoUtf8DoNotHideAnEvent) {
  const Reading reading =
      read(Output::claude_stream,
           {"{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"a\xff b\"}"});
  EXPECT_EQ(reading.text, "a\xEF\xBF\xBD b");
}

TEST(Reader, ALineThatIsTooLongIsPassedOverAndTheNextOneRead) {
  Reader reader(Output::claude_stream, kNow);
  reader.feed("{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"");
  const std::string much(1 << 20, 'x');
  for (int i = 0; i < 20; ++i) reader.feed(much);
  reader.feed("\"}\n" + kWell);
  const Reading reading = reader.finish();
  EXPECT_EQ(reading.text, "ok");
}

TEST(Reader, ALongAnswerIsKeptWhole) {
  const std::string much(3 << 20, 'x');
  const Reading reading =
      read(Output::claude_stream,
           {R"({"type":"result","subtype":"success","result":")" + much + " the end\"}"});
  EXPECT_EQ(reading.text, much + " the end");
}

TEST(Reader, MembersOfTheWrongKindAreNothing) {
  const Reading reading = read(
      Output::claude_stream,
      {R"({"type":"assistant","message":{"content":7,"model":[],"usage":"x"},"session_id":{}})",
       R"({"type":"user","message":{"content":[7,null,{"type":"tool_result","content":{}}]}})",
       R"({"type":"result","subtype":"success","result":{"a":1},"usage":[],"modelUsage":[1],)"
       R"("num_turns":"x","total_cost_usd":"free","is_error":"no"})"});
  EXPECT_TRUE(reading.closed);
  EXPECT_EQ(reading.text, "");
  EXPECT_EQ(reading.session, "");
}

TEST(Reader, EventsAreHarmlessAndShort) {
  std::vector<Event> events;
  read(
      Output::claude_stream,
      {R"({"type":"assistant","message":{"model":"m\u001b[2J","content":[{"type":"text","text":"\u001b]0;x\u0007)" +
       std::string(5000, 'y') +
       R"("},{"type":"tool_use","id":"1","name":"Bash\n","input":{"command":"\u001b[31m)" +
       std::string(5000, 'z') + R"("}}]}})"},
      &events);
  ASSERT_FALSE(events.empty());
  for (const Event& event : events)
    for (const std::string& text : {event.tool, event.text, event.result}) {
      EXPECT_EQ(text.find('\x1b'), text.npos);
      EXPECT_EQ(text.find('\n'), text.npos);
      EXPECT_LT(text.size(), 2000U);
    }
}

// Whatever comes, in whatever pieces: the same, and no harm.
TEST(Reader, AnythingAtAllIsReadTheSameInPieces) {
  std::mt19937 random(11);
  const std::string parts[] = {"{",
                               "}",
                               "\"type\":",
                               "\"result\"",
                               ",",
                               "\"subtype\":\"success\"",
                               "\n",
                               "\\",
                               "\"",
                               kWell,
                               "\n",
                               R"({"type":"message","role":"assistant","content":"x"})",
                               "\n",
                               R"({"role":"assistant","content":"y"})",
                               "\n",
                               "\xff",
                               "[",
                               "]",
                               R"({"type":"text","data":"z"})",
                               "\n"};
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (int i = 0; i < 30; ++i) text += parts[random() % std::size(parts)];
    for (int output = 0; output < kOutputs; ++output) {
      Reader whole(static_cast<Output>(output), kNow), pieces(static_cast<Output>(output), kNow);
      whole.feed(text);
      const std::size_t piece = 1 + random() % 11;
      for (std::size_t at = 0; at < text.size(); at += piece)
        pieces.feed(std::string_view(text).substr(at, piece));
      const Reading a = whole.finish(), b = pieces.finish();
      EXPECT_EQ(a.text, b.text);
      EXPECT_EQ(a.streamed, b.streamed);
      EXPECT_EQ(a.closed, b.closed);
    }
  }
}

TEST(Reader, TellsQwenFromClaude) {
  EXPECT_EQ(output_of(R"({"type":"system","subtype":"init","qwen_code_version":"0.24.4"})"
                      "\n"),
            Output::qwen_stream);
  EXPECT_EQ(output_of(R"({"type":"system","subtype":"init"})"
                      "\n"),
            Output::claude_stream);
}

}  // namespace
}  // namespace capsule::dialect::testing
