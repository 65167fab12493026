// Streams as claude 2.1.197 and 2.1.325 print them.
#include "base/files.h"
#include "dialect/test_support.h"

namespace capsule::dialect::testing {
namespace {

using event::Fault;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kInit =
    R"({"type":"system","subtype":"init","cwd":"/w","session_id":"s-1","tools":["Bash"],)"
    R"("model":"claude-opus-4-8[1m]","claude_code_version":"2.1.197"})";

std::string assistant(const std::string& id, const std::string& blocks,
                      const std::string& parent = "null") {
  return R"({"type":"assistant","message":{"id":")" + id +
         R"(","type":"message","role":"assistant","model":"claude-opus-4-8","content":[)" + blocks +
         R"(],"usage":{"input_tokens":7,"output_tokens":1,"cache_read_input_tokens":100,)"
         R"("cache_creation_input_tokens":20}},"parent_tool_use_id":)" +
         parent + R"(,"session_id":"s-1"})";
}
std::string text(const std::string& words) {
  return R"({"type":"text","text":")" + words + R"("})";
}
std::string failed(const std::string& words, const std::string& status) {
  return R"({"type":"result","subtype":"success","is_error":true,"api_error_status":)" + status +
         R"(,"num_turns":1,"result":")" + words +
         R"(","session_id":"s-1","total_cost_usd":0,"usage":{"input_tokens":0},"modelUsage":{}})";
}
const std::string kBash =
    R"({"type":"tool_use","id":"t1","name":"Bash","input":{"command":"go test ./...\necho $?"}})";
const std::string kEdit =
    R"({"type":"tool_use","id":"t2","name":"Edit","input":{"file_path":"src/email.go",)"
    R"("old_string":"a\nb","new_string":"c\nd\ne\n"}})";
const std::string kResult =
    R"({"type":"user","message":{"role":"user","content":[{"tool_use_id":"t1",)"
    R"("type":"tool_result","content":"ok","is_error":false}]},"session_id":"s-1"})";
const std::string kEnd =
    R"({"type":"result","subtype":"success","is_error":false,"num_turns":2,"result":"Done.\n\n)" +
    kSignal +
    R"(","session_id":"s-1","total_cost_usd":0.00057,"usage":{"input_tokens":14,)"
    R"("cache_creation_input_tokens":40,"cache_read_input_tokens":200,"output_tokens":6},)"
    R"("modelUsage":{"claude-opus-4-8[1m]":{"inputTokens":14,"outputTokens":6,)"
    R"("cacheReadInputTokens":200,"cacheCreationInputTokens":40,"costUSD":0.0005},)"
    R"("helper":{"inputTokens":3,"outputTokens":1,"costUSD":0.00007}}})";

TEST(ClaudeStream, ARunIsReadFromItsInitToItsResult) {
  std::vector<Event> events;
  const Reading reading =
      read(Output::claude_stream,
           {kInit, assistant("m1", text("I will look.")), assistant("m1", kBash), kResult,
            assistant("m2", kEdit), assistant("m3", text("Done.")), kEnd},
           &events);
  EXPECT_TRUE(reading.streamed);
  EXPECT_TRUE(reading.closed);
  EXPECT_EQ(reading.text, kSaid);
  EXPECT_EQ(reading.session, "s-1");
  EXPECT_EQ(reading.version, "2.1.197");
  EXPECT_THAT(reading.models, ElementsAre("claude-opus-4-8"));
  EXPECT_FALSE(reading.failure);
  EXPECT_THAT(
      shown(events),
      ElementsAre("version 2.1.197", "session s-1", "model claude-opus-4-8", "text I will look.",
                  "tool_started Bash go test ./... …", "tool_ended Bash go test ./... …",
                  "tool_started Edit src/email.go +3 −2", "text Done.", "ended"));
}

