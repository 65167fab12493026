// Streams as the other clients print them, with the versions that src/agent/clients.cpp names.
#include "dialect/test_support.h"

namespace capsule::dialect::testing {
namespace {

using event::Fault;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A run that looks, uses a shell and speaks; `fault` is what it says when its key is refused.
struct Stream {
  Output output;
  std::vector<std::string> lines;
  std::string session, model, version, tool;
  std::vector<std::string> unauthorised;
};

std::vector<Stream> streams() {
  const std::string said = "Done.\\n\\n" + kSignal;
  return {
      {Output::codex_events,
       {R"({"type":"thread.started","thread_id":"c-1"})",
        R"({"type":"item.completed","item":{"id":"item_0","type":"error","message":"Model metadata for `m` not found."}})",
        R"({"type":"turn.started"})",
        R"({"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"I look."}})",
        R"({"type":"item.started","item":{"id":"item_2","type":"command_execution","command":"/bin/bash -lc 'go test ./...'","status":"in_progress"}})",
        R"({"type":"item.completed","item":{"id":"item_2","type":"command_execution","command":"/bin/bash -lc 'go test ./...'","aggregated_output":"ok\n","exit_code":0,"status":"completed"}})",
        R"({"type":"item.completed","item":{"id":"item_3","type":"agent_message","text":")" + said +
            R"("}})",
        R"({"type":"turn.completed","usage":{"input_tokens":214,"cached_input_tokens":200,"cache_write_input_tokens":0,"output_tokens":6}})"},
       "c-1",
       "",
       "",
       "shell go test ./...",
       {R"({"type":"thread.started","thread_id":"c-1"})",
        R"({"type":"error","message":"Reconnecting... 1/1 (unexpected status 401 Unauthorized: no) again"})",
        R"({"type":"error","message":"unexpected status 401 Unauthorized: invalid key, url: http://x/v1/responses"})",
        R"({"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized: invalid key, url: http://x/v1/responses"}})"}},
      {Output::gemini_stream,
       {R"({"type":"init","timestamp":"t","session_id":"g-1","model":"gemini-2.5-pro"})",
        R"({"type":"message","role":"user","content":"do it"})",
        R"({"type":"message","role":"assistant","content":"I look.","delta":true})",
        R"({"type":"tool_use","tool_name":"run_shell_command","tool_id":"t1","parameters":{"command":"go test ./...","description":"Test"}})",
        R"({"type":"tool_result","tool_id":"t1","status":"success","output":"ok"})",
        R"({"type":"message","role":"assistant","content":"Done.\n\n","delta":true})",
        R"({"type":"message","role":"assistant","content":")" + kSignal + R"(","delta":true})",
        R"({"type":"result","status":"success","stats":{"total_tokens":220,"input_tokens":214,"output_tokens":6,"cached":200,"models":{"gemini-2.5-pro":{"output_tokens":6}}}})"},
       "g-1",
       "gemini-2.5-pro",
       "",
       "run_shell_command go test ./...",
       {R"({"type":"init","session_id":"g-1","model":"m"})",
        R"({"type":"result","status":"error","error":{"type":"unknown","message":"[API Error: {\"error\":{\"code\":401,\"message\":\"invalid key\",\"status\":\"UNAUTHENTICATED\"}}]"},"stats":{"input_tokens":0}})"}},
      {Output::opencode_events,
       {R"({"type":"step_start","sessionID":"o-1","part":{"type":"step-start"}})",
        R"({"type":"text","sessionID":"o-1","part":{"type":"text","text":"I look."}})",
        R"({"type":"tool_use","sessionID":"o-1","part":{"type":"tool","tool":"bash","callID":"t1","state":{"status":"completed","input":{"command":"go test ./..."},"output":"ok\n"}}})",
        R"({"type":"step_finish","sessionID":"o-1","part":{"reason":"tool-calls","tokens":{"input":7,"output":3,"reasoning":0,"cache":{"write":0,"read":100}},"cost":0}})",
        R"({"type":"step_start","sessionID":"o-1","part":{"type":"step-start"}})",
        R"({"type":"text","sessionID":"o-1","part":{"type":"text","text":")" + said + R"("}})",
        R"({"type":"step_finish","sessionID":"o-1","part":{"reason":"stop","tokens":{"input":7,"output":3,"reasoning":0,"cache":{"write":0,"read":100}},"cost":0}})"},
       "o-1",
       "",
       "",
       "bash go test ./...",
       {R"({"type":"error","sessionID":"o-1","error":{"name":"APIError","data":{"message":"invalid key","statusCode":401,"isRetryable":false,"responseBody":"{\"error\": {\"code\": \"invalid_api_key\"}}"}}})"}},
      {Output::goose_stream,
       {"", "    __( O)>  ● new session · openai m", "     L L     goose is ready",
        R"({"type":"message","message":{"id":"c3","role":"assistant","content":[{"type":"text","text":"I look."}]}})",
        R"({"type":"message","message":{"id":"c3","role":"assistant","content":[{"type":"toolRequest","id":"t1","toolCall":{"status":"success","value":{"name":"shell","arguments":{"command":"go test ./..."}}}}]}})",
        R"({"type":"message","message":{"id":"m1","role":"user","content":[{"type":"toolResponse","id":"t1","toolResult":{"status":"success","value":{"content":[{"type":"text","text":"ok"}],"isError":false}}}]}})",
        R"({"type":"message","message":{"id":"c4","role":"assistant","content":[{"type":"text","text":"Done.\n\n"}]}})",
        R"({"type":"message","message":{"id":"c4","role":"assistant","content":[{"type":"text","text":")" +
            kSignal + R"("}]}})",
        R"({"type":"complete","total_tokens":220,"input_tokens":214,"output_tokens":6})"},
       "",
       "",
       "",
       "shell go test ./...",
       {R"({"type":"message","message":{"id":null,"role":"assistant","content":[{"type":"text","text":"Ran into this error: Authentication error: Authentication failed. Status: 401 Unauthorized. Response: invalid key.\n\nPlease retry if you think this is a transient or recoverable error."}]}})",
        R"({"type":"complete","total_tokens":null})"}},
      {Output::copilot_events,
       {R"({"type":"session.tools_updated","data":{"model":"m"}})",
        R"({"type":"assistant.turn_start","data":{"turnId":"0"}})",
        R"({"type":"assistant.message_delta","data":{"deltaContent":"I look."}})",
        R"({"type":"assistant.message","data":{"model":"m","content":"I look.","toolRequests":[{"toolCallId":"t1","name":"bash"}]}})",
        R"({"type":"tool.execution_start","data":{"toolCallId":"t1","toolName":"bash","arguments":{"command":"go test ./..."}}})",
        R"({"type":"tool.execution_complete","data":{"toolCallId":"t1","success":true,"result":{"content":"ok"}}})",
        R"({"type":"assistant.message","data":{"model":"m","content":")" + said +
            R"(","toolRequests":[]}})",
        R"({"type":"assistant.message","data":{"model":"m","content":"","toolRequests":[]}})",
        R"({"type":"result","sessionId":"p-1","exitCode":0,"usage":{"premiumRequests":0}})"},
       "p-1",
       "m",
       "",
       "bash go test ./...",
       {R"({"type":"session.error","data":{"errorType":"authentication","message":"Authentication failed with provider at http://x/v1 (HTTP 401).\n  Check your COPILOT_PROVIDER_API_KEY","statusCode":401}})",
        R"({"type":"result","sessionId":"p-1","exitCode":1,"usage":{"premiumRequests":0}})"}},
      {Output::kimi_stream,
       {R"({"role":"meta","type":"system.version","version":"2.1.0"})",
        R"({"role":"assistant","content":"I look.","tool_calls":[{"type":"function","id":"t1","function":{"name":"Bash","arguments":"{\"command\":\"go test ./...\"}"}}]})",
        R"({"role":"tool","tool_call_id":"t1","content":"ok\n"})",
        R"({"role":"assistant","content":")" + said + R"("})",
        R"({"role":"meta","type":"session.resume_hint","session_id":"k-1","content":"To resume: kimi -r k-1"})"},
       "k-1",
       "",
       "2.1.0",
       "Bash go test ./...",
       {}},
      {Output::grok_stream,
       {R"({"type":"available_commands","tools":["run_terminal_command"],"commands":[]})",
        R"({"type":"thought","data":"hm"})", R"({"type":"text","data":"I look."})",
        R"({"type":"usage","usage":{"input_tokens":7,"output_tokens":3,"cache_read_input_tokens":100}})",
        R"({"type":"tool_call","toolCallId":"t1","title":"run_terminal_command","status":"pending","toolName":"run_terminal_command","rawInput":{"command":"go test ./..."},"content":[]})",
        R"({"type":"tool_call_update","toolCallId":"t1","status":"in_progress","content":[]})",
        R"({"type":"tool_call_update","toolCallId":"t1","status":"completed","content":[{"type":"content","content":{"type":"text","text":"ok"}}]})",
        R"({"type":"text","data":"Done.\n\n"})", R"({"type":"text","data":")" + kSignal + R"("})", R"({"type":"end","stopReason":"end_turn","sessionId":"x-1","usage":{"input_tokens":14,"cache_read_input_tokens":200,"cache_creation_input_tokens":0,"output_tokens":6},"num_turns":2,"modelUsage":{"m":{"inputTokens":14}}})"},
       "x-1",
       "m",
       "",
       "run_terminal_command go test ./...",
       {R"({"type":"error","message":"Internal error: \"Unauthorized (401) from http://x/v1/chat/completions: invalid_request_error: invalid key\""})"}},
  };
}

