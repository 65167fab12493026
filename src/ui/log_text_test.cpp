// capsule log: streams as transcripts, anything else as it is.
#include "ui/log_text.h"

#include <gmock/gmock.h>

#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "json/text.h"

namespace capsule::ui::log_tests {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

struct Printed {
  std::string out;
  LogPrinter printer;
  explicit Printed(const LogPrinter::Look& look)
      : printer(look, [this](std::string_view text) -> Result<void> {
          out += text;
          return {};
        }) {}
  void bytes(const std::string& name, std::string_view text) {
    EXPECT_TRUE(printer.bytes(name, text));
  }
  std::string finish() {
    EXPECT_TRUE(printer.flush());
    return out;
  }
};

const std::string kInit =
    R"({"type":"system","subtype":"init","session_id":"s","claude_code_version":"2.1"})"
    "\n";
std::string said(const std::string& text) {
  return R"({"type":"assistant","message":{"id":"m","model":"opus","content":[{"type":"text","text":)" +
         json::quoted(text) + "}]}}\n";
}
std::string calls(const std::string& id, const std::string& name, const std::string& input) {
  return R"({"type":"assistant","message":{"id":"m","model":"opus","content":[{"type":"tool_use","id":")" +
         id + R"(","name":")" + name + R"(","input":)" + input + "}]}}\n";
}
std::string answered(const std::string& id, bool ok, const std::string& text) {
  return R"({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":")" + id +
         R"(","is_error":)" + (ok ? "false" : "true") + R"(,"content":)" + json::quoted(text) +
         "}]}}\n";
}
const std::string kRetry =
    R"({"type":"system","subtype":"api_retry","retry_delay_ms":30000,"error_status":529,"error":"overloaded"})"
    "\n";
std::string result(const std::string& text) {
  return R"({"type":"result","subtype":"success","is_error":false,"num_turns":3,"result":)" +
         json::quoted(text) +
         R"(,"total_cost_usd":0.42,"usage":{"input_tokens":14,"output_tokens":6,"cache_read_input_tokens":200}})"
         "\n";
}

TEST(LogPrinter, OnATerminalMakesWholeLinesHarmlessAndEndsTheLast) {
  Printed log({.terminal = true});
  log.bytes("1-developer.log", "a\x1b[2");
  log.bytes("1-developer.log", "J\nhalf");
  log.bytes("2-critic.log", "b\n");
  EXPECT_EQ(log.finish(), "==> 1-developer.log <==\na\\x1b[2J\nhalf\n\n==> 2-critic.log <==\nb\n");
}

TEST(LogPrinter, IntoAPipeWritesTheBytesOfATextAsTheyAre) {
  Printed log({});
  log.bytes("x.log", "a\x1b[2J\tb");
  EXPECT_EQ(log.finish(), "==> x.log <==\na\x1b[2J\tb\n");
}

TEST(LogPrinter, AStreamIsATranscript) {
  Printed log({});
  log.bytes("x.log",
            kInit + said("I look at it.\nThen I test.") +
                calls("1", "Bash", R"({"command":"go test ./…"})") +
                answered("1", false, "--- FAIL: a\nexit status 1") + kRetry +
                calls("2", "Edit",
                      R"({"file_path":"src/email.go","old_string":"a\nb","new_string":"c"})") +
                answered("2", true, "edited\nthe file") + said("Done.\n\n{\"status\":\"PASS\"}") +
                result("Done.\n\n{\"status\":\"PASS\"}"));
  EXPECT_EQ(log.finish(),
            "==> x.log <==\n"
            "· model opus, client 2.1\n"
            "\n"
            "I look at it.\n"
            "Then I test.\n"
            "\n"
            "▸ Bash go test ./…\n"
            "  ✗ failed\n"
            "    --- FAIL: a\n"
            "    exit status 1\n"
            "↻ waits for the API (529 overloaded), tries again in 30s\n"
            "▸ Edit src/email.go +1 −2\n"
            "  └ edited (and 1 more line)\n"
            "\n"
            "Done.\n"
            "\n"
            "{\"status\":\"PASS\"}\n"
            "\n"
            "· ended: 3 turns, 14 tokens in, 6 out, 200 from a cache, cost 0.42\n");
}