TEST(ClaudeStream, AllModelsOfARunAreCounted) {
  const Reading reading = read(Output::claude_stream, {kInit, kEnd});
  event::TokenUse use;
  use.tokens_known = use.cost_known = true;
  use.input = 17;
  use.output = 7;
  use.cache_read = 200;
  use.cache_written = 40;
  use.cost_micros = 570;
  use.turns = 2;
  EXPECT_EQ(reading.use, use);
  EXPECT_FALSE(reading.use_of_session);
}

TEST(ClaudeStream, ANewerClientsResultIsOfThisRunWhateverTheOrderOfItsMembers) {
  const std::string since =
      R"("model_usage_since_last_result":{"m":{"inputTokens":14,"outputTokens":6,)"
      R"("cacheReadInputTokens":200,"cacheCreationInputTokens":40,"costUSD":0.0004}})";
  const std::string end =
      R"({"session_id":"s-1","total_cost_usd":0.0008,"usage":{"input_tokens":14},)"
      R"("modelUsage":{"m":{"inputTokens":28,"outputTokens":12,"costUSD":0.0008}},)"
      R"("is_error":false,"num_turns":2,"subtype":"success","result":"Done.","type":"result",)" +
      since + "}";
  const Reading once = read(Output::claude_stream, {kInit, end});
  EXPECT_EQ(once.use.input, 14);
  EXPECT_EQ(once.use.cost_micros, 400);
  EXPECT_EQ(once.text, "Done.");
  // Woken by what went on in the background, it tells a second result.
  const Reading twice = read(Output::claude_stream, {kInit, end, end});
  EXPECT_EQ(twice.use.input, 28);
  EXPECT_EQ(twice.use.cost_micros, 800);
  EXPECT_EQ(twice.use.turns, 4);
}

TEST(ClaudeStream, WhileItWorksTokensAreCountedOnceAnAnswer) {
  std::vector<Event> events;
  read(Output::claude_stream,
       {assistant("m1", text("a")), assistant("m1", kBash), assistant("m2", text("b"))}, &events);
  std::vector<std::int64_t> input;
  for (const Event& event : events)
    if (event.kind == Event::Kind::tokens) input.push_back(event.use.input);
  EXPECT_THAT(input, ElementsAre(7, 7, 14));
}

std::string cached(const std::string& id, int read_from_it, int put_there) {
  std::string line = assistant(id, text("a"));
  line.replace(line.find("_tokens\":100"), 12, "_tokens\":" + std::to_string(read_from_it));
  return line.replace(line.find("_tokens\":20"), 11, "_tokens\":" + std::to_string(put_there));
}