TEST(Streams, TheLastWordsAreWhereTheSignalIs) {
  for (const Stream& stream : streams()) {
    std::vector<Event> events;
    const Reading reading = read(stream.output, stream.lines, &events);
    const std::string_view name = name_of(stream.output);
    EXPECT_TRUE(reading.streamed) << name;
    EXPECT_TRUE(reading.closed) << name;
    EXPECT_EQ(reading.text, kSaid) << name;
    EXPECT_FALSE(reading.failure) << name;
    EXPECT_EQ(reading.session, stream.session) << name;
    EXPECT_EQ(reading.version, stream.version) << name;
    EXPECT_EQ(reading.models.empty() ? "" : reading.models.back(), stream.model) << name;
    EXPECT_THAT(shown(events), ::testing::Contains("tool_started " + stream.tool)) << name;
    EXPECT_THAT(shown(events), ::testing::Contains("tool_ended " + stream.tool)) << name;
    EXPECT_THAT(shown(events), ::testing::Contains("text I look.")) << name;
  }
}

TEST(Streams, WhoListsItsHelpersIsSaidTo) {
  for (const Stream& stream : streams())
    EXPECT_EQ(read(stream.output, stream.lines).helpers_too,
              stream.output == Output::gemini_stream || stream.output == Output::grok_stream)
        << name_of(stream.output);
}

