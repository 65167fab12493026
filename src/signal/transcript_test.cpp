#include "signal/transcript.h"

#include <gmock/gmock.h>

#include <random>
#include <string>

#include "signal/find.h"

namespace capsule::signal {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> lines_of(RawText text) {
  std::vector<std::string> lines;
  for_each_line(text, [&](std::string_view line) { lines.emplace_back(line); });
  return lines;
}

TEST(Transcript, ARecordIsOneWholeJsonObject) {
  for (const char* line :
       {"{}", " { } ", R"({"a":1})", R"({"a":[1,-0.5e+3,true,false,null,"x",{"b":[]}]})",
        "{\"a\":\"\xFF\"}", R"({"a":"\ud800"})", "{\"a\":1}\r"})
    EXPECT_TRUE(read_record(line).has_value()) << line;
  for (const char* line : {"",
                           "[]",
                           "1",
                           "\"a\"",
                           "{",
                           R"({"a")",
                           R"({"a":)",
                           R"({"a":1)",
                           R"({"a":1,})",
                           R"({"a":01})",
                           R"({"a":1.})",
                           R"({"a":+1})",
                           R"({"a":tru})",
                           R"({"a" 1})",
                           R"({a:1})",
                           R"({"a":1}{})",
                           R"({"a":1}x)",
                           "{\"a\":\"\t\"}",
                           R"({"a":"\x"})",
                           R"({"a":"\u12"})",
                           R"({"a":[1 2]})",
                           R"({"a":[1,]})",
                           R"({"a":[})",
                           R"({"a":"b})",
                           R"({"a":-})",
                           R"({"a":1e})",
                           R"({"a":nullx})"})
    EXPECT_FALSE(read_record(line).has_value()) << line;
}

TEST(Transcript, DepthIsLimited) {
  const auto nested = [](std::size_t levels) {
    return "{\"a\":" + std::string(levels, '[') + std::string(levels, ']') + "}";
  };
  EXPECT_TRUE(read_record(nested(127)).has_value());
  EXPECT_FALSE(read_record(nested(128)).has_value());
  EXPECT_FALSE(read_record(nested(100'000)).has_value());
}

TEST(Transcript, TheTextsOfAMessageAreFound) {
  const auto record = read_record(
      R"({"uuid":1,"message":{"content":[{"type":"text","text":"a"},{"type":"tool_use"},"x",{"text":"b","type":"text"}],"role":"assistant"},"type":"assistant"})");
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->speaker, Speaker::assistant);
  EXPECT_THAT(record->texts, ElementsAre("a", "b"));
}

TEST(Transcript, ARoleThatDisagreesWithTheTypeIsNobodys) {
  EXPECT_EQ(read_record(R"({"type":"user","message":{"role":"assistant","content":"a"}})")->speaker,
            Speaker::other);
  EXPECT_EQ(read_record(R"({"type":"assistant","message":{"role":"user","content":"a"}})")->speaker,
            Speaker::other);
}

TEST(Transcript, AnEscapedTextIsDecodedLineByLine) {
  EXPECT_THAT(lines_of(R"(a\nb\n\nc)"), ElementsAre("a", "b", "", "c"));
  EXPECT_THAT(lines_of(R"(\t\"\\\/\u0041\u00e4\u20ac\ud83d\ude00)"),
              ElementsAre("\t\"\\/A\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"));
  EXPECT_THAT(lines_of(R"(a\u000ab)"), ElementsAre("a", "b"));
  EXPECT_THAT(lines_of(R"(\udc00\ud800\ud800\u0041\ud800)"),
              ElementsAre("\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
                          "A\xEF\xBF\xBD"));
  EXPECT_THAT(lines_of(""), ElementsAre(""));
}

TEST(Transcript, LongLinesAreCut) {
  const auto lines = lines_of(std::string(200'000, 'x') + R"(\ny)");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].size(), kMaxDecodedLineBytes);
  EXPECT_EQ(lines[1], "y");
}

TEST(Transcript, ATextIsATranscriptWhenItsFirstLinesAreObjects) {
  EXPECT_TRUE(is_transcript(R"({"type":"system"})"));
  EXPECT_TRUE(is_transcript("\xEF\xBB\xBF\n\r\n {\"role\":\"user\"}\n{\"ty"));
  EXPECT_FALSE(is_transcript(""));
  EXPECT_FALSE(is_transcript("words"));
  EXPECT_FALSE(is_transcript(R"({"status":"PASS"})"));
  EXPECT_FALSE(is_transcript("{\"type\":\"module\"}\nwords\n"));
  EXPECT_FALSE(is_transcript("{\"type\":\"sys"));
}

// Each vector search against its plain meaning, at every place of random texts.
TEST(Find, TheSearchesAgreeWithALoopOverBytes) {
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  constexpr std::string_view kAlphabet = "\n\nSsIiGgNnAaLl:::-AZ@[ x\"\\\x1f\x80\xff";
  for (int round = 0; round < 2000; ++round) {
    std::string text(random() % 300, 'x');
    for (char& c : text)
      if (random() % 3 == 0) c = kAlphabet[random() % kAlphabet.size()];
    for (int i = 0; i < 3 && text.size() > 10; ++i)
      text.replace(random() % (text.size() - 8), 7, i % 2 == 0 ? "sIgNAl:" : "SIGNAL:");
    const std::size_t from = text.empty() ? 0 : random() % text.size();
    const auto first = [&](auto matches) {
      for (std::size_t i = from; i < text.size(); ++i)
        if (matches(std::string_view(text).substr(i))) return i;
      return text.size();
    };
    const auto could = [](char c) { return (c >= 'A' && c <= 'Z') || c == '-'; };
    const std::size_t feed = first([&](std::string_view rest) {
      return rest.size() > 2 && rest[0] == '\n' && could(rest[1]) && could(rest[2]);
    });
    EXPECT_EQ(find_line_head(text, from), feed == text.size() ? feed : feed + 1);
    EXPECT_EQ(find_signal_key(text, from), first([](std::string_view rest) {
                std::string head(rest.substr(0, 7));
                for (char& c : head) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
                return head == "signal:";
              }));
    EXPECT_EQ(find_string_stop(text, from), first([](std::string_view rest) {
                const auto c = static_cast<unsigned char>(rest[0]);
                return c == '"' || c == '\\' || c < 32;
              }));
  }
}

}  // namespace
}  // namespace capsule::signal