TEST(ClaudeStream, AConversationThatTheCacheHasLostIsCountedOnce) {
  const auto rewrites = [](const std::vector<std::string>& lines) {
    return read(Output::claude_stream, lines).use.cache_rewrites;
  };
  const std::string first = cached("m1", 0, 30'000);
  EXPECT_EQ(rewrites({kInit, first, cached("m2", 30'000, 500), kEnd}), 0);
  const std::string lost = cached("m3", 0, 31'000);
  EXPECT_EQ(rewrites({kInit, first, cached("m2", 30'000, 500), lost, lost, kEnd}), 1);
  EXPECT_EQ(rewrites({kInit, first, R"({"type":"system","subtype":"compact_boundary"})",
                      cached("m2", 0, 9'000), kEnd}),
            0)
      << "it was shortened: that is counted by itself";
}

TEST(ClaudeStream, OneThatGoesOnWithWhatTheCacheHasLostIsCountedToo) {
  for (const bool goes_on : {false, true}) {
    Reader reader(Output::claude_stream, kNow);
    if (goes_on) reader.goes_on();
    const std::string first = cached("m1", 0, 30'000);
    for (const std::string& line : {kInit, first, first, cached("m2", 30'000, 500)})
      reader.feed(line + "\n");
    EXPECT_EQ(reader.finish().use.cache_rewrites, goes_on ? 1 : 0);
  }
}

TEST(ClaudeStream, WhatASubAgentSaysIsNotWhatTheAgentSays) {
  const Reading reading =
      read(Output::claude_stream,
           {kInit, assistant("m1", text("mine")), assistant("m2", text("its"), R"("toolu_1")")});
  EXPECT_EQ(reading.text, "mine");
  EXPECT_FALSE(reading.closed);
}

struct Faulty {
  std::string words, status;
  Fault fault;
};

TEST(ClaudeStream, AFailureOfTheServiceIsKnownByItsWordsAndStatus) {
  const Faulty rows[] = {
      {"Failed to authenticate. API Error: 401 invalid key", "401", Fault::unauthorised},
      {"Invalid API key · Fix external API key", "null", Fault::unauthorised},
      {"Failed to authenticate. API Error: 403 forbidden", "403", Fault::unauthorised},
      {"API Error: Request rejected (429) · Too many requests", "429", Fault::rate_limited},
      {"API Error: 529 Overloaded. This is a server-side issue, usually temporary", "529",
       Fault::overloaded},
      {"API Error: Unable to connect to API (ConnectionRefused)", "null", Fault::unreachable},
      {"API Error: Unable to connect to API (ECONNRESET)", "null", Fault::unreachable},
      {"Credit balance is too low", "400", Fault::no_credit},
      {"Prompt is too long · the request is ~210000 tokens (limit 200000)", "400",
       Fault::context_full},
      {"API Error: Request rejected (429) · Claude AI usage limit reached|1794960000", "429",
       Fault::usage_limit},
      {"You've hit your limit · resets 3pm (Europe/Berlin)", "429", Fault::usage_limit},
      {"API Error: Claude Code is unable to respond to this request, which appears to violate our "
       "Usage Policy",
       "null", Fault::policy},
      {"There's an issue with the selected model (x). It may not exist or you may not have access",
       "404", Fault::unauthorised},
      {"Reached maximum number of turns (5)", "null", Fault::exit_status},
  };
  for (const Faulty& row : rows) {
    const Reading reading = read(Output::claude_stream, {kInit, assistant("m1", text("Working.")),
                                                         failed(row.words, row.status)});
    ASSERT_TRUE(reading.failure) << row.words;
    EXPECT_EQ(reading.failure->fault, row.fault) << row.words;
    EXPECT_EQ(reading.text, "") << "the client's words are not the agent's";
    EXPECT_TRUE(reading.closed);
  }
}

TEST(ClaudeStream, AUsageLimitSaysWhenItEnds) {
  const auto end = [](const std::string& words) {
    return read(Output::claude_stream, {kInit, failed(words, "429")}).failure->reset_at;
  };
  EXPECT_EQ(end("Claude AI usage limit reached|1794960000"), 1'794'960'000);
  // 14:00 it is there, so 3pm is in an hour.
  EXPECT_EQ(end("You've hit your limit · resets 3pm (Europe/Berlin)"), kNow.now + 3600);
  const std::string told =
      R"({"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1794950000}})";
  const Reading reading =
      read(Output::claude_stream, {kInit, told, failed("You've hit your limit", "429")});
  EXPECT_EQ(reading.failure->reset_at, 1'794'950'000);
}

TEST(ClaudeStream, RetriesAndShortenedConversationsAreTold) {
  std::vector<Event> events;
  const Reading reading = read(
      Output::claude_stream,
      {kInit,
       R"({"type":"system","subtype":"api_retry","attempt":1,"retry_delay_ms":564.8,)"
       R"("error_status":529,"error":"overloaded","session_id":"s-1"})",
       R"({"type":"system","subtype":"compact_boundary","compact_metadata":{"trigger":"auto"}})"},
      &events);
  EXPECT_THAT(shown(events), ElementsAre("version 2.1.197", "session s-1",
                                         "waiting overloaded (529)", "compacted"));
  EXPECT_EQ(events[2].delay_ms, 564);
  EXPECT_EQ(reading.use.compactions, 1);
}

TEST(ClaudeStream, AnAnswerThatSpeaksOfLimitsIsNoFailure) {
  const Reading reading = read(
      Output::claude_stream,
      {kInit,
       R"({"type":"result","subtype":"success","is_error":false,"num_turns":1,"session_id":"s-1",)"
       R"("result":"API Error: 429 usage limit reached|1794960000 is what users see."})"});
  EXPECT_FALSE(reading.failure);
  EXPECT_THAT(reading.text, HasSubstr("usage limit"));
}

TEST(QwenStream, IsClaudesButForTheCacheAndItsErrors) {
  const std::string init =
      R"({"type":"system","subtype":"init","session_id":"q-1","model":"m","qwen_code_version":"0.24.4"})";
  const Reading well = read(
      Output::qwen_stream,
      {init,
       R"({"type":"result","subtype":"success","session_id":"q-1","is_error":false,"num_turns":2,)"
       R"("result":"Done.","usage":{"input_tokens":214,"output_tokens":6,)"
       R"("cache_read_input_tokens":200,"total_tokens":220}})"});
  EXPECT_EQ(well.version, "0.24.4");
  EXPECT_EQ(well.use.input, 14);
  EXPECT_EQ(well.use.cache_read, 200);
  EXPECT_TRUE(well.use_of_session);
  EXPECT_FALSE(well.use.cost_known);
  const Reading ill = read(
      Output::qwen_stream,
      {init,
       R"({"type":"result","subtype":"error_during_execution","session_id":"q-1","is_error":true,)"
       R"("num_turns":1,"usage":{"input_tokens":0},"error":{"message":"[API Error: 401 invalid key]"}})"});
  ASSERT_TRUE(ill.failure);
  EXPECT_EQ(ill.failure->fault, Fault::unauthorised);
  EXPECT_EQ(ill.failure->status, 401);
}

// As it was recorded: the model charged 100 and 30, and had 3000 in its cache.
TEST(QwenStream, CountsACachedTokenOnceAlsoWhereItIsCutOff) {
  const auto printed = read_file(CAPSULE_SOURCE_DIR "/tests/client/transcripts/qwen/success.out");
  ASSERT_TRUE(printed);
  EXPECT_EQ(read(Output::qwen_stream, {*printed}).use.input, 130);
  const std::size_t end = printed->find(R"({"type":"result")");
  ASSERT_NE(end, std::string::npos);
  const Reading cut_off = read(Output::qwen_stream, {printed->substr(0, end)});
  EXPECT_FALSE(cut_off.closed);
  EXPECT_FALSE(cut_off.use_of_session);
  EXPECT_EQ(cut_off.use.input, 130);
  EXPECT_EQ(cut_off.use.cache_read, 3000);
  EXPECT_EQ(cut_off.use.output, 31);
}

// Whoever adds up what is told as it comes must not take earlier runs of the session for this one.
TEST(QwenStream, TheWholeSessionsTokensAreNeverToldAsThisRuns) {
  std::vector<Event> events;
  read(Output::qwen_stream,
       {R"({"type":"system","subtype":"init","session_id":"q-1","qwen_code_version":"0.24.4"})",
        R"({"type":"assistant","session_id":"q-1","message":{"id":"a","content":[],)"
        R"("usage":{"input_tokens":10,"output_tokens":1,"cache_read_input_tokens":4}}})",
        R"({"type":"result","subtype":"success","session_id":"q-1","is_error":false,"num_turns":1,)"
        R"("result":"Done.","usage":{"input_tokens":5000,"output_tokens":70}})"},
       &events);
  std::vector<std::string> told;
  for (const Event& event : events)
    if (event.kind == Event::Kind::tokens)
      told.push_back(std::to_string(event.use.input) + (event.of_session ? " of all" : ""));
  EXPECT_THAT(told, ElementsAre("6", "5000 of all"));
}

}  // namespace
}  // namespace capsule::dialect::testing