TEST(Streams, TokensAreCountedAlikeWhateverTheClientCallsThem) {
  for (const Stream& stream : streams()) {
    const Reading reading = read(stream.output, stream.lines);
    const std::string_view name = name_of(stream.output);
    EXPECT_FALSE(reading.use.cost_known) << name;
    const bool tells =
        stream.output != Output::copilot_events && stream.output != Output::kimi_stream;
    EXPECT_EQ(reading.use.tokens_known, tells) << name;
    if (!tells) continue;
    // goose does not tell what came from a cache.
    const bool tells_cache = stream.output != Output::goose_stream;
    EXPECT_EQ(reading.use.input, tells_cache ? 14 : 214) << name;
    EXPECT_EQ(reading.use.cache_read, tells_cache ? 200 : 0) << name;
    EXPECT_EQ(reading.use.output, 6) << name;
    EXPECT_EQ(reading.use_of_session,
              stream.output == Output::codex_events || stream.output == Output::goose_stream)
        << name;
  }
}

TEST(Streams, ARefusedKeyIsAFailureWhateverTheExitStatusWillBe) {
  for (const Stream& stream : streams()) {
    if (stream.unauthorised.empty()) continue;
    const Reading reading = read(stream.output, stream.unauthorised);
    const std::string_view name = name_of(stream.output);
    ASSERT_TRUE(reading.failure) << name;
    EXPECT_EQ(reading.failure->fault, Fault::unauthorised) << name;
    EXPECT_EQ(reading.failure->status, stream.output == Output::gemini_stream ? 401 : 401) << name;
    EXPECT_EQ(reading.text, "") << name;
  }
}

