// What an agent does now, by its events.
#include "dialect/activity.h"

#include "dialect/test_support.h"

namespace capsule::dialect::testing {
namespace {

using What = Activity::What;

Event started(const std::string& tool, const std::string& detail) {
  return {.kind = Event::Kind::tool_started, .tool = tool, .text = detail};
}
Event ended(const std::string& tool, const std::string& detail) {
  return {.kind = Event::Kind::tool_ended, .tool = tool, .text = detail};
}
Event said(const std::string& words, bool more = false) {
  return {.kind = Event::Kind::text, .text = words, .whole = words, .more = more};
}

TEST(Activity, WhatAWholeSessionUsedIsNotThisCalls) {
  Activity now;
  Event tokens{.kind = Event::Kind::tokens};
  tokens.use.tokens_known = true;
  tokens.use.input = 7;
  fold(now, tokens, 1);
  tokens.use.input = 5000;
  tokens.of_session = true;
  fold(now, tokens, 2);
  EXPECT_EQ(now.use.input, 7);
}

TEST(Activity, ATurnOfAClientStepByStep) {
  Activity now;
  std::int64_t clock = 0;
  Reader reader(Output::claude_stream, kNow, [&](const Event& event) { fold(now, event, clock); });
  const auto line = [&](std::int64_t at, const std::string& text) {
    clock = at;
    reader.feed(text + "\n");
  };
  EXPECT_EQ(now.what, What::starting);
  line(1, R"({"type":"system","subtype":"init","session_id":"s"})");
  EXPECT_EQ(now.what, What::model);
  EXPECT_TRUE(waits_for_service(now));
  line(5, R"({"type":"assistant","message":{"id":"m","model":"opus","content":[)"
          R"({"type":"text","text":"I look\nat  it."},)"
          R"({"type":"tool_use","id":"t","name":"Bash","input":{"command":"go test ./…"}}],)"
          R"("usage":{"input_tokens":10,"output_tokens":2}}})");
  EXPECT_EQ(now.what, What::tool);
  EXPECT_EQ(now.tool, "Bash");
  EXPECT_EQ(now.detail, "go test ./…");
  EXPECT_EQ(now.since_ms, 5);
  EXPECT_EQ(now.said, "I look at it.");
  EXPECT_EQ(now.model, "opus");
  EXPECT_EQ(now.use.input, 10);
  EXPECT_FALSE(waits_for_service(now)) << "a command that hangs is the agent's own";
  line(9, R"({"type":"user","message":{"content":[)"
          R"({"type":"tool_result","tool_use_id":"t","content":"ok"}]}})");
  EXPECT_EQ(now.what, What::model);
  EXPECT_EQ(now.since_ms, 9);
  line(20, R"({"type":"system","subtype":"api_retry","retry_delay_ms":500,"error_status":529})");
  line(30, R"({"type":"system","subtype":"api_retry","retry_delay_ms":900,"error_status":529})");
  EXPECT_EQ(now.what, What::waiting);
  EXPECT_EQ(now.since_ms, 20) << "since the first of them";
  EXPECT_EQ(now.status, 529);
  EXPECT_EQ(now.delay_ms, 900);
  EXPECT_TRUE(waits_for_service(now));
  line(40, R"({"type":"result","subtype":"success","is_error":false,"result":"Done."})");
  EXPECT_EQ(now.what, What::ended);
  EXPECT_FALSE(waits_for_service(now)) << "nobody owes it anything";
  EXPECT_EQ(now.heard_ms, 40);
}

TEST(Activity, OfToolsThatRunAtOnceTheNewestIsShownUntilItHasEnded) {
  Activity now;
  fold(now, started("Task", "review"), 1);
  fold(now, started("Read", "a.go"), 2);
  fold(now, said("meanwhile"), 3);
  EXPECT_EQ(now.tool, "Read");
  EXPECT_EQ(now.said, "meanwhile");
  fold(now, ended("Read", "a.go"), 4);
  EXPECT_EQ(now.tool, "Task");
  EXPECT_EQ(now.since_ms, 1) << "it runs since then";
  fold(now, ended("Task", "review"), 5);
  EXPECT_EQ(now.what, What::model);
}

TEST(Activity, PiecesOfAMessageAreOneText) {
  Activity now;
  fold(now, said("Earlier."), 1);
  fold(now, said("I lo"), 2);
  fold(now, said("ok \n", true), 3);
  fold(now, said(" at \x1b[31mit", true), 4);
  EXPECT_EQ(now.said, "I look at \\x1b[31mit");
  EXPECT_EQ(now.since_ms, 1);
}

TEST(Activity, AFailureStaysWhenTheClientCloses) {
  Activity now;
  fold(now, {.kind = Event::Kind::failed, .text = "API Error: 529", .status = 529}, 1);
  fold(now, {.kind = Event::Kind::ended}, 2);
  EXPECT_EQ(now.what, What::failed);
  EXPECT_EQ(now.detail, "API Error: 529");
}

TEST(Activity, WhateverComesItStaysSmall) {
  Activity now;
  const std::string much(100'000, 'x');
  for (int i = 0; i < 1000; ++i) {
    fold(now, said(much, true), i);
    fold(now, started("Bash", std::to_string(i)), i);
  }
  EXPECT_LE(now.said.size(), kWordsBytes);
  EXPECT_LE(now.running.size(), 64u);
  EXPECT_EQ(now.detail, "999");
}

TEST(LineWords, AnEventIsNamedByItsKindAndAnythingElseIsShownAsItIs) {
  EXPECT_EQ(line_words("go test ./..."), "go test ./...");
  EXPECT_EQ(line_words(R"({"type":"assistant","message":{"content":[]}})"),
            "event assistant (JSON)");
  EXPECT_EQ(line_words(R"( {"id":1,"event":"done"} )"), "event done (JSON)");
  EXPECT_EQ(line_words(R"({"status":"PASS","summary":"it is fine"})"),
            R"({"status":"PASS","summary":"it is fine"})")
      << "an agent's own words";
  EXPECT_EQ(line_words(R"({"type":"assistant","mess)"), "an event (JSON)");
  EXPECT_EQ(line_words(R"(sage":{"content":[]}})"), "an event (JSON)");
  EXPECT_EQ(line_words("{\"type\":\"a\\u001b[2J\"}"), "event a\\x1b[2J (JSON)");
  EXPECT_EQ(line_words("if (x) { y(); }"), "if (x) { y(); }");
  EXPECT_EQ(line_words(""), "");
}

}  // namespace
}  // namespace capsule::dialect::testing
