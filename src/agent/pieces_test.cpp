#include "agent/pieces.h"

#include <gtest/gtest.h>

#include <random>

#include "agent/redaction.h"
#include "json/text.h"

namespace capsule::agent {
namespace {

using dialect::Output;

const std::vector<std::string> kSecrets{"hunter2-hunter2"};

std::string passed(Output output, std::string_view text, std::size_t piece = 1 << 20) {
  PieceRedaction redaction(output, kSecrets);
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += piece)
    out += redaction.feed(text.substr(at, piece));
  out += redaction.finish();
  return out;
}

// A line of each stream that tells `text` as a piece of a longer one.
std::string grok(std::string_view text) {
  return R"({"type":"text","data":)" + json::quoted(text) + "}\n";
}
std::string gemini(std::string_view text) {
  return R"({"type":"message","role":"assistant","content":)" + json::quoted(text) +
         R"(,"delta":true})" + "\n";
}
std::string goose(std::string_view text) {
  return R"({"type":"message","message":{"id":"m1","role":"assistant","content":[{"type":"text",)"
         R"("text":)" +
         json::quoted(text) + "}]}}\n";
}
std::string opencode(std::string_view text) {
  return R"({"type":"text","sessionID":"s","part":{"messageID":"m1","text":)" + json::quoted(text) +
         "}}\n";
}
std::string copilot(std::string_view text) {
  return R"({"type":"assistant.message_delta","data":{"messageId":"m1","deltaContent":)" +
         json::quoted(text) + "}}\n";
}
std::string claude(std::string_view text) {
  return R"({"type":"stream_event","event":{"type":"content_block_delta","index":0,)"
         R"("delta":{"type":"text_delta","text":)" +
         json::quoted(text) + "}}}\n";
}

struct Stream {
  Output output;
  std::string (*line)(std::string_view);
};
constexpr Stream kStreams[] = {
    {Output::grok_stream, grok},       {Output::gemini_stream, gemini},
    {Output::goose_stream, goose},     {Output::opencode_events, opencode},
    {Output::copilot_events, copilot}, {Output::claude_stream, claude},
    {Output::qwen_stream, claude},
};

TEST(PieceRedaction, ASecretThatIsToldInTwoEventsIsReplacedInTheFirst) {
  for (const auto& [output, line] : kStreams) {
    EXPECT_EQ(passed(output, line("it is hunter2") + line("-hunter2, \"said\"")),
              line("it is [redacted]") + line(", \"said\""))
        << name_of(output);
    EXPECT_EQ(passed(output, line("sk-ant-api03-abc") + line("dEFGH0123") + line("456789 is it")),
              line("[redacted]") + line("") + line(" is it"))
        << name_of(output);
  }
}

TEST(PieceRedaction, WhatHoldsNoSecretStaysAsItCame) {
  for (const auto& [output, line] : kStreams) {
    const std::string text = "a banner\n\n" + line("the tests") + line(" pass\n\xC3\xA9 s") +
                             R"({"type" : "text", "data":"s" , "more":[1 , 2]})" + "\r\n" +
                             line("hunter2") + line("-hunter, s") + "{broken\n" + line("s");
    for (const std::size_t piece : {1U, 7U, 1000U}) EXPECT_EQ(passed(output, text, piece), text);
  }
}

TEST(PieceRedaction, ALineThatCannotBeTheBeginningOfASecretIsPassedOnAtOnce) {
  PieceRedaction redaction(Output::grok_stream, kSecrets);
  EXPECT_EQ(redaction.feed(grok("a line.")), grok("a line."));
  EXPECT_EQ(redaction.feed(grok("the hunter")), "");
  // What comes next is no piece of it: nothing more belongs to that text.
  const std::string tool = R"({"type":"tool_call","toolCallId":"c"})"
                           "\n";
  EXPECT_EQ(redaction.feed(tool), grok("the hunter") + tool);
  EXPECT_EQ(redaction.feed("no event, no line"), "no event, no line");
}

TEST(PieceRedaction, LinesGoAsSoonAsTheyAreDecidedThoughALaterOneIsNot) {
  PieceRedaction redaction(Output::grok_stream, kSecrets);
  EXPECT_EQ(redaction.feed(grok("a hunt")), "");
  EXPECT_EQ(redaction.feed(grok(" by a hunter")), grok("a hunt"));
  EXPECT_EQ(redaction.feed(grok(".")), grok(" by a hunter") + grok("."));
}

TEST(PieceRedaction, PiecesOfOtherTextsAreNotPutTogether) {
  const std::string thought = R"({"type":"thought","data":"-hunter2"})"
                              "\n";
  EXPECT_EQ(passed(Output::grok_stream, grok("hunter2") + thought), grok("hunter2") + thought);
}

TEST(PieceRedaction, BytesThatAreToldAsNumbersAreRead) {
  const auto update = [](std::string_view bytes) {
    std::string numbers;
    for (const char byte : bytes)
      numbers += (numbers.empty() ? "" : ",") + std::to_string(static_cast<unsigned char>(byte));
    return R"({"type":"tool_call_update","rawOutput":{"output":[)" + numbers + "]}}\n";
  };
  EXPECT_EQ(passed(Output::grok_stream, update("key hunter2-hunter2\n")),
            update("key [redacted]\n"));
  EXPECT_EQ(passed(Output::grok_stream, update("key\n")), update("key\n"));
  const std::string odd = R"({"type":"tool_call_update","rawOutput":{"output":[1,-2,300,"x"]}})"
                          "\n";
  EXPECT_EQ(passed(Output::grok_stream, odd), odd);
}

TEST(PieceRedaction, ALineThatGrowsByWhatIsReplacedKeepsItsOtherPieces) {
  const auto line = [](std::string_view bytes) {
    std::string numbers, all;
    for (const char byte : bytes)
      numbers += (numbers.empty() ? "" : ",") + std::to_string(static_cast<unsigned char>(byte));
    for (int i = 0; i < 50; ++i)
      all += std::string(i == 0 ? "" : ",") + R"({"type":"text","text":[)" + numbers + "]}";
    return R"({"type":"message","message":{"id":"m1","role":"assistant","content":[)" + all +
           "]}}\n";
  };
  PieceRedaction redaction(Output::goose_stream, {"ABCDEFGH"});
  std::string out(redaction.feed(line("ABCDEFGH")));
  out += redaction.finish();
  EXPECT_EQ(out, line("[redacted]"));
}

TEST(PieceRedaction, ItCounts) {
  PieceRedaction redaction(Output::grok_stream, kSecrets);
  redaction.feed(grok("hunter2-hunter2 hun") + grok("ter2-hunter2"));
  redaction.finish();
  EXPECT_EQ(redaction.count(), 2);
}

TEST(PieceRedaction, ATextThatNeverEndsIsNotHeldForEver) {
  PieceRedaction redaction(Output::grok_stream, kSecrets);
  redaction.feed(grok("hunter2"));
  std::size_t out = 0;
  for (int i = 0; i < 100'000; ++i) out += redaction.feed(grok("")).size();
  EXPECT_GT(out, 1'000'000U);
  const std::string flood = R"({"type":"text","data":")" + std::string(3 << 20, 's');
  EXPECT_GE(redaction.feed(flood).size(), flood.size());
}

TEST(PieceRedaction, HoweverATextIsCutTheSameIsReplaced) {
  std::mt19937 random(11);
  const std::string parts[] = {"hunter2-hunter2",
                               "hunter2",
                               " words ",
                               "sk-",
                               "s",
                               "sk-ant-api03-abcdefABCDEF0123456789",
                               "\n",
                               "\"",
                               "-----BEGIN ",
                               "PRIVATE KEY-----",
                               "-----END KEY-----"};
  const auto text_of = [](std::string_view out) {
    std::string text;
    while (!out.empty()) {
      const std::string_view line = out.substr(0, out.find('\n'));
      const std::size_t at = line.find(R"("data":)") + 7;
      text += json::unquoted(line.substr(at, line.size() - at - 1));
      out.remove_prefix(line.size() + 1);
    }
    return text;
  };
  for (int round = 0; round < 400; ++round) {
    std::string text, lines;
    for (int i = 0; i < 8; ++i) text += parts[random() % std::size(parts)];
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size = 1 + random() % 12;
      lines += grok(std::string_view(text).substr(at, size));
      at += size;
    }
    Redaction whole(kSecrets);
    std::string expected(whole.feed(text));
    expected += whole.finish();
    EXPECT_EQ(text_of(passed(Output::grok_stream, lines, 1 + random() % 50)), expected) << text;
  }
}

}  // namespace
}  // namespace capsule::agent