TEST(Streams, CutOffTheyAreNotClosed) {
  for (Stream stream : streams()) {
    stream.lines.pop_back();
    if (stream.output == Output::kimi_stream) stream.lines.pop_back();
    EXPECT_FALSE(read(stream.output, stream.lines).closed) << name_of(stream.output);
  }
}

TEST(Streams, PiecesMakeNoDifference) {
  for (const Stream& stream : streams()) {
    std::string whole;
    for (const std::string& line : stream.lines) whole += line + "\n";
    const auto in_pieces = [&](std::size_t piece, std::vector<Event>& events) {
      Reader reader(stream.output, kNow, [&](const Event& event) { events.push_back(event); });
      for (std::size_t at = 0; at < whole.size(); at += piece)
        reader.feed(std::string_view(whole).substr(at, piece));
      return reader.finish();
    };
    std::vector<Event> expected_events;
    const Reading expected = in_pieces(whole.size(), expected_events);
    for (const std::size_t piece : {1U, 2U, 7U, 64U, 1000U}) {
      std::vector<Event> events;
      const Reading reading = in_pieces(piece, events);
      EXPECT_EQ(reading.text, expected.text);
      EXPECT_EQ(reading.use, expected.use);
      EXPECT_EQ(reading.session, expected.session);
      EXPECT_EQ(shown(events), shown(expected_events));
    }
  }
}

TEST(Streams, ALogTellsWhichOneItIs) {
  for (const Stream& stream : streams()) {
    std::string whole;
    for (const std::string& line : stream.lines) whole += line + "\n";
    EXPECT_EQ(output_of(whole), stream.output) << name_of(stream.output);
  }
  EXPECT_EQ(output_of("plain words\n{\"status\":\"PASS\"}\n"), Output::text);
  EXPECT_EQ(output_of(""), Output::text);
}

TEST(Streams, ModelsThatRefuseAreToldSo) {
  const Reading grok = read(Output::grok_stream, {R"({"type":"end","stopReason":"refusal"})"});
  ASSERT_TRUE(grok.failure);
  EXPECT_EQ(grok.failure->fault, Fault::policy);
  const Reading codex = read(Output::codex_events, {R"({"type":"turn.started"})",
                                                    R"({"type":"turn.completed","usage":{}})"});
  EXPECT_FALSE(codex.failure);
  EXPECT_EQ(codex.text, "");
  EXPECT_TRUE(codex.closed);
}

TEST(Streams, WaitingIsToldByWhoTellsIt) {
  const std::pair<Output, std::string> rows[] = {
      {Output::codex_events,
       R"({"type":"error","message":"Reconnecting... 2/5 (stream disconnected) again"})"},
      {Output::kimi_stream,
       R"({"role":"meta","type":"turn.step.retrying","delay_ms":4879.1,"error_message":"429 slow down","status_code":429})"},
      {Output::copilot_events,
       R"({"type":"assistant.turn_retry","data":{"turnId":"0","model":"m","reason":"rate_limit"}})"},
      {Output::qwen_stream, R"({"type":"system","subtype":"retry","error_status":429})"},
  };
  for (const auto& [output, line] : rows) {
    std::vector<Event> events;
    const Reading reading = read(output, {line}, &events);
    ASSERT_EQ(events.size(), 1U) << line;
    EXPECT_EQ(events[0].kind, Event::Kind::waiting) << line;
    EXPECT_FALSE(reading.failure) << line;
  }
}