TEST(LogPrinter, RawIsTheStreamItself) {
  const std::string stream = kInit + said("x") + result("x");
  Printed log({.raw = true});
  log.bytes("x.log", stream);
  EXPECT_EQ(log.finish(), "==> x.log <==\n" + stream);
}

TEST(LogPrinter, AStreamIsReadHoweverItIsCut) {
  const std::string stream = "a banner\n" + kInit + said("one\ntwo") +
                             calls("1", "Read", R"({"file_path":"a.go"})") +
                             answered("1", true, "x") + result("one\ntwo");
  Printed whole({});
  whole.bytes("x.log", stream);
  const std::string expected = whole.finish();
  EXPECT_THAT(expected, HasSubstr("a banner\n"));
  Printed pieces({.follow = true});
  for (const char byte : stream) pieces.bytes("x.log", std::string(1, byte));
  EXPECT_EQ(pieces.finish(), expected);
}

TEST(LogPrinter, FollowedFilesSpeakInTurns) {
  Printed log({.follow = true});
  const std::string line = said("from a");
  log.bytes("a.log", kInit + line.substr(0, 40));
  log.bytes("b.log", kInit + said("from b"));
  log.bytes("a.log", line.substr(40));
  log.bytes("a.log", said("again"));
  const std::string out = log.finish();
  EXPECT_THAT(out, HasSubstr("from b\n"));
  EXPECT_THAT(out, HasSubstr("from a\n"));
  EXPECT_THAT(out, Not(HasSubstr("{"))) << "half an event is nobody's word";
}

TEST(LogPrinter, WhatAClientTellsTwiceIsShownOnce) {
  const std::string failed =
      R"({"type":"result","subtype":"success","is_error":true,"result":"API Error: 529"})"
      "\n";
  Printed log({});
  log.bytes("x.log", kInit + failed + failed);
  EXPECT_EQ(log.finish(), "==> x.log <==\n✗ failed (529): API Error: 529\n· ended\n");
}

TEST(LogPrinter, NothingInATranscriptCanMoveTheCursor) {
  Printed log({});
  log.bytes("x.log", kInit + said("a\x1b[2J\rb\n==> forged") +
                         calls("1", "Ba\x1b[31msh", R"({"command":"e\u001b[2Jcho\u0007"})") +
                         answered("1", false, "x\x1b]0;t\x07\ny\rz") + "warn\x1b[2J\n" +
                         result(""));
  const std::string out = log.finish();
  for (const char byte : out) EXPECT_TRUE(byte == '\n' || static_cast<unsigned char>(byte) >= 32);
}

// What each client printed, as it was recorded.
TEST(LogPrinter, EveryClientsStreamBecomesReadable) {
  const std::string folder = CAPSULE_SOURCE_DIR "/tests/client/transcripts/";
  for (const char* client :
       {"claude", "codex", "gemini", "opencode", "goose", "qwen", "copilot", "kimi", "grok"}) {
    const auto stream = read_file(folder + client + "/success.out");
    ASSERT_TRUE(stream) << client;
    Printed log({});
    log.bytes("x.log", *stream);
    const std::string out = log.finish();
    EXPECT_THAT(out, HasSubstr("It greets.")) << client;
    EXPECT_THAT(out, HasSubstr("▸ ")) << client;
    EXPECT_THAT(out, Not(HasSubstr("\"type\""))) << client;
    const bool sums = std::string_view("codex goose qwen").find(client) != std::string_view::npos;
    EXPECT_EQ(out.find("in all of its session") != out.npos, sums) << client << out;
    EXPECT_EQ(out.find("It greets."), out.rfind("It greets.")) << client << " says it once";
  }
}

}  // namespace
}  // namespace capsule::ui::log_tests
