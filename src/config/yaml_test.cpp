#include "config/yaml.h"

#include <gtest/gtest.h>

#include <random>

namespace capsule::config {
namespace {

YamlError error_of(std::string_view text) {
  const auto node = parse_yaml(text);
  return node ? YamlError{-1, "no error"} : node.error();
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

TEST(ConfigYaml, AnEmptyTextIsNull) {
  for (const char* text : {"", "\n\n", "# only a comment\n", "---\n", "---\n# x\n...\n"}) {
    const auto node = parse_yaml(text);
    ASSERT_TRUE(node) << text;
    EXPECT_EQ(node->kind, YamlNode::Kind::null) << text;
  }
}

TEST(ConfigYaml, MapsKeepTheirNamesOrderAndLines) {
  const auto node = parse_yaml("# c\na: 1\nb:\n  - x\n  - 'y z'\nc: {d: ~}\n");
  ASSERT_TRUE(node);
  ASSERT_EQ(node->names.size(), 3U);
  EXPECT_EQ(node->names[1].text, "b");
  EXPECT_EQ(node->names[1].line, 3);
  EXPECT_EQ(node->items[0].text, "1");
  EXPECT_EQ(node->items[1].items[1].text, "y z");
  EXPECT_EQ(node->items[1].items[1].line, 5);
  EXPECT_TRUE(node->items[2].flow);
  EXPECT_EQ(node->items[2].items[0].kind, YamlNode::Kind::null);
}

TEST(ConfigYaml, AByteOrderMarkAndCarriageReturnsAreFine) {
  const auto node = parse_yaml(
      "\xEF\xBB\xBF"
      "a: x\r\nb: y\r\n");
  ASSERT_TRUE(node);
  EXPECT_EQ(node->names[0].text, "a");
  EXPECT_EQ(node->items[1].text, "y");
}

TEST(ConfigYaml, AKeyThatStandsTwiceIsRefusedWithBothLines) {
  const YamlError error = error_of("a: 1\nb: 2\n\na: 3\n");
  EXPECT_EQ(error.line, 4);
  EXPECT_NE(error.message.find("line 1"), std::string::npos);
}

TEST(ConfigYaml, AnAliasIsWrittenOut) {
  const auto node = parse_yaml("a: &x [1, 2]\nb: *x\n");
  ASSERT_TRUE(node);
  EXPECT_EQ(node->items[1].items.size(), 2U);
  EXPECT_EQ(node->items[1].line, 2);
}

TEST(ConfigYaml, ABillionLaughsEndsAtTheLimit) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before +
            repeated(", " + before, 8) + "]\n";
  }
  EXPECT_NE(error_of(text).message.find("10000 values"), std::string::npos);
  EXPECT_GT(error_of(text).line, 0);
}

TEST(ConfigYaml, AliasesOfALongTextEndAtTheLimit) {
  const std::string text =
      "a: &a " + std::string(200'000, 'x') + "\nb: [" + repeated("*a, ", 5000) + "]\n";
  EXPECT_NE(error_of(text).message.find("KiB of text"), std::string::npos);
}

TEST(ConfigYaml, AnAliasCannotStandInsideWhatItNames) {
  EXPECT_EQ(error_of("a: &a [1, *a]\n").line, 1);
  EXPECT_NE(error_of("a: *nobody\n").line, -1);
}

TEST(ConfigYaml, NestingIsBounded) {
  EXPECT_TRUE(parse_yaml(std::string(kMaxDepth, '[') + std::string(kMaxDepth, ']')));
  EXPECT_FALSE(parse_yaml(std::string(kMaxDepth + 1, '[') + std::string(kMaxDepth + 1, ']')));
  for (const char* text : {"[", "{", "- ", "a: [", "{a: ", "? ", "!x ", "|", "-\n"})
    EXPECT_FALSE(parse_yaml(repeated(text, 20'000))) << text;
}

TEST(ConfigYaml, NestingThroughAliasesIsBounded) {
  std::string text = "a0: &a0 [x]\n";
  for (int i = 1; i < 20; ++i)
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) +
            "]\n";
  EXPECT_NE(error_of(text).message.find("levels deep"), std::string::npos);
}

TEST(ConfigYaml, ATextThatIsTooLargeIsRefused) {
  EXPECT_FALSE(parse_yaml(std::string(kMaxFileBytes + 1, '\n')));
  EXPECT_TRUE(parse_yaml(std::string(kMaxFileBytes, '\n')));
}

TEST(ConfigYaml, WhatIsNoTextIsRefusedWithItsLine) {
  EXPECT_EQ(error_of("a: 1\nb: \xFF\n").line, 2);
  EXPECT_EQ(error_of(std::string_view("a: 1\n\nb: \0\n", 11)).line, 3);
  EXPECT_EQ(error_of("\x7F"
                     "ELF")
                .line,
            1);
  EXPECT_EQ(error_of("a: \x1b[31mred\n").line, 1);
}

TEST(ConfigYaml, WhatTheReaderDoesNotKnowIsRefusedWithItsLine) {
  EXPECT_EQ(error_of("a: 1\n---\nb: 2\n").line, 2);         // two documents
  EXPECT_EQ(error_of("a: 1\nb: !!binary QQ==\n").line, 2);  // a tag
  EXPECT_EQ(error_of("a: 1\n? [x, y]\n: 2\n").line, 2);     // a list as a key
  EXPECT_EQ(error_of("a: 1\n: 2\n").line, 2);               // no key
  EXPECT_EQ(error_of("a: 1\n\tb: 2\n").line, 2);            // a tab
  EXPECT_EQ(error_of("a: [1\nb: 2\n").line > 0, true);
  EXPECT_EQ(error_of("a: 'x\n").line > 0, true);
}

TEST(ConfigYaml, AnOpenQuoteNeverSwallowsTheRestOfTheFile) {
  for (const char* text : {"a: 'x\n", "a: \"x\n", "a: 'x", "'", "\"", "a: '", "a: 1\nb: 'x\nc: 2\n",
                           "a: \"x\nb: 2\n", "a: 'x\n# end", "a: 'x''\n", "a: \"x\\\"\n"})
    EXPECT_GT(error_of(text).line, 0) << text;
  EXPECT_TRUE(parse_yaml("a: 'x'"));
  EXPECT_TRUE(parse_yaml("a: \"x\"  # c"));
}

TEST(ConfigYaml, ABlockTextKeepsItsLines) {
  const auto node = parse_yaml("a: |\n  x\n  y\nb: >-\n  x\n  y");
  ASSERT_TRUE(node);
  EXPECT_EQ(node->items[0].text, "x\ny\n");
  EXPECT_EQ(node->items[1].text, "x y");
}

TEST(ConfigYaml, NoBytesMakeItCrashOrHang) {
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  constexpr std::string_view kAlphabet = "ab:-[]{}#&*!|>'\"%@`,? \n\t~0\\.<=";
  const int rounds = std::getenv("CAPSULE_TEST_FULL") != nullptr ? 200'000 : 5'000;
  for (int round = 0; round < rounds; ++round) {
    std::string text(random() % 60, ' ');
    for (char& c : text) c = kAlphabet[random() % kAlphabet.size()];
    (void)parse_yaml(text);
  }
}

}  // namespace
}  // namespace capsule::config