// Whoever goes on with the conversation wants to know whether there is one.
TEST(Streams, CodexThatFailsLateHasAnsweredAndTellsNoTokens) {
  const std::string begun = R"({"type":"thread.started","thread_id":"c"})";
  const std::string failed = R"({"type":"turn.failed","error":{"message":"at capacity"}})";
  const Reading late = read(
      Output::codex_events,
      {begun,
       R"({"type":"item.started","item":{"id":"1","type":"command_execution","command":"ls","status":"in_progress"}})",
       R"({"type":"item.completed","item":{"id":"1","type":"command_execution","command":"ls","status":"completed"}})",
       failed});
  EXPECT_EQ(late.use.turns, 1);
  EXPECT_FALSE(late.use.tokens_known);
  const Reading early = read(
      Output::codex_events,
      {begun,
       R"({"type":"item.completed","item":{"id":"0","type":"error","message":"Model metadata not found"}})",
       failed});
  EXPECT_EQ(early.use.turns, 0) << "a notice of the client's is no answer";
}

TEST(Streams, GooseTellsWhereItFailedAndWhatItShortened) {
  const Reading reading = read(
      Output::goose_stream,
      {R"({"type":"message","message":{"id":null,"role":"assistant","content":[{"type":"systemNotification","msg":"goose is compacting the conversation..."}]}})",
       R"({"type":"message","message":{"id":null,"role":"assistant","content":[{"type":"text","text":"Ran into this error trying to compact: Failed to compact: context limit exceeded.\n\nPlease try again"}]}})"});
  EXPECT_EQ(reading.use.compactions, 1);
  ASSERT_TRUE(reading.failure);
  EXPECT_EQ(reading.failure->words, "Failed to compact: context limit exceeded.");
  EXPECT_EQ(reading.failure->fault, Fault::context_full);
  // An agent that only speaks of it has an id.
  const Reading spoken = read(
      Output::goose_stream,
      {R"({"type":"message","message":{"id":"c1","role":"assistant","content":[{"type":"text","text":"Ran into this error: 429"}]}})"});
  EXPECT_FALSE(spoken.failure);
}

// As recorded in tests/client/transcripts/opencode/too-long.out. Nothing shows that it tells
// whenever it shortens a conversation, so none told is not none.
TEST(Streams, OpencodeTellsThatItGoesOnWithAShortenedConversation) {
  std::vector<Event> events;
  const Reading reading = read(
      Output::opencode_events,
      {R"({"type":"text","sessionID":"o","part":{"type":"text","text":"ok"}})",
       R"({"type":"step_finish","sessionID":"o","part":{"reason":"stop","tokens":{"input":7,"output":3}}})",
       R"({"type":"text","sessionID":"o","part":{"type":"text","metadata":{"compaction_continue":true},"synthetic":true,"text":"The previous request exceeded the limit"}})",
       R"({"type":"text","sessionID":"o","part":{"type":"text","synthetic":true,"text":"Told by a plug-in"}})"},
      &events);
  EXPECT_EQ(reading.use.compactions, 1);
  EXPECT_TRUE(reading.use.compactions_untold);
  EXPECT_EQ(reading.text, "ok");
  EXPECT_THAT(shown(events), ::testing::Contains("compacted"));
}

TEST(Streams, EveryNameOfTheConfigurationIsOne) {
  for (int i = 0; i < kOutputs; ++i)
    EXPECT_EQ(output_named(name_of(static_cast<Output>(i))), static_cast<Output>(i));
  EXPECT_FALSE(output_named("claude"));
}

