#include "client/hook_words.h"

#include <gtest/gtest.h>

namespace capsule::client {
namespace {

std::string line(const char* type, const std::string& text) {
  return std::string(R"({"type":")") + type + R"(","message":{"role":")" + type +
         R"(","content":[{"type":"text","text":")" + text + "\"}]}}\n";
}

TEST(HookWords, AreTheAssistantsTextsInTheirOrder) {
  const Words words = words_in(line("assistant", "SIGNAL: ONE") + line("user", "hm") +
                               line("assistant", "SIGNAL: TWO"));
  ASSERT_EQ(words.texts.size(), 2U);
  EXPECT_EQ(words.texts[0], "SIGNAL: ONE");
  EXPECT_EQ(words.texts[1], "SIGNAL: TWO");
  EXPECT_EQ(words.answered, 1U) << "one of them stands before what the person wrote";
}

TEST(HookWords, BeginAnewWhereTheSessionWasToldToGoOn) {
  const Words words = words_in(line("assistant", "SIGNAL: ONE") +
                               line("user", "Stop hook feedback:\\n## Auto Mode Continuation") +
                               line("assistant", "SIGNAL: TWO"));
  ASSERT_EQ(words.texts.size(), 1U);
  EXPECT_EQ(words.texts[0], "SIGNAL: TWO");
}

TEST(HookWords, ALineThatIsNoJsonTellsNothing) {
  EXPECT_TRUE(words_in("{\"type\":\"assistant\", broken SIGNAL: X\n").texts.empty());
  EXPECT_TRUE(words_in("").texts.empty());
}

TEST(HookWords, ATranscriptThatCannotBeReadIsNoErrorWhenThereIsALastMessage) {
  const auto heard = read_words("/no/such/file", "said nothing that counts");
  ASSERT_TRUE(heard);
  EXPECT_NE(heard->complaint, "");
  EXPECT_EQ(heard->stop, "") << "which stop it is cannot be told";
  EXPECT_FALSE(read_words("/no/such/file", ""));
}

}  // namespace
}  // namespace capsule::client