// Whoever can write to the client's output can say anything.
TEST(Streams, AbsurdNumbersSpoilNoSum) {
  const std::string absurd[] = {
      "-1",   "-9223372036854775808", "9223372036854775807", "1e308", "1e999", "-1e308", "null",
      "\"7\""};
  for (const std::string& n : absurd) {
    for (
        const auto& [output, line] : std::initializer_list<std::pair<Output, std::string>>{
            {Output::claude_stream,
             R"({"type":"result","subtype":"success","is_error":false,"num_turns":N,"result":"x","total_cost_usd":N,"usage":{"input_tokens":N,"output_tokens":N},"modelUsage":{"a":{"inputTokens":N,"outputTokens":N,"costUSD":N},"b":{"inputTokens":N,"outputTokens":N,"costUSD":N}}})"},
            {Output::qwen_stream,
             R"({"type":"result","subtype":"success","num_turns":N,"result":"x","usage":{"input_tokens":N,"output_tokens":1,"cache_read_input_tokens":-9223372036854775808}})"},
            {Output::codex_events,
             R"({"type":"turn.completed","usage":{"input_tokens":N,"cached_input_tokens":-9223372036854775808,"output_tokens":N}})"},
            {Output::gemini_stream,
             R"({"type":"result","status":"success","stats":{"input_tokens":N,"cached":-9223372036854775808,"output_tokens":N}})"},
            {Output::opencode_events,
             R"({"type":"step_finish","sessionID":"s","part":{"cost":N,"tokens":{"input":N,"output":N,"reasoning":N,"cache":{"read":N,"write":N}}}})"},
            {Output::goose_stream, R"({"type":"complete","input_tokens":N,"output_tokens":N})"},
            {Output::grok_stream,
             R"({"type":"end","stopReason":"end_turn","num_turns":N,"usage":{"input_tokens":N,"output_tokens":N}})"}}) {
      std::string text = line;
      for (std::size_t at = 0; (at = text.find(":N", at)) != std::string::npos;)
        text.replace(at, 2, ":" + n);
      const event::TokenUse use = read(output, {text, text, text}).use;
      for (const auto field :
           {&event::TokenUse::input, &event::TokenUse::output, &event::TokenUse::cache_read,
            &event::TokenUse::cache_written, &event::TokenUse::cost_micros}) {
        EXPECT_GE(use.*field, 0) << text;
        EXPECT_LE(use.*field, 1'000'000'000'000) << text;
      }
      EXPECT_GE(use.turns, 0) << text;
    }
  }
}

TEST(Streams, ACostThatIsNoAmountOfMoneyIsUnknownAndNotNothing) {
  for (const char* cost : {"-1", "1e308", "1e12", "null", "\"free\""}) {
    const event::TokenUse use =
        read(
            Output::claude_stream,
            {R"({"type":"result","subtype":"success","result":"x","usage":{"input_tokens":1},"total_cost_usd":)" +
             std::string(cost) + "}"})
            .use;
    EXPECT_FALSE(use.cost_known) << cost;
    EXPECT_TRUE(use.tokens_known) << cost;
  }
}

// It becomes an argument of the client.
TEST(Streams, AnIdThatIsNoneIsNoSession) {
  for (const char* id : {"--dangerously-bypass-approvals-and-sandbox", "-c", "a b", "a\\nb",
                         "\\u001b[2J", "../../x", "$(x)"})
    EXPECT_EQ(read(Output::codex_events,
                   {R"({"type":"thread.started","thread_id":")" + std::string(id) + R"("})"})
                  .session,
              "")
        << id;
  EXPECT_EQ(read(Output::codex_events, {R"({"type":"thread.started","thread_id":"0199-a_B.c:4"})"})
                .session,
            "0199-a_B.c:4");
}

// A 0 of what a client never tells is no number.
TEST(Streams, WhatAClientNeverTellsIsSaidToBeUntold) {
  const auto untold = [](Output output, const std::string& line) {
    const event::TokenUse use = read(output, {line}).use;
    return std::string(use.cache_untold ? "cache " : "") + (use.written_untold ? "written " : "") +
           (use.compactions_untold ? "compactions " : "") + (use.rewrites_untold ? "rewrites" : "");
  };
  EXPECT_EQ(untold(Output::claude_stream, R"({"type":"system","subtype":"init"})"), "");
  EXPECT_EQ(untold(Output::codex_events, R"({"type":"turn.started"})"), "compactions rewrites");
  EXPECT_EQ(untold(Output::goose_stream, R"({"type":"complete","input_tokens":1})"),
            "cache written rewrites");
  EXPECT_EQ(untold(Output::gemini_stream, R"({"type":"init","session_id":"g"})"),
            "written compactions rewrites");
  EXPECT_EQ(untold(Output::qwen_stream, R"({"type":"system","subtype":"init"})"),
            "written rewrites");
  EXPECT_EQ(untold(Output::kimi_stream, R"({"role":"assistant","content":"x"})"),
            "cache written compactions rewrites");
  EXPECT_EQ(untold(Output::claude_stream, "plain text"), "cache written compactions rewrites");
}

}  // namespace
}  // namespace capsule::dialect::testing
